#include "runtime/state/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rb2::state {
namespace {

std::string show_rank(std::int32_t peer) {
    return peer == kAnyRank ? "any rank" : fmt::format("rank {}", peer);
}

std::string show_tag(std::int32_t tag) { return tag == kAnyTag ? "any tag" : fmt::format("tag {}", tag); }

std::string show_communicator(std::uint32_t id) {
    constexpr std::uint32_t meeting = 1U << 30;
    if (id == 0) return "MPI_COMM_WORLD";
    if (id == 1) return "MPI_COMM_SELF";
    return (id & meeting) != 0 ? "the making of a communicator" : fmt::format("communicator {}", id);
}

std::string show_call(const std::string& function, std::uint32_t communicator, std::uint32_t call) {
    return fmt::format("{} (collective call {} on {})", function.empty() ? "a collective" : function, call,
                       show_communicator(communicator));
}

std::string seconds(std::uint64_t from_ns, std::uint64_t to_ns) {
    return fmt::format("{:.1f} s", to_ns > from_ns ? static_cast<double>(to_ns - from_ns) * 1e-9 : 0.0);
}

/// What is waited for, short: for the links of a cycle.
std::string show_link(const Wait& wait) {
    if (wait.context % 2 == 1)
        return show_call(wait.collective, wait.context / 2, static_cast<std::uint32_t>(wait.tag));
    switch (wait.kind) {
        case WaitKind::receive:
            return "receive, " + show_tag(wait.tag);
        case WaitKind::send:
            return fmt::format("send of {} bytes, {}", wait.bytes, show_tag(wait.tag));
        case WaitKind::answers:
            return "sends";
        case WaitKind::any_of:
            return fmt::format("any of {} requests", wait.of);
        case WaitKind::nothing:
            break;
    }
    return "?";
}

std::string show_stage(Stage stage) {
    switch (stage) {
        case Stage::queued:
            return "waits for room";
        case Stage::offered:
            return "waits for its receive";
        case Stage::moving:
            return "under way";
    }
    return "?";
}

enum class Which : std::uint8_t { posted, unexpected, sends };

std::string show_message(const Message& message, Which which) {
    const bool collective = message.context % 2 == 1;
    std::string text =
        fmt::format("{} {}, {}, {}{} bytes", which == Which::sends ? "to" : "from", show_rank(message.peer),
                    collective ? "of a collective" : show_tag(message.tag),
                    which == Which::posted ? "up to " : "", message.bytes);
    if (message.context / 2 != 0) text += ", " + show_communicator(message.context / 2);
    if (which == Which::sends) text += ", " + show_stage(message.stage);
    return text;
}

std::string show_list(const char* title, const Standing::List& list, Which which) {
    if (list.count == 0) return {};
    std::string text = fmt::format("{}: {}", title, list.count);
    const char* separator = " (";
    for (std::uint32_t i = 0; i < list.listed; ++i) {
        text += separator + show_message(list.first[i], which);
        separator = "; ";
    }
    if (list.listed != 0) text += list.count > list.listed ? "; ...)" : ")";
    return text;
}

std::string show_counters(const RankView& view) {
    const Traffic all = view.all_traffic();
    return fmt::format("sent {} messages ({} bytes), received {} ({} bytes)", all.sent_messages,
                       all.sent_bytes, all.received_messages, all.received_bytes);
}

std::string show_waits(const RankView& view) {
    std::string text;
    const std::uint32_t shown = std::min(view.standing.wait_count, Standing::kWaits);
    for (std::uint32_t i = 0; i < shown; ++i)
        text += (i == 0 ? "" : "; another thread: ") + show_wait(view.standing.waits[i]);
    if (view.standing.wait_count > shown)
        text += fmt::format("; and {} more threads", view.standing.wait_count - shown);
    return text;
}

/// Of a rank that does not answer: what it did when last seen.
std::string last_seen(const RankView& view) {
    if (view.asleep)
        return fmt::format("it was waiting since {}: {}", seconds(view.standing.since_ns, view.taken_ns),
                           show_waits(view));
    return fmt::format("outside of a wait since {}", seconds(view.awake_ns, view.taken_ns));
}

std::string show_silence(const RankView& before, const RankView& now) {
    const std::uint64_t cpu_ms =
        now.process.cpu_ms > before.process.cpu_ms ? now.process.cpu_ms - before.process.cpu_ms : 0;
    const bool moved =
        before.has_page && before.all_traffic().sent_messages + before.all_traffic().received_messages !=
                               now.all_traffic().sent_messages + now.all_traffic().received_messages;
    const std::string what = moved ? "it sends and receives" : "it runs code outside of MPI";
    return fmt::format("gives no answer: {} (process state {}, {:.2f} s of processor time in {}); {}", what,
                       now.process.letter, static_cast<double>(cpu_ms) * 1e-3,
                       seconds(before.taken_ns, now.taken_ns), last_seen(now));
}

std::string show_doing(Doing doing, const RankView& before, const RankView& now) {
    switch (doing) {
        case Doing::no_page:
            return "has not initialized MPI, or is no program of rb2";
        case Doing::starting:
            return "is in MPI_Init, waiting for the other ranks";
        case Doing::finalizing:
            return "is in MPI_Finalize, waiting for the other ranks";
        case Doing::ended:
            return now.has_page ? "has finalized" : "has ended";
        case Doing::gone:
            return "gave no answer: its process is gone; " + last_seen(now);
        case Doing::stopped:
            return fmt::format("gave no answer: its process is stopped (state {}); {}", now.process.letter,
                               last_seen(now));
        case Doing::waits:
            return fmt::format("waits since {}: {}", seconds(now.standing.since_ns, now.taken_ns),
                               show_waits(now));
        case Doing::moves:
            return "waits, but messages still come and go: " + show_waits(now);
        case Doing::polls:
            return fmt::format("calls MPI_Test, MPI_Iprobe or the like, {} times in a row without result",
                               now.standing.polls);
        case Doing::silent:
            return show_silence(before, now);
    }
    return "?";
}

/// One rank: a line, and one for its queues if they hold something.
std::string show_rank_lines(int rank, Doing doing, const RankView& before, const RankView& now,
                            const std::string& prefix) {
    std::string text = fmt::format("{}rank {}", prefix, rank);
    if (now.has_page) text += fmt::format(" (pid {})", now.pid);
    text += fmt::format(": {}", show_doing(doing, before, now));
    if (now.has_page) text += "; " + show_counters(now);
    text += "\n";
    std::string queues;
    for (const std::string& list :
         {show_list("posted receives", now.standing.posted, Which::posted),
          show_list("unexpected messages", now.standing.unexpected, Which::unexpected),
          show_list("pending sends", now.standing.sends, Which::sends)})
        if (!list.empty()) queues += (queues.empty() ? "" : "; ") + list;
    const bool known = doing == Doing::waits || doing == Doing::moves || doing == Doing::polls || now.asleep;
    if (known && !queues.empty()) text += fmt::format("{}    {}\n", prefix, queues);
    return text;
}

std::string show_cycle(const std::vector<int>& cycle, const std::vector<RankView>& now) {
    std::string text = "deadlock: ";
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        const int next = cycle[(i + 1) % cycle.size()];
        const Standing& standing = now[static_cast<std::size_t>(cycle[i])].standing;
        const auto* const end = standing.waits + std::min(standing.wait_count, Standing::kWaits);
        const auto* wait =
            std::find_if(standing.waits, end, [next](const Wait& one) { return one.peer == next; });
        if (wait == end) wait = standing.waits;
        text += fmt::format("rank {} waits for {} ({}) -> ", cycle[i],
                            wait->peer == next ? fmt::format("rank {}", next) : "any rank", show_link(*wait));
    }
    return text + fmt::format("rank {}", cycle.front());
}

