#include "runtime/state/summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/state/report.hpp"

namespace rb2::state {
namespace {

Amount operator+(const Amount& a, const Amount& b) { return {a.messages + b.messages, a.bytes + b.bytes}; }

/// A reader may see a message in one counter and not yet in the other.
Amount operator-(const Amount& a, const Amount& b) {
    return {a.messages - std::min(a.messages, b.messages), a.bytes - std::min(a.bytes, b.bytes)};
}

Amount sent(const Traffic& traffic) { return {traffic.sent_messages, traffic.sent_bytes}; }

ByProtocol operator+(const ByProtocol& a, const ByProtocol& b) {
    return {a.eager + b.eager, a.rendezvous + b.rendezvous, a.single_copy + b.single_copy,
            a.direct + b.direct, a.self + b.self};
}

constexpr std::array<std::pair<Fabric, std::string_view>, 5> kFabrics{{{Fabric::self, "self"},
                                                                       {Fabric::shm, "shm"},
                                                                       {Fabric::verbs, "verbs"},
                                                                       {Fabric::tcp, "tcp"},
                                                                       {Fabric::unknown, "unknown"}}};

void add(std::vector<NamedAmount>& sums, const NamedAmount& one) {
    const auto found =
        std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.name == one.name; });
    if (found == sums.end())
        sums.push_back(one);
    else
        found->amount = found->amount + one.amount;
}

std::string show(const Amount& amount) {
    return fmt::format("{} messages, {} bytes ({})", amount.messages, amount.bytes,
                       show_bytes(static_cast<double>(amount.bytes)));
}

double seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

std::string show_part(std::uint64_t part_ns, std::uint64_t whole_ns) {
    return fmt::format(
        "{:.3f} s of {:.3f} s ({:.0f} %)", seconds(part_ns), seconds(whole_ns),
        whole_ns == 0 ? 0.0 : 100 * static_cast<double>(part_ns) / static_cast<double>(whole_ns));
}

std::uint64_t running_ns(const RankView& view) {
    const std::uint64_t end = view.ended_ns != 0 ? view.ended_ns : view.taken_ns;
    return end > view.started_ns ? end - view.started_ns : 0;
}

}  // namespace

ByProtocol by_protocol(const RankView& view, int rank) {
    const Totals& totals = view.totals;
    const auto own = static_cast<std::size_t>(rank);
    ByProtocol found;
    found.rendezvous = {totals.rendezvous_messages, totals.rendezvous_bytes};
    found.single_copy = {totals.single_copy_messages, totals.single_copy_bytes};
    found.direct = {totals.direct_messages, totals.direct_bytes};
    if (own < view.traffic.size()) found.self = sent(view.traffic[own]);
    found.eager = sent(view.all_traffic()) - found.rendezvous - found.single_copy - found.direct - found.self;
    return found;
}

std::array<NamedAmount, 5> named(const ByProtocol& amounts) {
    return {{{"eager", amounts.eager},
             {"rendezvous", amounts.rendezvous},
             {"single copy", amounts.single_copy},
             {"direct", amounts.direct},
             {"self", amounts.self}}};
}

std::vector<NamedAmount> by_fabric(const RankView& view) {
    std::vector<NamedAmount> found;
    for (const auto& [fabric, name] : kFabrics)
        for (std::size_t peer = 0; peer < view.traffic.size() && peer < view.fabrics.size(); ++peer)
            if (view.fabrics[peer] == fabric) add(found, {name, sent(view.traffic[peer])});
    return found;
}

JobSummary summarize(const std::vector<RankView>& views) {
    JobSummary sum;
    std::vector<NamedAmount> fabrics;
    for (std::size_t rank = 0; rank < views.size(); ++rank) {
        const RankView& view = views[rank];
        if (!view.has_page) continue;
        ++sum.ranks_seen;
        const Traffic all = view.all_traffic();
        sum.sent = sum.sent + sent(all);
        sum.received = sum.received + Amount{all.received_messages, all.received_bytes};
        sum.protocols = sum.protocols + by_protocol(view, static_cast<int>(rank));
        sum.waited_ns += view.totals.waited_ns;
        sum.running_ns += running_ns(view);
        for (const NamedAmount& one : by_fabric(view)) add(fabrics, one);
    }
    for (const auto& [fabric, name] : kFabrics)
        for (const NamedAmount& one : fabrics)
            if (one.name == name) sum.fabrics.push_back(one);
    return sum;
}

std::string summary_text(const std::vector<RankView>& views, const std::string& prefix) {
    const JobSummary sum = summarize(views);
    if (sum.ranks_seen == 0) return prefix + "no rank has initialized MPI, or none is a program of rb2\n";
    std::string text = fmt::format("{}{} of {} ranks: sent {}; received {}\n", prefix, sum.ranks_seen,
                                   views.size(), show(sum.sent), show(sum.received));
    for (const NamedAmount& one : named(sum.protocols))
        if (one.amount.messages != 0)
            text += fmt::format("{}  {:<11} {}\n", prefix, one.name, show(one.amount));
    for (const NamedAmount& one : sum.fabrics)
        if (one.name != "self")
            text += fmt::format("{}  over {:<6} {}\n", prefix, one.name, show(one.amount));
    text += fmt::format("{}  waiting     {}\n", prefix, show_part(sum.waited_ns, sum.running_ns));
    std::size_t told = 0;
    for (std::size_t rank = 0; rank < views.size() && told < kMostRanksTold; ++rank) {
        const RankView& view = views[rank];
        if (!view.has_page) continue;
        ++told;
        const Traffic all = view.all_traffic();
        text += fmt::format(
            "{}  rank {}: sent {} messages, {} bytes; received {} messages, {} bytes; waited {}\n", prefix,
            rank, all.sent_messages, all.sent_bytes, all.received_messages, all.received_bytes,
            show_part(view.totals.waited_ns, running_ns(view)));
    }
    return text;
}

std::string show_bytes(double bytes) {
    constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
    return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.2f} {}", bytes, units.at(unit));
}

}  // namespace rb2::state
