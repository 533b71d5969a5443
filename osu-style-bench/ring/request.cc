#include "osu-style-bench/ring/request.hpp"

#include <fmt/format.h>

#include <map>

#include "command/checks.hpp"
#include "osu-style-bench/ring/applications.hpp"

namespace rb2::bench::study {
namespace {

constexpr std::size_t kSmallest = 64;
constexpr std::size_t kLargest = std::size_t{1} << 20;
constexpr double kMostNs = 1e9;

const std::map<std::string, Fabric> kFabrics{{"shm", Fabric::shm}, {"costed", Fabric::costed}};
const std::map<std::string, Check> kChecks{
    {"none", Check::none}, {"stamps", Check::stamps}, {"all", Check::all}};
const std::map<std::string, Pages> kPages{{"normal", Pages::normal}, {"huge", Pages::huge}};
const std::map<std::string, Copies> kCopies{
    {"none", Copies::none}, {"table1", Copies::table1}, {"all", Copies::all}};

void add_what(CLI::App& app, Request& request) {
    app.add_option("-M,--mix,--channel", request.mixes,
                   "what to measure, see --list; also all, table1, pairs, ablations, pushed, table2")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("-b,--bench", request.benches, "throughput, latency, crowd, flow, lookup, files")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("-f,--fabric", request.fabrics,
                   "shm: shared memory as it is; costed: every WRITE has its price")
        ->delimiter(',')
        ->transform(command::one_of(kFabrics));
    app.add_option("-m,--message-size", request.sizes,
                   "message sizes in bytes: MAX, MIN: or MIN:MAX (default: 64:1048576)");
    app.add_option("-p,--pairs", request.job.pairs, "senders, and as many receivers; crowd: clients")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    app.add_flag("--list", request.lists, "list what can be measured and leave");
}

void add_ring(CLI::App& app, Job& job) {
    const CLI::Range count(1, 1 << 24);
    app.add_option("-N,--slots", job.shape.messages,
                   "messages a ring holds; rounded up to a power of two of slots")
        ->check(count)
        ->capture_default_str();
    app.add_option("--alpha", job.shape.alpha, "messages from one pointer advancement to the next")
        ->check(count)
        ->capture_default_str();
    app.add_option("--beta", job.shape.beta, "messages from one slot transmission to the next")
        ->check(count)
        ->capture_default_str();
    app.add_option("--gamma", job.shape.gamma, "messages from one report of the head to the next")
        ->check(count)
        ->capture_default_str();
    app.add_option("--slot-bytes", job.slot_bytes, "size of a slot; mixes have few sizes, see --list");
    app.add_option("--ring-bytes", job.shape.most_bytes,
                   "longest ring; one of large messages is cut down to it")
        ->check(CLI::Range(std::size_t{4096}, std::size_t{1} << 32))
        ->capture_default_str();
    app.add_option("--pages", job.pages, "normal or huge pages for the rings (default: huge)")
        ->transform(command::one_of(kPages));
    app.add_option("--memory-node", job.memory_node,
                   "NUMA node of the rings' memory (default: where it is used)");
}

void add_costs(CLI::App& app, fabric::costed::Costs& costs) {
    const auto add = [&](const char* name, double& value, const char* help) {
        app.add_option(name, value, help)->check(CLI::Range(0.0, kMostNs))->capture_default_str();
    };
    add("--work-request-ns", costs.work_request_ns, "costed: processor time of posting one request");
    add("--doorbell-ns", costs.doorbell_ns, "costed: processor time of ringing the card");
    add("--completion-ns", costs.completion_ns, "costed: processor time of taking a completion");
    add("--latency-ns", costs.latency_ns, "costed: from the card to the peer's memory, one way");
    add("--gigabits", costs.gigabits_per_second, "costed: speed of the wire, 0: without limit");
}

void add_how(CLI::App& app, Request& request) {
    app.add_option("-i,--messages", request.job.messages,
                   "timed messages per pair (default: as many as --seconds takes)");
    app.add_option("-x,--warmup", request.job.warmup, "messages before them, when -i is given")
        ->capture_default_str();
    app.add_option("--seconds", request.settings.seconds, "time of one measurement")
        ->check(CLI::Range(1e-4, 1e3))
        ->capture_default_str();
    app.add_option("-r,--rounds", request.settings.rounds, "rounds of which the median counts")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option(
           "--attempts", request.settings.attempts,
           "repeat a measurement up to this often while the processors' distance is unusual; 1: never look")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_option("--check", request.job.check,
                   "stamps: every byte before timing, first and last words during it (default); all; none")
        ->transform(command::one_of(kChecks));
    app.add_option(
           "--copies", request.copies,
           "messages copied into and out of the ring: none (default), table1 (those of authors who do), all")
        ->transform(command::one_of(kCopies));
    app.add_option("--json", request.json_path,
                   "write the results as JSON to this file, - for standard output")
        ->check(command::writable_file());
}

}  // namespace

void add_options(CLI::App& app, Request& request) {
    add_what(app, request);
    add_ring(app, request.job);
    add_costs(app, request.job.costs);
    add_how(app, request);
}

std::vector<std::size_t> sizes_of(const Request& request) {
    SizeRange range{kSmallest, kLargest};
    if (!request.sizes.empty()) range = parse_size_range(request.sizes, range);
    if (range.min_bytes == 0) throw CLI::ValidationError("-m", "a message has at least 1 byte");
    const RingShape& shape = request.job.shape;
    if (shape.alpha > shape.messages / 2 || shape.gamma > shape.messages / 2 || shape.beta > shape.alpha) {
        throw CLI::ValidationError(
            "--alpha",
            fmt::format("alpha {} and gamma {} must be at most half of --slots {}, and beta {} at most alpha",
                        shape.alpha, shape.gamma, shape.messages, shape.beta));
    }
    return size_list(range.min_bytes, range.max_bytes);
}

bool copied(const Subject& subject, Copies copies) {
    return copies == Copies::all || (copies == Copies::table1 && subject.copies);
}

}  // namespace rb2::bench::study
