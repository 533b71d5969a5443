#include "runtime/fabric/shm/single_copy.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

#include "runtime/wait/pause.hpp"

namespace rb2::fabric::shm {

namespace {

using Copy = decltype(::process_vm_readv);

/// Between the own memory and a process's, either way. False when the kernel refuses or stops half way.
bool copy(Copy& move, pid_t process, std::span<std::byte> own, std::uint64_t address) noexcept {
    // The kernel moves less than 2 GiB per call and may stop early: loop over what is left.
    constexpr std::size_t most = std::size_t{1} << 30;
    while (!own.empty()) {
        const iovec local{own.data(), std::min(own.size(), most)};
        // An address of the other process, never followed here
        const iovec remote{reinterpret_cast<void*>(address), local.iov_len};
        const ssize_t moved = move(process, &local, 1, &remote, 1, 0);
        if (moved < 0 && errno == EINTR) continue;
        if (moved <= 0) return false;
        own = own.subspan(static_cast<std::size_t>(moved));
        address += static_cast<std::uint64_t>(moved);
    }
    return true;
}

/// Until the helper has done with its half. It is copying right now, for as long as this process just did;
/// only if it has lost its processor is that longer.
void await(const HalvesBoard& board) noexcept {
    constexpr int spins = 10000;
    for (int spin = 0; board.taken(); ++spin) {
        if (spin < spins)
            wait::pause();
        else
            ::sched_yield();
    }
}

}  // namespace

void permit_single_copy() noexcept { ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); }

bool SingleCopy::read(std::span<std::byte> to, std::uint64_t address) noexcept {
    if (peer_ == 0) return false;
    if (copy(::process_vm_readv, peer_, to, address)) return true;
    peer_ = 0;
    return false;
}

bool SingleCopy::read_in_halves(std::span<std::byte> to, std::uint64_t address, HalvesBoard& board,
                                std::uint32_t helper) noexcept {
    const std::size_t first = to.size() / 2;
    const auto second = to.subspan(first);
    board.ask(helper, {address + first, reinterpret_cast<std::uintptr_t>(second.data()), second.size()});
    const bool read_first = read(to.first(first), address);
    if (!board.take_back()) {
        await(board);
        if (board.written()) return read_first;
    }
    return read_first && read(second, address + first);
}

bool SingleCopy::help(HalvesBoard& board, std::uint32_t own) const noexcept {
    const auto half = board.take(own);
    if (!half) return false;
    // This process gave the address away itself
    const std::span from(reinterpret_cast<std::byte*>(half->from), half->bytes);
    board.finish(peer_ != 0 && copy(::process_vm_writev, peer_, from, half->to));
    return true;
}

}  // namespace rb2::fabric::shm
