// Turns, roles and wake-ups, with real threads (run under TSan as well). The first part drives Threads
// itself, the second an engine that several threads share; the other rank is in the same process.
#include "pt2pt/threads.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/pt2pt/in_process.hpp"

namespace rb2::pt2pt {
namespace {

using namespace std::chrono_literals;
using testing::InProcessJob;
using testing::TestEngine;

/// What a shared engine is to its threads: numbers arrive from outside, each ends the wait of one thread.
class Mailbox {
  public:
    Mailbox() { threads_.share(bell_); }

    void send(int to) {
        arrived_[static_cast<std::size_t>(to)].fetch_add(1, std::memory_order_release);
        wait::ring(bell_);
    }
    /// Waits for the next number to `own`.
    void receive(int own) {
        const Turn turn(threads_);
        auto& delivered = delivered_[static_cast<std::size_t>(own)];
        auto done = [&] { return delivered > 0; };
        auto hopeless = [] { return false; };
        while (!done())
            if (!poll()) rest(done, hopeless);
        --delivered;
    }
    /// Delivers from inside, as a call of another thread may.
    void deliver(int to) {
        const Turn turn(threads_);
        ++delivered_[static_cast<std::size_t>(to)];
    }
    [[nodiscard]] int parked_returns() const { return parked_returns_; }
    Threads& threads() { return threads_; }

  private:
    bool poll() {
        bool found = false;
        for (std::size_t i = 0; i < arrived_.size(); ++i)
            if (const int count = arrived_[i].exchange(0, std::memory_order_acquire); count != 0) {
                delivered_[i] += count;
                found = true;
            }
        return found;
    }
    template <class Done, class Hopeless>
    void rest(Done& done, Hopeless& hopeless) {
        Waiting waiting(done, hopeless);
        TurnGate gate(threads_, waiting);
        switch (threads_.take_role()) {
            case Threads::Role::parked:
                threads_.park(waiting);
                ++parked_returns_;
                return;
            case Threads::Role::driver:
                sleeper_.sleep([this] { return poll(); }, gate);
                return;
            case Threads::Role::deputy:
                gate.open();
                sched_yield();
                gate.close();
        }
    }

    wait::Doorbell bell_;
    wait::Sleeper sleeper_{bell_};
    Threads threads_;
    std::array<std::atomic<int>, 16> arrived_{};
    std::array<int, 16> delivered_{};  // under the turn
    int parked_returns_ = 0;
};

TEST(Threads, ACallbackMayCallAgain) {
    Mailbox box;
    const Turn outer(box.threads());
    { const Turn inner(box.threads()); }
    box.deliver(0);
    box.receive(0);
}

TEST(Threads, TheFirstToWaitDrivesAndTheRestPark) {
    Threads threads;
    wait::Doorbell bell;
    threads.share(bell);
    threads.enter();
    EXPECT_EQ(threads.take_role(), Threads::Role::driver);
    EXPECT_EQ(threads.take_role(), Threads::Role::driver) << "it keeps the role";
    auto never = [] { return false; };
    Waiting waiting(never, never);
    threads.open(waiting);
    std::thread([&] {
        const Turn turn(threads);
        EXPECT_EQ(threads.take_role(), Threads::Role::parked);
    }).join();
    threads.close(waiting);
    threads.leave();
    const Turn turn(threads);
    EXPECT_EQ(threads.take_role(), Threads::Role::driver) << "free again once the driver has left";
}

// A lost role would leave the second one waiting until the time-out, whatever it was doing.
TEST(Threads, EachOfTwoReplacesTheOther) {
    for (int round = 0; round < 100; ++round) {
        Mailbox box;
        std::jthread first([&] { box.receive(0); });
        std::jthread second([&] { box.receive(1); });
        std::this_thread::sleep_for(round % 4 * 50us);
        box.send(round % 2);
        std::this_thread::sleep_for(round % 3 * 100us);
        box.send(1 - round % 2);
    }
}

// Every thread waits for numbers of its own, sent in turn from outside: a lost wake-up or role would leave it
// waiting until the time-out.
TEST(Threads, EachIsWokenForItsOwn) {
    constexpr int thread_count = 8;
    constexpr int rounds = 200;
    Mailbox box;
    std::array<std::atomic<int>, thread_count> received{};
    std::vector<std::jthread> threads;
    for (int own = 0; own < thread_count; ++own)
        threads.emplace_back([&, own] {
            for (int i = 0; i < rounds; ++i) {
                box.receive(own);
                received[static_cast<std::size_t>(own)].fetch_add(1, std::memory_order_release);
            }
        });
    for (int i = 0; i < rounds; ++i)
        for (int to = 0; to < thread_count; ++to) {
            box.send(to);
            while (received[static_cast<std::size_t>(to)].load(std::memory_order_acquire) <= i) sched_yield();
        }
    threads.clear();
    // For each number one thread is woken for it, and one to drive where the driver left: no herd.
    EXPECT_LE(box.parked_returns(), 2 * thread_count * rounds + thread_count);
}

TEST(Threads, AnInsideDeliveryWakesTheParkedAndTheSleepingDriver) {
    constexpr int rounds = 100;
    Mailbox box;
    std::vector<std::jthread> threads;
    std::atomic<int> received{0};
    for (int own = 0; own < 3; ++own)
        threads.emplace_back([&, own] {
            for (int i = 0; i < rounds; ++i) {
                box.receive(own);
                received.fetch_add(1, std::memory_order_release);
            }
        });
    // With lost wake-ups of the driver each would take a whole sleep: 300 of them would run into the
    // time-out.
    for (int i = 0; i < rounds; ++i)
        for (int to = 0; to < 3; ++to) {
            box.deliver(to);
            while (received.load(std::memory_order_acquire) < 3 * i + to + 1) sched_yield();
        }
    threads.clear();
    EXPECT_EQ(received.load(), 3 * rounds);
}

/// Rank 0's engine is shared by threads. Rank 1's is used inside their turns as well.
class SharedEngine : public ::testing::Test {
  protected:
    SharedEngine() {
        threads_.share(bell_);
        shared().share(threads_);
        job_.transport(0).patience = 1 << 30;
    }
    TestEngine& shared() { return job_[0]; }

