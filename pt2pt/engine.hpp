#pragma once
// The point-to-point engine: MPI's send, receive, probe and completion over one transport.
//
// An engine belongs to one rank and is used by one thread at a time; threads.hpp has them take turns. It owns
// the matcher, the requests and the unexpected messages; the transport owns the rings. Ranks here are world
// ranks: communicators translate. The way of a message is told in docs/architecture.md; each verb has its own
// file: engine/send.inl, receive.inl, arrival.inl (what comes in), progress.inl, direct.inl
// (written into the receiver's buffer), follow.inl (behind the record, outside the ring), activity.inl
// (operations of several messages), departed.inl (peers that finalized), standing.inl (what it shows of
// itself), reserve.inl (in place), self.inl, setup.inl, stream.inl (batches), threads.inl (several wait).

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "datatype/copy.hpp"
#include "pt2pt/activity.hpp"
#include "pt2pt/departed.hpp"
#include "pt2pt/engine_types.hpp"
#include "pt2pt/lane.hpp"
#include "pt2pt/matching/matcher.hpp"
#include "pt2pt/peer.hpp"
#include "pt2pt/peer_table.hpp"
#include "pt2pt/protocol/stream_pace.hpp"
#include "pt2pt/protocol/wire.hpp"
#include "pt2pt/request.hpp"
#include "pt2pt/request_pool.hpp"
#include "pt2pt/sign.hpp"
#include "pt2pt/threads.hpp"
#include "pt2pt/transport.hpp"
#include "pt2pt/unexpected.hpp"
#include "runtime/ring/channel.hpp"
#include "runtime/state/own_page.hpp"
#include "runtime/wait/pause.hpp"

namespace rb2::pt2pt {

template <class TransportType>
class BasicEngine {
  public:
    using Transport = TransportType;

    BasicEngine(Transport& transport, const EngineConfig& config);
    ~BasicEngine();
    BasicEngine(const BasicEngine&) = delete;
    BasicEngine& operator=(const BasicEngine&) = delete;

    [[nodiscard]] int rank() const noexcept { return config_.rank; }
    [[nodiscard]] int size() const noexcept { return config_.size; }
    [[nodiscard]] const EngineConfig& config() const noexcept { return config_; }
    /// What all ranks of a host share of the rank for collectives, zeroed at first; empty: nothing.
    [[nodiscard]] std::span<std::byte> shared_memory(int rank) const noexcept {
        return transport_.shared_memory(rank);
    }

    // --- Blocking
    /// Sends `data`; returns once the caller may reuse it. Arguments are trusted: callers check ranks and
    /// tags.
    Status send(std::span<const std::byte> data, int destination, std::uint32_t context, int tag,
                SendMode mode = SendMode::standard);
    /// Receives into `buffer`. Status::truncated when the message was longer; `info` may be null.
    Status receive(std::span<std::byte> buffer, int source, std::uint32_t context, int tag,
                   MessageInfo* info = nullptr);
    /// Receives one message and hands it to `handler` where it lies.
    Status receive_in_place(InPlaceHandler handler, int source, std::uint32_t context, int tag);
    /// The same from and to memory with gaps: packed straight into ring slots and out of them, chunk by
    /// chunk.
    Status send(const Gather& data, int destination, std::uint32_t context, int tag,
                SendMode mode = SendMode::standard);
    Status receive(const Scatter& buffer, int source, std::uint32_t context, int tag,
                   MessageInfo* info = nullptr);

    // --- Nonblocking
    /// The buffer belongs to the engine until the request is complete. Null only when memory is exhausted.
    /// A standard send that is already in the ring returns the shared, complete Request::immediate().
    [[nodiscard]] Request* isend(std::span<const std::byte> data, int destination, std::uint32_t context,
                                 int tag, SendMode mode = SendMode::standard);
    [[nodiscard]] Request* isend(const Gather& data, int destination, std::uint32_t context, int tag,
                                 SendMode mode = SendMode::standard);
    [[nodiscard]] Request* ireceive(const Scatter& buffer, int source, std::uint32_t context, int tag);
    /// The short way of a standard send: the peer that `bytes` can be put() to (pt2pt/put.hpp) until the
    /// next call. Null: send() or isend() it.
    [[nodiscard, gnu::always_inline]] Peer* open_ring(std::size_t bytes, int destination);
    [[nodiscard, gnu::always_inline]] Request* ireceive(std::span<std::byte> buffer, int source,
                                                        std::uint32_t context, int tag);
    /// An idle request, the caller's from now on: to receive with by ireceive(), and to rest() once complete,
    /// again and again. Null when memory is exhausted.
    [[nodiscard]] Request* spare_receive() noexcept;
    static void rest(Request& request) noexcept { request.kind_ = Request::Kind::idle; }
    /// ireceive() with a spare request; mostly no call.
    [[gnu::always_inline]] void ireceive(Request& spare, std::span<std::byte> buffer,
                                         matching::Envelope pattern);

