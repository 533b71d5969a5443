#include "pt2pt/world.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "pt2pt/settings.hpp"
#include "pt2pt/start_report.hpp"
#include "pt2pt/undestroyed.hpp"
#include "runtime/bootstrap/nonce.hpp"
#include "runtime/bootstrap/session.hpp"
#include "runtime/mesh/fabric_report.hpp"
#include "runtime/mesh/mesh.hpp"
#include "runtime/network/direct_choice.hpp"
#include "runtime/state/own_page.hpp"
#include "runtime/topology/usable_cpus.hpp"
#include "runtime/wait/slice.hpp"

namespace rb2::pt2pt {
namespace {

std::atomic<bool> was_started{false};
std::atomic<bool> was_finalized{false};

// A process has one world in its life, as MPI has it.
constinit Undestroyed<std::unique_ptr<World>> storage;
std::unique_ptr<World>& the_world() noexcept { return storage.value; }

/// To be copied out while the next one comes. Four make 64 KiB: the last has what the others' headers leave
/// of it (docs/experiments.md).
constexpr std::uint64_t kFarChunk = (16U << 10) + sizeof(wire::FirstHeader) + 3 * sizeof(ring::RecordHeader);

/// From here on two cores with a system call each copy as fast as one through the ring, and keep nothing.
constexpr std::uint64_t kOfferedFrom = 64U << 10;

EngineConfig engine_config(const mesh::Mesh& mesh, const Settings& settings) {
    EngineConfig config;
    config.rank = static_cast<int>(mesh.rank());
    config.size = static_cast<int>(mesh.ranks());
    // The rings over networks have a size of their own, by the number of ranks.
    const std::uint64_t far = mesh.network_ring_bytes() / 4;
    config.chunk_bytes = settings.chunk_bytes != 0 ? settings.chunk_bytes : mesh.plan().chunk_bytes;
    // Rings made later may not change what the engine has told its callers: max_in_place().
    if (mesh.on_demand()) config.chunk_bytes = std::min(config.chunk_bytes, mesh.plan().ring_bytes() / 4);
    if (mesh.networked()) config.chunk_bytes = std::min(config.chunk_bytes, far);
    config.eager_window = settings.eager_bytes != 0 ? settings.eager_bytes : mesh.plan().eager_bytes;
    config.far_eager_window = network::eager_window(settings.eager_bytes, mesh.network_ring_bytes());
    // Nor may the first contact over a network.
    const std::uint64_t promised = std::min(config.chunk_bytes, config.eager_window);
    config.far_chunk_bytes = settings.chunk_bytes != 0 ? settings.chunk_bytes : std::max(kFarChunk, promised);
    config.single_copy_bytes =
        settings.single_copy_bytes.value_or(std::min(kOfferedFrom, config.eager_window));
    config.unexpected_budget = settings.unexpected_bytes;
    config.crowded = mesh.job_crowded();
    return config;
}

/// Shown where somebody will remove what is left of it: rb2run, which has started the job, or watches over
/// one of another launcher.
state::OwnPage make_page(const bootstrap::Session& session) {
    const char* const job = std::getenv("RB2_JOB_NONCE");
    const bool ours = job != nullptr && session.job_nonce() == job;
    const char* const watched = session.launched() ? std::getenv("RB2_PAGES") : nullptr;
    const char* const nonce = ours ? job : watched;
    const std::string name = nonce == nullptr || !bootstrap::is_nonce(nonce)
                                 ? std::string()
                                 : state::page_name(getuid(), nonce, session.rank());
    const bool keep = ours || std::getenv("RB2_KEEP_PAGES") != nullptr;
    return {name, session.rank(), session.size(), keep};
}

[[noreturn]] void fail(const std::string& text, std::chrono::milliseconds patience) {
    the_world()->abort(EXIT_FAILURE, text, patience);
}

}  // namespace

/// Members in the order of their dependence: the later ones keep references to the earlier.
struct World::Parts {
    explicit Parts(const Settings& settings)
        : began(std::chrono::steady_clock::now()),
          session(bootstrap::Session::open()),
          joined(std::chrono::steady_clock::now()),
          report_start(settings.report_start),
          page(make_page(session)),
          mesh(mesh::Mesh::build(session, settings.mesh_options())),
          transport(mesh, wait::choose_policy(mesh.crowded(), mesh.network_spin(), !mesh.networks().empty()),
                    fail),
          engine(transport, engine_config(mesh, settings)) {
        engine.show_in(page);
        transport.count_waiting(page.page().totals.waited_ns);
        transport.show_in(page);
        if (settings.report_fabrics && session.rank() == 0)
            std::fputs(mesh::describe_fabrics(mesh.all_cards()).c_str(), stderr);
        if (engine.config().crowded) topology::settle(session.rank());
        if (settings.short_slices) wait::shorten_slice();  // also of the threads that this one starts
        page.reach(state::Phase::running);
    }