    void send_from_peer(int value, int tag) {
        const Turn turn(threads_);
        EXPECT_EQ(job_[1].send(std::as_bytes(std::span(&value, 1)), 0, 0, tag), Status::ok);
    }
    int receive(int source, int tag) {
        const Turn turn(threads_);
        int value = -1;
        EXPECT_EQ(shared().receive(std::as_writable_bytes(std::span(&value, 1)), source, 0, tag), Status::ok);
        return value;
    }

    /// A receive that does not block. Within the caller's turn.
    Request* post(int& value, int source, int tag) {
        return shared().ireceive(std::as_writable_bytes(std::span(&value, 1)), source, 0, tag);
    }

    wait::Doorbell bell_;
    Threads threads_;
    InProcessJob job_{2};
};

TEST_F(SharedEngine, EachThreadGetsTheMessagesOfItsTag) {
    constexpr int thread_count = 6;
    constexpr int rounds = 500;
    std::vector<std::jthread> threads;
    for (int tag = 0; tag < thread_count; ++tag)
        threads.emplace_back([&, tag] {
            for (int i = 0; i < rounds; ++i) EXPECT_EQ(receive(1, tag), i * thread_count + tag);
        });
    for (int i = 0; i < rounds; ++i)
        for (int tag = 0; tag < thread_count; ++tag) send_from_peer(i * thread_count + tag, tag);
}

TEST_F(SharedEngine, ReceivesOfOneTagShareItsMessages) {
    constexpr int thread_count = 4;
    constexpr int rounds = 500;
    std::atomic<int> sum{0};
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < thread_count; ++thread)
        threads.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) sum += receive(kAnySource, kAnyTag);
        });
    for (int i = 0; i < rounds * thread_count; ++i) send_from_peer(i, i % 7);
    threads.clear();
    EXPECT_EQ(sum.load(), rounds * thread_count * (rounds * thread_count - 1) / 2);
}

// The sender's order is that of each thread, whichever of them a message goes to.
TEST_F(SharedEngine, EachThreadReceivesInOrder) {
    constexpr int thread_count = 4;
    constexpr int rounds = 500;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < thread_count; ++thread)
        threads.emplace_back([&] {
            for (int i = 0, last = -1; i < rounds; ++i) {
                const int value = receive(1, 0);
                EXPECT_GT(value, last);
                last = value;
            }
        });
    for (int i = 0; i < rounds * thread_count; ++i) send_from_peer(i, 0);
}

TEST_F(SharedEngine, ARunningThreadTakesWhatCameForABlockedOne) {
    std::jthread blocked([&] { EXPECT_EQ(receive(1, 5), 2); });
    std::this_thread::sleep_for(20ms);
    const Turn turn(threads_);  // kept, so that the other cannot have received
    send_from_peer(1, 5);
    EXPECT_EQ(receive(1, 5), 1);
    send_from_peer(2, 5);
}