    /// Room for one message of `bytes` (at most max_in_place()) in the ring to `destination`. Waits for room.
    [[nodiscard]] Reservation reserve(std::size_t bytes, int destination, std::uint32_t context, int tag);
    /// Sends the first `bytes` of a reservation, which is then used up.
    void commit(Reservation& reservation, std::size_t bytes);
    void abort(Reservation& reservation);
    [[nodiscard]] std::size_t max_in_place(int destination) const;

    // --- Completion
    /// Makes progress until `request` is complete. The request stays valid until release().
    /// `of`: requests that the caller's call waits for, for the hang report.
    [[gnu::noinline]] void wait(const Request& request, std::uint32_t of = 0);
    /// Makes progress until `done()` holds; `done` is called often and must be cheap. Ends the job when all
    /// other ranks have finalized.
    template <class Done>
    void wait_until(Done done);
    /// The same for one of `of` requests.
    template <class Done>
    void wait_for_any(std::size_t of, Done done);
    /// The same for a condition that other ranks bring about in memory they share with this one, after which
    /// they ring(). `whose()` tells which of them has yet to.
    template <class Done, class Whose>
    void wait_for_sign(Done done, Whose whose);
    void ring(int rank) noexcept { transport_.notify(rank); }
    /// One round over all peers; returns the number of records moved (0: nothing to do).
    int progress();
    /// The same for calls that return whatever they find.
    int poll();
    /// Gives a complete request back. An incomplete one is given back by the engine once it completes.
    void release(Request* request);
    /// The same for one that is complete and not immediate().
    void release_complete(Request* request) noexcept { pool_.give_back(request); }
    /// Takes back a receive that has not been matched; true when it was, and the request is then complete.
    bool cancel(Request& request);
    /// True for the shared request that stands for sends completed at once; release() of it does nothing.
    static bool is_immediate(const Request* request) noexcept { return request == &Request::immediate(); }

    // --- Activities
    /// A request that stands for several messages: whoever made it complete()s it. Null when memory is
    /// exhausted.
    [[nodiscard]] Request* open_request();
    /// Tells which part (null: none) the request waits for now, so that a wait that cannot end is noticed.
    static void waits_for(Request& group, Request* part) noexcept;
    void complete(Request& group, Status status);
    /// Advances `activity` now and in every round of progress until it is over. Activities left when the
    /// engine goes are dropped.
    void run(std::shared_ptr<Activity> activity);

    // --- Probing
    /// True when a message matches; it stays where it is. Makes progress.
    bool iprobe(int source, std::uint32_t context, int tag, MessageInfo* info);
    void probe(int source, std::uint32_t context, int tag, MessageInfo* info);
    /// Matched probe: takes the message out of matching. Null when there is none. Makes progress.
    [[nodiscard]] Unexpected* improbe(int source, std::uint32_t context, int tag, MessageInfo* info);
    [[nodiscard]] Request* imreceive(Unexpected* message, std::span<std::byte> buffer);
    [[nodiscard]] Request* imreceive(Unexpected* message, const Scatter& buffer);

    /// Pushes out every queued send and waits until all of them left this rank.
    void drain_sends();

    /// Last of all: tells the peers met over networks that nothing more comes, and waits until they have said
    /// the same, all that was sent to them has left this rank, and `all_leave()` tells that all ranks of the
    /// job have come so far.
    template <class AllLeave = bool (*)()>
    void farewell(AllLeave all_leave = [] { return true; });

