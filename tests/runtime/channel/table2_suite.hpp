#pragma once
// Table 2, cell by cell: what is measured, what the channel's Traits say, and what the paper prints must
// agree. A file for each side's families instantiates it.

#include <gtest/gtest.h>

#include "tests/runtime/channel/measure.hpp"
#include "tests/runtime/channel/table2.hpp"

namespace rb2::channel::test {

template <class C>
class Table2 : public testing::Test {
  protected:
    static constexpr Traits kTraits = C::kTraits;
    static Row row() { return row_of(kTraits).value_or(Row{}); }

    /// Whether the fabric that keeps `Kept` is refused exactly when the channel's row needs more.
    template <Order Kept>
    static void expect_support() {
        const bool enough =
            (Kept.messages || !kTraits.in_order.messages) && (Kept.bytes || !kTraits.in_order.bytes);
        const bool supported = Supported<C, fabric::fake::OrderingEndpoint<Kept>>;
        EXPECT_EQ(supported, enough) << "messages " << Kept.messages << ", bytes " << Kept.bytes;
    }
};

TYPED_TEST_SUITE_P(Table2);

TYPED_TEST_P(Table2, HasARow) { EXPECT_TRUE(row_of(TypeParam::kTraits)) << TypeParam::kTraits.type; }

TYPED_TEST_P(Table2, HalfRoundTrips) {
    Stepped<TypeParam> stepped;
    for (std::uint32_t number = 0; number < 20; ++number) {
        const auto arrival = stepped.pass(number);
        EXPECT_TRUE(is_message(number, arrival.bytes));
        EXPECT_TRUE(this->row().half_round_trips.allows(arrival.half_round_trips))
            << arrival.half_round_trips;
        EXPECT_TRUE(this->kTraits.half_round_trips.allows(arrival.half_round_trips))
            << arrival.half_round_trips;
        stepped.settle();
    }
}

TYPED_TEST_P(Table2, RequestsOfTheSenderAndOfTheReceiver) {
    Stepped<TypeParam> stepped;
    stepped.reset_counters();
    for (std::uint32_t number = 0; number < 20; ++number) {
        static_cast<void>(stepped.pass(number));
        const std::uint64_t sent = requests(stepped.sender_counters());
        const std::uint64_t received = requests(stepped.receiver_counters());
        EXPECT_TRUE(this->row().send_requests.allows(sent)) << sent;
        EXPECT_TRUE(this->kTraits.send_requests.allows(sent)) << sent;
        EXPECT_TRUE(this->row().receive_requests.allows(received)) << received;
        EXPECT_TRUE(this->kTraits.receive_requests.allows(received)) << received;
        stepped.settle();
        stepped.reset_counters();
    }
}

TYPED_TEST_P(Table2, BlockingReceive) {
    Stepped<TypeParam> stepped;
    for (std::uint32_t number = 0; number < 20; ++number) {
        const Support blocking = as_support(stepped.pass(number).completions != 0);
        EXPECT_TRUE(allows(this->row().blocking, blocking));
        EXPECT_EQ(blocking, as_support(this->kTraits.blocking_receive));
        stepped.settle();
    }
}

TYPED_TEST_P(Table2, ZeroCopySend) {
    const Support measured = measured_zero_copy_send<TypeParam>();
    EXPECT_TRUE(allows(this->row().zero_copy_send, measured));
    EXPECT_EQ(measured, this->kTraits.zero_copy_send);
}

TYPED_TEST_P(Table2, ZeroCopyReceive) {
    const Support measured = measured_zero_copy_receive<TypeParam>();
    EXPECT_TRUE(allows(this->row().zero_copy_receive, measured));
    EXPECT_EQ(measured, this->kTraits.zero_copy_receive);
}

TYPED_TEST_P(Table2, DataAppendedToMessages) {
    Stepped<TypeParam> stepped;
    stepped.reset_counters();
    static_cast<void>(stepped.pass(0));
    // Whether anything but the message and whole bells of their own has been written.
    EXPECT_LE(
        stepped.sender_counters().write_bytes,
        stepped.bytes() + (this->kTraits.appends_data || this->kTraits.send_requests.least > 1 ? 24U : 0U));
    const bool by_second = this->row().in_order == Ordered::no_or_yes;  // its own channel's footnote then
    EXPECT_TRUE(this->kTraits.appends_data == this->row().appends_data || by_second);
}

TYPED_TEST_P(Table2, VariableSize) {
    const bool variable = measured_variable_size<TypeParam>();
    EXPECT_EQ(variable, this->row().variable_size);
    EXPECT_EQ(variable, this->kTraits.variable_size);
}

TYPED_TEST_P(Table2, MemoryForOneToMany) {
    const Growth growth = measured_growth<TypeParam>(false);
    EXPECT_EQ(growth, this->row().one_to_many);
    EXPECT_EQ(growth, this->kTraits.one_to_many);
}

TYPED_TEST_P(Table2, MemoryForManyToOne) {
    const Growth growth = measured_growth<TypeParam>(true);
    EXPECT_EQ(growth, this->row().many_to_one);
    EXPECT_EQ(growth, this->kTraits.many_to_one);
}

TYPED_TEST_P(Table2, RequestsOfTheTransport) {
    Stepped<TypeParam> stepped;
    stepped.reset_counters();
    for (std::uint32_t number = 0; number < 20; ++number) {
        static_cast<void>(stepped.pass(number));
        stepped.settle();
    }
    const Requests used = kinds(stepped.sender_counters(), stepped.receiver_counters());
    EXPECT_TRUE(allows(this->row().requests, used));
    EXPECT_EQ(used, this->kTraits.requests);
}

TYPED_TEST_P(Table2, InOrderRefusesWhatKeepsLess) {
    EXPECT_TRUE(allows(this->row().in_order, this->kTraits.in_order));
    this->template expect_support<Order{.messages = false, .bytes = false}>();
    this->template expect_support<Order{.messages = false, .bytes = true}>();
    this->template expect_support<Order{.messages = true, .bytes = false}>();
    this->template expect_support<Order{.messages = true, .bytes = true}>();
}

/// Each kind of order that a row names is really needed: a fabric that claims it and does not keep it breaks
/// the channel. That no more is needed, the behaviour tests show.
TYPED_TEST_P(Table2, InOrderIsNeeded) {
    constexpr std::uint64_t seeds = 300;
    constexpr InOrder needed = TypeParam::kTraits.in_order;
    EXPECT_TRUE((survives<TypeParam, Order{.messages = true, .bytes = true}>(10)));
    if constexpr (needed.messages) {
        EXPECT_FALSE((survives<TypeParam, Order{.messages = false, .bytes = true}>(seeds)));
    }
    if constexpr (needed.bytes) {
        EXPECT_FALSE((survives<TypeParam, Order{.messages = true, .bytes = false}>(seeds)));
    }
}

REGISTER_TYPED_TEST_SUITE_P(Table2, HasARow, HalfRoundTrips, RequestsOfTheSenderAndOfTheReceiver,
                            BlockingReceive, ZeroCopySend, ZeroCopyReceive, DataAppendedToMessages,
                            VariableSize, MemoryForOneToMany, MemoryForManyToOne, RequestsOfTheTransport,
                            InOrderRefusesWhatKeepsLess, InOrderIsNeeded);

/// That the channels of a tuple cover all rows of the families they are from, and both settings of every cell
/// that depends on a second channel.
template <class Tuple>
struct Coverage;
template <class... C>
struct Coverage<std::tuple<C...>> {
    static void expect_complete() {
        const std::array<Traits, sizeof...(C)> channels{C::kTraits...};
        for (const Row& row : kTable2) {
            bool family = false;
            std::set<bool> blocking;
            std::set<bool> ordered;
            for (const Traits& traits : channels) {
                family = family || traits.family == row.family;
                if (traits.family != row.family || traits.type != row.type) continue;
                blocking.insert(traits.blocking_receive);
                ordered.insert(traits.in_order != InOrder{});
            }
            if (!family) continue;  // another tuple's
            EXPECT_EQ(blocking.size(), row.blocking == Mark::depends ? 2U : 1U)
                << row.family << ", " << row.type;
            EXPECT_EQ(ordered.size(), row.in_order == Ordered::no_or_yes ? 2U : 1U)
                << row.family << ", " << row.type;
        }
    }
};

}  // namespace rb2::channel::test
