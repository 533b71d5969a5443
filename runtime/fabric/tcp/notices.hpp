#pragma once
// Lines for the user about what strangers do, few however many they are.

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/fabric/tcp/options.hpp"

namespace rb2::fabric::tcp {

/// Passes the first line on, and then one every kInterval at most, which says how many were left out.
class Notices {
  public:
    static constexpr std::chrono::seconds kInterval{10};

    explicit Notices(std::function<void(std::string_view)> sink) : sink_(std::move(sink)) {}

    void say(std::string_view line) {
        ++count_;
        const Clock::time_point now = Clock::now();
        if (!sink_ || (said_ && now < next_)) return;
        sink_(count_ - passed_ > 1 ? fmt::format("{} (and {} more like it)", line, count_ - passed_ - 1)
                                   : std::string(line));
        said_ = true;
        passed_ = count_;
        next_ = now + kInterval;
    }
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }  ///< ever, passed on or not

  private:
    std::function<void(std::string_view)> sink_;
    Clock::time_point next_{};
    std::uint64_t count_ = 0;
    std::uint64_t passed_ = 0;
    bool said_ = false;
};

}  // namespace rb2::fabric::tcp
