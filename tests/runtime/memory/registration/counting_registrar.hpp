#pragma once
// A registrar without a device: gives keys, counts, and refuses when told to.

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>

#include "runtime/memory/registration/cache.hpp"

namespace rb2::memory::registration::test {

class CountingRegistrar final : public Registrar {
  public:
    struct Known {
        Range pages;
        Access access = Access::local_read;
    };

    [[nodiscard]] Status add(std::span<const std::byte> memory, Access access,
                             Registration& out) noexcept override {
        const std::scoped_lock lock(mutex_);
        ++calls;
        if (fail_every != 0 && calls % fail_every == 0) return failure;
        if (live.size() >= most) return Status::out_of_memory;
        const std::uint32_t key = ++last_key_;
        live[key] = {range_of(memory), access};
        // Opaque to everybody else
        out = {key, key, reinterpret_cast<void*>(std::uintptr_t{key})};
        return Status::ok;
    }

    void remove(const Registration& registration) noexcept override {
        const std::scoped_lock lock(mutex_);
        ++removals;
        if (live.erase(registration.local_key) == 0) ++unknown_removals;
    }

    [[nodiscard]] bool is_live(std::uint32_t key) {
        const std::scoped_lock lock(mutex_);
        return live.contains(key);
    }
    [[nodiscard]] std::size_t live_count() {
        const std::scoped_lock lock(mutex_);
        return live.size();
    }

    std::uint64_t fail_every = 0;  ///< every so many calls of add(); 0: never
    Status failure = Status::out_of_memory;
    std::size_t most = ~std::size_t{0};  ///< live registrations
    std::uint64_t calls = 0;
    std::uint64_t removals = 0;
    std::uint64_t unknown_removals = 0;
    std::map<std::uint32_t, Known> live;

  private:
    std::mutex mutex_;
    std::uint32_t last_key_ = 0;
};

}  // namespace rb2::memory::registration::test
