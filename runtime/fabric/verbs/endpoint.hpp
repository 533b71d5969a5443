#pragma once
// RDMA as a fabric: a reliable connection (RC queue pair) to one peer on any libibverbs device.
//
// Requests are chained as they are posted and handed to the card by flush(): one doorbell for all of them.
// Only requests with a ticket are signalled, fetch_adds, and every kSignalEvery-th, so that the card's queue
// never overruns while most completions do not exist. would_block comes before anything could overflow.
//
// Differs from the contract of fabric.hpp and two_sided.hpp in
//   truncation  a message longer than its receive breaks the connection, as InfiniBand has it
//   receives    a queue pair has one receive queue for messages and immediates; an endpoint is made for one
//               of them (EndpointOptions::arrivals)
//   sharing     a queue pair belongs to a shared receive queue from its making (ReceiveGroup)

#include <infiniband/verbs.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/fabric/two_sided.hpp"
#include "runtime/fabric/verbs/queue_pair.hpp"
#include "runtime/fabric/verbs/receives.hpp"
#include "runtime/fabric/verbs/request_id.hpp"

namespace rb2::fabric::verbs {

/// What an endpoint's receive queue is for.
enum class Arrivals : std::uint8_t {
    immediates,  ///< receives without buffers are always posted; post_receive() is refused
    messages,    ///< what post_receive() posts; an immediate that arrives uses up one, which is posted anew
};

struct EndpointOptions {
    std::uint32_t requests = 128;  ///< posted and not complete or not polled; a power of two from 8
    std::uint32_t receives = 64;   ///< posted; at least 4
    Arrivals arrivals = Arrivals::immediates;
    ReceiveGroup* group = nullptr;  ///< draw from its receives (messages only); outlives the endpoint
};

/// What an endpoint has done so far.
struct Counters {
    std::uint64_t requests = 0;
    std::uint64_t request_bytes = 0;
    std::uint64_t signalled = 0;    ///< requests whose completion the card reports
    std::uint64_t doorbells = 0;    ///< flushes that had something to hand over, and full chains
    std::uint64_t completions = 0;  ///< of own requests, as the card reported them
    std::uint64_t arrivals = 0;     ///< immediates and messages

    friend bool operator==(const Counters&, const Counters&) = default;
};

/// Made, connected, used; not movable. The thread rule is the completion queue's.
class Endpoint {
  public:
    using Region = verbs::Region;
    using SharedReceives = verbs::SharedReceives;
    /// A promise for every device: where one has less, construction fails.
    static constexpr Capabilities kCapabilities{.ordered_messages = true,
                                                .ordered_bytes = false,
                                                .needs_registration = true,
                                                .mapped = false,
                                                .inline_bytes = 32,
                                                .gather_length = 4};
    static constexpr std::size_t kMaxSendBytes = std::size_t{1} << 20;

    /// Throws StartupError.
    explicit Endpoint(CompletionQueue& queue, const EndpointOptions& options = {});
    ~Endpoint();
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;

    /// For the peer, which passes it to connect(); `memory` is for the caller's own use.
    [[nodiscard]] Card card(Remote memory = {}) const noexcept { return pair_.card(memory); }
    /// Before the first operation. What arrives earlier than the own connect() is taken all the same.
    void connect(const Card& peer) { pair_.connect(peer); }

    [[nodiscard]] Region register_memory(std::span<std::byte> memory) {
        return queue_->device().register_memory(memory);
    }

    Status write(Source source, Remote remote, Signal signal = kSilent) noexcept {
        return write_gather({&source, 1}, remote, signal);
    }
    Status write_gather(std::span<const Source> sources, Remote remote, Signal signal = kSilent) noexcept;
    Status write_with_imm(Source source, Remote remote, std::uint32_t imm, Signal signal = kSilent) noexcept;
    Status read(Sink sink, Remote remote, Signal signal = kSilent) noexcept;
    Status fetch_add(std::uint64_t* before, Remote remote, std::uint64_t addend,
                     Signal signal = kSilent) noexcept;
    Status flush() noexcept;
    [[nodiscard]] std::size_t poll(std::span<Completion> completions) noexcept;
    /// Whether poll() would find nothing, known without asking the card: where somebody drives the queue.
    [[nodiscard]] bool has_none() const noexcept { return kept_head_ == kept_tail_ && queue_->driven(); }

    Status send(Source source, std::uint32_t imm, Signal signal = kSilent) noexcept;
    Status post_receive(Sink sink, std::uint64_t ticket) noexcept;
    /// `queue` gets the receives of this endpoint's group; an endpoint without one cannot share and breaks.
    void share(SharedReceives& queue) noexcept;

    /// Whether everything posted so far is complete, silent requests too: then it has taken effect at the
    /// peer, or the peer is lost. Call until true, before the endpoint goes; never blocks.
    [[nodiscard]] bool settle() noexcept;

