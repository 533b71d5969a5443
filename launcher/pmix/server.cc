#include "launcher/pmix/server.hpp"

#include <fmt/core.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <utility>

#include "launcher/pmix/info_list.hpp"
#include "launcher/pmix/job_info.hpp"
#include "launcher/pmix/upcalls.hpp"
#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

constexpr std::chrono::seconds kOperationLimit{10};
constexpr std::chrono::milliseconds kParkLimit{500};

void require(pmix_status_t status, const char* what, const std::string& advice = {}) {
    if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED) {
        throw LaunchError(kExitLauncher, fmt::format("PMIx {}: {} failed: {}{}", PMIx_Get_version(), what,
                                                     PMIx_Error_string(status), advice));
    }
}

/// The completion of one or more PMIx operations, filled in by the progress thread.
class Completion {
  public:
    explicit Completion(int operations) : left_(operations) {}

    /// The pmix_op_cbfunc_t to pass, with the Completion as context.
    static void done(pmix_status_t status, void* self) { static_cast<Completion*>(self)->finish_one(status); }

    /// Waits for all; throws LaunchError when one failed or the library does not answer.
    void wait(const char* what) {
        if (result_.wait_for(kOperationLimit) != std::future_status::ready) {
            throw LaunchError(kExitLauncher, fmt::format("PMIx {}: no answer to {} in {} s",
                                                         PMIx_Get_version(), what, kOperationLimit.count()));
        }
        require(result_.get(), what);
    }

  private:
    void finish_one(pmix_status_t status) {
        if (status != PMIX_SUCCESS && first_error_ == PMIX_SUCCESS) {
            first_error_ = status;
        }
        if (--left_ == 0) {
            promise_.set_value(first_error_);
        }
    }

    int left_;
    pmix_status_t first_error_ = PMIX_SUCCESS;
    std::promise<pmix_status_t> promise_;
    std::future<pmix_status_t> result_ = promise_.get_future();
};

pmix_proc_t process_name(const std::string& nspace, pmix_rank_t rank) {
    pmix_proc_t name;
    PMIX_LOAD_PROCID(&name, nspace.c_str(), rank);
    return name;
}

/// Small segments of the shared key store: its default of 2 x 4 MiB, zero-filled, costs 28 ms a job, and more
/// are added as they are needed. A variable the user set wins.
constexpr std::array<std::pair<const char*, const char*>, 2> kStoreSizes{
    {{"NS_META_SEG_SIZE", "65536"}, {"NS_DATA_SEG_SIZE", "262144"}}};

void prefer_small_store() {
    constexpr int keep = 0;
    for (const auto& [variable, bytes] : kStoreSizes) ::setenv(variable, bytes, keep);
}

/// The user id of a connection's other end says enough on one host. Asked for MUNGE as well, PMIx takes two
/// seconds on a host whose munge daemon has left its socket behind. A choice of the user's wins.
void authenticate_by_user_id() {
    constexpr int keep = 0;
    ::setenv("PMIX_MCA_psec", "native", keep);
}

/// PMIx talks to ranks over TCP, also on one host, and says no more than INIT where there is no address for
/// that.
std::string network_advice() {
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) return {};
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(first, ::freeifaddrs);
    for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next)
        if ((one->ifa_flags & IFF_UP) != 0 && one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET)
            return {};
    return "; no network interface with an IPv4 address is up, not even the loopback; to try: ip link set lo "
           "up";
}

void start_library(const Job& job, const topology::Machine& machine, RankEventQueue& events) {
    static char source[] = "hwloc";
    static pmix_topology_t shared_topology{source, machine.hwloc()};  // PMIx keeps the pointer
    InfoList info;
    info.add_string(PMIX_SERVER_NSPACE, job.nspace + ".launcher");
    info.add_rank(PMIX_SERVER_RANK, 0);
    info.add_string(PMIX_SERVER_TMPDIR, job.footprint.scratch.string());
    info.add_string(PMIX_SYSTEM_TMPDIR, job.footprint.scratch.string());
    info.add_bool(PMIX_SERVER_TOOL_SUPPORT, false);  // else rendezvous files appear
    info.add_string(PMIX_HOSTNAME, job.host);
    info.add_topology(&shared_topology);  // spares the library its own discovery with all devices (20 ms)
    prefer_prompt_events();
    authenticate_by_user_id();
    const pmix_status_t started = PMIx_server_init(upcall_table(events), info.data(), info.size());
    require(started, "server start", started == PMIX_SUCCESS ? "" : network_advice());
    require(watch_connections() ? PMIX_SUCCESS : PMIX_ERROR, "event registration");
}

void register_job(const Job& job, const RankCpus& cpus) {
    InfoList info = job_info(job, cpus);
    const auto completion = std::make_unique<Completion>(1);
    require(PMIx_server_register_nspace(job.nspace.c_str(), job.size, info.data(), info.size(),
                                        Completion::done, completion.get()),
            "job registration");
    completion->wait("job registration");
}

/// All of them before the first rank starts: a fence with an unregistered peer never completes.
void register_ranks(const Job& job) {
    const auto completion = std::make_unique<Completion>(job.size);
    for (int rank = 0; rank < job.size; ++rank) {
        const pmix_proc_t name = process_name(job.nspace, static_cast<pmix_rank_t>(rank));
        require(PMIx_server_register_client(&name, ::geteuid(), ::getegid(), nullptr, Completion::done,
                                            completion.get()),
                "rank registration");
    }
    completion->wait("rank registration");
}

}  // namespace

PmixServer::PmixServer(const Job& job, const topology::Machine& machine, const RankCpus& cpus,
                       RankEventQueue& events)
    : nspace_(job.nspace) {
    prefer_small_store();
    start_library(job, machine, events);
    register_job(job, cpus);
    register_ranks(job);
}

void PmixServer::add_variables(int rank, Environment& environment) const {
    const pmix_proc_t name = process_name(nspace_, static_cast<pmix_rank_t>(rank));
    char** added = nullptr;
    require(PMIx_server_setup_fork(&name, &added), "environment of a rank");
    for (char** variable = added; *variable != nullptr; ++variable) {
        const std::string text = *variable;
        const std::size_t equals = text.find('=');
        set_variable(environment, text.substr(0, equals), text.substr(equals + 1));
    }
    PMIX_ARGV_FREE(added);
    // A rank with other sizes than the server reads behind the end of the first segment once there are two.
    for (const auto& [variable, bytes] : kStoreSizes) set_variable(environment, variable, ::getenv(variable));
}

void PmixServer::park() {
    if (parked_) {
        return;
    }
    parked_ = true;
    static std::promise<void> reached;  // the progress thread keeps using it
    const auto stop_here = [](pmix_status_t, void*) {
        reached.set_value();
        for (;;) {
            ::pause();
        }
    };
    // Any operation with a callback takes us onto the progress thread; this one names nobody.
    const pmix_proc_t nobody = process_name("nobody", 0);
    PMIx_server_deregister_client(&nobody, stop_here, nullptr);
    reached.get_future().wait_for(kParkLimit);
}

}  // namespace rb2::launcher
