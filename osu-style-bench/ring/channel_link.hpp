#pragma once
// Two channels of Table 2 of "Efficient RDMA Communication Protocols" (Taranov, Fischer, Hoefler), one each
// way, between two threads: what section 6 of the paper measures.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>

#include "osu-style-bench/ring/channel_pool.hpp"
#include "osu-style-bench/ring/fabrics.hpp"
#include "osu-style-bench/ring/link.hpp"
#include "osu-style-bench/ring/memory.hpp"
#include "runtime/channel/channel.hpp"
#include "runtime/channel/tickets.hpp"
#include "runtime/fabric/shm/message_endpoint.hpp"

namespace rb2::bench::study {

/// Sizes of a channel for messages of `bytes`. What sends into posted receives is cut to what those hold.
template <class C>
channel::Parameters channel_parameters(const RingShape& shape, std::size_t bytes) {
    constexpr std::size_t appended = 8 * channel::kWordBytes;  // bells and lengths, generously
    const std::size_t most =
        C::kTraits.requests.send ? fabric::shm::MessageEndpoint::kMaxSendBytes : shape.most_bytes / 4;
    const std::size_t message = channel::word_aligned(std::min(std::max<std::size_t>(bytes, 1), most));
    // Four records at least, whatever the limit.
    const std::size_t record = message + appended;
    const std::size_t ring = std::max(std::min(shape.messages * record, shape.most_bytes), 4 * record);
    const std::size_t slots =
        std::max<std::size_t>(std::min<std::size_t>(shape.most_bytes / message, shape.messages), 2);
    return {.slots = static_cast<std::uint32_t>(std::min<std::size_t>(slots, channel::kMaxSlots)),
            .message_bytes = static_cast<std::uint32_t>(message),
            .ring_bytes = static_cast<std::uint32_t>(channel::word_aligned(ring)),
            .credits_per_lap = static_cast<std::uint32_t>(shape.messages / shape.gamma)};
}

/// Hands out a side's memory from the front, whole lines at a time.
class Carver {
  public:
    explicit Carver(std::span<std::byte> memory) noexcept : rest_(memory) {}

    [[nodiscard]] static constexpr std::size_t whole(std::size_t bytes) noexcept {
        constexpr std::size_t line = channel::kMemoryAlignment;
        return (bytes + line - 1) / line * line;
    }
    [[nodiscard]] std::span<std::byte> take(std::size_t bytes) {
        const std::span<std::byte> taken = rest_.first(bytes);
        rest_ = rest_.subspan(whole(bytes));
        return taken;
    }
    [[nodiscard]] channel::Memory take(const channel::Needs& needs) {
        const std::span<std::byte> data = take(needs.data);
        return {.data = data, .credit = take(needs.credit)};
    }

  private:
    std::span<std::byte> rest_;
};

/// The queues that stand for those of two cards.
struct Lane {
    fabric::shm::ImmQueue imms_there, imms_back;
    fabric::shm::MessageQueue messages_there, messages_back;
};

/// The two endpoints that one side of a channel stands on.
template <class On>
class ChannelPorts {
    using Inner = fabric::shm::MessageEndpoint;

  public:
    using Endpoint = typename On::template Endpoint<Inner>;

    struct Lanes {
        Lane data, credit;
    };

    ChannelPorts(const Job& job, std::span<std::byte> own, std::span<std::byte> peer, Lanes& lanes,
                 bool sends)
        : data_(job, windows(own, peer, lanes.data, sends), queues(lanes.data, sends)),
          credit_(job, windows(own, peer, lanes.credit, sends), queues(lanes.credit, sends)) {}

    [[nodiscard]] Endpoint& data() noexcept { return data_.endpoint(); }
    [[nodiscard]] Endpoint& credit() noexcept { return credit_.endpoint(); }
    void land() noexcept {
        data_.land();
        credit_.land();
    }

  private:
    static fabric::shm::Windows windows(std::span<std::byte> own, std::span<std::byte> peer, Lane& lane,
                                        bool sends) {
        return {.own = own,
                .peer = peer,
                .outgoing = sends ? &lane.imms_there : &lane.imms_back,
                .incoming = sends ? &lane.imms_back : &lane.imms_there};
    }
    static fabric::shm::MessageQueues queues(Lane& lane, bool sends) {
        return {.outgoing = sends ? &lane.messages_there : &lane.messages_back,
                .incoming = sends ? &lane.messages_back : &lane.messages_there};
    }

    typename On::template Port<Inner> data_;
    typename On::template Port<Inner> credit_;
};

/// Throws for what is neither ok nor would_block; says whether it is ok.
inline bool went(Status status) {
    if (status != Status::ok && status != Status::would_block)
        throw std::runtime_error("the channel has lost its peer");
    return status == Status::ok;
}

/// The sending side of a channel, and the memory that its messages are built in.
template <class C, class On>
class ChannelOut {
    using Endpoint = typename ChannelPorts<On>::Endpoint;
    using Sender = typename C::template Sender<Endpoint>;

