#pragma once
// A directory of small text files for one test, removed at its end: stands in for parts of /sys and /proc.

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace rb2::test {

class TemporaryTree {
  public:
    TemporaryTree() {
        std::string name = (std::filesystem::temp_directory_path() / "rb2-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
        root_ = name;
    }
    TemporaryTree(const TemporaryTree&) = delete;
    TemporaryTree& operator=(const TemporaryTree&) = delete;
    ~TemporaryTree() {
        std::error_code ignored;
        std::filesystem::remove_all(root_, ignored);
    }

    void write(const std::filesystem::path& file, const std::string& text) const {
        std::filesystem::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text << '\n';
    }
    void link(const std::filesystem::path& file, const std::filesystem::path& target) const {
        std::filesystem::create_directories((root_ / file).parent_path());
        std::filesystem::create_directory_symlink(root_ / target, root_ / file);
    }
    [[nodiscard]] const std::filesystem::path& root() const noexcept { return root_; }

  private:
    std::filesystem::path root_;
};

}  // namespace rb2::test
