// Two real threads: order, wholeness and memory order of the rings on shared memory (run under TSan as well).

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/runtime/ring/message.hpp"
#include "tests/runtime/ring/shm_pair.hpp"

namespace rb2::ring::test {
namespace {

/// Some hundred laps, whatever the ring.
constexpr std::uint64_t message_count(std::uint64_t slots) { return 2'000 + 32 * slots; }

/// Mostly short, sometimes long, never above `limit`.
std::uint32_t length_of(std::uint64_t number, std::uint32_t limit) {
    const std::uint64_t dice = mixed(number + 1);
    const std::uint64_t range = dice % 16 == 0 ? limit : 100;
    return static_cast<std::uint32_t>((dice >> 8) % (range + 1));
}

/// How a side waits for the other: it looks for a while, then it sleeps. To yield instead would give the
/// processor to whatever else runs on it, for a slice of the scheduler every few messages of a small ring.
class Rest {
  public:
    void after_nothing() {
        if (++in_vain_ % kLooks == 0) std::this_thread::sleep_for(std::chrono::microseconds(1));
    }

  private:
    static constexpr std::uint64_t kLooks = 1000;
    std::uint64_t in_vain_ = 0;
};

/// Stops early when told to: a receiver that has given up does not free slots.
template <class Sender>
void send_all(Sender& sender, std::uint64_t messages, const std::stop_token& stop) {
    Rest rest;
    for (std::uint64_t number = 0; number < messages && !stop.stop_requested();) {
        if (send(sender, number, length_of(number, sender.max_length()))) {
            ++number;
        } else {
            rest.after_nothing();
        }
    }
    while (sender.flush() == Status::would_block && sender.poll() == Status::ok) continue;
}

/// Returns how many messages were wrong.
template <class Receiver>
std::uint64_t receive_all(Receiver& receiver, std::uint64_t messages, std::uint32_t limit) {
    std::uint64_t next = 0;
    std::uint64_t wrong = 0;
    Rest rest;
    while (next < messages) {
        const int count = receiver.drain(64, [&](const Record& record) {
            const bool good = record.word == next && record.kind == kind_of(next) &&
                              record.payload.size() == length_of(next, limit) && intact(next, record.payload);
            wrong += good ? 0 : 1;
            ++next;
            return Verdict::consumed;
        });
        if (count == kCorrupt) return ~std::uint64_t{0};
        if (count == 0) rest.after_nothing();
    }
    return wrong;
}

class ThreadsTest : public testing::TestWithParam<std::uint64_t> {
  protected:
    static std::uint64_t messages() { return message_count(GetParam()); }
};

TEST_P(ThreadsTest, InPlaceDeliversEveryMessageWholeAndInOrder) {
    ShmPair pair(Parameters::messaging(GetParam()));
    const std::uint32_t limit = pair.a().sender().max_length();
    std::jthread sender([&](const std::stop_token& stop) { send_all(pair.a().sender(), messages(), stop); });
    EXPECT_EQ(receive_all(pair.b().receiver(), messages(), limit), 0U);
}

TEST_P(ThreadsTest, MirroredOverSharedMemoryDoesSo) {
    MirroredShmPair pair(Parameters::messaging(GetParam()));
    const std::uint32_t limit = pair.a().sender().max_length();
    std::jthread sender([&](const std::stop_token& stop) { send_all(pair.a().sender(), messages(), stop); });
    EXPECT_EQ(receive_all(pair.b().receiver(), messages(), limit), 0U);
}

TEST_P(ThreadsTest, InPlaceDoesSoAcrossTheWrapOfBells) {
    Parameters parameters = Parameters::messaging(GetParam());
    parameters.start = (std::uint64_t{1} << 32) - 1000;
    ShmPair pair(parameters);
    const std::uint32_t limit = pair.a().sender().max_length();
    std::jthread sender([&](const std::stop_token& stop) { send_all(pair.a().sender(), messages(), stop); });
    EXPECT_EQ(receive_all(pair.b().receiver(), messages(), limit), 0U);
    EXPECT_GT(pair.b().receiver().head(), std::uint64_t{1} << 32);
}

INSTANTIATE_TEST_SUITE_P(RingSizes, ThreadsTest, testing::Values(8, 64, 1024));

}  // namespace
}  // namespace rb2::ring::test
