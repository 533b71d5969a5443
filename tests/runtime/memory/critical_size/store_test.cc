// What is kept comes back; anything else means measuring again, and nothing fails.

#include "runtime/memory/critical_size/store.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "runtime/memory/critical_size/critical_size.hpp"
#include "tests/runtime/child_process.hpp"
#include "tests/runtime/memory/registration/counting_registrar.hpp"
#include "tests/runtime/temporary_tree.hpp"

namespace rb2::memory::critical_size::test {
namespace {

using registration::test::CountingRegistrar;

const Subject kSubject{"host1", "6.1.0 #1 SMP", "Some CPU", "rxe0 fw 1.2"};

Curves some_curves() {
    Curves curves;
    for (const Work work : kWorks)
        for (const Buffer buffer : kBuffers)
            curves.of(work, buffer) = {
                {4096, 100.25 + static_cast<double>(work)}, {8192, 1e-3}, {1U << 26, 3e8}};
    curves.of(Work::remove, {false, true}).clear();
    return curves;
}

std::string contents(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST(Store, WhatIsKeptComesBackExactly) {
    const rb2::test::TemporaryTree tree;
    ASSERT_TRUE(save(tree.root() / "new" / "rb2", kSubject, some_curves()));
    EXPECT_EQ(load(tree.root() / "new" / "rb2", kSubject), some_curves());
    Subject odd = kSubject;
    odd.host = "../../etc/a b\nc";
    ASSERT_TRUE(save(tree.root(), odd, some_curves()));
    EXPECT_EQ(load(tree.root(), odd), some_curves());
    EXPECT_EQ(file_of(tree.root(), odd).parent_path(), tree.root());
}

TEST(Store, AnotherKernelProcessorDeviceOrHostIsNotServed) {
    const rb2::test::TemporaryTree tree;
    ASSERT_TRUE(save(tree.root(), kSubject, some_curves()));
    for (const auto member : {&Subject::host, &Subject::kernel, &Subject::processor, &Subject::device}) {
        Subject other = kSubject;
        other.*member += "x";
        EXPECT_EQ(load(tree.root(), other), std::nullopt);
    }
}

TEST(Store, ADamagedFileIsNoFile) {
    const rb2::test::TemporaryTree tree;
    ASSERT_TRUE(save(tree.root(), kSubject, some_curves()));
    const auto file = file_of(tree.root(), kSubject);
    const std::string good = contents(file);
    for (std::size_t at = 0; at < good.size(); at += 7) {  // every byte matters
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 1);
        std::ofstream(file, std::ios::binary) << bad;
        EXPECT_EQ(load(tree.root(), kSubject), std::nullopt) << "byte " << at;
        std::ofstream(file, std::ios::binary) << good.substr(0, at);
        EXPECT_EQ(load(tree.root(), kSubject), std::nullopt) << "cut at " << at;
    }
    std::ofstream(file, std::ios::binary) << std::string(2U << 20, 'x');
    EXPECT_EQ(load(tree.root(), kSubject), std::nullopt);
    std::filesystem::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    EXPECT_EQ(load(tree.root(), kSubject), std::nullopt) << "and does not wait for a writer";
}

TEST(Store, NowhereToKeepIt) {
    EXPECT_FALSE(save({}, kSubject, some_curves()));
    EXPECT_FALSE(save("/proc/rb2", kSubject, some_curves()));
    EXPECT_EQ(load({}, kSubject), std::nullopt);
    const rb2::test::TemporaryTree tree;
    std::filesystem::create_directory(file_of(tree.root(), kSubject));
    EXPECT_FALSE(save(tree.root(), kSubject, some_curves()));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(tree.root()), {}), 1)
        << "no scratch file is left";
}

