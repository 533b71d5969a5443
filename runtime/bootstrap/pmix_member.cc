// A rank of a job, as a plain PMIx client: put, commit, fence, get and nothing that one launcher alone
// offers.
#include <fmt/format.h>
#include <pmix.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

#include "runtime/bootstrap/member.hpp"
#include "runtime/bootstrap/nonce.hpp"
#include "runtime/bootstrap/peer_events.hpp"
#include "runtime/bootstrap/pmix_values.hpp"

namespace rb2::bootstrap {
namespace {

/// How late a rank may come to publish what another already asks for, and between two questions: twice as
/// long each time.
constexpr std::chrono::seconds kLatePublication{10};
constexpr std::chrono::milliseconds kShortestPause{1};
constexpr std::chrono::milliseconds kLongestPause{16};

/// "0,1,2" to numbers; what is not a number is skipped.
std::vector<std::uint32_t> parse_ranks(const std::string& list) {
    std::vector<std::uint32_t> ranks;
    for (const char *at = list.data(), *end = at + list.size(); at < end; ++at) {
        std::uint32_t rank = 0;
        const auto [stop, error] = std::from_chars(at, end, rank);
        if (error != std::errc{}) continue;
        ranks.push_back(rank);
        at = stop;
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

/// Whether what PMIx has not found may be there later. For "not found" servers of other nodes have many
/// words: that of Open MPI 4.1's mpirun is HANDSHAKE_FAILED, Slurm 22.05's is ERROR.
bool may_come(pmix_status_t status) {
    return status != PMIX_ERR_TIMEOUT && status != PMIX_ERR_UNREACH && status != PMIX_ERR_LOST_CONNECTION &&
           status != PMIX_ERR_TYPE_MISMATCH;
}

class PmixMember final : public Member {
  public:
    explicit PmixMember(const LauncherTrace& trace) : pid_(::getpid()) {
        const pmix_status_t status = PMIx_Init(&self_, nullptr, 0);
        if (status != PMIX_SUCCESS)
            throw StartupError(
                launcher_error(trace, environment_variable, status_text(status), own_pmix_version()));
        initialized_ = true;
        try {
            read_facts(trace);
        } catch (...) {
            finalize();
            throw;
        }
    }
    PmixMember(const PmixMember&) = delete;
    PmixMember& operator=(const PmixMember&) = delete;
    ~PmixMember() override { finalize(); }

    void put(const char* key, std::span<const std::byte> mine, Scope scope) override {
        require(put_bytes(key, mine, scope == Scope::node ? PMIX_LOCAL : PMIX_GLOBAL), "publishing its card");
    }
    void commit() override { require(PMIx_Commit(), "publishing its card"); }

    /// PMIx waits for what is not there yet, but not always, and no attribute of PMIx_Get makes it: PMIX_WAIT
    /// belongs to PMIx_Lookup, PMIX_TIMEOUT only ends a wait.
    Bytes fetch(const char* key, std::uint32_t rank) override {
        using Clock = std::chrono::steady_clock;
        const auto end = Clock::now() + kLatePublication;
        auto pause = kShortestPause;
        for (;;) {
            pmix_status_t status = PMIX_SUCCESS;
            auto bytes = get_bytes(process_name(self_.nspace, rank), key, kLatePublication, status);
            if (bytes) return *std::move(bytes);
            if (!may_come(status) || Clock::now() >= end)
                require(status, fmt::format("reading the card of rank {}", rank));
            std::this_thread::sleep_for(pause);
            pause = std::min(2 * pause, kLongestPause);
        }
    }

    std::string host_name(std::uint32_t rank) const override {
        return get_string(process_name(self_.nspace, rank), PMIX_HOSTNAME).value_or("");
    }

    void fence() override { require(fence_all(self_.nspace), "in a barrier (did a rank end early?)"); }

    /// Collects nothing: it is the last. Where that makes it no barrier (Slurm 22.05 without
    /// SLURM_PMIX_FENCE=ring) ranks may leave early.
    void begin_fence(std::function<void()> done) override {
        tell_fence_done_ = std::move(done);
        const pmix_proc_t everybody = process_name(self_.nspace, PMIX_RANK_WILDCARD);
        if (PMIx_Fence_nb(&everybody, 1, nullptr, 0, fence_ended, this) != PMIX_SUCCESS)
            fence_ended(PMIX_ERROR, this);
    }

    bool fence_done() const noexcept override { return fence_done_; }

    void on_peer_loss(PeerLossHandler handler) override {
        watch_peers(self_.nspace, facts_.rank, std::move(handler));
    }

    void finalize() noexcept override {
        // A forked child shares the connection to the launcher and must not speak on it.
        if (!initialized_ || pid_ != ::getpid()) return;
        initialized_ = false;
        forget_peers();
        PMIx_Finalize(nullptr, 0);
    }

    void request_abort(int code, const std::string& text) noexcept override {
        if (initialized_) PMIx_Abort(code, text.c_str(), nullptr, 0);
    }

  private:
    /// On PMIx's thread, which finalize() ends. A rank that has died is the launcher's to tell; nothing is
    /// left to be waited for then.
    static void fence_ended(pmix_status_t /*status*/, void* member) {
        auto& self = *static_cast<PmixMember*>(member);
        self.fence_done_ = true;
        self.tell_fence_done_();
    }

    void read_facts(const LauncherTrace& trace) {
        const pmix_proc_t job = process_name(self_.nspace, PMIX_RANK_WILDCARD);
        facts_.launched = true;
        facts_.rank = self_.rank;
        facts_.size = get_number(job, PMIX_JOB_SIZE).value_or(0);
        if (facts_.size == 0 || facts_.rank >= facts_.size)
            throw StartupError(fmt::format("PMIx says rank {} of {} in job {}: not a job rb2 can join",
                                           facts_.rank, facts_.size, self_.nspace));
        // Later PMIx versions make a world of one themselves when they find no server.
        if (facts_.size == 1 && trace.pmix.empty())
            throw StartupError(
                launcher_error(trace, environment_variable, "it reports a job of one", own_pmix_version()));
        facts_.app_number = get_number(self_, PMIX_APPNUM).value_or(0);
        facts_.nonce = choose_nonce(environment_variable, self_.nspace);
        read_local_ranks(job);
    }

    void read_local_ranks(const pmix_proc_t& job) {
        facts_.local_ranks = parse_ranks(get_string(job, PMIX_LOCAL_PEERS).value_or(""));
        auto me = std::find(facts_.local_ranks.begin(), facts_.local_ranks.end(), facts_.rank);
        if (me == facts_.local_ranks.end())
            throw StartupError(
                fmt::format("rank {}: PMIx does not list it among the ranks of its own node", facts_.rank));
        facts_.local_rank = static_cast<std::uint32_t>(me - facts_.local_ranks.begin());
    }

    void require(pmix_status_t status, const std::string& action) const {
        if (status != PMIX_SUCCESS)
            throw StartupError(fmt::format("rank {} of {}: {} failed: {}", facts_.rank, facts_.size, action,
                                           status_text(status)));
    }

    pmix_proc_t self_{};
    pid_t pid_;
    std::function<void()> tell_fence_done_;
    std::atomic<bool> fence_done_{false};
    bool initialized_ = false;
};

}  // namespace

std::unique_ptr<Member> join_pmix_job(const LauncherTrace& trace) {
    return std::make_unique<PmixMember>(trace);
}

}  // namespace rb2::bootstrap
