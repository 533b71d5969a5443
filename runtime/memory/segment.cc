#include "runtime/memory/segment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <numaif.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/memory/descriptor.hpp"

namespace rb2::memory {
namespace {

constexpr const char* kDirectory = "/dev/shm";  // where shm_open keeps its objects on Linux

std::string path_of(const std::string& name) { return fmt::format("{}/{}", kDirectory, name); }

[[noreturn]] void fail(const std::string& name, std::string_view action, int error) {
    throw StartupError(
        fmt::format("shared memory segment {}: {}: {}", path_of(name), action, std::strerror(error)));
}

std::byte* map(const std::string& name, int fd, std::size_t bytes) {
    void* address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (address == MAP_FAILED) fail(name, fmt::format("mapping {} bytes", bytes), errno);
    return static_cast<std::byte*>(address);
}

/// Asks for pages on `node`. On a mapping of shared memory the policy belongs to the object, not to the
/// process, so it also holds for the pages that posix_fallocate makes, and for pages first touched by an
/// attached rank. Preferred, not bound: when the node is full another node's page is better than none. Not
/// fatal: a kernel without NUMA, or a container that forbids mbind, costs speed only.
void prefer_node(std::byte* data, std::size_t bytes, int node) {
    constexpr std::size_t word_bits = CHAR_BIT * sizeof(unsigned long);
    const auto bit = static_cast<std::size_t>(node);
    std::vector<unsigned long> mask(bit / word_bits + 1);
    mask[bit / word_bits] = 1UL << (bit % word_bits);
    // The kernel reads one bit less than it is told.
    ::mbind(data, bytes, MPOL_PREFERRED, mask.data(), mask.size() * word_bits + 1, 0);
}

/// Transparent huge pages come from page faults only, not from posix_fallocate, so the faults are made here,
/// first. The call reports a full file system instead of raising SIGBUS; posix_fallocate then finds out for
/// certain.
bool populate_with_huge_pages(std::byte* data, std::size_t bytes) {
    if (::madvise(data, bytes, MADV_HUGEPAGE) != 0) return false;
    ::madvise(data, bytes, MADV_POPULATE_WRITE);
    return true;
}

std::uint64_t free_bytes() {
    struct statvfs file_system {};
    if (::statvfs(kDirectory, &file_system) != 0) return 0;
    return std::uint64_t{file_system.f_bavail} * file_system.f_frsize;
}

/// Takes the space now: ftruncate alone reserves nothing, and a full tmpfs would raise SIGBUS at some later
/// store.
int take_space(int fd, std::size_t offset, std::size_t bytes) noexcept {
    int error = EINTR;
    while (error == EINTR)
        error = ::posix_fallocate(fd, static_cast<off_t>(offset), static_cast<off_t>(bytes));
    return error;
}

void reserve_now(const std::string& name, int fd, std::size_t bytes) {
    const int error = take_space(fd, 0, bytes);
    if (error == 0) return;
    if (error != ENOSPC) fail(name, fmt::format("reserving {} bytes", bytes), error);
    // Some pages may have been made before the space ran out: give them back before looking at what is free.
    const std::uint64_t free_now = ::ftruncate(fd, 0) == 0 ? free_bytes() : 0;
    throw NoSpace(path_of(name), bytes, free_now);
}

/// Checks that `fd` is what a rank of this job would have made; returns its size in bytes.
std::size_t verify_owner_and_size(const std::string& name, int fd, std::size_t bytes) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) fail(name, "reading its owner and size", errno);
    if (status.st_uid != ::geteuid())
        throw StartupError(
            fmt::format("shared memory segment {} belongs to user {}, expected {}: not mapping it",
                        path_of(name), status.st_uid, ::geteuid()));
    if ((status.st_mode & 0777U) != 0600U)
        throw StartupError(fmt::format("shared memory segment {} has mode {:o}, expected 600: not mapping it",
                                       path_of(name), status.st_mode & 0777U));
    if (bytes != Segment::kAnySize && std::cmp_not_equal(status.st_size, bytes))
        throw StartupError(
            fmt::format("shared memory segment {} has {} bytes, expected {}: do all ranks run the same rb2?",
                        path_of(name), status.st_size, bytes));
    return static_cast<std::size_t>(status.st_size);
}

}  // namespace

NoSpace::NoSpace(std::string path, std::uint64_t needed_bytes, std::uint64_t free_bytes)
    : StartupError(fmt::format(
          "{}: {} bytes needed, {} bytes free; enlarge {} (containers: --shm-size) or use smaller rings",
          path, needed_bytes, free_bytes, kDirectory)),
      path_(std::move(path)),
      needed_bytes_(needed_bytes),
      free_bytes_(free_bytes) {}

std::string segment_name(uid_t uid, std::string_view nonce, std::uint32_t rank) {
    return fmt::format("rb2-{}-{}-{}", uid, nonce, rank);
}