    /// From now on counts traffic in the page and shows there what this rank waits for. `page` outlives this.
    void show_in(state::OwnPage& page) noexcept;
    /// Shows `calls`, which stays where it is, until forget_collectives().
    void count_collectives(CollectiveCalls& calls);
    void forget_collectives(const CollectiveCalls& calls) noexcept;

    /// Calls come from several threads from now on, each in its turn; a wait gives up the turn.
    void share(Threads& threads) noexcept;

    [[nodiscard]] const matching::Matcher& matcher() const noexcept { return matcher_; }
    [[nodiscard]] std::uint64_t unexpected_bytes(int peer) const noexcept {
        return peers_.has(peer) ? peers_[peer].unexpected_bytes : 0;
    }

  private:
    using Claim = ring::Claim;

    /// Records handled per peer and round, so that one busy peer cannot starve the others.
    static constexpr int kRecordsPerPoll = 64;
    /// Chunks of one send pushed per round, so that arrivals are served between.
    static constexpr int kChunksPerBurst = 4;
    /// Receives posted beyond what has come, from which on a sender counts as streaming.
    static constexpr std::size_t kStream = 8;
    /// Polls in vain between two looks whether somebody asks where this rank stands.
    static constexpr std::uint32_t kPollsPerLook = 16;
    /// The same for rounds of a wait that end too soon to sleep.
    static constexpr std::uint32_t kIdleRoundsPerLook = 64;
    /// Of a message to self that lies in memory with gaps.
    static constexpr std::size_t kSelfChunkBytes = 4096;

    /// While one lives, unexpected messages are kept past the budget: the caller looks for one among them.
    class Expecting {
      public:
        explicit Expecting(BasicEngine& engine) : engine_(engine) { ++engine_.expecting_; }
        ~Expecting() { --engine_.expecting_; }
        Expecting(const Expecting&) = delete;
        Expecting& operator=(const Expecting&) = delete;

      private:
        BasicEngine& engine_;
    };

    // send.inl. Data is a span of bytes or a Gather.
    template <class Data>
    [[gnu::always_inline]] bool send_at_once(const Data& data, int destination, std::uint32_t context,
                                             int tag);
    template <class Data>
    [[gnu::always_inline]] Status send_data(const Data& data, int destination, std::uint32_t context, int tag,
                                            SendMode mode);
    Request* start_send(std::span<const std::byte> data, int destination, std::uint32_t context, int tag,
                        SendMode mode);
    Request* start_send(const Gather& data, int destination, std::uint32_t context, int tag, SendMode mode);
    Request* launch_send(Request& request, int destination, std::uint32_t context, int tag, SendMode mode);
    void fill(std::byte* payload, const Request& request, std::uint64_t bytes) noexcept;
    bool push_send(Request& request);
    Way way_of(const Request& request, const Peer& peer) noexcept;
    bool push_start(Request& request, Peer& peer, const Lane::Sender& sender);
    bool push_chunk(Request& request, const Lane::Sender& sender, bool window, std::uint64_t limit);
    bool push_peer(int rank);
    bool push_answers(int rank);
    int push_blocked();
    void enqueue_send(Request& request);
    void mark_blocked(int rank);
    [[nodiscard]] static bool busy(const Peer& peer) noexcept;
    static void append(Request*& head, Request*& tail, Request& request) noexcept;
    template <class Sender>
    [[gnu::always_inline]] void commit_record(int rank, Sender& sender, Claim& claim, wire::Kind kind,
                                              std::uint64_t word, std::uint64_t bytes);

    // self.inl
    void send_to_self(Request& send);
    void deliver_to_self(Request& receive, Request& send);
    void take_from_self(Request& receive, Unexpected& message);

    // reserve.inl
    void commit_to_self(UnexpectedPtr message, std::size_t bytes);