TEST_F(SharedEngine, ABlockedReceiveIsOvertakenAThousandTimesAtMost) {
    constexpr int patience = 1000;
    std::jthread blocked([&] { EXPECT_EQ(receive(1, 5), patience); });
    std::this_thread::sleep_for(20ms);
    const Turn turn(threads_);
    for (int i = 0; i < patience; ++i) {
        send_from_peer(i, 5);
        EXPECT_EQ(receive(1, 5), i);
    }
    send_from_peer(patience, 5);
    send_from_peer(patience + 1, 5);
    EXPECT_EQ(receive(1, 5), patience + 1);
}

// The blocked thread's message came before the second one that this thread got: it may not get it now.
TEST_F(SharedEngine, WhatWasThereBeforeTheCallIsNotTaken) {
    std::jthread blocked([&] { EXPECT_EQ(receive(1, 5), 1); });
    std::this_thread::sleep_for(20ms);
    std::jthread mixed([&] {
        const Turn turn(threads_);
        int first = -1;
        Request* const request = post(first, 1, 5);
        send_from_peer(1, 5);
        send_from_peer(2, 5);
        while (!request->complete()) shared().poll();
        EXPECT_EQ(first, 2);
        shared().release(request);
        EXPECT_EQ(receive(1, 5), 3);
    });
    std::this_thread::sleep_for(20ms);
    send_from_peer(3, 5);
}

TEST_F(SharedEngine, NothingIsTakenPastAnEarlierReceiveThatDoesNotBlock) {
    std::jthread blocked([&] { EXPECT_EQ(receive(1, 5), 1); });
    std::this_thread::sleep_for(20ms);
    std::jthread mixed([&] {
        const Turn turn(threads_);
        int first = -1;
        Request* const request = post(first, 1, 5);
        send_from_peer(1, 5);
        EXPECT_EQ(receive(1, 5), 3);
        shared().wait(*request);
        EXPECT_EQ(first, 2);
        shared().release(request);
    });
    std::this_thread::sleep_for(20ms);
    send_from_peer(2, 5);
    send_from_peer(3, 5);
}

TEST_F(SharedEngine, AMessageToSelfEndsTheWaitOfAnotherThread) {
    std::jthread receiver([&] {
        for (int i = 0; i < 200; ++i) EXPECT_EQ(receive(0, 3), i);
    });
    for (int i = 0; i < 200; ++i) {
        const Turn turn(threads_);
        EXPECT_EQ(shared().send(std::as_bytes(std::span(&i, 1)), 0, 0, 3), Status::ok);
    }
}

TEST_F(SharedEngine, TwoWaitForRoomInTheRingOfOnePeer) {
    std::vector<std::jthread> threads;
    std::atomic<int> sent{0};
    for (int thread = 0; thread < 2; ++thread)
        threads.emplace_back([&] {
            for (int i = 0; i < 500;) {
                const Turn turn(threads_);
                Reservation slot = shared().reserve(sizeof(int), 1, 0, 0);
                // The other thread has the ring, and may be waiting for its turn to use it.
                if (slot.payload.empty()) continue;
                std::memcpy(slot.payload.data(), &i, sizeof i);
                shared().commit(slot, sizeof i);
                ++i;
                ++sent;
            }
        });
    for (int i = 0; i < 1000; ++i) {
        int value = -1;
        while (value < 0) {
            const Turn turn(threads_);
            if (job_[1].iprobe(0, 0, 0, nullptr)) {
                EXPECT_EQ(job_[1].receive(std::as_writable_bytes(std::span(&value, 1)), 0, 0, 0), Status::ok);
            }
        }
    }
    threads.clear();
    EXPECT_EQ(sent.load(), 1000);
}

TEST_F(SharedEngine, NobodyIsForsakenWhileAThreadMayStillSendToSelf) {
    job_.transport(0).gone.insert(1);
    std::jthread receiver([&] { EXPECT_EQ(receive(kAnySource, 3), 5); });
    std::this_thread::sleep_for(20ms);
    const int value = 5;
    const Turn turn(threads_);
    EXPECT_EQ(shared().send(std::as_bytes(std::span(&value, 1)), 0, 0, 3), Status::ok);
}

}  // namespace
}  // namespace rb2::pt2pt
