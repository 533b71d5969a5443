#pragma once
// The seam between pt2pt and the peers that share no memory with this rank: the rings of one peer, and direct
// writes from and into users' buffers, whichever fabric carries them.
//
// Calls are virtual: a branch predictor knows them, and a wire costs a thousand times more. Peers on the same
// host are not reached this way.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/fabric/fabric.hpp"
#include "runtime/fabric/verbs/options.hpp"
#include "runtime/ring/receiver.hpp"
#include "runtime/ring/sender.hpp"
#include "runtime/status.hpp"

namespace rb2::network {

/// Payload bytes of the longest record of at most `bytes` that, its header included, fills whole packets of
/// any RDMA network, which are of 256 to 4096 bytes; `bytes` where that is less than one.
[[nodiscard]] constexpr std::uint64_t whole_packets(std::uint64_t bytes) noexcept {
    constexpr std::uint64_t packet = 4096;
    constexpr std::uint64_t header = sizeof(ring::RecordHeader);
    return bytes + header < packet ? bytes : (bytes + header) / packet * packet - header;
}

/// Devices of one fabric that a rank uses at once.
using fabric::verbs::kMostRails;

/// A place in a peer's memory, and the keys by which its devices know it, in the peer's order of them.
struct Place {
    std::uint64_t address = 0;
    std::array<fabric::Key, kMostRails> keys{};

    [[nodiscard]] fabric::Remote on(std::size_t rail) const noexcept { return {address, keys[rail]}; }
};

/// User memory that a fabric may use, for as long as this object lives. The fabric's first device is rail 0.
class Pin {
  public:
    Pin() = default;
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    virtual ~Pin() = default;

    /// For this rank's own operations on the memory.
    [[nodiscard]] virtual fabric::Key key(std::size_t rail) const noexcept = 0;
    /// For the peer's; only if it was pinned for Access::peer_writes.
    [[nodiscard]] virtual Place place() const noexcept = 0;
};

enum class Access : std::uint8_t {
    own_reads,    ///< this rank sends from it; read-only memory will do
    peer_writes,  ///< the peer writes into it
};

/// Makes user memory usable. One per fabric and rank.
class Registrar {
  public:
    Registrar() = default;
    Registrar(const Registrar&) = delete;
    Registrar& operator=(const Registrar&) = delete;
    virtual ~Registrar() = default;

    /// Null when the memory cannot be registered (limits, no memory): the caller sends through the ring.
    [[nodiscard]] virtual std::unique_ptr<Pin> pin(std::span<const std::byte> memory,
                                                   Access access) noexcept = 0;

    /// Whether memory that is not worth pinning for one message is used so often that it is: with one more
    /// copied() it would have been for `worth` bytes. See reuse.hpp.
    [[nodiscard]] virtual bool earned(std::span<const std::byte>, std::uint64_t) const noexcept {
        return false;
    }
    virtual void copied(std::span<const std::byte>) noexcept {}
};

/// A direct write: the source is the fabric's until done(). Its owner sets `target` once the peer has named
/// it, and from then on calls Channel::advance().
struct Transfer {
    std::span<const std::byte> source;  ///< ends earlier than at first when its rest cannot be registered
    Place target{};
    std::unique_ptr<std::unique_ptr<Pin>[]> pins {};  ///< of the source, piece by piece
    std::uint64_t pinned = 0;                         ///< bytes of the source that are registered
    std::uint64_t posted = 0;                         ///< bytes given to the fabric
    std::uint32_t in_flight = 0;                      ///< requests whose completion has not come yet
    std::uint64_t unread = 0;                         ///< connections: a read behind their blocks is due
    bool striped = false;                             ///< over several connections, which keep no order

    [[nodiscard]] bool all_posted() const noexcept { return posted == source.size(); }
    [[nodiscard]] bool done() const noexcept { return all_posted() && in_flight == 0 && unread == 0; }
    /// What is committed now is seen by the peer behind all of it.
    [[nodiscard]] bool may_be_told() const noexcept { return striped ? done() : all_posted(); }
};

/// Takes the records of a drain; see ring::RecordHandler.
struct Handler {
    ring::Verdict (*call)(void* object, const ring::Record& record);
    void* object;
};

/// drain(): the peer cannot be reached any more (ring::kCorrupt is its neighbour).
inline constexpr int kLost = ring::kCorrupt - 1;
/// Kind of the empty record by which drain() says that a payload has landed where place() said. It comes from
/// no ring: see take_landed().
inline constexpr std::uint8_t kLanded = 255;
inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

class Channel {
  public:
    Channel() = default;
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;
    virtual ~Channel() = default;

