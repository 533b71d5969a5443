#pragma once
// A network channel over any endpoint: a ring pair, and users' buffers written directly (direct_writer.hpp).

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/network/channel.hpp"
#include "runtime/network/direct_writer.hpp"
#include "runtime/ring/channel.hpp"

namespace rb2::network {

/// The endpoint, the registrar and the memory of the blocks are the caller's and outlive it. Where the peer's
/// block is, open_to() says.
template <class M, fabric::Endpoint Endpoint>
class ChannelOver final : public Channel {
  public:
    ChannelOver(Endpoint& endpoint, Registrar& registrar, const ring::BlockPair& blocks,
                const ring::Parameters& outbound, const ring::Parameters& inbound,
                const DirectParameters& direct)
        : endpoint_(endpoint),
          registrar_(registrar),
          direct_(direct),
          writer_(endpoint, registrar, direct),
          blocks_of_rings_(blocks),
          outbound_(outbound),
          inbound_(inbound) {
        make_rings();
    }

    bool open() const noexcept override { return open_; }

    ring::Claim try_claim(std::uint32_t length) noexcept override {
        if (!open_) [[unlikely]] {
            wanted_ = true;
            return {};
        }
        return rings_->sender().try_claim(length);
    }

    Status commit(ring::Claim& claim, std::uint8_t kind, std::uint64_t word,
                  std::uint32_t length) noexcept override {
        return rings_->sender().commit_and_flush(claim, kind, word, length);
    }

    bool flushed() noexcept override {
        if (rings_->sender().flush() == Status::would_block) return false;
        // The ring does not know of what was held.
        if constexpr (kFollows) return !open_ || endpoint_.flush() != Status::would_block;
        return true;
    }
    void abort(ring::Claim& claim) noexcept override { rings_->sender().abort(claim); }
    std::uint32_t max_length() noexcept override { return rings_->sender().max_length(); }

    int drain(int budget, Handler handler) override {
        if (!open_) [[unlikely]]
            return failed_ && !ends_ ? kLost : 0;
        // What the peer sent before it was lost is still to be read.
        const Status status = poll_all();
        // Before the records behind it.
        const int landed = tell_landed(handler);
        const int records = rings_->receiver().drain(budget - landed, [handler](const ring::Record& record) {
            return handler.call(handler.object, record);
        });
        if (records < 0) return records;
        return records + landed == 0 && status == Status::peer_lost && !ends_ ? kLost : records + landed;
    }

    Status release() noexcept override { return open_ ? rings_->receiver().release() : Status::ok; }

    std::uint64_t follow_from() const noexcept override { return kFollows ? direct_.follow_from : kNever; }

    Status follow(std::span<const std::byte> payload) noexcept override {
        if constexpr (kFollows) {
            // The record that announces it may still wait for room.
            const Holding holding(*this);
            const Status status = rings_->sender().flush();
            return status == Status::ok ? endpoint_.follow(payload) : status;
        }
        return Status::fatal;
    }

    void place(std::span<std::byte> place, std::uint64_t bytes) noexcept override {
        if constexpr (kFollows) endpoint_.place(place, bytes);
    }

    void withdraw() noexcept override {
        if constexpr (kFollows) endpoint_.withdraw();
    }

    bool take_landed() noexcept override {
        if constexpr (kFollows) return endpoint_.take_landed();
        return false;
    }

    void hold(bool holds) noexcept override {
        if constexpr (kFollows) {
            if (!open_) return;  // nothing can be sent
            endpoint_.hold(holds);
            // A lost peer is told of by the next operation.
            if (!holds) static_cast<void>(endpoint_.flush());
        }
    }

    bool goes_direct(std::span<const std::byte> message) const noexcept override {
        return message.size() >= direct_.from ||
               (message.size() >= direct_.reused_from && registrar_.earned(message, direct_.from));
    }
    void copied(std::span<const std::byte> message) noexcept override {
        if (message.size() >= direct_.reused_from) registrar_.copied(message);
    }

    std::unique_ptr<Pin> admit(std::span<std::byte> memory) noexcept override {
        if (goes_direct(memory)) return registrar_.pin(memory, Access::peer_writes);
        copied(memory);
        return nullptr;
    }

    std::unique_ptr<Transfer> prepare(std::span<const std::byte> source) noexcept override {
        return writer_.prepare(source);
    }
    Status advance(Transfer& transfer) noexcept override { return writer_.advance(transfer); }
    std::uint64_t broken() const noexcept override { return writer_.broken(); }
    void close(std::uint64_t connections) noexcept override { writer_.close(connections); }

    void expect_end() noexcept override { ends_ = true; }

    /// The peer is reached, and its block is there. Users' blocks are spread over the endpoint and `stripes`;
    /// rings use the endpoint alone.
    void open_to(const fabric::Remote& peer, const std::vector<Stripe<Endpoint>>& stripes = {}) {
        blocks_of_rings_.peer = peer;
        writer_.spread_over(stripes);
        make_rings();
        open_ = true;
    }
    /// It never will be reached.
    void fail() noexcept { failed_ = true; }
    [[nodiscard]] bool failed() const noexcept { return failed_; }
    /// Whether something was to be sent before.
    [[nodiscard]] bool wanted() const noexcept { return wanted_; }

  private:
    static constexpr bool kFollows = requires(Endpoint endpoint) { endpoint.follow({}); };

    /// Completions of all connections; peer_lost if that of the rings has ended.
    Status poll_all() noexcept {
        writer_.poll_further();
        return writer_.lost() ? Status::peer_lost : rings_->sender().poll();
    }

    int tell_landed(Handler handler) noexcept {
        if constexpr (kFollows) {
            if (!endpoint_.landed()) return 0;
            static_cast<void>(handler.call(handler.object, {kLanded, 0, {}}));
            return 1;
        }
        return 0;
    }

    void make_rings() {
        rings_.emplace(endpoint_, blocks_of_rings_, outbound_, inbound_,
                       ring::CompletionSink{.take = &ChannelOver::take, .owner = this});
    }

    static void take(void* owner, const fabric::Completion& done) {
        static_cast<ChannelOver*>(owner)->writer_.take(done);
    }

    Endpoint& endpoint_;
    Registrar& registrar_;
    DirectParameters direct_;
    DirectWriter<Endpoint> writer_;
    bool open_ = false;
    bool wanted_ = false;
    bool failed_ = false;
    bool ends_ = false;
    ring::BlockPair blocks_of_rings_;
    ring::Parameters outbound_;
    ring::Parameters inbound_;
    std::optional<ring::RingChannel<M, Endpoint>> rings_;
};

}  // namespace rb2::network
