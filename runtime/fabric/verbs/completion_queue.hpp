#pragma once
// One completion queue for all endpoints of a rank: a card that has something to say is looked at once,
// however many peers there are. Whoever polls takes what is there and hands it to the endpoints it belongs
// to, which keep it until they are polled themselves.
//
// The queue cannot overrun: an endpoint reserves an entry for each request and receive that it may have under
// way, also for the silent ones, because a connection that breaks reports every one of them.

#include <infiniband/verbs.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/fabric/verbs/device.hpp"

namespace rb2::fabric::verbs {

class Datagrams;
class Endpoint;

/// One thread at a time for the queue and all of its endpoints. The device outlives it, it outlives the
/// endpoints. Not movable.
class CompletionQueue {
  public:
    static constexpr int kFirstCapacity = 1024;

    /// Of `entries` at first; it grows as endpoints are added. Throws StartupError.
    explicit CompletionQueue(Device& device, int entries = kFirstCapacity);
    ~CompletionQueue();
    CompletionQueue(const CompletionQueue&) = delete;
    CompletionQueue& operator=(const CompletionQueue&) = delete;

    [[nodiscard]] Device& device() noexcept { return *device_; }

    static constexpr std::size_t kMostTaken = 16;
    /// Takes up to kMostTaken of what is there and hands them to their endpoints; how many. Never blocks.
    std::size_t dispatch() noexcept;

    /// From now on only the caller dispatches, again and again, and endpoints that are polled hand out what
    /// they have: however many they are, the card is asked once a round.
    void drive() noexcept { driven_ = true; }
    [[nodiscard]] bool driven() const noexcept { return driven_; }

    // Sleeping: while (arm()) poll(descriptor(), ...). What arrives by write raises no completion here, so a
    // peer that must wake this side uses write_with_imm or send.

    /// Readable once a completion comes after arm() has said true.
    [[nodiscard]] int descriptor() const noexcept { return channel_->fd; }
    /// Asks for the next completion to make the descriptor readable. False: there is one already, do not
    /// sleep.
    [[nodiscard]] bool arm() noexcept;

    [[nodiscard]] std::uint64_t reserved() const noexcept { return reserved_; }  ///< entries
    [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }  ///< entries
    /// Completions taken from the card so far.
    [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }

    // For endpoints, receive groups and datagrams.

    [[nodiscard]] ibv_cq* handle() const noexcept { return queue_.get(); }
    /// Throws StartupError when the device's queues do not grow that far.
    void reserve(std::uint64_t entries);
    void release(std::uint64_t entries) noexcept { reserved_ -= entries; }
    /// The endpoint's number, which its requests carry. What comes from a shared receive queue carries the
    /// number of the queue pair instead.
    [[nodiscard]] std::uint32_t attach(Endpoint& endpoint, std::uint32_t queue_pair);
    /// After its queue pair is gone.
    void detach(std::uint32_t number, std::uint32_t queue_pair) noexcept;

    /// The one that gets the completions of datagrams; null: it is gone, and so is its queue pair.
    void attach(Datagrams* datagrams) noexcept;

    /// Words that results of fetch_adds land in; none: null. Owned by the queue.
    [[nodiscard]] std::uint64_t* take_word() noexcept;
    void return_word(std::uint64_t* word) noexcept;
    [[nodiscard]] Key words_key() const noexcept { return words_region_.key(); }
    /// Where reads may land whose result is nothing to anybody.
    [[nodiscard]] Sink scratch() noexcept {
        return {reinterpret_cast<std::byte*>(&words_->scratch), 1, words_key()};
    }

    /// One more completion is kept by an endpoint, or by the datagrams; or `count` fewer.
    void kept() noexcept { ++kept_; }
    void handed_out(std::size_t count) noexcept { kept_ -= count; }

  private:
    static constexpr std::size_t kWords = 511;
    struct alignas(4096) Words {  ///< one page
        std::array<std::uint64_t, kWords> values{};
        std::uint64_t scratch = 0;
    };

    [[nodiscard]] Endpoint* endpoint_of(const ibv_wc& completion) const noexcept;
    void drain_events() noexcept;
    void forget_events() noexcept;

    Device* device_;
    Owned<ibv_comp_channel, &ibv_destroy_comp_channel> channel_;
    Owned<ibv_cq, &ibv_destroy_cq> queue_;
    bool driven_ = false;
    std::uint64_t capacity_ = 0;
    std::uint64_t reserved_ = 0;
    std::uint64_t taken_ = 0;
    std::uint64_t kept_ = 0;       ///< completions and datagrams that nobody has polled
    unsigned unacknowledged_ = 0;  ///< events; acknowledging takes a lock, so many at a time
    std::vector<Endpoint*> endpoints_;
    Datagrams* datagrams_ = nullptr;
    std::unordered_map<std::uint32_t, Endpoint*> by_queue_pair_;
    std::unique_ptr<Words> words_;
    Region words_region_;
    std::vector<std::uint64_t*> free_words_;
};

}  // namespace rb2::fabric::verbs
