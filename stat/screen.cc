#include "stat/screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/state/summary.hpp"

namespace rb2::jobstat {
namespace {

using nlohmann::json;
using state::Doing;
using state::RankView;
using state::Traffic;

/// Columns of the message matrix that fit a terminal.
constexpr std::size_t kMostColumns = 16;

double per_second(std::uint64_t before, std::uint64_t now, double seconds) {
    return now > before && seconds > 0 ? static_cast<double>(now - before) / seconds : 0;
}

double seconds_between(const state::Looks& looks) {
    for (std::size_t rank = 0; rank < looks.now.size(); ++rank)
        if (looks.before[rank].has_page)
            return static_cast<double>(looks.now[rank].taken_ns - looks.before[rank].taken_ns) * 1e-9;
    return 0;
}

/// Lengths of queues are known of ranks that have answered, or sleep.
std::string queue(const RankView& view, const state::Standing::List& list) {
    return view.answered || view.asleep ? fmt::format("{}", list.count) : "-";
}

std::string rank_line(std::size_t rank, const state::Looks& looks) {
    const RankView& now = looks.now[rank];
    if (!now.has_page) return fmt::format("{:>5}       -  {}\n", rank, word_for(state::doing({}, now)));
    const Traffic all = now.all_traffic();
    const Rates rate = rates(looks.before[rank], now);
    return fmt::format(
        "{:>5} {:>7}  {:<9} {:>12} {:>11} {:>10.0f} {:>11}/s {:>12} {:>11} {:>6} {:>6} {:>4.0f} %\n", rank,
        now.pid, word_for(state::doing(looks.before[rank], now)), all.sent_messages,
        state::show_bytes(static_cast<double>(all.sent_bytes)), rate.sent_messages,
        state::show_bytes(rate.sent_bytes), all.received_messages,
        state::show_bytes(static_cast<double>(all.received_bytes)), queue(now, now.standing.posted),
        queue(now, now.standing.unexpected), 100 * rate.waiting);
}

std::string matrix(const std::vector<RankView>& ranks) {
    const std::size_t columns = std::min(ranks.size(), kMostColumns);
    std::string text = "messages sent, from row to column\n     ";
    for (std::size_t to = 0; to < columns; ++to) text += fmt::format(" {:>10}", to);
    text += columns < ranks.size() ? " ...\n" : "\n";
    for (std::size_t from = 0; from < columns; ++from) {
        text += fmt::format("{:>5}", from);
        for (std::size_t to = 0; to < columns; ++to)
            text += ranks[from].has_page ? fmt::format(" {:>10}", ranks[from].traffic[to].sent_messages)
                                         : fmt::format(" {:>10}", "-");
        text += "\n";
    }
    return text;
}

json amount_json(const state::Amount& amount) {
    return {{"messages", amount.messages}, {"bytes", amount.bytes}};
}

/// An entry for each peer that anything was exchanged with.
json peers_json(const RankView& view) {
    json peers = json::array();
    for (std::size_t peer = 0; peer < view.traffic.size(); ++peer) {
        const Traffic& traffic = view.traffic[peer];
        if (traffic.sent_messages == 0 && traffic.received_messages == 0) continue;
        peers.push_back({{"rank", peer},
                         {"sent", amount_json({traffic.sent_messages, traffic.sent_bytes})},
                         {"received", amount_json({traffic.received_messages, traffic.received_bytes})}});
    }
    return peers;
}

template <class Names>
json named_json(const Names& amounts) {
    json object = json::object();
    for (const state::NamedAmount& one : amounts) object[std::string(one.name)] = amount_json(one.amount);
    return object;
}

json rank_json(std::size_t rank, const state::Looks& looks) {
    const RankView& now = looks.now[rank];
    const Doing doing = state::doing(looks.before[rank], now);
    json one = {{"rank", rank}, {"state", word_for(doing)}};
    if (!now.has_page) return one;
    const Traffic all = now.all_traffic();
    const Rates rate = rates(looks.before[rank], now);
    const bool known = now.answered || now.asleep;
    one["pid"] = now.pid;
    one["sent"] = amount_json({all.sent_messages, all.sent_bytes});
    one["received"] = amount_json({all.received_messages, all.received_bytes});
    one["protocols"] = named_json(state::named(state::by_protocol(now, static_cast<int>(rank))));
    one["fabrics"] = named_json(state::by_fabric(now));
    one["peers"] = peers_json(now);
    one["posted"] = known ? json(now.standing.posted.count) : json(nullptr);
    one["unexpected"] = known ? json(now.standing.unexpected.count) : json(nullptr);
    one["waited_s"] = static_cast<double>(now.totals.waited_ns) * 1e-9;
    one["rates"] = {{"sent_messages", rate.sent_messages},
                    {"sent_bytes", rate.sent_bytes},
                    {"received_messages", rate.received_messages},
                    {"received_bytes", rate.received_bytes},
                    {"waiting", rate.waiting}};
    if ((doing == Doing::waits || doing == Doing::moves) && now.standing.wait_count != 0)
        one["wait"] = state::show_wait(now.standing.waits[0]);
    return one;
}

}  // namespace

Rates rates(const RankView& before, const RankView& now) {
    if (!before.has_page || !now.has_page || now.taken_ns <= before.taken_ns) return {};
    const double seconds = static_cast<double>(now.taken_ns - before.taken_ns) * 1e-9;
    const Traffic was = before.all_traffic();
    const Traffic is = now.all_traffic();
    const double waiting = per_second(before.totals.waited_ns, now.totals.waited_ns, seconds) * 1e-9;
    return {per_second(was.sent_messages, is.sent_messages, seconds),
            per_second(was.sent_bytes, is.sent_bytes, seconds),
            per_second(was.received_messages, is.received_messages, seconds),
            per_second(was.received_bytes, is.received_bytes, seconds), std::min(waiting, 1.0)};
}

const char* word_for(Doing doing) {
    switch (doing) {
        case Doing::no_page:
            return "no MPI";
        case Doing::starting:
            return "starting";
        case Doing::finalizing:
            return "ending";
        case Doing::ended:
            return "ended";
        case Doing::gone:
            return "gone";
        case Doing::stopped:
            return "stopped";
        case Doing::waits:
            return "waits";
        case Doing::polls:
            return "polls";
        case Doing::moves:
        case Doing::silent:
            break;
    }
    return "runs";
}

std::string as_text(const state::Looks& looks, const Shown& shown) {
    std::string text =
        fmt::format("{} ranks; rates over {:.2f} s\n", looks.now.size(), seconds_between(looks));
    text += fmt::format("{:>5} {:>7}  {:<9} {:>12} {:>11} {:>10} {:>13} {:>12} {:>11} {:>6} {:>6} {:>6}\n",
                        "rank", "pid", "state", "sent", "bytes", "sent/s", "bytes/s", "received", "bytes",
                        "posted", "unexp", "waits");
    for (std::size_t rank = 0; rank < looks.now.size(); ++rank) text += rank_line(rank, looks);
    const state::JobSummary sum = state::summarize(looks.now);
    std::string ways;
    for (const state::NamedAmount& one : state::named(sum.protocols))
        ways += fmt::format("{}{} {} ({})", ways.empty() ? "" : ", ", one.name, one.amount.messages,
                            state::show_bytes(static_cast<double>(one.amount.bytes)));
    for (const state::NamedAmount& one : sum.fabrics)
        if (one.name != "self") ways += fmt::format("; over {} {}", one.name, one.amount.messages);
    text += "sent: " + ways + "\n";
    if (shown.matrix) text += matrix(looks.now);
    return text;
}

std::string as_json(const state::Looks& looks) {
    json ranks = json::array();
    for (std::size_t rank = 0; rank < looks.now.size(); ++rank) ranks.push_back(rank_json(rank, looks));
    const state::JobSummary sum = state::summarize(looks.now);
    const json whole = {{"ranks", ranks},
                        {"seconds", seconds_between(looks)},
                        {"sent", amount_json(sum.sent)},
                        {"received", amount_json(sum.received)},
                        {"protocols", named_json(state::named(sum.protocols))},
                        {"fabrics", named_json(sum.fabrics)},
                        {"waited_s", static_cast<double>(sum.waited_ns) * 1e-9}};
    return whole.dump() + "\n";
}

}  // namespace rb2::jobstat
