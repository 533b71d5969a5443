// A /dev/shm of 1 MiB, in a mount namespace of its own: what a container with too little shared memory looks
// like.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "runtime/memory/segment.hpp"
#include "tests/runtime/child_process.hpp"

namespace rb2::memory {
namespace {

constexpr int kRefused = 77;
constexpr std::size_t kMiB = std::size_t{1} << 20;

/// Gives the calling process its own 1 MiB /dev/shm. False when the kernel refuses.
bool mount_small_shm() {
    const uid_t uid = ::geteuid();
    if (::unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0) return false;
    if (uid != 0) {
        std::ofstream("/proc/self/setgroups") << "deny";
        std::ofstream("/proc/self/uid_map") << "0 " << uid << " 1";
    }
    return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=1m") == 0;
}

/// Passes when `body` returns true in a child that sees the small /dev/shm.
void with_small_shm(const std::function<bool()>& body) {
    const int status = test::in_child([&] {
        if (!mount_small_shm()) return kRefused;
        return body() ? 0 : 1;
    });
    if (status == kRefused) GTEST_SKIP() << "the kernel allows this user no mount namespace";
    EXPECT_EQ(status, 0);
}

bool nothing_left() { return std::filesystem::is_empty("/dev/shm"); }

bool reports_no_space(const SegmentOptions& options) {
    try {
        const Segment segment = Segment::create("rb2-test", 4 * kMiB, options);
    } catch (const NoSpace& error) {
        std::printf("%s\n", error.what());
        return error.needed_bytes() == 4 * kMiB && error.free_bytes() == kMiB &&
               error.path() == "/dev/shm/rb2-test" && nothing_left();
    }
    return false;
}

TEST(SmallShm, TooLargeASegmentIsAnErrorWithNumbersNotASignal) {
    with_small_shm([] { return reports_no_space({}); });
}

TEST(SmallShm, TheSameWhenHugePagesAreAskedFor) {
    with_small_shm([] { return reports_no_space({.huge_pages = true}); });
}

TEST(SmallShm, ASparseSegmentTakesWhatItsPartsTake) {
    with_small_shm([] {
        Segment segment = Segment::create("rb2-test", 4 * kMiB, {.reserved_bytes = 4096});
        const bool first = segment.reserve(2 * kMiB, kMiB / 2);
        std::memset(segment.data() + 2 * kMiB, 1,
                    kMiB / 2);  // a page that is not there would end the process
        return first && segment.reserve(2 * kMiB, kMiB / 2) && !segment.reserve(3 * kMiB, kMiB);
    });
}

TEST(SmallShm, ASmallerSegmentFitsAfterwardsAndCanBeFilled) {
    with_small_shm([] {
        if (!reports_no_space({})) return false;
        const Segment segment = Segment::create("rb2-test", kMiB / 2);
        std::memset(segment.data(), 0xff, segment.bytes());
        return true;
    });
}

TEST(SmallShm, ReservedSpaceCannotBeTakenByALaterSegment) {
    with_small_shm([] {
        const Segment first = Segment::create("rb2-first", kMiB * 3 / 4);
        try {
            const Segment second = Segment::create("rb2-second", kMiB / 2);
            return false;
        } catch (const NoSpace& error) {
            if (error.free_bytes() != kMiB / 4) return false;
        }
        std::memset(first.data(), 0xff, first.bytes());
        return true;
    });
}

}  // namespace
}  // namespace rb2::memory
