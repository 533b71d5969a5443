#include "runtime/memory/critical_size/measure.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

namespace rb2::memory::critical_size {
namespace {

using registration::Access;
using registration::Registrar;
using registration::Registration;

constexpr std::size_t kHugeBytes = std::size_t{2} << 20;
constexpr std::size_t kBounceBytes = std::size_t{1} << 20;
constexpr double kShortest = 20'000;  // ns: shorter work is timed several times at once

/// Anonymous memory in the state that is to be measured; huge pages only where the kernel gives them.
class Memory {
  public:
    Memory(std::size_t bytes, Buffer buffer) {
        mapped_ = bytes + kHugeBytes;
        void* start = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (start == MAP_FAILED) return;
        start_ = static_cast<std::byte*>(start);
        const auto address = reinterpret_cast<std::uintptr_t>(start_);
        std::byte* const aligned = start_ + (kHugeBytes - address % kHugeBytes) % kHugeBytes;
        if (::madvise(aligned, bytes, buffer.huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) != 0 && buffer.huge)
            return;
        if (buffer.resident) std::memset(aligned, 1, bytes);
        bytes_ = {aligned, bytes};
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() {
        if (start_ != nullptr) ::munmap(start_, mapped_);
    }
    /// Empty when it could not be had.
    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

  private:
    std::byte* start_ = nullptr;
    std::size_t mapped_ = 0;
    std::span<std::byte> bytes_;
};

template <class F>
double timed_ns(F&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

void copy_from_bounce(std::span<std::byte> to, std::span<const std::byte> bounce) noexcept {
    for (std::size_t done = 0; done < to.size(); done += bounce.size())
        std::memcpy(to.data() + done, bounce.data(), std::min(bounce.size(), to.size() - done));
    // The copy is the point: the compiler must not find out that nobody reads it.
    asm volatile("" : : "r"(to.data()) : "memory");
}

double copy_ns(std::span<std::byte> to, std::span<const std::byte> bounce, bool repeatable) {
    double once = timed_ns([&] { copy_from_bounce(to, bounce); });
    if (!repeatable || once >= kShortest) return once;
    const int rounds = static_cast<int>(kShortest / std::max(once, 50.0)) + 1;
    return timed_ns([&] {
               for (int i = 0; i < rounds; ++i) copy_from_bounce(to, bounce);
           }) /
           rounds;
}

/// Times of registering and deregistering; nothing when the device refuses.
std::optional<std::pair<double, double>> register_ns(Registrar& registrar,
                                                     std::span<const std::byte> memory) {
    Registration made;
    Status status = Status::ok;
    const double adding =
        timed_ns([&] { status = registrar.add(memory, Access::local_write | Access::remote_write, made); });
    if (status != Status::ok) return std::nullopt;
    return std::pair(adding, timed_ns([&] { registrar.remove(made); }));
}

/// Smallest figures at one size; 0: none.
struct Best {
    double copy = 0;
    double add = 0;
    double remove = 0;
    static void take(double& best, double now) noexcept { best = best == 0 ? now : std::min(best, now); }
};

void measure_once(Registrar& registrar, std::size_t bytes, Buffer buffer, std::span<const std::byte> bounce,
                  Best& best) {
    {
        const Memory memory(bytes, buffer);
        if (memory.bytes().empty()) return;
        Best::take(best.copy, copy_ns(memory.bytes(), bounce, buffer.resident));
    }
    const Memory memory(bytes, buffer);
    if (memory.bytes().empty()) return;
    if (const auto times = register_ns(registrar, memory.bytes())) {
        Best::take(best.add, times->first);
        Best::take(best.remove, times->second);
    }
}

int repetitions(const Plan& plan, std::uint64_t bytes) noexcept {
    return bytes <= (1U << 20) ? plan.repetitions : std::max(2, plan.repetitions / 2);
}

void measure_buffer(Registrar& registrar, const Plan& plan, Buffer buffer, std::span<const std::byte> bounce,
                    Curves& curves) {
    for (std::uint64_t bytes = plan.least_bytes; bytes <= plan.most_bytes; bytes *= 2) {
        Best best;
        for (int i = 0; i < repetitions(plan, bytes); ++i)
            measure_once(registrar, bytes, buffer, bounce.first(std::min<std::size_t>(bytes, bounce.size())),
                         best);
        if (best.copy == 0) return;
        curves.of(Work::copy, buffer).push_back({bytes, best.copy});
        if (best.add == 0) continue;
        curves.of(Work::add, buffer).push_back({bytes, best.add});
        curves.of(Work::remove, buffer).push_back({bytes, best.remove});
    }
}

}  // namespace

Curves measure(Registrar& registrar, const Plan& plan) {
    Curves curves;
    const Memory bounce(kBounceBytes, {true, false});
    if (bounce.bytes().empty()) return curves;
    for (const Buffer buffer : kBuffers) measure_buffer(registrar, plan, buffer, bounce.bytes(), curves);
    return curves;
}

}  // namespace rb2::memory::critical_size
