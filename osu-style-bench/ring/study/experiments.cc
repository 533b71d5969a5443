// The figures and tables of the rb2 paper (section IV-A and section V) and of the protocols paper (section
// 6), as experiments.

#include <fmt/format.h>

#include "osu-style-bench/ring/memory.hpp"
#include "osu-style-bench/ring/study/experiment.hpp"

namespace rb2::bench::study {
namespace {

constexpr std::size_t kLinePayload = 48;       // a record of one cache line
constexpr int kSharingClients = 8;             // Fig. 9a of the protocols paper
constexpr int kReadingClients = 4;             // and 9b
constexpr std::uint64_t kPairsThreshold = 16;  // Fig. 3: one threshold for all batching

std::vector<std::size_t> swept_sizes(const Effort& effort) {
    if (effort.quick) return {64, 4096};
    return {64, 256, 1024, 4096, 16384, 65536, 262144, 1048576};
}

Job base_job(const Effort& effort, Fabric fabric) {
    Job job;
    job.fabric = fabric;
    job.costs = effort.costs;
    return job;
}

const Subject* only(const std::string& name) { return find_subjects({name}).front(); }

/// Each subject's place in the list of all is its style.
int style_of(const Subject* subject) { return static_cast<int>(subject - all_subjects().data()); }

Series series_of(const std::string& name, const Job& job) {
    const Subject* const subject = only(name);
    return {name, subject, job, style_of(subject)};
}

std::vector<const Bench*> both_benches() { return {&find_bench("throughput"), &find_bench("latency")}; }

/// Every mix of Table I that works on the fabric, copying where its authors do.
std::vector<Series> table1_series(const Effort& effort, Fabric fabric) {
    std::vector<Series> all;
    for (const Subject* const subject : find_subjects({"rb2", "rb2-in-place", "table1"})) {
        if (!subject->runs(fabric, Load::stream)) continue;
        Job job = base_job(effort, fabric);
        job.copies = subject->copies;
        all.push_back({subject->name, subject, job, style_of(subject)});
    }
    return all;
}

Experiment pairs_experiment(const Effort& effort) {
    Experiment experiment{.id = "fig3",
                          .title = "Fig. 3: pointer synchronisation, batching fixed at 16",
                          .x_label = "Message (bytes)",
                          .keys = swept_sizes(effort),
                          .benches = both_benches(),
                          .metrics = {{Metric::gigabits}, {Metric::mean_us, Metric::p999_us}}};
    Job job = base_job(effort, Fabric::costed);
    job.shape.alpha = job.shape.beta = job.shape.gamma = kPairsThreshold;
    for (const Subject* const subject : find_subjects({"pairs"})) {
        experiment.series.push_back({subject->name, subject, job, style_of(subject)});
    }
    return experiment;
}

Experiment rivals_experiment(const Effort& effort, Fabric fabric) {
    const bool costed = fabric == Fabric::costed;
    return {.id = costed ? "fig5-6" : "fig5-6-shm",
            .title = costed ? "Fig. 5 and 6: throughput and round trips of the rings of Table I"
                            : "Fig. 5 and 6 on shared memory as it is",
            .x_label = "Message (bytes)",
            .keys = swept_sizes(effort),
            .series = table1_series(effort, fabric),
            .benches = both_benches(),
            .metrics = {{Metric::gigabits, Metric::million_messages},
                        {Metric::mean_us, Metric::p99_us, Metric::p999_us}}};
}

/// What interrupts a processor decides over the longest round trips, whatever the ring: only many rounds, the
/// rings by turns, can tell whether one is worse than another.
Experiment tails_experiment(const Effort& effort) {
    return {.id = "tails",
            .title = "Longest round trips: 64 bytes, five times as many rounds",
            .x_label = "Message (bytes)",
            .keys = {64},
            .series = table1_series(effort, Fabric::costed),
            .benches = {&find_bench("latency")},
            .metrics = {{Metric::p50_us, Metric::p99_us, Metric::p999_us, Metric::p999_quarter_us,
                         Metric::p999_three_quarters_us}},
            .draws = false,
            .times = 5};
}

Experiment cores_experiment(const Effort& effort) {
    Experiment experiment{
        .id = "fig7",
        .title = "Fig. 7: pairs of threads, 64-byte messages",
        .x_label = "Pairs",
        .keys = effort.quick ? std::vector<std::size_t>{1} : std::vector<std::size_t>{1, 2, 4},
        .keys_are_pairs = true,
        .series = table1_series(effort, Fabric::costed),
        .benches = both_benches(),
        .metrics = {{Metric::million_messages}, {Metric::p999_us}}};
    return experiment;
}

/// Section 6.1 and 6.2 of the protocols paper.
Experiment channels_experiment(const Effort& effort) {
    Experiment experiment{.id = "channels",
                          .title = "Protocols paper, Fig. 5 and 7: channels of its Table 2",
                          .x_label = "Message (bytes)",
                          .keys = swept_sizes(effort),
                          .benches = {&find_bench("latency"), &find_bench("throughput")},
                          .metrics = {{Metric::p50_us}, {Metric::gigabits, Metric::million_messages}}};
    const Job job = base_job(effort, Fabric::costed);
    for (const Subject* const subject : find_subjects({"pushed"})) {
        experiment.series.push_back({subject->name, subject, job, style_of(subject)});
    }
    return experiment;
}

/// Section 6.3 of the protocols paper, "Fig. 9": the ring of a server and its clients.
Experiment crowd_experiment(const Effort& effort, const char* id, const char* title, int clients,
                            const std::vector<std::string>& names) {
    Experiment experiment{.id = id,
                          .title = fmt::format("Protocols paper, Fig. 9: {}, {} clients", title, clients),
                          .x_label = "Message (bytes)",
                          .keys = effort.quick ? std::vector<std::size_t>{64}
                                               : std::vector<std::size_t>{64, 256, 1024, 4096, 16384},
                          .benches = {&find_bench("crowd")},
                          .metrics = {{Metric::gigabits, Metric::million_messages}}};
    Job job = base_job(effort, Fabric::costed);
    for (const std::string& name : names) {
        for (const int count : {clients, 1}) {
            job.pairs = count;
            Series series = series_of(name, job);
            if (count == 1) series.label += ", one client";
            series.style = static_cast<int>(experiment.series.size());
            experiment.series.push_back(std::move(series));
        }
    }
    return experiment;
}

/// Section 6.3 of the protocols paper, "Fig. 10": what lies behind the bell is READ together with it.
Experiment prefetch_experiment(const Effort& effort) {
    Experiment experiment{.id = "fig10",
                          .title = "Protocols paper, Fig. 10: prefetching from a read ring with inlined bell",
                          .x_label = "Message (bytes)",
                          .keys = effort.quick ? std::vector<std::size_t>{64}
                                               : std::vector<std::size_t>{64, 256, 1024, 4096, 16384},
                          .benches = {&find_bench("latency"), &find_bench("throughput")},
                          .metrics = {{Metric::p50_us}, {Metric::gigabits, Metric::million_messages}}};
    const Job job = base_job(effort, Fabric::costed);
    for (const char* const name : {"read-ring-inlined-bell", "read-ring-prefetch"})
        experiment.series.push_back(series_of(name, job));
    return experiment;
}

Experiment ablations_experiment(const Effort& effort) {
    Experiment experiment{.id = "table2",
                          .title = "Table II: RB² without one of its parts",
                          .x_label = "Message (bytes)",
                          .keys = effort.quick ? std::vector{kSmall} : std::vector{kSmall, kLarge},
                          .benches = both_benches(),
                          .metrics = {{Metric::gigabits}, {Metric::mean_us}},
                          .draws = false};
    const Job whole = base_job(effort, Fabric::costed);
    const auto add = [&](const char* label, const char* name, const Job& job) {
        Series series = series_of(name, job);
        series.label = label;
        experiment.series.push_back(series);
    };
    add("M1 = RB²", "rb2", whole);
    add("M2 = M1 - all batching", "rb2-unbatched", whole);
    Job job = whole;
    job.shape.beta = job.shape.alpha;  // nothing is sent ahead of its tail
    add("M3 = M1 - synchronisation-ahead", "rb2", job);
    add("M4 = M1 - elastic threshold", "rb2-not-elastic", whole);
    add("M5 = M1 - lazy push", "rb2-active-push", whole);
    job = whole;
    job.copies = true;
    add("M6 = M1 - zero copy", "rb2", job);
    add("M7 = M1 - cache friendliness", "rb2-back-to-back", whole);
    job = whole;
    job.pages = Pages::normal;
    add("M8 = M1 - huge pages", "rb2", job);
    if (memory_nodes() > 1) {
        job = whole;
        job.memory_node = memory_nodes() - 1;  // threads run on the first processors
        add("M9 = M1 - NUMA-aware allocation", "rb2", job);
    }
    return experiment;
}

Experiment case_experiment(const Effort& effort, Fabric fabric, const char* bench, const char* title,
                           std::vector<Metric> metrics) {
    const Bench& load = find_bench(bench);
    Experiment experiment{
        .id = fmt::format("{}{}", bench, fabric == Fabric::costed ? "" : "-shm"),
        .title = fmt::format("{}{}", title, fabric == Fabric::costed ? "" : ", on shared memory as it is"),
        .x_label = "Message (bytes)",
        .keys = {load.bytes},
        .series = table1_series(effort, fabric),
        .benches = {&load},
        .metrics = {std::move(metrics)},
        .draws = false};
    if (load.name == "files") {
        // "We turn off the batching mechanism": every message leaves at once either way, as each is awaited.
        for (Series& series : experiment.series) {
            if (series.label == "rb2") series.subject = only("rb2-unbatched");
        }
    }
    return experiment;
}

/// What messaging on one host is built on, in a ring like the bare queue of rb2_limits: 1024 slots of one
/// line, a report of the head four times a lap.
Experiment bare_experiment(const Effort& effort) {
    Job job = base_job(effort, Fabric::shm);
    job.shape = {.messages = 1024, .alpha = 256, .beta = 128, .gamma = 256};
    return {.id = "bare",
            .title = "One line a message: 48 bytes and a header, on shared memory as it is",
            .x_label = "Message (bytes)",
            .keys = {kLinePayload},
            .series = {series_of("rb2-in-place", job), series_of("rb2", job)},
            .benches = {&find_bench("throughput")},
            .metrics = {{Metric::million_messages}},
            .draws = false};
}

/// The same 64-byte stream under other prices: whether the order of the rings hangs on the assumed ones.
std::vector<Experiment> price_experiments(const Effort& effort) {
    const fabric::costed::Costs& usual = effort.costs;
    const auto at = [&](const char* id, const char* what, double request_ns, double doorbell_ns) {
        Effort other = effort;
        other.costs.work_request_ns = request_ns;
        other.costs.doorbell_ns = doorbell_ns;
        return Experiment{.id = id,
                          .title = fmt::format("64-byte throughput, {}: {} ns a request, {} ns a doorbell",
                                               what, request_ns, doorbell_ns),
                          .x_label = "Message (bytes)",
                          .keys = {64},
                          .series = table1_series(other, Fabric::costed),
                          .benches = {&find_bench("throughput")},
                          .metrics = {{Metric::million_messages}},
                          .draws = false};
    };
    const double whole = usual.work_request_ns + usual.doorbell_ns;
    return {at("prices-half", "half the price", usual.work_request_ns / 2, usual.doorbell_ns / 2),
            at("prices-even", "doorbells no dearer than requests", whole / 2, whole / 2),
            at("prices-request", "doorbells free", whole, 0)};
}

}  // namespace

std::vector<Experiment> all_experiments(const Effort& effort) {
    std::vector<Experiment> all{
        rivals_experiment(effort, Fabric::costed),
        tails_experiment(effort),
        pairs_experiment(effort),
        cores_experiment(effort),
        ablations_experiment(effort),
        channels_experiment(effort),
        crowd_experiment(effort, "fig9a", "shared rings", kSharingClients,
                         {"shared-ring-imm", "shared-ring-inlined-bell"}),
        crowd_experiment(effort, "fig9b", "read rings, all clients together", kReadingClients,
                         {"read-ring-detached-bell", "read-ring-inlined-bell", "read-ring-notify"}),
        prefetch_experiment(effort)};
    for (const Fabric fabric : {Fabric::costed, Fabric::shm}) {
        if (fabric == Fabric::shm) all.push_back(rivals_experiment(effort, fabric));
        all.push_back(case_experiment(effort, fabric, "flow", "Case 1: flow monitor, 40-byte records",
                                      {Metric::million_messages}));
        all.push_back(
            case_experiment(effort, fabric, "lookup",
                            "Case 2: key-value store, 16-byte requests, 128-byte replies, 32 at a time",
                            {Metric::million_messages}));
        all.push_back(case_experiment(effort, fabric, "files",
                                      "Case 3: 1 KiB requests and replies, one at a time",
                                      {Metric::million_messages, Metric::mean_us, Metric::p999_us}));
    }
    all.push_back(bare_experiment(effort));
    for (Experiment& experiment : price_experiments(effort)) all.push_back(std::move(experiment));
    return all;
}

}  // namespace rb2::bench::study
