#include "launcher/process/program_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ProgramPath : public testing::Test {
  protected:
    ProgramPath() : dir_(fs::temp_directory_path() / ("rb2-program-path-" + std::to_string(::getpid()))) {
        fs::create_directories(dir_ / "bin");
        std::ofstream(dir_ / "bin" / "tool") << "#!/bin/sh\n";
        fs::permissions(dir_ / "bin" / "tool", fs::perms::owner_all);
        std::ofstream(dir_ / "bin" / "text") << "not a program\n";
    }
    ~ProgramPath() override { fs::remove_all(dir_); }
    ProgramPath(const ProgramPath&) = delete;
    ProgramPath& operator=(const ProgramPath&) = delete;

    [[nodiscard]] AppSpec spec(const std::string& program) const {
        AppSpec app;
        app.command = {program};
        app.wdir = dir_.string();
        app.exports = {{"PATH", (dir_ / "bin").string()}};
        return app;
    }

    static std::string why_refused(const AppSpec& app) {
        try {
            return "accepted: " + find_program(app);
        } catch (const LaunchError& error) {
            EXPECT_EQ(error.exit_code(), 127);
            return error.what();
        }
    }

    fs::path dir_;
};

TEST_F(ProgramPath, NameIsFoundInTheExportedPath) {
    EXPECT_EQ(find_program(spec("tool")), (dir_ / "bin" / "tool").string());
}

TEST_F(ProgramPath, RelativePathCountsFromTheDirectory) {
    EXPECT_EQ(find_program(spec("bin/tool")), "bin/tool");
}

TEST_F(ProgramPath, MissingNameSaysSo) {
    EXPECT_THAT(why_refused(spec("nothing")),
                HasSubstr("cannot start nothing: No such file or directory (searched PATH)"));
}

TEST_F(ProgramPath, FileInTheDirectoryIsSuggested) {
    AppSpec app = spec("tool");
    app.wdir = (dir_ / "bin").string();
    app.exports = {{"PATH", "/nowhere"}};
    EXPECT_THAT(why_refused(app), HasSubstr("did you mean ./tool?"));
}

TEST_F(ProgramPath, TextFileIsNotExecutable) {
    EXPECT_THAT(why_refused(spec("bin/text")), HasSubstr("Permission denied"));
    EXPECT_THAT(why_refused(spec("text")), HasSubstr("Permission denied"));
}

TEST_F(ProgramPath, DirectoryIsNoProgram) {
    EXPECT_THAT(why_refused(spec("./bin")), HasSubstr("Is a directory"));
}

TEST_F(ProgramPath, MissingDirectoryIsNamed) {
    AppSpec app = spec("tool");
    app.wdir = "/no/such/place";
    EXPECT_THAT(why_refused(app), HasSubstr("--wdir /no/such/place"));
}

}  // namespace
}  // namespace rb2::launcher
