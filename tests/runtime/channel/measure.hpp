#pragma once
// Measures on the counting fabric what Table 2 says of a channel: nothing here looks at the channel's Traits
// but for the order of the fabric that it is measured on.

#include "runtime/channel/supported.hpp"
#include "tests/runtime/channel/drive.hpp"

namespace rb2::channel::test {

/// One channel, stepped by half round trips, with nothing lost and nothing in order beyond what it needs.
template <class C>
class Stepped {
  public:
    using Wire = WeakestWire<C>;
    static constexpr Parameters kParameters{.slots = 8, .message_bytes = 256, .ring_bytes = 4096};
    static constexpr fabric::fake::Options kOptions{
        .manual = true, .shuffle_bytes = true, .hold_completions = true};

    struct Arrival {
        std::uint32_t half_round_trips = 0;
        std::uint64_t completions = 0;  ///< of the peer's, not of own READs, that announced the message
        std::vector<std::byte> bytes{};
    };

    /// Sends message `number` and counts until the receiver has it.
    Arrival pass(std::uint32_t number) {
        EXPECT_EQ(pair().send(number, bytes()), Status::ok);
        return arrive();
    }

    /// Counts until the receiver has what has been sent.
    Arrival arrive() {
        const std::optional<Arrival> arrival = look();
        EXPECT_TRUE(arrival) << "the message never arrived";
        return arrival.value_or(Arrival{});
    }
    /// As arrive(); nothing if it does not come.
    std::optional<Arrival> look() {
        constexpr bool fetches = !ReceiverChannel<typename Pair<C, Wire>::Receiver>;
        const std::uint64_t first = announcements();
        for (Arrival arrival; arrival.half_round_trips < kMostTrips; ++arrival.half_round_trips) {
            const std::uint64_t last = announcements();
            const Status status = inbox_.take(arrival.bytes);
            // A receiver that fetches has had its announcement some steps before it has the message.
            arrival.completions = announcements() - (fetches ? first : last);
            if (status == Status::ok) return arrival;
            EXPECT_EQ(status, Status::would_block);
            trip();
        }
        return std::nullopt;
    }

    /// The message goes back, and all that is under way ends.
    void settle() {
        EXPECT_EQ(inbox_.give_back(0), Status::ok);
        for (std::uint32_t i = 0; i < kMostTrips; ++i) trip();
    }

    [[nodiscard]] Pair<C, Wire>& pair() { return fan_[0]; }
    [[nodiscard]] std::size_t bytes() { return pair().sender.max_bytes(); }
    [[nodiscard]] const fabric::fake::Counters& sender_counters() { return pair().wire.data.a().counters(); }
    [[nodiscard]] const fabric::fake::Counters& receiver_counters() {
        return pair().wire.data.b().counters();
    }
    void reset_counters() {
        pair().wire.data.a().reset_counters();
        pair().wire.data.b().reset_counters();
    }

  private:
    static constexpr std::uint32_t kMostTrips = 12;

    /// Completions that the receiver has polled and not asked for by a READ.
    [[nodiscard]] std::uint64_t announcements() {
        return receiver_counters().completions - receiver_counters().reads;
    }

    void trip() {
        pair().wire.half_round_trip();
        static_cast<void>(pair().progress_sender());
    }

