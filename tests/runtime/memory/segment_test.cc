#include "runtime/memory/segment.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numaif.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/bootstrap/nonce.hpp"
#include "tests/runtime/child_process.hpp"

namespace rb2::memory {
namespace {

using test::in_child;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t kBytes = std::size_t{1} << 20;

std::string fresh_name() { return segment_name(::geteuid(), bootstrap::random_nonce(), 0); }
bool exists(const std::string& name) { return std::filesystem::exists("/dev/shm/" + name); }

struct stat status_of(const std::string& name) {
    struct stat status {};
    EXPECT_EQ(::stat(("/dev/shm/" + name).c_str(), &status), 0);
    return status;
}

template <typename Action>
std::string message_of(Action action) {
    try {
        action();
    } catch (const StartupError& error) {
        return error.what();
    }
    return "(no error)";
}

TEST(SegmentName, HoldsUserNonceAndRankAndFitsACard) {
    EXPECT_EQ(segment_name(7, "abc", 3), "rb2-7-abc-3");
    EXPECT_LE(segment_name(0xffffffff, std::string(32, 'f'), 0xffffffff).size(), 95U);
}

TEST(Segment, IsZeroPrivateAndReallyReserved) {
    const std::string name = fresh_name();
    ::umask(0);
    const Segment segment = Segment::create(name, kBytes);
    ::umask(022);
    EXPECT_TRUE(std::all_of(segment.span().begin(), segment.span().end(),
                            [](std::byte b) { return b == std::byte{0}; }));
    EXPECT_EQ(status_of(name).st_mode & 0777U, 0600U);
    EXPECT_EQ(status_of(name).st_size, static_cast<off_t>(kBytes));
    EXPECT_GE(status_of(name).st_blocks * 512, static_cast<off_t>(kBytes));
}

TEST(Segment, HasMode600WhateverTheUmask) {
    const std::string name = fresh_name();
    const mode_t before = ::umask(0777);
    const Segment segment = Segment::create(name, kBytes);
    ::umask(before);
    EXPECT_EQ(status_of(name).st_mode & 0777U, 0600U);
}

TEST(Segment, EveryPageIsPresent) {
    const Segment segment = Segment::create(fresh_name(), kBytes);
    std::vector<unsigned char> resident(kBytes / ::sysconf(_SC_PAGESIZE));
    ASSERT_EQ(::mincore(segment.data(), kBytes, resident.data()), 0);
    EXPECT_TRUE(
        std::all_of(resident.begin(), resident.end(), [](unsigned char page) { return (page & 1U) != 0; }));
}

TEST(Segment, AttachedRanksSeeTheSameBytes) {
    const std::string name = fresh_name();
    Segment made = Segment::create(name, kBytes);
    Segment attached = Segment::attach(name, kBytes);
    ASSERT_NE(made.data(), attached.data());
    attached.span().back() = std::byte{42};
    EXPECT_EQ(made.span().back(), std::byte{42});
    EXPECT_EQ(Segment::attach(name).bytes(), kBytes);  // any size
    made.unlink();
    made.span().front() = std::byte{7};  // mappings outlive the name
    EXPECT_EQ(attached.span().front(), std::byte{7});
}

/// This thread's page faults until now.
long faults() {
    struct rusage usage {};
    ::getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
}

/// Page faults that a store into each page takes. Without sanitizers, whose own memory has faults, too.
[[gnu::no_sanitize("address"), gnu::no_sanitize("thread")]] long faults_of(const Segment& segment) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const long before = faults();
    for (std::size_t at = 0; at < segment.bytes(); at += page)
        *static_cast<volatile std::byte*>(segment.data() + at) = std::byte{1};
    return faults() - before;
}

long faults_of_touching(std::span<std::byte> lines) {
    const long before = faults();
    touch(lines);
    return faults() - before;
}

TEST(Segment, WhatWasPrefaultedNeedsNoPageFaultAnyMore) {
    const std::string name = fresh_name();
    const Segment made = Segment::create(name, kBytes);
    EXPECT_GT(faults_of(Segment::attach(name, kBytes)), 0) << "another mapping's page table does not count";
    Segment warm = Segment::attach(name, kBytes);
    warm.prefault(0, kBytes);
    EXPECT_EQ(faults_of(warm), 0);
}

TEST(Segment, WhatWasTouchedNeedsNoPageFaultToRead) {
    const std::string name = fresh_name();
    const Segment made = Segment::create(name, kBytes);
    const Segment segment = Segment::attach(name, kBytes);
    const std::span<std::byte> half = segment.span().first(kBytes / 2);
    touch(half);
    EXPECT_EQ(faults_of_touching(half), 0);
    EXPECT_GT(faults_of_touching(segment.span().last(kBytes / 2)), 0) << "beyond what was asked for";
}

TEST(Segment, RefusesANameThatExists) {
    const std::string name = fresh_name();
    const Segment first = Segment::create(name, kBytes);
    EXPECT_THAT(message_of([&] { (void)Segment::create(name, kBytes); }),
                AllOf(HasSubstr(name), HasSubstr("exists")));
    EXPECT_TRUE(exists(name));  // the loser did not remove it
}

TEST(Segment, UnlinkIsIdempotentAndWorksFromAnyRank) {
    const std::string name = fresh_name();
    Segment segment = Segment::create(name, kBytes);
    segment.unlink();
    EXPECT_FALSE(exists(name));
    segment.unlink();
    EXPECT_FALSE(Segment::unlink_by_name(name));
    const Segment other = Segment::create(name, kBytes);
    EXPECT_TRUE(Segment::unlink_by_name(name));
    EXPECT_FALSE(exists(name));
    EXPECT_FALSE(Segment::unlink_by_name(std::string(1000, 'x')));
}

TEST(Segment, DestructorRemovesOnlyItsOwnName) {
    const std::string name = fresh_name();
    {
        Segment maker = Segment::create(name, kBytes);
        { const Segment attached = Segment::attach(name, kBytes); }
        EXPECT_TRUE(exists(name));
        Segment moved = std::move(maker);
        maker = Segment();  // NOLINT(bugprone-use-after-move): a moved-from segment may be assigned to
        EXPECT_TRUE(exists(name));
        EXPECT_EQ(moved.bytes(), kBytes);
    }
    EXPECT_FALSE(exists(name));
}

TEST(Segment, AfterUnlinkADestructorLeavesASuccessorOfTheSameNameAlone) {
    const std::string name = fresh_name();
    std::optional<Segment> first = Segment::create(name, kBytes);
    first->unlink();
    const Segment second = Segment::create(name, kBytes);
    first.reset();
    EXPECT_TRUE(exists(name));
}

TEST(Segment, AForkedChildNeverUnlinks) {
    const std::string name = fresh_name();
    std::optional<Segment> segment = Segment::create(name, kBytes);
    EXPECT_EQ(in_child([&] {
                  segment->span()[0] = std::byte{9};  // but it may use the memory
                  segment->unlink();
                  segment.reset();
                  return 0;
              }),
              0);
    EXPECT_TRUE(exists(name));
    EXPECT_EQ(segment->span()[0], std::byte{9});
}

TEST(Segment, AttachChecksSizeAndMode) {
    const std::string name = fresh_name();
    const Segment segment = Segment::create(name, kBytes);
    EXPECT_THAT(
        message_of([&] { (void)Segment::attach(name, 2 * kBytes); }),
        AllOf(HasSubstr(name), HasSubstr(std::to_string(kBytes)), HasSubstr(std::to_string(2 * kBytes))));
    ASSERT_EQ(::chmod(("/dev/shm/" + name).c_str(), 0644), 0);
    EXPECT_THAT(message_of([&] { (void)Segment::attach(name, kBytes); }),
                AllOf(HasSubstr("644"), HasSubstr("600")));
    EXPECT_THAT(message_of([&] { (void)Segment::attach(name + "x", kBytes); }), HasSubstr("is not there"));
}

TEST(Segment, AttachRefusesAnotherUsersObject) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
    const std::string name = fresh_name();
    const Segment segment = Segment::create(name, kBytes);
    ASSERT_EQ(::chown(("/dev/shm/" + name).c_str(), 12345, 12345), 0);
    EXPECT_THAT(message_of([&] { (void)Segment::attach(name, kBytes); }), HasSubstr("12345"));
}