    /// Asks whether the peer's card still answers, unless something is under way that will tell. A connection
    /// with nothing under way never breaks by itself, though the peer be dead. Returns at once; status() and
    /// a completion say peer_lost later.
    void probe() noexcept;

    /// Breaks the connection from this side: its card reads and writes nothing for it any more, nor does what
    /// the peer has under way land.
    void abandon() noexcept;

    /// ok, or peer_lost for good.
    [[nodiscard]] Status status() const noexcept { return status_; }
    /// Of the first operation that failed: the verb, what the card said, and both ends. Empty while there is
    /// none. The caller adds ranks and hosts.
    [[nodiscard]] std::string failure() const;
    [[nodiscard]] std::string describe() const { return pair_.describe(); }
    [[nodiscard]] bool bytes_in_order() const noexcept { return pair_.bytes_in_order(); }
    [[nodiscard]] const Counters& counters() const noexcept { return counters_; }

    /// From the completion queue.
    void completed(const ibv_wc& completion) noexcept;

  private:
    static constexpr std::size_t kChainLength = 16;
    static constexpr std::uint32_t kWantedInlineBytes = 64;  ///< a slot of one line
    static constexpr std::uint32_t kSignalEvery = 32;

    /// A request under way.
    struct Record {
        std::uint64_t ticket = 0;
        std::uint64_t* before = nullptr;  ///< of a fetch_add: where the result goes
        std::uint64_t* word = nullptr;    ///< and where it lands
        std::uint32_t bytes = 0;
        Operation operation = Operation::write;
    };
    /// A request that the card does not know yet.
    struct Chained {
        ibv_send_wr request{};
        std::array<ibv_sge, kCapabilities.gather_length> pieces{};
        std::array<std::byte, kCapabilities.inline_bytes> inlined{};
    };
    /// A completion that nobody has polled yet. `receive`: place in its table of the receive it used.
    struct Kept {
        Completion completion;
        std::uint32_t receive = 0;
    };
    struct Failure {
        ibv_wc_status status = IBV_WC_SUCCESS;
        std::uint32_t vendor_error = 0;
        std::uint32_t bytes = 0;
        Operation operation = Operation::write;
    };

    Status post(ibv_wr_opcode opcode, std::span<const Source> sources, Remote remote, std::uint32_t imm,
                Record record) noexcept;
    [[nodiscard]] Status admit(std::uint64_t bytes) noexcept;
    [[nodiscard]] bool is_full() noexcept;
    [[nodiscard]] bool knows(const std::byte* data, std::size_t bytes, Key key) noexcept;
    [[nodiscard]] bool know_all(std::span<const Source> sources) noexcept;
    Chained& chain(ibv_wr_opcode opcode, Remote remote, std::uint64_t bytes, const Record& record) noexcept;
    Status chained() noexcept;
    void post_marker() noexcept;
    void describe_pieces(Chained& one, std::span<const Source> sources, std::uint64_t bytes) noexcept;

    void sent(const ibv_wc& completion, std::uint32_t number) noexcept;
    void arrived(const ibv_wc& completion, const RequestId& id) noexcept;
    void note_failure(const ibv_wc& completion, const Failure& failure) noexcept;
    void keep(const Completion& completion, std::uint32_t receive = 0) noexcept;
    void hand_over(const Kept& kept) noexcept;
    Status post_again(std::uint32_t place) noexcept;
    void post_empty_receives(std::uint32_t count) noexcept;

    // What posting and polling touch, first.
    CompletionQueue* queue_;
    Status status_ = Status::ok;
    std::uint32_t number_ = 0;          ///< in the completion queue
    std::uint64_t posted_ = 0;          ///< requests ever posted, and
    std::uint64_t retired_ = 0;         ///< known complete
    std::uint64_t last_signalled_ = 0;  ///< position behind the last signalled one
    std::uint32_t mask_;
    std::uint32_t kept_requests_ = 0;  ///< completions of requests that nobody has polled
    std::size_t chain_length_ = 0;
    std::uint64_t kept_head_ = 0;
    std::uint64_t kept_tail_ = 0;
    // The memory that was last used, so that most requests look nothing up.
    Key known_key_ = 0;
    std::uint64_t known_generation_ = 0;
    std::span<std::byte> known_;
    Counters counters_;

    std::vector<Record> records_;
    std::vector<Kept> kept_;
    std::vector<Chained> chain_;
    QueuePair pair_;
    ReceiveTable receives_;  ///< of post_receive()
    SharedReceives* shared_ = nullptr;
    std::uint32_t used_receives_ = 0;  ///< empty ones, to be posted anew
    EndpointOptions options_;
    Failure failure_;
};

}  // namespace rb2::fabric::verbs
