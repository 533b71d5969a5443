// A rank that joins its job, exchanges cards, checks everything it was told, and leaves. Exit code 0: all was
// right.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdint>
#include <iostream>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/bootstrap/session.hpp"
#include "runtime/memory/segment.hpp"

namespace {

using rb2::bootstrap::Card;
using rb2::bootstrap::Session;
using rb2::memory::Segment;
using rb2::topology::Locality;

constexpr std::size_t kSegmentBytes = 4096;
constexpr std::uint64_t kRounds = 20;

void require(bool condition, const std::string& what) {
    if (!condition) throw std::runtime_error("session_probe: " + what);
}

std::atomic<std::uint64_t>& counter_in(const Segment& segment) {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(segment.data());
}

Card card_with(const Session& session, const Segment& segment) {
    Card card = rb2::bootstrap::make_card(session.rank());
    card.ring_slots = 64 + session.rank();
    card.node_budget_bytes = segment.bytes();
    rb2::bootstrap::set_segment_name(card, segment.name());
    return card;
}

void check_cards(const Session& session, const std::vector<Card>& cards) {
    require(cards.size() == session.size(), "one card for each rank");
    std::set<std::string> names;
    std::set<std::int32_t> pids;
    for (const Card& card : cards) {
        require(card.ring_slots == 64 + card.rank, "a card's contents");
        names.insert(rb2::bootstrap::segment_name(card));
        pids.insert(card.pid);
    }
    require(names.size() == session.size(), "different segment names");
    require(pids.size() == session.size(), "different processes");
    require(cards[session.rank()].pid == ::getpid(), "the own card at the own place");
}

/// All ranks of these tests run on one machine, whatever the launcher takes for nodes.
std::vector<Segment> attach_all(const Session& session, const std::vector<Card>& cards) {
    std::vector<Segment> segments;
    for (const Card& card : cards) {
        const Locality distance = rb2::bootstrap::locality(cards[session.rank()], card);
        require((distance == Locality::self) == (card.rank == session.rank()), "self is self");
        require(distance != Locality::remote, "ranks of one machine share memory");
        segments.push_back(Segment::attach(rb2::bootstrap::segment_name(card), card.node_budget_bytes));
    }
    return segments;
}

/// No rank may leave barrier k before all have entered it.
void check_barrier(Session& session, const std::vector<Segment>& segments) {
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
        // The last rank comes late, in the hope that a barrier that is none lets the others through.
        if (session.rank() + 1 == session.size()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        counter_in(segments[session.rank()]).store(round);
        session.fence();
        for (const Segment& other : segments)
            require(counter_in(other).load() >= round, "a fence is a barrier");
    }
}

/// What is published behind the last fence is waited for, however early it is asked for.
void check_late_publication(Session& session) {
    const auto own = std::byte(session.rank());
    if (session.rank() % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const rb2::bootstrap::Publication late{"rb2.late", {own}};
    session.publish({&late, 1});
    for (std::uint32_t rank = 0; rank < session.size(); ++rank)
        require(session.fetch("rb2.late", rank) == rb2::bootstrap::Bytes{std::byte(rank)},
                "what a rank published late");
}

/// What never comes is an error that names the rank.
void check_never(Session& session) {
    std::string text;
    try {
        static_cast<void>(session.fetch("rb2.never", 0));
    } catch (const rb2::StartupError& error) {
        text = error.what();
    }
    require(text.find("reading the card of rank 0 failed: TIMEOUT") != std::string::npos,
            "of what never comes: '" + text + "'");
}

void run(Session& session) {
    Segment own = Segment::create(rb2::memory::segment_name(::geteuid(), session.job_nonce(), session.rank()),
                                  kSegmentBytes);
    new (own.data()) std::atomic<std::uint64_t>(0);
    const std::vector<Card> cards = session.exchange(card_with(session, own));
    check_cards(session, cards);
    require(session.local_ranks().at(session.local_rank()) == session.rank(), "local rank");
    const std::vector<Segment> segments = attach_all(session, cards);
    session.fence();
    own.unlink();
    check_barrier(session, segments);
    check_late_publication(session);
    session.fence();  // nobody goes before all have asked
}

struct Options {
    std::uint32_t size = 1;
    std::uint32_t local_size = 1;
    int abort_rank = -1;
    int exit_rank = -1;
    bool never = false;     // --never: ask for what nobody publishes
    std::string own_nonce;  // --nonce: what job_nonce() must be
};

int main_with(const Options& options) {
    Session session = Session::open();
    require(session.size() == options.size, "size is " + std::to_string(session.size()));
    require(session.local_ranks().size() == options.local_size,
            std::to_string(session.local_ranks().size()) + " ranks on this node");
    require(session.launched() || session.size() == 1, "several ranks have a launcher");
    if (!options.own_nonce.empty())
        require(session.job_nonce() == options.own_nonce, "nonce " + session.job_nonce());
    const int rank = static_cast<int>(session.rank());
    if (rank == options.abort_rank) session.abort(7, "asked to");
    if (rank == options.exit_rank) ::_exit(3);
    const bool will_fail = options.abort_rank >= 0 || options.exit_rank >= 0;
    if (will_fail)
        session.fence();  // wait for the end without a segment: not every launcher would remove it
    else
        run(session);
    if (options.never) check_never(session);
    session.finalize();
    session.finalize();
    if (rank == 0) std::cout << "probe ok: " << session.size() << " ranks" << std::endl;
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Checks the start-up of a job from inside each rank.");
    Options options;
    app.add_option("--size", options.size, "ranks the job must have");
    CLI::Option* local =
        app.add_option("--local-size", options.local_size, "of them on this node; default: all");
    app.add_option("--abort", options.abort_rank, "this rank aborts the job with code 7");
    app.add_option("--exit", options.exit_rank, "this rank exits with code 3 before the first barrier");
    app.add_flag("--never", options.never, "what never comes is an error");
    app.add_option("--nonce", options.own_nonce, "job nonce there must be");
    CLI11_PARSE(app, argc, argv);
    if (local->count() == 0) options.local_size = options.size;
    try {
        return main_with(options);
    } catch (const std::exception& error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
}
