#pragma once
// Steps noted down: a collective that can be executed later, piece by piece, and more than once.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pt2pt/collective/scratch.hpp"
#include "pt2pt/collective/steps.hpp"

namespace rb2::collective {

struct Step {
    enum class Kind : std::uint8_t {
        send,     ///< `bytes` at `from` to rank `peer`
        receive,  ///< `bytes` at `to` from rank `peer`
        copy,     ///< `bytes` at `from` to `to`
        combine,  ///< `bytes` at `from` into those at `to`
        call,     ///< `function` of `argument`
        wait,     ///< end of a round
    };

    Kind kind;
    int peer = -1;
    std::size_t bytes = 0;
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    void (*function)(const void*) = nullptr;
    const void* argument = nullptr;
    bool across = false;  ///< `peer` is a rank of the remote group (intercommunicators)
};

/// Holds addresses in the user's buffers and owns the scratch memory. Pure notes: no message is sent here.
class Schedule {
  public:
    /// For rank `rank` of `size`; of an intercommunicator in the own group. `crowded`: EngineConfig's.
    Schedule(int rank, int size, bool crowded) : rank_(rank), size_(size), crowded_(crowded) {}

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return size_; }
    [[nodiscard]] bool crowded() const noexcept { return crowded_; }
    [[nodiscard]] MutableBytes scratch(std::size_t bytes) { return scratch_.take(bytes); }

    // Each throws std::bad_alloc.
    void send(Bytes data, int to) {
        steps_.push_back({Step::Kind::send, to, data.size(), data.data(), nullptr});
    }
    void receive(MutableBytes data, int from) {
        steps_.push_back({Step::Kind::receive, from, data.size(), nullptr, data.data()});
    }
    void send_across(Bytes data, int to) {
        send(data, to);
        steps_.back().across = true;
    }
    void receive_across(MutableBytes data, int from) {
        receive(data, from);
        steps_.back().across = true;
    }
    void copy(Bytes from, std::byte* to) {
        if (!from.empty()) steps_.push_back({Step::Kind::copy, -1, from.size(), from.data(), to});
    }
    void combine(const Reduction& reduction, Bytes in, MutableBytes inout) {
        reduction_ = reduction;
        steps_.push_back({Step::Kind::combine, -1, inout.size(), in.data(), inout.data()});
    }
    void call(void (*function)(const void*), const void* argument) {
        steps_.push_back({Step::Kind::call, -1, 0, nullptr, nullptr, function, argument});
    }
    void wait() {
        if (!steps_.empty() && steps_.back().kind != Step::Kind::wait) steps_.push_back({Step::Kind::wait});
    }

    [[nodiscard]] std::span<const Step> steps() const noexcept { return steps_; }
    /// Of all combine steps.
    [[nodiscard]] const Reduction& reduction() const noexcept { return reduction_; }

  private:
    int rank_;
    int size_;
    bool crowded_;
    Reduction reduction_;
    std::vector<Step> steps_;
    Scratch scratch_;
};

static_assert(Steps<Schedule>);

}  // namespace rb2::collective