  public:
    using Pool = SenderPool<C, Endpoint>;

    static std::size_t needed(const channel::Parameters& parameters) {
        const channel::Needs needs = C::sender_needs(parameters);
        return Carver::whole(needs.data) + Carver::whole(needs.credit) +
               cells(parameters) * cell_bytes(parameters);
    }

    /// `pool` outlives this.
    ChannelOut(ChannelPorts<On>& ports, Carver& carver, const channel::Parameters& parameters, Pool& pool)
        : cell_count_(cells(parameters)),
          cell_bytes_(cell_bytes(parameters)),
          memory_(carver.take(cell_count_ * cell_bytes_)),
          region_(ports.data().register_memory(memory_)),
          sender_(pool.template make<Sender>(channel::Side<Endpoint>{
              &ports.data(), &ports.credit(), carver.take(C::sender_needs(parameters)), parameters})) {}

    [[nodiscard]] Sender& sender() noexcept { return *sender_; }
    [[nodiscard]] std::size_t most_bytes() const noexcept { return sender_->max_bytes(); }

    [[nodiscard]] std::span<std::byte> claim(std::uint32_t bytes) {
        if (pending_bytes_ != 0 && !push()) return {};
        channel::Ticket& ticket = tickets_[next_ % cell_count_];
        if (ticket != 0 && !went(sender_->test(ticket))) return {};
        ticket = 0;
        return cell().first(bytes);
    }
    void commit(std::uint32_t bytes) {
        pending_bytes_ = bytes;
        static_cast<void>(push());
    }
    /// Whether what was committed is on its way.
    bool push() {
        if (pending_bytes_ == 0) return true;
        const fabric::Source region{cell().data(), pending_bytes_, region_.key()};
        if (!went(sender_->send(region, tickets_[next_ % cell_count_]))) return false;
        pending_bytes_ = 0;
        ++next_;
        return true;
    }
    /// Channels that need an answer before they go on do so when they are asked.
    void turn() {
        static_cast<void>(push());
        if (last() != 0) follow(last());
    }
    /// Ticket of the newest message, 0: none, or known to be through.
    [[nodiscard]] channel::Ticket last() const noexcept {
        return next_ == 0 ? 0 : tickets_[(next_ - 1) % cell_count_];
    }
    /// Goes on with what another sender of the same pool has sent.
    void follow(channel::Ticket ticket) { static_cast<void>(went(sender_->test(ticket))); }

  private:
    static std::size_t cell_bytes(const channel::Parameters& parameters) {
        return Carver::whole(parameters.message_bytes);
    }
    /// Fewer for large messages: the memory of a ring is enough.
    static std::size_t cells(const channel::Parameters& parameters) {
        return std::clamp<std::size_t>(parameters.ring_bytes / cell_bytes(parameters), 2,
                                       channel::kSendWindow);
    }
    [[nodiscard]] std::span<std::byte> cell() const {
        return memory_.subspan(next_ % cell_count_ * cell_bytes_, cell_bytes_);
    }

    std::size_t cell_count_;
    std::size_t cell_bytes_;
    std::span<std::byte> memory_;
    typename Endpoint::Region region_;
    std::unique_ptr<Sender> sender_;
    std::array<channel::Ticket, channel::kSendWindow> tickets_{};
    std::uint64_t next_ = 0;           ///< message to be sent
    std::uint32_t pending_bytes_ = 0;  ///< of the message that the channel did not take yet
};

/// The receiving side of a channel.
template <class C, class On>
class ChannelIn {
    using Endpoint = typename ChannelPorts<On>::Endpoint;
    using Receiver = typename C::template Receiver<Endpoint>;
    static constexpr bool kInto = !channel::ReceiverChannel<Receiver>;

  public:
    using Pool = ReceiverPool<C, Endpoint>;

    static std::size_t needed(const channel::Parameters& parameters) {
        const channel::Needs needs = C::receiver_needs(parameters);
        return Carver::whole(needs.data) + Carver::whole(needs.credit) +
               Carver::whole(kInto ? parameters.message_bytes : 0);
    }

    /// `pool` outlives this.
    ChannelIn(ChannelPorts<On>& ports, Carver& carver, const channel::Parameters& parameters, Pool& pool)
        : receiver_(pool.template make<Receiver>(channel::Side<Endpoint>{
              &ports.data(), &ports.credit(), carver.take(C::receiver_needs(parameters)), parameters})) {
        if constexpr (kInto) {
            sink_ = carver.take(parameters.message_bytes);
            region_.emplace(ports.data().register_memory(sink_));
        }
    }

    [[nodiscard]] Receiver& receiver() noexcept { return *receiver_; }

