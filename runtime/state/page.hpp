#pragma once
// What a rank shows of itself to tools on its host: one page (and tables about its peers behind it) in shared
// memory, written by the rank with plain stores, read by rb2run and rb2stat at any time. A wire format
// between processes of one host: docs/wire.md.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rb2::state {

/// How far the rank has come.
enum class Phase : std::uint32_t { starting = 0, running = 1, finalizing = 2, ended = 3 };

enum class WaitKind : std::uint32_t {
    nothing = 0,  ///< for something without a peer: room, a file, other threads
    receive = 1,  ///< for a message of `peer`, or of any rank
    send = 2,     ///< until `peer` takes a message
    answers = 3,  ///< until `peer` has taken all messages
    any_of = 4,   ///< for one of several operations
};

constexpr std::int32_t kAnyRank = -1;
constexpr std::int32_t kAnyTag = -2;

/// What one thread of the rank waits for.
struct Wait {
    static constexpr std::size_t kNameBytes = 32;

    WaitKind kind = WaitKind::nothing;
    std::int32_t peer = kAnyRank;  ///< world rank, or any
    std::uint32_t context = 0;     ///< 2 * communicator, plus 1 for the messages of its collectives
    std::int32_t tag = kAnyTag;    ///< of a collective's message: the number of the call
    std::uint64_t bytes = 0;       ///< of the message; room for one that has not come
    std::uint32_t of = 0;          ///< so many requests are waited for in one call; 0 or 1: one
    std::uint32_t reserved = 0;
    char collective[kNameBytes] = {};  ///< the function last called of those with this context; may be empty
};
static_assert(sizeof(Wait) == 64);

/// How far a send has come.
enum class Stage : std::uint32_t {
    queued = 0,   ///< waits for room in the ring
    offered = 1,  ///< waits until a receive is matched (rendezvous, synchronous send)
    moving = 2,   ///< matched; its bytes are under way
};

/// A posted receive, an unexpected message or a pending send.
struct Message {
    std::int32_t peer = kAnyRank;
    std::uint32_t context = 0;
    std::int32_t tag = kAnyTag;
    Stage stage = Stage::queued;  ///< of a send
    std::uint64_t bytes = 0;
};
static_assert(sizeof(Message) == 24);

/// Where the rank stands. The lists are of the oldest only; `count` is of all.
struct Standing {
    static constexpr std::uint32_t kWaits = 4;
    static constexpr std::uint32_t kListed = 8;

    struct List {
        std::uint32_t count = 0;
        std::uint32_t listed = 0;
        Message first[kListed];
    };

    std::uint64_t since_ns = 0;     ///< CLOCK_MONOTONIC: the wait began, as far as the rank knows
    std::uint64_t fingerprint = 0;  ///< changes with everything that is sent or received
    std::uint32_t answer = 0;       ///< Page::asked when this was written; lists are filled in answers only
    std::uint32_t polls = 0;        ///< not 0: calls like MPI_Test that found nothing, one after the other
    std::uint32_t wait_count = 0;   ///< threads that wait; 0: none does
    std::uint32_t reserved = 0;
    Wait waits[kWaits];
    List posted;
    List unexpected;
    List sends;
};
static_assert(std::is_trivially_copyable_v<Standing> && sizeof(Standing) % 8 == 0);

/// Collectives called on one communicator.
struct Collectives {
    std::atomic<std::uint32_t> communicator;  ///< its id plus 1; 0: no communicator
    std::atomic<std::uint32_t> calls;
};

/// With one peer. Plain words: only the rank writes, and a reader in another process sees each of them whole.
struct Traffic {
    std::uint64_t sent_messages = 0;
    std::uint64_t sent_bytes = 0;
    std::uint64_t received_messages = 0;
    std::uint64_t received_bytes = 0;
};
static_assert(sizeof(Traffic) == 32);

/// What reaches a peer.
enum class Fabric : std::uint8_t { unknown = 0, self = 1, shm = 2, verbs = 3, tcp = 4 };

/// Messages sent otherwise than at once through a ring, by the way they took; and time spent waiting.
struct Totals {
    std::uint64_t rendezvous_messages = 0;  ///< through a ring after the receiver's CTS
    std::uint64_t rendezvous_bytes = 0;
    std::uint64_t single_copy_messages = 0;  ///< read by the receiver from the sender's memory
    std::uint64_t single_copy_bytes = 0;
    std::uint64_t direct_messages = 0;  ///< written by a network into the receiver's memory
    std::uint64_t direct_bytes = 0;
    std::uint64_t waited_ns = 0;  ///< in waits longer than about a microsecond
    std::uint64_t sleeps = 0;
};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): fields of different writers keep to their lines
struct Page {
    static constexpr std::uint64_t kMagic = 0x3165'7461'7473'6272;  // "rbstate1", little-endian
    static constexpr std::uint32_t kVersion = 1;
    static constexpr std::size_t kCommunicators = 64;
    static constexpr std::size_t kBytes = 4096;  ///< a Traffic for each rank follows, then a Fabric for each

    std::uint64_t magic;  ///< written last
    std::uint32_t version;
    std::uint32_t rank;
    std::uint32_t size;  ///< ranks of the job
    std::int32_t pid;
    std::uint64_t started_ns;  ///< CLOCK_MONOTONIC
    std::atomic<Phase> phase;
    std::atomic<std::uint64_t> ended_ns;  ///< the rank has finalized; 0: it has not

    /// Written by those who look: a rank that waits, or polls in vain, writes its standing when this grows.
    alignas(128) std::atomic<std::uint32_t> asked;

    alignas(128) std::atomic<std::uint32_t> asleep;  ///< 1: in a wait, which `standing` describes
    std::atomic<std::uint32_t> edition;              ///< odd while `standing` is being written
    std::atomic<std::uint64_t> awake_ns;             ///< when it last left such a wait
    Standing standing;
    Collectives collectives[kCommunicators];
    Totals totals;

    [[nodiscard]] static constexpr std::size_t bytes(std::size_t ranks) noexcept {
        return kBytes + ranks * (sizeof(Traffic) + sizeof(Fabric));
    }
};
static_assert(offsetof(Page, asked) == 128 && offsetof(Page, asleep) == 256);
static_assert(sizeof(Page) <= Page::kBytes && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace rb2::state
