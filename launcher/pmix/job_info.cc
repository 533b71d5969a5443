// The two maps alone would do: the library derives the rest. The per-rank array adds the program's number
// (MPMD) and the binding, and an array must then be complete, or Open MPI's library refuses it.
#include "launcher/pmix/job_info.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <memory>
#include <numeric>

#include "launcher/sys/launch_error.hpp"

namespace rb2::launcher {
namespace {

/// Owner of a malloc'ed string, as PMIx hands them out.
class PmixText {
  public:
    explicit PmixText(char* text) : text_(text, &std::free) {}
    [[nodiscard]] const char* get() const { return text_.get(); }

  private:
    std::unique_ptr<char, decltype(&std::free)> text_;
};

std::uint32_t count(int value) { return static_cast<std::uint32_t>(value); }
pmix_rank_t rank_id(int value) { return static_cast<pmix_rank_t>(value); }

void require_info(pmix_status_t status, const char* what) {
    if (status != PMIX_SUCCESS) {
        throw LaunchError(kExitLauncher, fmt::format("PMIx: {} failed: {}", what, PMIx_Error_string(status)));
    }
}

void add_maps(InfoList& info, const Job& job) {
    char* text = nullptr;
    require_info(PMIx_generate_regex(job.host.c_str(), &text), "node map");
    const PmixText nodes(text);
    require_info(PMIx_generate_ppn(rank_list(job.size).c_str(), &text), "process map");
    const PmixText processes(text);
    info.add_regex(PMIX_NODE_MAP, nodes.get());
    info.add_regex(PMIX_PROC_MAP, processes.get());
}

void add_sizes(InfoList& info, const Job& job) {
    info.add_string(PMIX_JOBID, job.nspace);
    info.add_uint32(PMIX_JOB_SIZE, count(job.size));
    info.add_uint32(PMIX_UNIV_SIZE, count(job.size));
    info.add_uint32(PMIX_MAX_PROCS, count(job.size));
    info.add_uint32(PMIX_NUM_SLOTS, count(job.size));
    info.add_uint32(PMIX_NODE_SIZE, count(job.size));
    info.add_uint32(PMIX_LOCAL_SIZE, count(job.size));
    info.add_uint32(PMIX_NUM_NODES, 1);
    info.add_uint32(PMIX_JOB_NUM_APPS, count(static_cast<int>(job.apps.size())));
    info.add_string(PMIX_LOCAL_PEERS, rank_list(job.size));
    info.add_rank(PMIX_LOCALLDR, 0);
}

void add_directories(InfoList& info, const Job& job) {
    info.add_string(PMIX_TMPDIR, job.footprint.scratch.string());
    info.add_string(PMIX_NSDIR, job.footprint.scratch.string());
    info.add_bool(PMIX_TDIR_RMCLEAN, true);  // we remove it, not the ranks
}

void add_apps(InfoList& info, const Job& job) {
    for (std::size_t i = 0; i < job.apps.size(); ++i) {
        InfoList app;
        app.add_uint32(PMIX_APPNUM, static_cast<std::uint32_t>(i));
        app.add_uint32(PMIX_APP_SIZE, count(job.apps[i].ranks));
        app.add_rank(PMIX_APPLDR, rank_id(job.apps[i].first_rank));
        info.add_array(PMIX_APP_INFO_ARRAY, app);
    }
}

void add_binding(InfoList& info, const topology::CpuSet& cpus) {
    char source[] = "hwloc";
    pmix_cpuset_t cpuset{source, const_cast<hwloc_bitmap_t>(cpus.hwloc())};  // C type; it only reads
    char* text = nullptr;
    require_info(PMIx_server_generate_cpuset_string(&cpuset, &text), "cpuset string");
    info.add_string(PMIX_CPUSET, PmixText(text).get());
    require_info(PMIx_server_generate_locality_string(&cpuset, &text), "locality string");
    info.add_string(PMIX_LOCALITY_STRING, PmixText(text).get());
}

void add_rank(InfoList& info, const Job& job, int rank, const topology::CpuSet& cpus) {
    const App& app = job.app_of(rank);
    InfoList item;
    item.add_rank(PMIX_RANK, rank_id(rank));  // must be the first
    item.add_uint32(PMIX_APPNUM, count(job.app_index(rank)));
    item.add_uint16(PMIX_LOCAL_RANK, static_cast<std::uint16_t>(rank));
    item.add_uint16(PMIX_NODE_RANK, static_cast<std::uint16_t>(rank));
    item.add_rank(PMIX_GLOBAL_RANK, rank_id(rank));
    item.add_rank(PMIX_APP_RANK, rank_id(rank - app.first_rank));
    item.add_rank(PMIX_APPLDR, rank_id(app.first_rank));
    item.add_uint32(PMIX_NODEID, 0);
    item.add_string(PMIX_HOSTNAME, job.host);
    item.add_uint32(PMIX_REINCARNATION, 0);
    if (!cpus.empty()) {
        add_binding(item, cpus);
    }
    info.add_array(PMIX_PROC_INFO_ARRAY, item);
}

}  // namespace

std::string rank_list(int size) {
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    return fmt::format("{}", fmt::join(ranks, ","));
}

InfoList job_info(const Job& job, const RankCpus& cpus) {
    InfoList info;
    add_maps(info, job);
    add_sizes(info, job);
    add_directories(info, job);
    if (job.apps.size() == 1) {
        info.add_uint32(PMIX_APP_SIZE, count(job.size));
    } else {
        add_apps(info, job);
    }
    for (int rank = 0; rank < job.size; ++rank) {
        add_rank(info, job, rank, cpus[static_cast<std::size_t>(rank)]);
    }
    return info;
}

}  // namespace rb2::launcher