    /// Whether records can flow. False until the peer is reached: then the ring seems to be full, and to be
    /// empty.
    [[nodiscard]] virtual bool open() const noexcept = 0;

    // --- The rings; meanings as in ring::Sender and ring::Receiver
    [[nodiscard]] virtual ring::Claim try_claim(std::uint32_t length) noexcept = 0;
    /// Commits, and flushes what the network takes at once: see flushed().
    virtual Status commit(ring::Claim& claim, std::uint8_t kind, std::uint64_t word,
                          std::uint32_t length) noexcept = 0;
    /// Whether everything committed reaches the peer even if this side never calls again. Tries to.
    [[nodiscard]] virtual bool flushed() noexcept = 0;
    virtual void abort(ring::Claim& claim) noexcept = 0;
    [[nodiscard]] virtual std::uint32_t max_length() noexcept = 0;
    /// Also takes completions. Number of records consumed, ring::kCorrupt or kLost.
    [[nodiscard]] virtual int drain(int budget, Handler handler) = 0;
    /// Tells the peer of all consumed slots now.
    virtual Status release() noexcept = 0;

    // --- Payloads that follow the record that announces them, in stream order, for fabrics that can
    /// Messages of at least this many bytes, and not written directly, had better be sent so.
    [[nodiscard]] virtual std::uint64_t follow_from() const noexcept { return kNever; }
    /// Sends `payload` behind all that is committed. Complete once flushed(). would_block: it was not posted;
    /// nothing more may be announced before it is.
    virtual Status follow(std::span<const std::byte>) noexcept { return Status::fatal; }
    /// Names the place of the payload announced last, of `bytes`; what is longer than the place is dropped.
    /// The place is the fabric's until drain() tells kLanded, or withdraw().
    virtual void place(std::span<std::byte>, std::uint64_t) noexcept {}
    virtual void withdraw() noexcept {}
    /// Whether a payload has landed; says so once. To be asked when drain() tells kLanded.
    [[nodiscard]] virtual bool take_landed() noexcept { return false; }

    /// While it holds, what is committed and posted stays here, to leave with one doorbell. Not for long: see
    /// Holding.
    virtual void hold(bool) noexcept {}

    // --- Direct writes
    /// Whether a message that lies in this memory, or is to lie there, had better be written directly.
    [[nodiscard]] virtual bool goes_direct(std::span<const std::byte> message) const noexcept = 0;
    /// Such a one went through the ring.
    virtual void copied(std::span<const std::byte>) noexcept {}
    /// Lets the peer write into `memory` while the pin lives. Null: it cannot, or had better not.
    [[nodiscard]] virtual std::unique_ptr<Pin> admit(std::span<std::byte> memory) noexcept = 0;
    /// Registers the first piece of `source`, to be written to a target that is not known yet. Null: it
    /// cannot be registered.
    [[nodiscard]] virtual std::unique_ptr<Transfer> prepare(std::span<const std::byte> source) noexcept = 0;
    /// Posts further blocks, and registers the next piece while they move; when that fails the source ends
    /// where it is.
    virtual Status advance(Transfer& transfer) noexcept = 0;
    /// Connections that broke and whose blocks have gone over others, as the peer counts them, a bit each.
    /// The record that tells of blocks names them, for close().
    [[nodiscard]] virtual std::uint64_t broken() const noexcept { return 0; }
    /// The peer says that these connections are broken, as this side counts: nothing lands over them any
    /// more.
    virtual void close(std::uint64_t /*connections*/) noexcept {}
    /// The peer has said that it ends: from now on its going away is no loss.
    virtual void expect_end() noexcept = 0;
};

/// What is committed and posted while one lives leaves with one doorbell.
class Holding {
  public:
    explicit Holding(Channel& channel) noexcept : channel_(channel) { channel_.hold(true); }
    ~Holding() { channel_.hold(false); }
    Holding(const Holding&) = delete;
    Holding& operator=(const Holding&) = delete;

  private:
    Channel& channel_;
};

}  // namespace rb2::network