    // receive.inl
    [[gnu::always_inline]] void post_or_match(Request& request, matching::Envelope pattern);
    [[gnu::noinline]] bool match_unexpected(Request& request, matching::Envelope pattern);
    void take_unexpected(Request& request, UnexpectedPtr message);
    [[gnu::always_inline]] Request* take_receive(std::span<std::byte> buffer);
    Request* take_receive(const Scatter& buffer);
    [[gnu::noinline]] void ireceive_otherwise(Request& spare, std::span<std::byte> buffer,
                                              matching::Envelope pattern);
    static void scatter(void* request, const MessageInfo& info, std::span<const std::byte> message);
    [[gnu::always_inline]] void deliver(Request& request, matching::Envelope envelope,
                                        std::span<const std::byte> message);
    void begin_receive(Request& request, matching::Envelope envelope, std::uint64_t total);
    void accept(Request& request, std::span<const std::byte> bytes);
    void finish_if_done(Request& request);
    void answer(Request& request, const wire::FirstHeader& first);
    bool pull(Request& request, std::uint64_t address, Path path);
    static MessageInfo describe(const Unexpected& message) noexcept;

    // arrival.inl
    [[gnu::always_inline]] ring::Verdict on_record(int rank, state::Traffic& traffic,
                                                   const ring::Record& record);
    [[gnu::always_inline]] ring::Verdict on_eager(int rank, state::Traffic& traffic,
                                                  const ring::Record& record);
    [[gnu::noinline]] ring::Verdict keep_eager(matching::Envelope envelope,
                                               std::span<const std::byte> payload);
    [[gnu::noinline]] ring::Verdict on_other(int rank, ring::Record record);
    ring::Verdict on_first(int rank, const ring::Record& record);
    ring::Verdict on_more(int rank, const ring::Record& record);
    ring::Verdict on_data(int rank, const ring::Record& record);
    ring::Verdict on_cts(int rank, const ring::Record& record);
    ring::Verdict on_fin(int rank, const ring::Record& record);
    Request* waiting_send(int rank, std::uint32_t id) noexcept;
    ring::Verdict keep_first(matching::Envelope envelope, const wire::FirstHeader& header,
                             std::span<const std::byte> body);
    Unexpected* keep_unexpected(matching::Envelope envelope, std::uint64_t total, std::uint64_t stored);
    void open(int rank, Request* request, Unexpected* message, std::uint64_t left) noexcept;
    [[nodiscard]] bool over_budget(int rank) const noexcept;
    static matching::Envelope envelope_of(int rank, const ring::Record& record) noexcept;

    // direct.inl
    void admit(Request& request);
    bool start_direct(Request& request, const wire::Grant& grant);
    [[gnu::cold, gnu::noinline]] int advance_directs();
    bool advance_direct(Request& request);
    bool post_direct(Request& request, const Lane& lane);
    bool announce(Request& request, const Lane& lane);
    ring::Verdict on_written(int rank, const ring::Record& record);

    // follow.inl
    bool push_following(Request& request);
    void place_following(int rank);
    void finish_following(int rank);
    ring::Verdict on_landed(int rank);

    // stream.inl
    [[gnu::noinline]] bool take_batch();
    bool take_whole(Peer& peer, ring::ShmReceiver& receiver, std::uint64_t within);
    void let_ahead();

    // activity.inl
    [[gnu::cold, gnu::noinline]] int advance_activities();

    // departed.inl
    template <class Whose>
    bool look_for_departed(Whose whose);
    [[nodiscard]] bool has_departed(int peer);
    [[nodiscard]] bool seen_to_depart(int rank);
    [[nodiscard]] bool say_farewell();
    [[nodiscard]] Awaited awaited_by(const Request& request) const noexcept;
    [[nodiscard]] Awaited awaited_by_sends();

    // standing.inl
    void count_to_self(std::uint64_t bytes) noexcept;
    void count_rendezvous(std::uint64_t bytes) noexcept;
    void count_single_copy(std::uint64_t bytes) noexcept;
    void count_direct(std::uint64_t bytes) noexcept;
    template <class Whose>
    bool before_sleep(Whose whose);
    [[gnu::cold, gnu::noinline]] void after_sleep() noexcept;
    template <class Whose>
    void after_idle(Whose whose);
    [[gnu::cold, gnu::noinline]] void answer_question(const Awaited& awaited);
    [[gnu::cold, gnu::noinline]] void look_while_polling();
    [[gnu::cold, gnu::noinline]] void begin_standing() noexcept;
    [[gnu::cold, gnu::noinline]] void note_wait(const Awaited& awaited) noexcept;
    [[gnu::cold, gnu::noinline]] void show_standing(bool stays_awake);
    void publish(bool answers);
    void list_messages();
    static void enter(state::Standing::List& list, const state::Message& message) noexcept;
    [[nodiscard]] std::uint64_t fingerprint() const noexcept;

