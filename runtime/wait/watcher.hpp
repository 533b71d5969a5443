#pragma once
// For a rank that sleeps on its doorbell but waits for sockets too: a thread that sleeps on the descriptors
// and rings the bell. It exists once a rank with network peers has gone to sleep; on the message path it does
// nothing.

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "runtime/wait/doorbell.hpp"

namespace rb2::wait {

class Watcher {
  public:
    /// `bell` is the own doorbell and outlives the watcher.
    explicit Watcher(Doorbell& bell) noexcept : bell_(bell) {}
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;
    ~Watcher();

    /// `descriptor` stays open as long as the watcher lives. Before the first arm().
    void add(int descriptor) { descriptors_.push_back(descriptor); }

    /// From now on until disarm() the bell is rung once a descriptor is readable. Throws nothing; where no
    /// thread can be had, sleeps end by their time-out.
    void arm() noexcept;
    void disarm() noexcept {
        // Only the rank's thread changes it: no read-modify-write is needed.
        const std::uint64_t turn = turn_.load(std::memory_order_relaxed);
        if (watches(turn)) turn_.store(turn + 1, std::memory_order_relaxed);
    }

  private:
    void run() noexcept;
    [[nodiscard]] static bool watches(std::uint64_t turn) noexcept { return turn % 2 != 0; }
    bool wait_for_arm() noexcept;
    void wait_for_input() noexcept;

    Doorbell& bell_;
    std::vector<int> descriptors_;
    std::atomic<std::uint64_t> turn_{0};  ///< odd while armed; each watch has its own number
    std::atomic<bool> over_{false};
    int control_ = -1;  // eventfd: a watch begins, or the end
    std::thread thread_;
};

}  // namespace rb2::wait