TEST(Segment, HugePagesOnRequestFallBackQuietly) {
    testing::internal::CaptureStderr();
    const std::string name = fresh_name();
    const Segment segment = Segment::create(name, 2 * kBytes + 4096, {.huge_pages = true});
    segment.span().back() = std::byte{1};
    EXPECT_GE(status_of(name).st_blocks * 512, static_cast<off_t>(segment.bytes()));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Segment, PagesLieOnTheNodeAskedFor) {
    const Segment segment = Segment::create(fresh_name(), kBytes, {.numa_node = 0});
    std::vector<void*> pages;
    for (std::size_t at = 0; at < kBytes; at += 4096) pages.push_back(segment.data() + at);
    std::vector<int> nodes(pages.size(), -1);
    if (::move_pages(0, pages.size(), pages.data(), nullptr, nodes.data(), 0) != 0)
        GTEST_SKIP() << "the kernel does not tell where pages lie (move_pages)";
    EXPECT_THAT(nodes, testing::Each(0));
}

TEST(Segment, ANodeThatDoesNotExistCostsNothingButSpeed) {
    const Segment segment = Segment::create(fresh_name(), kBytes, {.numa_node = 1000});
    segment.span().back() = std::byte{1};
    EXPECT_EQ(segment.bytes(), kBytes);
}

}  // namespace
}  // namespace rb2::memory
