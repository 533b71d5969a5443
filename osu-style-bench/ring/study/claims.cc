#include "osu-style-bench/ring/study/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace rb2::bench::study {
namespace {

constexpr std::size_t kTiny = 64;
constexpr std::size_t kThroughput = 0;  // benches of the experiments that have both
constexpr std::size_t kLatency = 1;
constexpr double kAimedPart = 0.8;
constexpr double kSimilar = 1.1;            // "similar" in the paper's words: within a tenth
constexpr std::size_t kChannelMedians = 0;  // those of single channels' experiments
constexpr std::size_t kChannelRates = 1;

const Taken* find(const std::vector<Taken>& all, const std::string& id) {
    const auto found =
        std::ranges::find_if(all, [&](const Taken& taken) { return taken.experiment->id == id; });
    return found == all.end() ? nullptr : &*found;
}

bool has_key(const Taken& taken, std::size_t key) {
    return std::ranges::find(taken.experiment->keys, key) != taken.experiment->keys.end();
}

double rate(const Taken& taken, std::size_t bench, std::size_t key, const std::string& label) {
    return taken.at(bench, key, label).messages_per_second;
}

void rates_of_rivals(const Taken& taken, std::vector<Claim>& claims) {
    for (const char* const rival : {"farm-twice", "farm", "l5", "socksdirect", "mvapich"}) {
        const double ratio = rate(taken, kThroughput, kTiny, "rb2") / rate(taken, kThroughput, kTiny, rival);
        const bool measured = std::string(rival) != "farm" && std::string(rival) != "mvapich";
        claims.push_back({fmt::format("64 B throughput, RB² over {}", rival),
                          measured ? "2.5 to 7.5" : "not measured", fmt::format("{:.1f}", ratio),
                          ratio >= 2.5});
    }
}

/// Worse is what takes longer than three quarters of the rival's rounds.
void tails(const Taken& taken, std::vector<Claim>& claims) {
    const double ours = taken.at(0, kTiny, "rb2").p999_us;
    for (const char* const rival : {"farm-twice", "farm", "l5", "socksdirect", "mvapich"}) {
        const Summary& theirs = taken.at(0, kTiny, rival);
        claims.push_back({fmt::format("64 B 99.9 % round trip, RB² and {} (us), median and quarters", rival),
                          "comparable or lower",
                          fmt::format("{:.2f} and {:.2f} ({:.2f} to {:.2f})", ours, theirs.p999_us,
                                      theirs.p999_quarter_us, theirs.p999_three_quarters_us),
                          ours <= theirs.p999_three_quarters_us});
    }
}

void large_messages(const Taken& taken, std::vector<Claim>& claims) {
    if (!has_key(taken, kLarge)) return;
    for (const char* const rival : {"farm-twice", "l5", "socksdirect"}) {
        const double ratio =
            rate(taken, kThroughput, kLarge, "rb2") / rate(taken, kThroughput, kLarge, rival);
        claims.push_back({fmt::format("1 MiB throughput, RB² over {}", rival), "1.8 to 8.5",
                          fmt::format("{:.1f}", ratio), ratio >= 1.8});
        const double tail =
            taken.at(kLatency, kLarge, "rb2").p999_us / taken.at(kLatency, kLarge, rival).p999_us;
        claims.push_back({fmt::format("1 MiB 99.9 % round trip, RB² of {}'s", rival), "6 % to 23 %",
                          fmt::format("{:.0f} %", 100 * tail), tail <= 0.25});
    }
}

void synchronisation(const Taken& taken, std::vector<Claim>& claims) {
    for (const char* const tail : {"wt", "cq"}) {
        const double gain = rate(taken, kThroughput, kTiny, fmt::format("push+{}", tail)) /
                            rate(taken, kThroughput, kTiny, fmt::format("pull+{}", tail));
        claims.push_back({fmt::format("64 B throughput, push over pull with {}", tail), "+36 % to +52 %",
                          fmt::format("{:+.0f} %", 100 * (gain - 1)), gain > 1});
    }
    const Summary& twice = taken.at(kLatency, kTiny, "push+wt");
    const Summary& queue = taken.at(kLatency, kTiny, "push+cq");
    claims.push_back({"64 B mean round trip, push+cq and push+wt (us)", "10 to 16, and less",
                      fmt::format("{:.2f} and {:.2f}", queue.mean_us, twice.mean_us),
                      queue.mean_us > twice.mean_us});
    claims.push_back({"64 B 99.9 % round trip, push+cq and push+wt (us)", "much higher with cq",
                      fmt::format("{:.2f} and {:.2f}", queue.p999_us, twice.p999_us),
                      queue.p999_us > twice.p999_us});
}

/// The loss of throughput without one part of RB².
double loss(const Taken& taken, std::size_t key, const std::string& label) {
    return 1 - rate(taken, kThroughput, key, label) / rate(taken, kThroughput, key, "M1 = RB²");
}

void ablations(const Taken& taken, std::vector<Claim>& claims) {
    struct Part {
        const char* label;
        std::size_t key;
        double paper;  ///< loss
    };
    constexpr double notable = 0.02;  // below, a part is said to make no difference
    for (const Part& part :
         {Part{"M2 = M1 - all batching", kSmall, 0.67}, Part{"M3 = M1 - synchronisation-ahead", kSmall, 0.15},
          Part{"M4 = M1 - elastic threshold", kSmall, 0.38}, Part{"M5 = M1 - lazy push", kSmall, 0.15},
          Part{"M6 = M1 - zero copy", kSmall, 0.13}, Part{"M6 = M1 - zero copy", kLarge, 0.45},
          Part{"M7 = M1 - cache friendliness", kSmall, 0.08},
          Part{"M7 = M1 - cache friendliness", kLarge, 0.29}, Part{"M8 = M1 - huge pages", kSmall, 0.0},
          Part{"M8 = M1 - huge pages", kLarge, 0.0}}) {
        if (!has_key(taken, part.key)) continue;
        const double here = loss(taken, part.key, part.label);
        claims.push_back({fmt::format("{}, {} B, throughput lost", part.label, part.key),
                          fmt::format("{:.0f} %", 100 * part.paper), fmt::format("{:.0f} %", 100 * here),
                          (part.paper > notable) == (here > notable)});
    }
}

struct Rival {
    const char* name;
    double paper;  ///< RB²'s rate over this one's
};

void rates_of_case(const Taken& taken, const char* name, std::initializer_list<Rival> rivals,
                   std::vector<Claim>& claims) {
    const std::size_t key = taken.experiment->keys.front();
    for (const Rival& rival : rivals) {
        const double ratio = rate(taken, 0, key, "rb2") / rate(taken, 0, key, rival.name);
        claims.push_back({fmt::format("{}, RB² over {}", name, rival.name),
                          fmt::format("{:.0f}", rival.paper), fmt::format("{:.1f}", ratio),
                          ratio >= rival.paper / kSimilar});
    }
}

void flow_case(const Taken& taken, std::vector<Claim>& claims) {
    rates_of_case(taken, "Case 1", {{"l5", 2}, {"socksdirect", 2}, {"farm-twice", 5}}, claims);
}

void lookup_case(const Taken& taken, std::vector<Claim>& claims) {
    rates_of_case(taken, "Case 2", {{"l5", 2}, {"socksdirect", 2}, {"farm-twice", 4}}, claims);
}

void files_case(const Taken& taken, std::vector<Claim>& claims) {
    const std::size_t key = taken.experiment->keys.front();
    const double ratio = rate(taken, 0, key, "rb2") / rate(taken, 0, key, "socksdirect");
    claims.push_back({"Case 3, RB² over socksdirect", "1.0", fmt::format("{:.2f}", ratio),
                      ratio < kSimilar && ratio > 1 / kSimilar});
    const double ours = taken.at(0, key, "rb2").p999_us;
    const double theirs = taken.at(0, key, "socksdirect").p999_us;
    claims.push_back({"Case 3, 99.9 % round trip, RB² and socksdirect (us)", "7.0 and 8.3",
                      fmt::format("{:.2f} and {:.2f}", ours, theirs), ours <= theirs});
}

void channel_rates(const Taken& taken, std::vector<Claim>& claims) {
    const double reversed = rate(taken, kChannelRates, kTiny, "ring-reversed");
    const double zeroing = rate(taken, kChannelRates, kTiny, "ring-zeroing");
    claims.push_back({"Protocols paper, 64 B throughput, ring without zeroing over the one with", "more",
                      fmt::format("{:.2f}", reversed / zeroing), reversed > zeroing});
    for (const char* const slow : {"ring-imm", "send-recv"}) {
        const double ratio = rate(taken, kChannelRates, kTiny, slow) / reversed;
        claims.push_back({fmt::format("Protocols paper, 64 B throughput, {} over ring without zeroing", slow),
                          "lowest of all", fmt::format("{:.2f}", ratio), ratio < 1});
    }
    const double detached = taken.at(kChannelMedians, kTiny, "ring-detached-bell").p50_us;
    const double inlined = taken.at(kChannelMedians, kTiny, "ring-reversed").p50_us;
    claims.push_back({"Protocols paper, 64 B median round trip, ring with detached and inlined bell (us)",
                      "higher when detached", fmt::format("{:.2f} and {:.2f}", detached, inlined),
                      detached > inlined});
}

void crowd_rates(const Taken& taken, std::vector<Claim>& claims) {
    const auto of = [&](const char* name) { return rate(taken, kThroughput, kTiny, name) * 1e-6; };
    const double notify = of("read-ring-notify");
    const double detached = of("read-ring-detached-bell");
    const double inlined = of("read-ring-inlined-bell");
    claims.push_back(
        {"Protocols paper, 64 B to all clients, read rings (million/s): notified, detached, inlined bell",
         "in this order", fmt::format("{:.2f}, {:.2f}, {:.2f}", notify, detached, inlined),
         notify > detached && detached > inlined});
}

void prefetching(const Taken& taken, std::vector<Claim>& claims) {
    const double alone = rate(taken, kChannelRates, kTiny, "read-ring-inlined-bell");
    const double ahead = rate(taken, kChannelRates, kTiny, "read-ring-prefetch");
    claims.push_back({"Protocols paper, 64 B throughput, read ring with prefetching over one without", "more",
                      fmt::format("{:.1f}", ahead / alone), ahead > alone});
    const double short_read = taken.at(kChannelMedians, kTiny, "read-ring-inlined-bell").p50_us;
    const double long_read = taken.at(kChannelMedians, kTiny, "read-ring-prefetch").p50_us;
    claims.push_back({"Protocols paper, 64 B median round trip, read ring with and without prefetching (us)",
                      "higher with", fmt::format("{:.2f} and {:.2f}", long_read, short_read),
                      long_read > short_read});
}

}  // namespace

std::vector<Claim> compare_with_papers(const std::vector<Taken>& all, double bare_part) {
    struct Part {
        const char* id;
        void (*add)(const Taken&, std::vector<Claim>&);
    };
    std::vector<Claim> claims;
    for (const Part& part :
         {Part{"fig5-6", rates_of_rivals}, Part{"tails", tails}, Part{"fig5-6", large_messages},
          Part{"fig3", synchronisation}, Part{"table2", ablations}, Part{"flow", flow_case},
          Part{"lookup", lookup_case}, Part{"files", files_case}, Part{"channels", channel_rates},
          Part{"fig9b", crowd_rates}, Part{"fig10", prefetching}}) {
        if (const Taken* const taken = find(all, part.id)) part.add(*taken, claims);
    }
    claims.push_back({"Our own aim: the bare ring in place over a bare queue of 64-byte slots", "0.8",
                      fmt::format("{:.2f}", bare_part), bare_part >= kAimedPart});
    return claims;
}

}  // namespace rb2::bench::study