    Fan<C, Wire> fan_{1, kParameters, kOptions};
    Inbox<C, Wire> inbox_{fan_[0], fan_.b, fan_[0].sender.max_bytes()};
};

[[nodiscard]] inline std::uint64_t requests(const fabric::fake::Counters& counted) {
    return counted.writes + counted.reads + counted.atomics + counted.sends;
}

/// Kinds of request that either side has made.
[[nodiscard]] inline Requests kinds(const fabric::fake::Counters& a, const fabric::fake::Counters& b) {
    return {.send = a.sends + b.sends != 0,
            .write = a.writes + b.writes != 0,
            .read = a.reads + b.reads != 0,
            .atomic = a.atomics + b.atomics != 0};
}

/// The same for channels with a place where the caller builds the message: while it is not as it was sent, it
/// does not arrive, and then it does.
template <class C>
Support measured_in_place(Stepped<C>& stepped) {
    const std::span<std::byte> place = stepped.pair().sender.next_place();
    write_message(1, place);
    Ticket ticket = 0;
    EXPECT_EQ(stepped.pair().sender.send({place.data(), place.size(), 0}, ticket), Status::ok);
    write_message(2, place);
    if (stepped.look()) return Support::no;
    write_message(1, place);
    return is_message(1, stepped.arrive().bytes) ? Support::yes : Support::no;
}

/// Whether a message leaves from the caller's memory: one that is overwritten there before it is on the wire
/// arrives as it is then.
template <class C>
Support measured_zero_copy_send() {
    Stepped<C> stepped;
    if (stepped.bytes() <= sizeof(std::uint64_t)) return Support::not_applicable;  // an integer, by value
    if constexpr (requires { stepped.pair().sender.next_place(); }) return measured_in_place(stepped);
    constexpr std::uint32_t sent = 1;
    constexpr std::uint32_t replacement = 1 + kSendWindow;  // lies in the same cell
    EXPECT_EQ(stepped.pair().send(sent, stepped.bytes()), Status::ok);
    const fabric::Source region = stepped.pair().region(replacement, stepped.bytes());
    write_message(replacement, {const_cast<std::byte*>(region.data), region.bytes});
    const auto arrival = stepped.arrive();
    if (is_message(replacement, arrival.bytes)) return Support::yes;
    EXPECT_TRUE(is_message(sent, arrival.bytes)) << "torn";
    return Support::no;
}

/// Whether the side that starts the transfer decides where the message lies: the receiver by a sink, or the
/// sender by a slot, which is then the same place each time.
template <class C>
Support measured_zero_copy_receive() {
    using P = Pair<C, WeakestWire<C>>;
    if constexpr (IntoReceiver<typename P::Receiver>) {
        Stepped<C> stepped;
        return is_message(3, stepped.pass(3).bytes) ? Support::yes : Support::no;
    } else if constexpr (PlacingSender<typename P::Sender>) {
        Fan<C, WeakestWire<C>> fan(1, Stepped<C>::kParameters);
        std::map<std::uint32_t, const std::byte*> places;
        std::set<const std::byte*> different;
        Support placed = Support::yes;
        for (const std::uint32_t slot : {5U, 0U, 3U, 5U, 3U, 0U}) {
            Ticket ticket = 0;
            Message message;
            EXPECT_EQ(fan[0].sender.send_to(slot, fan[0].region(slot, fan[0].sender.max_bytes()), ticket),
                      Status::ok);
            Status status = Status::would_block;
            for (int i = 0; i < 100 && status == Status::would_block; ++i) {
                static_cast<void>(fan[0].sender.test(ticket));
                status = fan[0].receiver().receive(message);
            }
            EXPECT_EQ(status, Status::ok);
            const auto [place, is_new] = places.emplace(slot, message.bytes.data());
            if (place->second != message.bytes.data()) placed = Support::no;
            if (is_new && !different.insert(message.bytes.data()).second) placed = Support::no;
            EXPECT_EQ(fan[0].receiver().free(message), Status::ok);
            while (fan[0].receiver().receive(message) == Status::ok) ADD_FAILURE() << "a message nobody sent";
        }
        return placed;
    } else {
        return sizeof(std::uint64_t) >= Stepped<C>().bytes() ? Support::not_applicable : Support::no;
    }
}

/// Messages that a sender gets rid of while its receiver does nothing.
template <class C>
std::uint32_t messages_that_fit(bool shortest) {
    Fan<C, WeakestWire<C>> fan(1, Stepped<C>::kParameters);
    const std::size_t longest = fan[0].sender.max_bytes();
    const std::size_t bytes = shortest ? std::min(longest, sizeof(std::uint32_t)) : longest;
    std::uint32_t sent = 0;
    while (sent < 5000 && fan[0].send(sent, bytes) == Status::ok) ++sent;
    EXPECT_LT(sent, 5000U) << "never full";
    std::uint32_t waiting = 0;  // at the sender, for room
    for (std::uint32_t number = sent - std::min<std::uint32_t>(sent, kSendWindow); number < sent; ++number) {
        waiting += fan[0].sender.test(fan[0].ticket(number)) == Status::would_block ? 1 : 0;
    }
    return sent - waiting;
}

/// Whether a short message takes less memory at the receiver than a long one. Where the receiver fetches, its
/// caller chooses the memory, and can choose by the length if the receiver knows that first.
template <class C>
bool measured_variable_size() {
    using R = typename Pair<C, WeakestWire<C>>::Receiver;
    if constexpr (ReceiverChannel<R>) {
        return messages_that_fit<C>(true) > 2 * messages_that_fit<C>(false);
    } else if constexpr (requires(R receiver, std::size_t bytes) { receiver.next(bytes); }) {
        Fan<C, WeakestWire<C>> fan(1, Stepped<C>::kParameters);
        EXPECT_EQ(fan[0].send(0, 8), Status::ok);
        std::size_t bytes = 0;
        Status status = Status::would_block;
        for (int i = 0; i < 100 && status == Status::would_block; ++i) {
            status = fan[0].receiver().next(bytes);
            static_cast<void>(fan[0].progress_sender());
        }
        EXPECT_EQ(status, Status::ok);
        return bytes == 8;
    } else {
        return false;
    }
}

/// How the memory that holds messages grows with the number of peers. What does not depend on the length of a
/// message (bells, words) is left out, by comparing two lengths.
template <class C>
Growth measured_growth(bool at_receiver) {
    const auto bytes = [&](std::size_t peers, std::uint32_t scale) {
        Parameters parameters = Stepped<C>::kParameters;
        parameters.message_bytes *= scale;
        parameters.ring_bytes *= scale;
        Fan<C, WeakestWire<C>> fan(peers, parameters, {}, true);
        return at_receiver ? fan.b.taken() : fan.a.taken();
    };
    const auto for_messages = [&](std::size_t peers) { return bytes(peers, 2) - bytes(peers, 1); };
    const std::size_t one = for_messages(1);
    const std::size_t six = for_messages(6);
    EXPECT_TRUE(six == one || six == 6 * one) << "bytes for one peer " << one << ", for six " << six;
    return six == one ? Growth::constant : Growth::linear;
}

/// Whether all goes well on a fabric that claims to keep all order and keeps `Kept`.
template <class C, Order Kept>
bool survives(std::uint64_t seeds) {
    using Liar = FakeWire<fabric::fake::OrderingEndpoint<Order{.messages = true, .bytes = true}, Kept>>;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        Fan<C, Liar> fan(1, {.slots = 4, .message_bytes = 96, .ring_bytes = 512},
                         {.seed = seed, .manual = true, .shuffle_bytes = true});
        if (!Drive<C, Liar>(fan, 40, seed).run().good()) return false;
    }
    return true;
}

}  // namespace rb2::channel::test
