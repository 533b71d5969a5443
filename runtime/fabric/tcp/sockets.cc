#include "runtime/fabric/tcp/sockets.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace rb2::fabric::tcp {

memory::Descriptor open_socket(Family family, int type) noexcept {
    const int domain = family == Family::v6 ? AF_INET6 : AF_INET;
    int fd = ::socket(domain, type | SOCK_CLOEXEC, 0);
    if (fd < 0 && errno == EMFILE && raise_descriptor_limit()) fd = ::socket(domain, type | SOCK_CLOEXEC, 0);
    return memory::Descriptor(fd);
}

bool raise_descriptor_limit() noexcept {
    const int error = errno;
    rlimit limit{};
    const bool raises = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max;
    limit.rlim_cur = limit.rlim_max;
    if (raises && ::setrlimit(RLIMIT_NOFILE, &limit) == 0) return true;
    errno = error;
    return false;
}

bool out_of_descriptors(int error) noexcept { return error == EMFILE || error == ENFILE; }

std::string describe_error(int error) {
    return fmt::format("{}{}", std::strerror(error),
                       out_of_descriptors(error) ? "; raise the limit of open files (ulimit -n)" : "");
}

}  // namespace rb2::fabric::tcp
