#include "runtime/fabric/shm/single_copy.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

namespace rb2::fabric::shm {

void permit_single_copy() noexcept { ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); }

bool SingleCopy::read(std::span<std::byte> to, std::uint64_t address) noexcept {
    if (peer_ == 0) return false;
    // The kernel moves less than 2 GiB per call and may stop early: loop over what is left.
    constexpr std::size_t most = std::size_t{1} << 30;
    while (!to.empty()) {
        const iovec local{to.data(), std::min(to.size(), most)};
        // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the other process, never followed here
        const iovec remote{reinterpret_cast<void*>(address), local.iov_len};
        const ssize_t moved = ::process_vm_readv(peer_, &local, 1, &remote, 1, 0);
        if (moved <= 0) {
            if (moved < 0 && errno == EINTR) continue;
            peer_ = 0;
            return false;
        }
        to = to.subspan(static_cast<std::size_t>(moved));
        address += static_cast<std::uint64_t>(moved);
    }
    return true;
}

}  // namespace rb2::fabric::shm