Segment Segment::create(const std::string& name, std::size_t bytes, const SegmentOptions& options) {
    Descriptor file(::shm_open(("/" + name).c_str(), O_CREAT | O_EXCL | O_RDWR, 0600));
    if (file.get() < 0) fail(name, "creating it", errno);
    Segment segment;  // from here on its destructor removes the name
    segment.name_ = name;
    segment.unlinker_ = ::getpid();
    if (::fchmod(file.get(), 0600) != 0) fail(name, "setting mode 600", errno);  // whatever the umask is
    if (::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
        fail(name, fmt::format("growing it to {} bytes", bytes), errno);
    segment.data_ = map(name, file.get(), bytes);
    segment.bytes_ = bytes;
    // Policy, then huge pages, then the rest: a page stays where and what it was made.
    if (options.numa_node >= 0) prefer_node(segment.data_, bytes, options.numa_node);
    segment.huge_pages_ = options.huge_pages && populate_with_huge_pages(segment.data_, bytes);
    const std::size_t now = std::min(bytes, options.reserved_bytes);
    reserve_now(name, file.get(), now);
    segment.prefault(0, now);
    if (now < bytes) segment.file_ = std::move(file);
    return segment;
}

Segment Segment::attach(const std::string& name, std::size_t bytes) {
    Descriptor file;
    return map_existing(name, bytes, file);
}

Segment Segment::attach_sparse(const std::string& name) {
    Descriptor file;
    Segment segment = map_existing(name, kAnySize, file);
    segment.file_ = std::move(file);
    return segment;
}

bool Segment::reserve(std::size_t offset, std::size_t bytes) noexcept {
    if (take_space(file_.get(), offset, bytes) != 0) return false;
    prefault(offset, bytes);
    return true;
}

void Segment::prefault(std::size_t offset, std::size_t bytes) noexcept {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t first = offset / page * page;
    // Where it fails, the pages come by faults.
    ::madvise(data_ + first, offset + bytes - first, MADV_POPULATE_WRITE);
}

std::size_t Segment::taken_bytes() const noexcept {
    constexpr std::size_t block_bytes = 512;  // st_blocks counts these, whatever the file system's are
    struct stat status {};
    return ::fstat(file_.get(), &status) == 0 ? static_cast<std::size_t>(status.st_blocks) * block_bytes : 0;
}

void Segment::place(std::size_t offset, std::size_t bytes, int node) noexcept {
    // Whole pages only: what shares its first or last page with others is theirs as well.
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t first = (offset + page - 1) / page * page;
    const std::size_t last = (offset + bytes) / page * page;
    if (node >= 0 && first < last) prefer_node(data_ + first, last - first, node);
}

Segment Segment::map_existing(const std::string& name, std::size_t bytes, Descriptor& file) {
    file = Descriptor(::shm_open(("/" + name).c_str(), O_RDWR, 0));
    if (file.get() < 0 && errno == ENOENT)
        throw NoSuchSegment(fmt::format(
            "shared memory segment {} is not there: did the rank that made it end early?", path_of(name)));
    if (file.get() < 0) fail(name, "opening it", errno);
    Segment segment;
    segment.name_ = name;
    segment.bytes_ = verify_owner_and_size(name, file.get(), bytes);
    segment.data_ = map(name, file.get(), segment.bytes_);
    return segment;
}

bool Segment::unlink_by_name(const std::string& name) noexcept {
    // "/" + name could throw for lack of memory; a name that long was refused when it was made.
    char path[NAME_MAX + 2] = "/";
    if (name.size() > NAME_MAX) return false;
    std::copy(name.begin(), name.end(), path + 1);
    return ::shm_unlink(path) == 0;
}

Segment::Segment(Segment&& other) noexcept
    : name_(std::move(other.name_)),
      file_(std::move(other.file_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      unlinker_(std::exchange(other.unlinker_, 0)),
      huge_pages_(std::exchange(other.huge_pages_, false)) {}

Segment& Segment::operator=(Segment&& other) noexcept {
    Segment taken(std::move(other));
    std::swap(name_, taken.name_);
    std::swap(file_, taken.file_);
    std::swap(data_, taken.data_);
    std::swap(bytes_, taken.bytes_);
    std::swap(unlinker_, taken.unlinker_);
    std::swap(huge_pages_, taken.huge_pages_);
    return *this;
}

Segment::~Segment() {
    unlink();
    if (data_ != nullptr) ::munmap(data_, bytes_);
}

void Segment::unlink() noexcept {
    // A forked child inherits this object but not the duty.
    if (unlinker_ == 0 || unlinker_ != ::getpid()) return;
    unlinker_ = 0;
    unlink_by_name(name_);
}

void touch(std::span<std::byte> lines) noexcept {
    constexpr std::size_t line_bytes = 64;
    // Relaxed: others may write already, and nobody looks at what was read. Not a prefetch, which processors
    // may drop, and this one did.
    for (std::size_t at = 0; at < lines.size(); at += line_bytes)
        std::atomic_ref(reinterpret_cast<std::uint64_t&>(lines[at])).load(std::memory_order_relaxed);
}

}  // namespace rb2::memory
