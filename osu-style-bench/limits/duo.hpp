#pragma once

#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>

namespace rb2::bench::limits {

inline constexpr std::size_t kLine = 64;

/// Memory that this process and the ones it forks share; zero-filled, T is constructed in place and lives
/// until unmapped. T must be trivially destructible. Throws std::system_error when the kernel refuses.
template <typename T>
class Shared {
  public:
    Shared();
    ~Shared() { ::munmap(memory_, sizeof(T)); }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    T& operator*() const { return *memory_; }
    T* operator->() const { return memory_; }

  private:
    T* memory_;
};

/// Maps length bytes shared and resident. Throws std::system_error.
void* map_shared(std::size_t length);

template <typename T>
Shared<T>::Shared() : memory_(new (map_shared(sizeof(T))) T{}) {}

/// Two processors to run on: the first two this process may use, or twice the only one.
struct Processors {
    int first;
    int second;
    [[nodiscard]] bool distinct() const { return first != second; }
};
Processors usable_processors();

/// A busy wait; on a single processor it yields at every turn, as the other side needs the processor.
class Spin {
  public:
    explicit Spin(const Processors& processors) : yields_(!processors.distinct()) {}
    template <typename Condition>
    void until(Condition condition) const {
        while (!condition()) {
            if (yields_) {
                give_way();
            }
        }
    }

  private:
    static void give_way();
    bool yields_;
};

/// Where two processes meet once, so that neither is timed while the other is still starting.
struct alignas(kLine) Gate {
    std::atomic<int> arrived;
    void meet(const Spin& spin) {
        arrived.fetch_add(1, std::memory_order_acq_rel);
        spin.until([this] { return arrived.load(std::memory_order_acquire) == 2; });
    }
};

namespace detail {
void pin(int process, int processor);

/// Pins this process and gives it its former processors back at the end.
class PinnedHere {
  public:
    explicit PinnedHere(int processor);
    ~PinnedHere();
    PinnedHere(const PinnedHere&) = delete;
    PinnedHere& operator=(const PinnedHere&) = delete;

  private:
    cpu_set_t former_;
};

int fork_child();
[[noreturn]] void leave_child();
void wait_child(int child);
}  // namespace detail

/// Runs first in this process and second in a forked one, each pinned to its processor meanwhile, and waits
/// for both.
/// second must not throw. The child is killed when this process ends.
/// Throws std::system_error or std::runtime_error when the child cannot be started or fails.
template <typename First, typename Second>
void run_pinned_pair(const Processors& processors, First first, Second second) {
    const int child = detail::fork_child();
    if (child == 0) {
        second();
        detail::leave_child();
    }
    detail::pin(child, processors.second);
    const detail::PinnedHere pinned(processors.first);
    first();
    detail::wait_child(child);
}

}  // namespace rb2::bench::limits
