#pragma once
// A fabric inside one process and one thread: deterministic, counts everything, and can delay operations,
// delay completions and scatter the bytes of a write as far as the contract of fabric.hpp allows.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "runtime/fabric/receive_queue.hpp"
#include "runtime/fabric/two_sided.hpp"

namespace rb2::fabric::fake {

struct Options {
    std::uint64_t seed = 1;         ///< of the byte order and of which side moves next
    bool manual = false;            ///< flushed operations wait for Link::step() or deliver()
    bool shuffle_bytes = false;     ///< a write or read moves word by word, some a step: in random order, or
                                    ///< front to back at an endpoint with ordered bytes or reads
    bool hold_completions = false;  ///< completions wait for Endpoint::release_completions()
    std::size_t queue_length = 1024;  ///< operations posted and not yet done; beyond: would_block
    /// Receives of an endpoint for immediates, posted anew when a quarter of them have been polled, as
    /// fabric::verbs does it; an immediate that finds none waits. 0: as many as come.
    std::size_t imm_receives = 0;
};

/// What one endpoint has been asked for. write_with_imm counts as a write and as an imm.
struct Counters {
    std::uint64_t writes = 0;
    std::uint64_t write_bytes = 0;
    std::uint64_t imms = 0;
    std::uint64_t reads = 0;
    std::uint64_t atomics = 0;
    std::uint64_t doorbells = 0;    ///< flushes that had something to send
    std::uint64_t completions = 0;  ///< handed out by poll()
    std::uint64_t registrations = 0;
    std::uint64_t sends = 0;
    std::uint64_t receives = 0;   ///< posted at this endpoint's own queue; local, no request on the wire
    std::uint64_t not_ready = 0;  ///< looks at an operation of this endpoint's that found no receive

    friend bool operator==(const Counters&, const Counters&) = default;
};

class Endpoint;

/// Deregisters when it goes. Must not outlive its endpoint.
class Region {
  public:
    Region(Endpoint& endpoint, std::span<std::byte> bytes, Key key) noexcept
        : endpoint_(&endpoint), bytes_(bytes), key_(key) {}
    Region(Region&& other) noexcept;
    Region& operator=(Region&& other) noexcept;
    ~Region();

    [[nodiscard]] Key key() const noexcept { return key_; }
    [[nodiscard]] Remote remote() const noexcept;
    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

  private:
    Endpoint* endpoint_;
    std::span<std::byte> bytes_;
    Key key_;
};

/// One side of a Link. Sources that are not inline are read when the operation takes effect, so reusing one
/// too early is seen. Remote addresses are this process's addresses, valid inside a region of the named key
/// only.
class Endpoint {
  public:
    using Region = fake::Region;
    static constexpr Capabilities kCapabilities{.ordered_bytes = false,
                                                .needs_registration = true,
                                                .mapped = false,
                                                .inline_bytes = 32,
                                                .gather_length = 4};

    Endpoint(const Options& options, std::mt19937_64& random, Key& last_key,
             const Capabilities& capabilities = kCapabilities) noexcept
        : options_(options), order_(capabilities), random_(&random), last_key_(&last_key) {}
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;

    [[nodiscard]] Region register_memory(std::span<std::byte> memory);
    Status write(Source source, Remote remote, Signal signal = kSilent) noexcept;
    Status write_gather(std::span<const Source> sources, Remote remote, Signal signal = kSilent) noexcept;
    Status write_with_imm(Source source, Remote remote, std::uint32_t imm, Signal signal = kSilent) noexcept;
    Status read(Sink sink, Remote remote, Signal signal = kSilent) noexcept;
    Status fetch_add(std::uint64_t* before, Remote remote, std::uint64_t addend,
                     Signal signal = kSilent) noexcept;
    Status flush() noexcept;
    [[nodiscard]] std::size_t poll(std::span<Completion> completions) noexcept;

    // fabric::TwoSidedEndpoint (messages.cc).
    using SharedReceives = ReceiveQueue;
    static constexpr std::size_t kMaxSendBytes = std::size_t{1} << 30;
    Status send(Source source, std::uint32_t imm, Signal signal = kSilent) noexcept;
    Status post_receive(Sink sink, std::uint64_t ticket) noexcept;
    /// `queue` outlives the endpoint. Before the first message.
    void share(SharedReceives& queue) noexcept { receives_ = &queue; }

    /// Breaks the connection from this side: what the peer has under way fails, and so does what it posts.
    void abandon() noexcept;

    /// Lets poll() see the completions held back so far (Options::hold_completions).
    void release_completions();
    [[nodiscard]] const Counters& counters() const noexcept { return counters_; }
    void reset_counters() noexcept { counters_ = {}; }
    /// Operations posted and not yet done.
    [[nodiscard]] std::size_t pending() const noexcept { return posted_.size() + wire_.size(); }

