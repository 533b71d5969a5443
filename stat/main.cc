// rb2stat: what the ranks of a running job do, from outside (rb2stat(1)).

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

#include "command/program.hpp"
#include "runtime/state/job_pages.hpp"
#include "runtime/state/report.hpp"
#include "stat/jobs.hpp"
#include "stat/raw.hpp"
#include "stat/screen.hpp"

namespace {

using namespace rb2;

/// A sleeping rank answers within a tenth of a second.
constexpr double kLeastInterval = 0.2;
constexpr double kOnce = 0.3;

struct Request {
    std::optional<pid_t> pid;
    double interval_s = 1;
    bool once = false;
    bool json = false;
    bool matrix = false;
    bool where = false;
    std::string raw;       // prefix of pages; empty: not asked for
    std::string last_raw;  // the same
};

void add_options(CLI::App& app, Request& request) {
    app.set_version_flag("-V,--version", "rb2stat (rb2) " RB2_VERSION);
    app.add_option("PID", request.pid,
                   "the job's rb2run or one of its ranks (default: the only job that runs)")
        ->check(CLI::Range(1, 1 << 30));
    app.add_flag("-1,--once", request.once, "print once and exit");
    app.add_option("-i,--interval", request.interval_s, "seconds from one view to the next (default 1)")
        ->check(CLI::Range(kLeastInterval, 86400.0))
        ->option_text("SECONDS");
    auto* json = app.add_flag("-j,--json", request.json, "print a line of JSON each time");
    app.add_flag("-m,--matrix", request.matrix, "also who sent how many messages to whom")->excludes(json);
    app.add_flag("-w,--where", request.where, "say once where every rank is, and name deadlocks")
        ->excludes(json);
    // Between programs of one rb2, so not for people: no help.
    app.add_option("--raw", request.raw)->group("");
    app.add_option("--raw-and-remove", request.last_raw)->group("");
}

/// The next look at a job, and where its ranks stand by then.
class Watch {
  public:
    explicit Watch(const std::string& page_prefix) : pages_(page_prefix) {
        pages_.find();
        ask();
    }

    /// After `seconds`; of the ranks that were seen before, too.
    const state::Looks& next(double seconds) {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        pages_.find();
        looks_.before = std::move(looks_.now);
        looks_.now = pages_.view(pages_.size());
        looks_.before.resize(looks_.now.size());
        ask();
        return looks_;
    }

    /// Nobody is left to look at.
    [[nodiscard]] bool over() const {
        for (const state::RankView& rank : looks_.now)
            if (rank.has_page && rank.process.letter != 0 && rank.phase != state::Phase::ended) return false;
        return true;
    }

  private:
    void ask() noexcept { pages_.ask(); }

    state::JobPages pages_;
    state::Looks looks_;
};

std::string show(const state::Looks& looks, const Request& request) {
    if (request.where) return state::hang_report(looks, "");
    return request.json ? jobstat::as_json(looks) : jobstat::as_text(looks, {request.matrix});
}

int run(const Request& request) {
    if (!request.raw.empty()) command::print(jobstat::look_twice(request.raw));
    if (!request.last_raw.empty()) command::print(jobstat::last_look(request.last_raw));
    if (!request.raw.empty() || !request.last_raw.empty()) return EXIT_SUCCESS;
    const jobstat::Job job = jobstat::choose_job(jobstat::find_jobs(), request.pid);
    Watch watch(job.page_prefix);
    const bool once = request.once || request.where;
    (void)watch.next(once ? kOnce : 0);
    const bool screen = !once && !request.json && ::isatty(STDOUT_FILENO) != 0;
    do {
        const state::Looks& looks = watch.next(once ? kOnce : request.interval_s);
        command::print((screen ? "\033[H\033[2J" : "") + show(looks, request));
    } while (!once && !watch.over());
    if (!once && !request.json) command::print("the job has ended\n");
    return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Shows what the ranks of a running job do.", "rb2stat");
    Request request;
    add_options(app, request);
    return rb2::command::run(app, argc, argv, [&] { return run(request); });
}