/// XDG_CACHE_HOME for one test.
class CriticalSize : public ::testing::Test {
  protected:
    void SetUp() override { ::setenv("XDG_CACHE_HOME", tree_.root().c_str(), 1); }
    void TearDown() override { ::unsetenv("XDG_CACHE_HOME"); }
    Result ask(bool again = false) { return critical_size(registrar, "test0", again, 1, {4096, 16'384, 2}); }

    rb2::test::TemporaryTree tree_;
    CountingRegistrar registrar;
};

TEST_F(CriticalSize, IsMeasuredOnceAndKept) {
    const Result first = ask();
    EXPECT_NE(first.source.find("measured now, kept in"), std::string::npos) << first.source;
    const std::uint64_t calls = registrar.calls;
    EXPECT_GT(calls, 0U);
    const Result second = ask();
    EXPECT_EQ(registrar.calls, calls);
    EXPECT_EQ(second.curves, first.curves);
    EXPECT_EQ(second.crossings, first.crossings);
    EXPECT_EQ(std::filesystem::path(second.source).parent_path(), tree_.root() / "rb2");
    const Result third = ask(true);
    EXPECT_GT(registrar.calls, calls);
    EXPECT_EQ(registrar.live_count(), 0U);
}

TEST_F(CriticalSize, AnUnwritableDirectoryMeasuresEachTime) {
    ::setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    for (int i = 1; i <= 2; ++i) {
        const std::uint64_t calls = registrar.calls;
        EXPECT_NE(ask().source.find("not kept"), std::string::npos);
        EXPECT_GT(registrar.calls, calls);
    }
    ::setenv("XDG_CACHE_HOME", "relative/path", 1);
    EXPECT_NE(cache_directory().string().substr(0, 8), "relative");
}

TEST_F(CriticalSize, ADeviceThatRegistersNothingHasTheUsualCrossings) {
    registrar.fail_every = 1;
    const Result result = ask();
    EXPECT_EQ(result.crossings, usual_crossings());
    EXPECT_EQ(load(cache_directory(), this_host("test0")), std::nullopt) << "nothing to keep";
}

TEST_F(CriticalSize, RanksThatAskAtOnceGetOneMeasurement) {
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            CountingRegistrar own;
            const Result result = critical_size(own, "test0", false, 20, {4096, 16'384, 2});
            ::_exit(own.calls == 0 ? 0 : 1);
        }
        children.push_back(child);
    }
    int measured = 0;
    for (const pid_t child : children) {
        int state = 0;
        ASSERT_EQ(::waitpid(child, &state, 0), child);
        ASSERT_TRUE(WIFEXITED(state));
        measured += WEXITSTATUS(state);
    }
    EXPECT_EQ(measured, 1);
}

TEST(Measure, EverySizeAndBufferIsThereWithPositiveCosts) {
    CountingRegistrar registrar;
    const Curves curves = measure(registrar, {4096, 65'536, 2});
    for (const Work work : kWorks) {
        for (const Buffer buffer : kBuffers) {
            const Curve& curve = curves.of(work, buffer);
            if (buffer.huge && curve.empty()) continue;  // a kernel without huge pages
            ASSERT_EQ(curve.size(), 5U);
            for (std::size_t i = 0; i < curve.size(); ++i) {
                EXPECT_EQ(curve[i].bytes, std::uint64_t{4096} << i);
                EXPECT_GT(curve[i].ns, 0);
            }
        }
    }
    EXPECT_EQ(registrar.live_count(), 0U);
}

TEST(Measure, ACurveEndsWhereTheDeviceRefuses) {
    class Small final : public registration::Registrar {
      public:
        Status add(std::span<const std::byte> memory, registration::Access,
                   registration::Registration&) noexcept override {
            return memory.size() <= 16'384 ? Status::ok : Status::out_of_memory;
        }
        void remove(const registration::Registration&) noexcept override {}
    } registrar;
    const Curves curves = measure(registrar, {4096, 65'536, 1});
    EXPECT_EQ(curves.of(Work::copy, {true, false}).size(), 5U);
    EXPECT_EQ(curves.of(Work::add, {true, false}).size(), 3U);
    EXPECT_EQ(curves.of(Work::remove, {true, false}).size(), 3U);
}

}  // namespace
}  // namespace rb2::memory::critical_size::test
