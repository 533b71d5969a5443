// Which congestion control connections have.
#include "runtime/fabric/tcp/congestion.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/status.hpp"
#include "tests/runtime/fabric/tcp/link.hpp"

namespace rb2::fabric::tcp {
namespace {

std::string congestion_of(int fd) {
    std::array<char, 16> name{};
    socklen_t bytes = name.size();
    return ::getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(), &bytes) == 0 ? name.data() : "";
}

std::string system_congestion() {
    const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return congestion_of(socket.get());
}

/// One that everybody may use and that is not the system's; empty: there is none.
std::string another() {
    std::ifstream allowed("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
    for (std::string name; allowed >> name;)
        if (name != system_congestion()) return name;
    return {};
}

/// Of all connections of this process, one word each.
std::vector<std::string> of_connections() {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        const int fd = std::stoi(entry.path().filename());
        tcp_info info{};
        socklen_t bytes = sizeof info;
        if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) == 0 && info.tcpi_state == TCP_ESTABLISHED)
            found.push_back(congestion_of(fd));
    }
    return found;
}

TEST(Congestion, BothEndsHaveWhatTheirProcessChose) {
    const std::string name = another();
    if (name.empty()) GTEST_SKIP() << "this kernel allows only " << system_congestion();
    auto options = test::options(0);
    options.congestion = name;
    auto options_of_peer = test::options(1);
    options_of_peer.congestion = name;
    test::Link link(options, options_of_peer);
    ASSERT_TRUE(link.connect());
    EXPECT_EQ(of_connections(), (std::vector<std::string>{name, name}));
}

TEST(Congestion, WithoutAWishTheSystemsStaysUnlessItIsABbr) {
    const std::string chosen = choose_congestion("");
    if (!system_congestion().starts_with("bbr"))
        EXPECT_EQ(chosen, "");
    else
        EXPECT_TRUE(chosen == "cubic" || chosen == "reno") << chosen;
}

TEST(Congestion, AWishIsFulfilledOrRefusedByName) {
    EXPECT_EQ(choose_congestion(system_congestion()), system_congestion());
    try {
        static_cast<void>(choose_congestion("nosuch"));
        ADD_FAILURE() << "taken";
    } catch (const StartupError& error) {
        const std::string what = error.what();
        EXPECT_TRUE(what.starts_with("RB2_TCP_CONGESTION=nosuch: the kernel refuses it")) << what;
    }
}

}  // namespace
}  // namespace rb2::fabric::tcp
