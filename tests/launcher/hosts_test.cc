#include "launcher/cli/hosts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace rb2::launcher {
namespace {

using testing::HasSubstr;

/// "a:2 b:0".
std::string summary(const std::vector<HostSpec>& hosts) {
    std::string text;
    for (const HostSpec& host : hosts) {
        text += text.empty() ? "" : " ";
        text += host.name + ":" + std::to_string(host.slots);
    }
    return text;
}

template <class Parse>
std::string complaint(Parse parse) {
    try {
        return "accepted: " + summary(parse());
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
}

TEST(HostList, NamesAndNumbers) {
    EXPECT_EQ(summary(parse_host_list("a")), "a:0");
    EXPECT_EQ(summary(parse_host_list("a,b:2")), "a:0 b:2");
    EXPECT_EQ(summary(parse_host_list("node-1.site.org:64,10.0.0.7,n_2:1")),
              "node-1.site.org:64 10.0.0.7:0 n_2:1");
}

TEST(HostList, RepeatedNamesAddUp) {
    EXPECT_EQ(summary(parse_host_list("a,b,a")), "a:2 b:0");
    EXPECT_EQ(summary(parse_host_list("a:2,a:3,a")), "a:6");
}

TEST(HostList, RefusesWhatIsNoHost) {
    for (const char* text :
         {"", ",", "a,", ",a", ":2", "a b", "-a", "a;reboot", "$(x)", "user@a", "^a", "a/b"}) {
        EXPECT_THAT(complaint([&] { return parse_host_list(text); }), HasSubstr("is no name of a host"))
            << text;
    }
    for (const char* text :
         {"a:", "a:0", "a:-1", "a:x", "a:2x", "a: 2", "a:100001", "a:99999999999999999999"}) {
        EXPECT_THAT(complaint([&] { return parse_host_list(text); }), HasSubstr("is no number of ranks"))
            << text;
    }
    EXPECT_THAT(complaint([] { return parse_host_list("::1"); }), HasSubstr("IPv6"));
    EXPECT_THAT(complaint([] { return parse_host_list("a:1:2"); }), HasSubstr("HOST:N"));
}

TEST(HostFile, Spellings) {
    EXPECT_EQ(summary(parse_host_file("a\nb slots=4\nc:2\n")), "a:0 b:4 c:2");
    EXPECT_EQ(summary(parse_host_file("# all\n\n  a   slots=1 # fast\r\n\t\n#b\nc")), "a:1 c:0");
    EXPECT_EQ(summary(parse_host_file("a\na\nb slots=2\na slots=3")), "a:5 b:2");
}

TEST(HostFile, ErrorsNameTheLine) {
    const auto of = [](const char* text) { return complaint([text] { return parse_host_file(text); }); };
    EXPECT_THAT(of("a\nb slots=x\n"), HasSubstr("line 2: 'x' is no number of ranks"));
    EXPECT_THAT(of("a\n\nb max_slots=4\n"), HasSubstr("line 3: 'max_slots=4'"));
    EXPECT_THAT(of("a slots=1 slots=2"), HasSubstr("line 1"));
    EXPECT_THAT(of("a:1 slots=2"), HasSubstr("line 1"));
    EXPECT_THAT(of("a b"), HasSubstr("known is slots=N"));
    EXPECT_THAT(of("+n0"), HasSubstr("line 1: '+n0' is no name"));
    EXPECT_THAT(of(""), HasSubstr("no host is named"));
    EXPECT_THAT(of("# only this\n\n"), HasSubstr("no host is named"));
}

TEST(HostFile, ReadsAFile) {
    const std::string path = testing::TempDir() + "rb2_hosts_test." + std::to_string(::getpid());
    std::ofstream(path) << "a slots=2\nb\n";
    EXPECT_EQ(summary(read_host_file(path)), "a:2 b:0");
    std::ofstream(path) << "";
    EXPECT_THAT(complaint([&] { return read_host_file(path); }), HasSubstr(path + ": no host is named"));
    std::filesystem::remove(path);
    EXPECT_THAT(complaint([&] { return read_host_file(path); }), HasSubstr(path + ": No such file"));
    EXPECT_THAT(complaint([&] { return read_host_file(testing::TempDir()); }), HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace rb2::launcher