    template <class Handler>
    std::uint64_t receive(Handler&& handler) {
        std::uint64_t count = 0;
        std::span<const std::byte> bytes;
        channel::Message message;
        for (bool more = true; more && count < kBudget && take(message, bytes); ++count) {
            more = handler(bytes);
            give_back(message);
        }
        return count;
    }

  private:
    static constexpr std::uint64_t kBudget = 32;  // as of a ring

    bool take(channel::Message& message, std::span<const std::byte>& bytes) {
        if constexpr (kInto) {
            std::size_t length = 0;
            if (!went(receiver_->receive_into({sink_.data(), sink_.size(), region_->key()}, length)))
                return false;
            bytes = sink_.first(length);
        } else {
            if (!went(receiver_->receive(message))) return false;
            bytes = message.bytes;
        }
        return true;
    }
    void give_back(const channel::Message& message) {
        if constexpr (!kInto) {
            if (receiver_->free(message) != Status::ok)
                throw std::runtime_error("the channel takes nothing back");
        }
    }

    std::unique_ptr<Receiver> receiver_;
    std::span<std::byte> sink_;
    std::optional<typename Endpoint::Region> region_;
};

/// A channel out and a channel in.
template <class C, class On>
class ChannelEnd {
    using Lanes = typename ChannelPorts<On>::Lanes;
    using OutPool = typename ChannelOut<C, On>::Pool;
    using InPool = typename ChannelIn<C, On>::Pool;

  public:
    static std::size_t needed(const channel::Parameters& out, const channel::Parameters& in) {
        return Carver::whole(OutPool::template bytes<C>(out)) + ChannelOut<C, On>::needed(out) +
               Carver::whole(InPool::template bytes<C>(in)) + ChannelIn<C, On>::needed(in);
    }

    ChannelEnd(const Job& job, std::span<std::byte> own, std::span<std::byte> peer, Lanes& lanes_out,
               Lanes& lanes_in, const channel::Parameters& out, const channel::Parameters& in)
        : carver_(own),
          ports_out_(job, own, peer, lanes_out, true),
          ports_in_(job, own, peer, lanes_in, false),
          out_pool_(carver_.take(OutPool::template bytes<C>(out)), out),
          in_pool_(carver_.take(InPool::template bytes<C>(in)), in),
          out_(ports_out_, carver_, out, out_pool_),
          in_(ports_in_, carver_, in, in_pool_) {}

    [[nodiscard]] ChannelOut<C, On>& out() noexcept { return out_; }
    [[nodiscard]] ChannelIn<C, On>& in() noexcept { return in_; }

    [[nodiscard]] std::span<std::byte> claim(std::uint32_t bytes) { return out_.claim(bytes); }
    void commit(std::uint32_t bytes) { out_.commit(bytes); }
    [[nodiscard]] std::size_t most_bytes() const noexcept { return out_.most_bytes(); }
    template <class Handler>
    std::uint64_t receive(Handler&& handler) {
        return in_.receive(handler);
    }
    bool push() { return out_.push(); }
    void turn() {
        ports_out_.land();
        ports_in_.land();
        out_.turn();
    }

  private:
    Carver carver_;
    ChannelPorts<On> ports_out_;
    ChannelPorts<On> ports_in_;
    OutPool out_pool_;
    InPool in_pool_;
    ChannelOut<C, On> out_;
    ChannelIn<C, On> in_;
};

/// Channels for messages of job.bytes from a to b, and of job.reply_bytes back.
template <class C, class On>
class ChannelLink {
    using End = ChannelEnd<C, On>;
    using Lanes = typename ChannelPorts<On>::Lanes;

  public:
    explicit ChannelLink(const Job& job)
        : there_(channel_parameters<C>(job.shape, job.bytes)),
          back_(channel_parameters<C>(job.shape, job.reply_bytes)),
          memory_a_(End::needed(there_, back_), job.pages, job.memory_node),
          memory_b_(End::needed(back_, there_), job.pages, job.memory_node),
          lanes_(std::make_unique<std::array<Lanes, 2>>()),
          a_(job, memory_a_.bytes(), memory_b_.bytes(), (*lanes_)[0], (*lanes_)[1], there_, back_),
          b_(job, memory_b_.bytes(), memory_a_.bytes(), (*lanes_)[1], (*lanes_)[0], back_, there_) {
        join(a_, b_);
        join(b_, a_);
    }
    ChannelLink(const ChannelLink&) = delete;
    ChannelLink& operator=(const ChannelLink&) = delete;

    [[nodiscard]] End& a() noexcept { return a_; }
    [[nodiscard]] End& b() noexcept { return b_; }

  private:
    static void join(End& from, End& to) {
        from.out().sender().connect(to.in().receiver().card());
        to.in().receiver().connect(from.out().sender().card());
    }

    channel::Parameters there_;
    channel::Parameters back_;
    Memory memory_a_;
    Memory memory_b_;
    std::unique_ptr<std::array<Lanes, 2>> lanes_;
    End a_;
    End b_;
};

}  // namespace rb2::bench::study