    /// Who waits for a rank that has left asks it over the network, so all stay until all leave.
    void leave_together() {
        session.begin_fence([this] { wait::ring(mesh.own_control().doorbell); });
        engine.farewell([this] { return session.fence_done(); });
    }

    /// To leave takes about a millisecond of a CPU. Where ranks share their CPUs, that would be taken from
    /// those that still work: their last messages would wait for it. So they have their turns first; not for
    /// long, they may have much to do.
    void let_others_finish() const noexcept {
        using Clock = std::chrono::steady_clock;
        constexpr int kTurns = 1000;
        const auto until = Clock::now() + std::chrono::milliseconds(20);
        for (int turn = 0; turn < kTurns && !mesh.all_finalizing() && Clock::now() < until; ++turn)
            sched_yield();
    }

    void report() const {
        const auto open = std::chrono::duration_cast<std::chrono::microseconds>(joined - began);
        const std::string line = start_report(session, mesh, transport, open) + "\n";
        std::fputs(line.c_str(), stderr);
    }

    std::chrono::steady_clock::time_point began;
    bootstrap::Session session;
    std::chrono::steady_clock::time_point joined;
    bool report_start;
    state::OwnPage page;
    mesh::Mesh mesh;
    FabricTransport transport;
    Engine engine;
};

World::World(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
World::~World() = default;

World& World::start() {
    if (was_started.exchange(true)) {
        throw StartupError(
            "rb2 was started a second time in one process; start it once, and never after finalize");
    }
    const Settings settings = Settings::from_environment();
    the_world().reset(new World(std::make_unique<Parts>(settings)));
    return *the_world();
}

World* World::current() noexcept { return the_world().get(); }
bool World::finalized() noexcept { return was_finalized; }

Engine& World::engine() noexcept { return parts_->engine; }
int World::rank() const noexcept { return parts_->engine.rank(); }
int World::size() const noexcept { return parts_->engine.size(); }

std::uint32_t World::app_number() const noexcept { return parts_->session.app_number(); }

std::string_view World::host(int rank) const noexcept {
    return parts_->mesh.host_name(static_cast<std::uint32_t>(rank));
}

bool World::shares_machine(int rank) const noexcept {
    const auto& local = parts_->session.local_ranks();
    return std::ranges::binary_search(local, static_cast<std::uint32_t>(rank)) &&
           host(rank) == host(this->rank());
}

std::string World::describe(int rank) const { return fmt::format("rank {} ({})", rank, host(rank)); }

void World::share_among_threads() noexcept {
    threads().share(parts_->mesh.own_control().doorbell);
    parts_->engine.share(threads());
}

void World::finalize() {
    parts_->page.reach(state::Phase::finalizing);
    parts_->engine.drain_sends();
    if (parts_->report_start) parts_->report();
    parts_->mesh.own_control().phase.store(mesh::Phase::finalizing, std::memory_order_release);
    if (parts_->mesh.networked()) parts_->leave_together();
    if (parts_->engine.config().crowded) parts_->let_others_finish();
    while (!parts_->mesh.all_attached()) sched_yield();  // a slow peer still needs the segment's name
    parts_->session.finalize();
    parts_->page.reach(state::Phase::ended);
    was_finalized = true;
    threads().end();
    the_world().reset();
}

void World::abort(int code, std::string_view text, std::chrono::milliseconds patience) {
    std::fflush(nullptr);
    parts_->session.abort(code, fmt::format("{}: {}", describe(rank()), text), patience);
}

}  // namespace rb2::pt2pt