  private:
    template <class E>
    friend class LinkOf;  // joins two endpoints and moves their wires
    friend fake::Region;  // deregisters

    struct Request {
        Operation operation = Operation::write;
        Remote remote{};
        Signal signal{};
        std::vector<Source> sources{};   ///< of a write that is not inline, read when it starts to land
        std::vector<std::byte> bytes{};  ///< what a write lands
        std::optional<std::uint32_t> imm{};
        Sink sink{};
        std::uint64_t* before = nullptr;
        std::uint64_t addend = 0;
        std::byte* target = nullptr;                                ///< in the peer's memory, once checked
        std::vector<std::pair<std::size_t, std::size_t>> pieces{};  ///< (offset, bytes) that have yet to land

        [[nodiscard]] std::size_t remote_bytes() const noexcept;
    };

    [[nodiscard]] Status admit(std::span<const Source> sources) const noexcept;
    [[nodiscard]] bool owns(Key key, const std::byte* data, std::size_t bytes) const noexcept;
    Status post_write(std::span<const Source> sources, Remote remote, Signal signal,
                      std::optional<std::uint32_t> imm);
    Status post(Request request);

    bool step();
    [[nodiscard]] bool start(Request& request);
    void cut(Request& request);
    [[nodiscard]] bool land(Request& request);
    void finish(const Request& request);
    [[nodiscard]] bool choose();
    [[nodiscard]] bool receiver_not_ready() noexcept;
    [[nodiscard]] bool finds_no_receive(const Request& request) const noexcept;
    void handed_out(const Completion& completion) noexcept;
    void arrive(const Request& request);
    void fail(Status status);
    void report(const Completion& completion);

    Options options_;
    Capabilities order_;  ///< what of order to keep
    std::mt19937_64* random_;
    Key* last_key_;
    Endpoint* peer_ = nullptr;
    std::map<Key, std::span<std::byte>> regions_;
    std::deque<Request> posted_;  ///< before the doorbell
    std::deque<Request> wire_;    ///< after it; the front may have landed in part
    std::deque<Completion> completions_;
    std::deque<Completion> held_;
    ReceiveQueue own_receives_;
    ReceiveQueue* receives_ = &own_receives_;  ///< or the shared one
    std::size_t used_imm_receives_ = 0;        ///< and not posted anew
    std::size_t polled_imm_receives_ = 0;      ///< of those
    Counters counters_;
    bool broken_ = false;
    bool abandoned_ = false;
};

/// What of order an endpoint keeps (Capabilities::ordered_messages, ordered_bytes and ordered_reads).
struct Order {
    bool messages = true;
    bool bytes = false;
    bool reads = false;

    [[nodiscard]] static constexpr Capabilities with(Order order) noexcept {
        Capabilities capabilities = Endpoint::kCapabilities;
        capabilities.ordered_messages = order.messages;
        capabilities.ordered_bytes = order.bytes;
        capabilities.ordered_reads = order.reads;
        return capabilities;
    }
};

/// As Endpoint, but with another order. One that keeps less than it claims shows what the claim is needed
/// for.
template <Order Claimed, Order Kept = Claimed>
class OrderingEndpoint : public Endpoint {
  public:
    static constexpr Capabilities kCapabilities = Order::with(Claimed);

    OrderingEndpoint(const Options& options, std::mt19937_64& random, Key& last_key) noexcept
        : Endpoint(options, random, last_key, Order::with(Kept)) {}
};

/// The bytes of a write land front to back, as with network cards that write sequentially.
using OrderedEndpoint = OrderingEndpoint<Order{.messages = true, .bytes = true}>;
/// Operations take effect in any order, as with adaptive routing.
using UnorderedEndpoint = OrderingEndpoint<Order{.messages = false, .bytes = false}>;

/// Joins two endpoints. Owns them; single-threaded.
template <class E>
class LinkOf {
  public:
    explicit LinkOf(const Options& options = {})
        : random_(options.seed), a_(options, random_, last_key_), b_(options, random_, last_key_) {
        base(a_).peer_ = &b_;
        base(b_).peer_ = &a_;
    }

    [[nodiscard]] E& a() noexcept { return a_; }
    [[nodiscard]] E& b() noexcept { return b_; }

    /// Does the next piece of one side's oldest flushed operation. False when nothing is under way.
    bool step() {
        const bool a_first = random_() % 2 == 0;
        return a_first ? base(a_).step() || base(b_).step() : base(b_).step() || base(a_).step();
    }
    /// Steps until nothing is under way.
    void deliver() {
        while (step()) continue;
    }

  private:
    static Endpoint& base(E& end) noexcept { return end; }

    std::mt19937_64 random_;
    Key last_key_ = 0;
    E a_;
    E b_;
};

using Link = LinkOf<Endpoint>;
using OrderedLink = LinkOf<OrderedEndpoint>;
using UnorderedLink = LinkOf<UnorderedEndpoint>;

}  // namespace rb2::fabric::fake