std::vector<std::string> show_diagnosis(const Diagnosis& diagnosis, const std::vector<RankView>& now) {
    std::vector<std::string> lines;
    if (!diagnosis.cycle.empty()) lines.push_back(show_cycle(diagnosis.cycle, now));
    for (const MissingInCollective& call : diagnosis.missing)
        lines.push_back(fmt::format("{} {} not entered {}, in which {} {}", show_ranks(call.missing),
                                    call.missing.size() == 1 ? "has" : "have",
                                    show_call(call.function, call.communicator, call.call),
                                    show_ranks(call.waiting), call.waiting.size() == 1 ? "waits" : "wait"));
    for (const MixedCollective& call : diagnosis.mixed) {
        std::string text = fmt::format("different collectives meet in call {} on {}:", call.call,
                                       show_communicator(call.communicator));
        for (const auto& caller : call.callers)
            text += fmt::format("{} {} on rank {}", &caller == call.callers.data() ? "" : ",",
                                caller.function, caller.rank);
        lines.push_back(text);
    }
    for (const WaitedFor& one : diagnosis.waited_for)
        lines.push_back(fmt::format("{} {} for rank {}, which does not wait", show_ranks(one.waiting),
                                    one.waiting.size() == 1 ? "waits" : "wait", one.rank));
    if (lines.empty()) lines.emplace_back("no deadlock found among what the ranks tell");
    return lines;
}

