#pragma once
// A registrar whose "device" really holds the physical pages: vmsplice() puts references to them into a pipe,
// where they stay whatever becomes of the mapping, and tee() reads what they hold now. So a stale translation
// shows as wrong bytes, as it would with a network card.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/memory/descriptor.hpp"
#include "runtime/memory/registration/cache.hpp"

namespace rb2::memory::registration::test {

class Pipe {
  public:
    Pipe() {
        std::array<int, 2> ends{-1, -1};
        if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
        reader = Descriptor(ends[0]);
        writer = Descriptor(ends[1]);
    }
    [[nodiscard]] bool room_for(std::size_t bytes) const {
        return ::fcntl(writer.get(), F_SETPIPE_SZ, static_cast<int>(bytes)) >= 0;
    }
    Descriptor reader;
    Descriptor writer;
};

class PinningRegistrar final : public Registrar {
  public:
    [[nodiscard]] Status add(std::span<const std::byte> memory, Access access,
                             Registration& out) noexcept override {
        if (const std::uint64_t call = ++calls; fail_every != 0 && call % fail_every == 0)
            return Status::out_of_memory;
        void* start = const_cast<std::byte*>(memory.data());
        if (::madvise(start, memory.size(), MADV_POPULATE_WRITE) != 0 &&
            (access != Access::local_read || !make_own(memory)))
            return Status::invalid_argument;
        auto pipe = std::make_unique<Pipe>();
        const iovec pages{start, memory.size()};
        if (!pipe->room_for(memory.size()) ||
            ::vmsplice(pipe->writer.get(), &pages, 1, 0) != static_cast<ssize_t>(memory.size()))
            return Status::out_of_memory;
        ++live;
        out = {1, 1, pipe.release()};
        return Status::ok;
    }

    void remove(const Registration& registration) noexcept override {
        const std::unique_ptr<Pipe> pipe(static_cast<Pipe*>(registration.handle));
        --live;
    }

    /// What the device sees in `range` now.
    static std::vector<std::byte> read(const Lease& lease, Range range) {
        const auto& pipe = *static_cast<const Pipe*>(lease.handle());
        const std::size_t all = lease.pages().bytes();
        const Pipe copy;
        std::vector<std::byte> bytes(all);
        if (!copy.room_for(all) ||
            ::tee(pipe.reader.get(), copy.writer.get(), all, 0) != static_cast<ssize_t>(all))
            return {};
        std::size_t got = 0;
        while (got < all) {
            const ssize_t n = ::read(copy.reader.get(), bytes.data() + got, all - got);
            if (n <= 0) return {};
            got += static_cast<std::size_t>(n);
        }
        const std::size_t skip = range.begin - lease.pages().begin;
        return {bytes.begin() + static_cast<std::ptrdiff_t>(skip),
                bytes.begin() + static_cast<std::ptrdiff_t>(skip + range.bytes())};
    }

    /// Before it pins private read-only pages the kernel makes them the process's own, so that a store after
    /// some mprotect() hits what was pinned. Forced stores do the same here.
    static bool make_own(std::span<const std::byte> memory) {
        const Descriptor self(::open("/proc/self/mem", O_RDWR | O_CLOEXEC));
        for (std::size_t at = 0; at < memory.size(); at += kPageBytes) {
            const auto offset = static_cast<off_t>(range_of(memory).begin + at);
            if (::pwrite(self.get(), &memory[at], 1, offset) != 1) return false;
        }
        return true;
    }

    std::uint64_t fail_every = 0;
    std::atomic<std::uint64_t> calls{0};
    std::atomic<int> live{0};
};

/// Whether the device sees in `range` what the program sees.
inline bool device_agrees(const Lease& lease, Range range) {
    const std::vector<std::byte> seen = PinningRegistrar::read(lease, range);
    return seen.size() == range.bytes() &&
           std::memcmp(seen.data(), memory_of(range).data(), seen.size()) == 0;
}

}  // namespace rb2::memory::registration::test
