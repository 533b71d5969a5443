#pragma once
// A named piece of shared memory with its space really reserved, placed on a chosen NUMA node.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runtime/memory/descriptor.hpp"
#include "runtime/status.hpp"

namespace rb2::memory {

/// The file system has not enough room. Nothing is left behind: a caller may retry with fewer bytes.
class NoSpace : public StartupError {
  public:
    NoSpace(std::string path, std::uint64_t needed_bytes, std::uint64_t free_bytes);

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] std::uint64_t needed_bytes() const noexcept { return needed_bytes_; }
    [[nodiscard]] std::uint64_t free_bytes() const noexcept { return free_bytes_; }

  private:
    std::string path_;
    std::uint64_t needed_bytes_;
    std::uint64_t free_bytes_;
};

/// Nobody has made it, or its maker has removed it.
class NoSuchSegment : public StartupError {
  public:
    using StartupError::StartupError;
};

/// Where and how the pages are made.
struct SegmentOptions {
    int numa_node = -1;  ///< node that should hold the pages; -1: the node of the thread that creates them
    bool huge_pages =
        false;  ///< ask for transparent huge pages; silently normal pages where the kernel has none
    std::size_t reserved_bytes = kEverything;  ///< pages made now, from the front; of the rest by reserve()
    static constexpr std::size_t kEverything = ~std::size_t{0};
};

/// Name of rank `rank`'s segment: rb2-<uid>-<nonce>-<rank>, no slash. At most 95 characters for a 32-digit
/// nonce.
[[nodiscard]] std::string segment_name(uid_t uid, std::string_view nonce, std::uint32_t rank);

/// Mapping of a POSIX shared-memory object. Move-only. The destructor unmaps; in the process that created the
/// object it also unlinks the name, unless that was done before. A forked child may read and write the
/// mapping but its destructor never unlinks. Thread-compatible.
class Segment {
  public:
    /// New object of `bytes` zero bytes, mode 0600, mapped read-write, every page present. Fails when the
    /// name exists. Throws NoSpace when the file system is too small, StartupError otherwise.
    [[nodiscard]] static Segment create(const std::string& name, std::size_t bytes,
                                        const SegmentOptions& options = {});

    /// Maps another rank's object read-write. Throws NoSuchSegment when it is missing, StartupError when it
    /// is owned by another user, is readable by others, or its size is not `bytes`. kAnySize takes the size
    /// from the object: its maker says in the contents how large it should be.
    [[nodiscard]] static Segment attach(const std::string& name, std::size_t bytes = kAnySize);
    static constexpr std::size_t kAnySize = 0;

    /// The same for an object that was made with only a part of its pages: reserve() works on it.
    [[nodiscard]] static Segment attach_sparse(const std::string& name);

    /// Takes the space for a part of a sparse object, for all who map it; other parts stay as they are, and
    /// what is there already keeps its contents. Any process may, also several at the same time. False: no
    /// room.
    [[nodiscard]] bool reserve(std::size_t offset, std::size_t bytes) noexcept;
    /// Fills this process's page table for a part whose space is taken: spares the first lap through a ring a
    /// fault per page.
    void prefault(std::size_t offset, std::size_t bytes) noexcept;
    /// Memory that a sparse object takes at this moment.
    [[nodiscard]] std::size_t taken_bytes() const noexcept;
    /// Pages of the part that are made from now on should lie on the NUMA node.
    void place(std::size_t offset, std::size_t bytes, int node) noexcept;

    /// Removes a name; the mappings stay valid. True when this call removed it, false when it was gone
    /// already.
    static bool unlink_by_name(const std::string& name) noexcept;

    Segment() = default;  ///< maps nothing
    Segment(Segment&& other) noexcept;
    Segment& operator=(Segment&& other) noexcept;
    Segment(const Segment&) = delete;
    Segment& operator=(const Segment&) = delete;
    ~Segment();

    /// Removes the name if this process created it and has not done so yet. Idempotent.
    void unlink() noexcept;
    /// Leaves the name to somebody else to remove.
    void keep_name() noexcept { unlinker_ = 0; }

    [[nodiscard]] std::byte* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::span<std::byte> span() const noexcept { return {data_, bytes_}; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    /// True when huge pages were asked for and the kernel accepted the request (it may still use small ones).
    [[nodiscard]] bool huge_pages() const noexcept { return huge_pages_; }

  private:
    static Segment map_existing(const std::string& name, std::size_t bytes, Descriptor& file);

    std::string name_;
    Descriptor file_;  // of a sparse object only
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
    pid_t unlinker_ = 0;  ///< process that still has to unlink the name, 0: nobody here
    bool huge_pages_ = false;
};

/// Reads whole cache lines of 64 bytes, so that the calling processor's caches have them.
void touch(std::span<std::byte> lines) noexcept;

}  // namespace rb2::memory