    // threads.inl
    template <class Done, class Whose>
    [[gnu::noinline]] void rest_among_threads(int work, Done done, Whose whose);
    void give_up_turn(int work, Waiting& waiting);
    struct SharedReceive;
    [[gnu::noinline]] Status receive_among_threads(Request* request, matching::Envelope pattern,
                                                   MessageInfo* info);
    [[nodiscard]] bool over(SharedReceive& own);
    [[nodiscard]] bool may_trade(const SharedReceive& own, const SharedReceive& other) const noexcept;
    static void trade(SharedReceive& own, SharedReceive& other) noexcept;
    [[nodiscard]] bool has_twin(const SharedReceive& own) const noexcept;

    // setup.inl
    Peer& add_peer(int rank);
    void meet(int rank);
    [[gnu::cold, gnu::noinline]] int meet_callers();

    // progress.inl
    template <class Done, class Whose>
    void wait_for(Done done, Whose whose);
    [[nodiscard]] bool satisfied() const noexcept;
    [[gnu::cold, gnu::noinline]] bool anything_new();
    [[gnu::noinline]] int poll_peer(Peer& peer, int budget = kRecordsPerPoll);
    void prepare_answer(ring::ShmChannel* local, std::size_t bytes) const noexcept;
    void took_records(int rank, bool credited);
    [[gnu::cold, gnu::noinline]] void fail_peer(int rank, int records);
    [[gnu::always_inline]] Status complete_now(Request* request, MessageInfo* info);
    void finish(Request& request);

    Transport& transport_;
    EngineConfig config_;
    std::uint64_t max_eager_ = 0;       // longest message sent as one record in shared memory
    const Request* awaited_ = nullptr;  // what wait() waits for
    std::size_t next_peer_ = 0;         // index in remote_ of the peer polled next
    int expecting_ = 0;                 // blocked or running probes
    std::uint64_t pushed_ = 0;          // records sent from the queues
    StreamPace pace_;                   // of streams in shared memory
    bool flowing_ = false;              // records came since a stream was last let ahead
    int idle_bound_ = 0;                // a round that moves more needs no rest; threads rest after each
    Threads* threads_ = nullptr;        // those that share the engine; null: only one uses it
    matching::Matcher matcher_;
    RequestPool pool_;
    PeerTable<Peer> peers_;           // those met; the own entry serves self
    std::vector<int> remote_;         // world ranks met: those with a channel
    std::vector<int> blocked_;        // peers with queued sends or CTS
    Request* direct_head_ = nullptr;  // sends being written into their receivers' buffers
    Request* direct_tail_ = nullptr;
    std::vector<std::shared_ptr<Activity>> activities_;

    state::Totals own_totals_;
    state::Totals* totals_ = &own_totals_;
    state::OwnPage* page_ = nullptr;
    bool asleep_ = false;            // in a wait that the page tells of
    std::uint32_t idle_rounds_ = 0;  // rounds of waits that found nothing; after a sleep the next look is due
    std::uint32_t vain_polls_ = 0;   // in a row
    bool leaving_ = false;           // in farewell()
    std::uint64_t arrived_ = 0;      // records that were no eager messages
    state::Standing standing_;       // being written, else as published
    state::Standing last_standing_;  // published before
    std::vector<CollectiveCalls*> collectives_;
    SharedReceive* receiving_ = nullptr;  // blocking receives of threads, under way
    Sign* signs_ = nullptr;               // waited for
};

}  // namespace rb2::pt2pt

#include "pt2pt/engine/activity.inl"
#include "pt2pt/engine/arrival.inl"
#include "pt2pt/engine/departed.inl"
#include "pt2pt/engine/direct.inl"
#include "pt2pt/engine/follow.inl"
#include "pt2pt/engine/progress.inl"
#include "pt2pt/engine/receive.inl"
#include "pt2pt/engine/reserve.inl"
#include "pt2pt/engine/self.inl"
#include "pt2pt/engine/send.inl"
#include "pt2pt/engine/setup.inl"
#include "pt2pt/engine/standing.inl"
#include "pt2pt/engine/stream.inl"
#include "pt2pt/engine/threads.inl"
