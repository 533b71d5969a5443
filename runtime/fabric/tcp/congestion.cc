#include "runtime/fabric/tcp/congestion.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "runtime/memory/descriptor.hpp"
#include "runtime/status.hpp"

namespace rb2::fabric::tcp {
namespace {

/// Of a new socket; empty where the kernel does not tell.
std::string congestion_of(int fd) {
    std::array<char, 16> name{};  // TCP_CA_NAME_MAX
    socklen_t bytes = name.size();
    if (::getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(), &bytes) != 0) return {};
    return {name.data(), ::strnlen(name.data(), name.size())};
}

}  // namespace

bool use_congestion(int fd, const std::string& algorithm) noexcept {
    if (algorithm.empty()) return true;
    const auto bytes = static_cast<socklen_t>(algorithm.size());
    return ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, algorithm.data(), bytes) == 0;
}

std::string choose_congestion(const std::string& wanted) {
    const memory::Descriptor probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP));
    if (!wanted.empty()) {
        if (use_congestion(probe.get(), wanted)) return wanted;
        throw StartupError(fmt::format(
            "RB2_TCP_CONGESTION={}: the kernel refuses it ({}); what it offers is in "
            "/proc/sys/net/ipv4/tcp_available_congestion_control, of that without privilege only what is in "
            "tcp_allowed_congestion_control",
            wanted, std::strerror(errno)));
    }
    if (!congestion_of(probe.get()).starts_with("bbr")) return {};
    for (const char* const unpaced : {"cubic", "reno"})
        if (use_congestion(probe.get(), unpaced)) return unpaced;
    return {};
}

}  // namespace rb2::fabric::tcp