/// All ranks, the telling ones first.
std::vector<int> order_of(const Diagnosis& diagnosis) {
    std::vector<int> order(diagnosis.doing.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    if (order.size() <= kMostRanksTold) return order;
    std::stable_partition(order.begin(), order.end(), [&](int rank) {
        const bool in_cycle =
            std::find(diagnosis.cycle.begin(), diagnosis.cycle.end(), rank) != diagnosis.cycle.end();
        return in_cycle || diagnosis.doing[static_cast<std::size_t>(rank)] != Doing::waits;
    });
    return order;
}

}  // namespace

std::string show_wait(const Wait& wait) {
    std::string text;
    if (wait.context % 2 == 1)
        text = fmt::format(
            "in {}: ", show_call(wait.collective, wait.context / 2, static_cast<std::uint32_t>(wait.tag)));
    else if (wait.of > 1 && wait.kind != WaitKind::any_of)
        text = fmt::format("in a call for {} requests: ", wait.of);
    const bool collective = wait.context % 2 == 1;
    const std::string which =
        collective ? "" : fmt::format(", {}, {}", show_tag(wait.tag), show_communicator(wait.context / 2));
    switch (wait.kind) {
        case WaitKind::receive:
            return text +
                   fmt::format("receive from {}, up to {} bytes{}", show_rank(wait.peer), wait.bytes, which);
        case WaitKind::send:
            return text + fmt::format("send to {}, {} bytes{}", show_rank(wait.peer), wait.bytes, which);
        case WaitKind::answers:
            return text + fmt::format("for {} to take messages sent to it", show_rank(wait.peer));
        case WaitKind::any_of:
            return text + fmt::format("for any of {} requests", wait.of);
        case WaitKind::nothing:
            break;
    }
    return text + "for something other than one message";
}

std::string rank_ranges(const std::vector<int>& ranks) {
    std::string text;
    for (std::size_t first = 0; first < ranks.size();) {
        std::size_t last = first;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
        text += text.empty() ? "" : ",";
        text +=
            first == last ? fmt::format("{}", ranks[first]) : fmt::format("{}-{}", ranks[first], ranks[last]);
        first = last + 1;
    }
    return text;
}

std::string show_ranks(const std::vector<int>& ranks) {
    return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", rank_ranges(ranks));
}

std::string hang_report(const Looks& looks, const std::string& prefix) {
    if (std::none_of(looks.now.begin(), looks.now.end(), [](const RankView& rank) { return rank.has_page; }))
        return prefix + "no rank has initialized MPI, or none is a program of rb2\n";
    const Diagnosis diagnosis = diagnose(looks.before, looks.now);
    std::string text;
    const std::vector<int> order = order_of(diagnosis);
    const std::size_t told = std::min(order.size(), kMostRanksTold);
    for (std::size_t i = 0; i < told; ++i) {
        const auto rank = static_cast<std::size_t>(order[i]);
        text += show_rank_lines(order[i], diagnosis.doing[rank], looks.before[rank], looks.now[rank], prefix);
    }
    if (told < order.size())
        text += fmt::format("{}... and {} more ranks that wait\n", prefix, order.size() - told);
    for (const std::string& line : show_diagnosis(diagnosis, looks.now)) text += prefix + line + "\n";
    return text;
}

}  // namespace rb2::state
