// The loads over a link made for the test: they carry everything, and see every way in which a link can be
// wrong.

#include "osu-style-bench/ring/loads.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace rb2::bench::study {
namespace {

/// What a link does to the record of this number.
enum class Fault { none, drops, repeats, flips, cuts };
constexpr std::uint64_t kFaulty = 37;

using Bytes = std::vector<std::byte>;

/// Records one way, behind a lock.
class Lane {
  public:
    void put(Bytes record, Fault fault) {
        const std::lock_guard lock(mutex_);
        const bool faulty = count_++ == kFaulty;
        if (faulty && fault == Fault::drops) return;
        if (faulty && fault == Fault::flips) record[record.size() / 2] ^= std::byte{1};
        if (faulty && fault == Fault::cuts) record.pop_back();
        if (faulty && fault == Fault::repeats) records_.push_back(record);
        records_.push_back(std::move(record));
    }
    bool take(Bytes& record) {
        const std::lock_guard lock(mutex_);
        if (records_.empty()) return false;
        record = std::move(records_.front());
        records_.pop_front();
        return true;
    }
    [[nodiscard]] std::size_t size() {
        const std::lock_guard lock(mutex_);
        return records_.size();
    }

  private:
    std::mutex mutex_;
    std::deque<Bytes> records_;
    std::uint64_t count_ = 0;
};

template <Fault kFault>
class TestLink {
  public:
    class End {
      public:
        End(Lane& out, Lane& in) : out_(out), in_(in) {}
        std::span<std::byte> claim(std::uint32_t bytes) {
            if (out_.size() >= kRoom) return {};
            claimed_.assign(bytes, {});
            return claimed_;
        }
        void commit(std::uint32_t) { out_.put(claimed_, kFault); }
        [[nodiscard]] std::size_t most_bytes() const { return kMostBytes; }
        template <class Handler>
        std::uint64_t receive(Handler&& handler) {
            Bytes record;
            std::uint64_t count = 0;
            while (in_.take(record)) {
                ++count;
                if (!handler(std::span<const std::byte>(record))) break;
            }
            return count;
        }
        static bool push() { return true; }
        static void turn() {}

      private:
        static constexpr std::size_t kRoom = 8;
        static constexpr std::size_t kMostBytes = 1000;
        Lane& out_;
        Lane& in_;
        Bytes claimed_;
    };

    explicit TestLink(const Job&) {}
    End& a() { return a_; }
    End& b() { return b_; }

  private:
    Lane there_, back_;
    End a_{there_, back_};
    End b_{back_, there_};
};

static_assert(Link<TestLink<Fault::none>>);

Job job_of_200(Load load, std::size_t bytes, Check check) {
    Job job;
    job.load = load;
    job.bytes = job.reply_bytes = bytes;
    job.window = 3;
    job.messages = 200;
    job.warmup = 20;
    job.check = check;
    return job;
}

TEST(Loads, EveryLoadArrivesWhole) {
    for (const Load load : {Load::stream, Load::exchange, Load::flow, Load::lookup}) {
        for (const std::size_t bytes : {1, 8, 64, 1000, 1001, 5000}) {
            for (const bool copies : {false, true}) {
                Job job = job_of_200(load, bytes, Check::all);
                job.copies = copies;
                const Figures figures = run_job<TestLink<Fault::none>>(job);
                EXPECT_GT(figures.seconds, 0);
                EXPECT_GT(figures.messages, 0U);
                EXPECT_LE(figures.messages, 200U);
            }
        }
    }
}

TEST(Loads, EveryRoundTripAfterTheWarmUpIsTimed) {
    const Figures figures = run_job<TestLink<Fault::none>>(job_of_200(Load::exchange, 100, Check::stamps));
    EXPECT_EQ(figures.latency_us.size(), 200U);
    for (const float time : figures.latency_us) EXPECT_GT(time, 0);
}

TEST(Loads, PairsCountTogether) {
    Job job = job_of_200(Load::exchange, 64, Check::all);
    job.pairs = 3;
    const Figures figures = run_job<TestLink<Fault::none>>(job);
    EXPECT_EQ(figures.messages, 600U);
    EXPECT_EQ(figures.latency_us.size(), 600U);
}

template <Fault kFault>
void expect_seen(Load load, Check check) {
    EXPECT_THROW(static_cast<void>(run_job<TestLink<kFault>>(job_of_200(load, 100, check))),
                 std::runtime_error);
}

TEST(Loads, WrongRecordsAreSeen) {
    for (const Load load : {Load::stream, Load::exchange}) {
        expect_seen<Fault::flips>(load, Check::all);
        expect_seen<Fault::cuts>(load, Check::all);
        expect_seen<Fault::cuts>(load, Check::none);
    }
}

TEST(Loads, RecordsInTheWrongPlaceAreSeenByTheirStamps) {
    expect_seen<Fault::drops>(Load::stream, Check::stamps);
    expect_seen<Fault::repeats>(Load::stream, Check::stamps);
    expect_seen<Fault::drops>(Load::stream, Check::all);
    expect_seen<Fault::repeats>(Load::exchange, Check::stamps);
    expect_seen<Fault::drops>(Load::flow, Check::stamps);
    expect_seen<Fault::repeats>(Load::lookup, Check::stamps);
}

TEST(Contents, AStampIsTheFirstAndTheLastWord) {
    const Contents contents(Check::stamps);
    for (const std::size_t bytes : {8, 16, 17, 100}) {
        Bytes record(bytes);
        contents.write(record, 5);
        EXPECT_TRUE(contents.right(record, 5)) << bytes;
        EXPECT_FALSE(contents.right(record, 6)) << bytes;
        record.back() ^= std::byte{1};
        EXPECT_FALSE(contents.right(record, 5)) << bytes;
    }
}

}  // namespace
}  // namespace rb2::bench::study
