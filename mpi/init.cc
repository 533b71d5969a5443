// MPI_Init, MPI_Finalize and what can be asked about them at any time.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "mpi/comm.hpp"
#include "mpi/comm_attributes.hpp"
#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/info.hpp"
#include "mpi/library.hpp"

namespace rb2::mpi {

constinit bool one_caller = false;

namespace {

enum class Stage { before, running, after };

struct Library {
    std::atomic<Stage> stage = Stage::before;  // any thread may ask at any time
    pt2pt::Job* job = nullptr;
    int thread_level = MPI_THREAD_SINGLE;
    std::thread::id main_thread;
    int open_sessions = 0;
    pid_t host_of_sessions = 0;  // the process; 0: there was none
};
Library library;

void make_predefined_comms(pt2pt::Job& running) {
    predefined_comms.world = new Comm;
    predefined_comms.world->communicator = &running.world_communicator();
    predefined_comms.self = new Comm;
    predefined_comms.self->communicator = &running.self_communicator();
}

/// Joins the job, unless a session has done so. Throws StartupError.
void run() {
    if (library.job != nullptr) return;
    library.job = &pt2pt::Job::join();
    make_predefined_comms(*library.job);
}

/// Requests that were never completed may still hold a reference, so the objects go by drop().
void drop_predefined_comms() {
    predefined_comms.world->drop();
    predefined_comms.self->drop();
    predefined_comms = {};
}

void stop() {
    one_caller = false;
    drop_predefined_comms();
    library.job = nullptr;
    pt2pt::Job::leave();
}

/// At the end of a process that had sessions. One that has not finalized them, or was forked, just ends: the
/// launcher says so.
void stop_at_exit() {
    const bool finalized = library.open_sessions == 0 && library.stage != Stage::running;
    if (library.job != nullptr && finalized && getpid() == library.host_of_sessions) stop();
}

/// A rank that cannot start ends, with the reason on stderr: no error handler can be set before MPI_Init.
[[noreturn]] void fail_start(const char* function, const std::exception& error) {
    std::fflush(nullptr);
    fmt::print(stderr, "rb2: {} failed: {}\n", function, error.what());
    std::_Exit(EXIT_FAILURE);
}

/// The lowest level that is at least `required`; the highest for all above it (MPI 5.0, section 11.6.2).
int level_for(int required) noexcept {
    constexpr std::array levels{MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                MPI_THREAD_MULTIPLE};
    const auto level = std::lower_bound(levels.begin(), levels.end(), required);
    return level == levels.end() ? levels.back() : *level;
}

/// From now on calls take turns, if `among_threads`.
void set_callers(bool among_threads) {
    if (among_threads && !pt2pt::threads().shared()) library.job->world().share_among_threads();
    one_caller = !pt2pt::threads().shared();
}

/// With MPI_THREAD_MULTIPLE calls meet; at all lower levels they never do.
void set_thread_level(int level) {
    library.thread_level = level;
    library.main_thread = std::this_thread::get_id();
    set_callers(level == MPI_THREAD_MULTIPLE);
}

void describe_start(int level) {
    const pt2pt::World& world = library.job->world();
    remember_start(world.size(), world.host(world.rank()), level);
}

int start(const char* function, int required, int* provided) {
    const pt2pt::Turn turn(pt2pt::threads());
    if (library.stage == Stage::running)
        return fail(MPI_ERR_OTHER, function,
                    "called a second time: a program calls MPI_Init or MPI_Init_thread once");
    if (library.stage == Stage::after) return not_running(function);
    try {
        run();
    } catch (const std::exception& error) {
        fail_start(function, error);
    }
    set_thread_level(level_for(required));
    describe_start(library.thread_level);
    library.stage = Stage::running;
    if (provided != nullptr) *provided = library.thread_level;
    return MPI_SUCCESS;
}

}  // namespace

pt2pt::Job* job() noexcept { return library.job; }

void begin_session(int thread_level) {
    run();
    // Sessions of different threads know nothing of each other, whatever each says of its own calls.
    set_callers(thread_level != MPI_THREAD_SINGLE);
    if (library.host_of_sessions == 0) {
        if (library.stage == Stage::before) describe_start(thread_level);
        library.host_of_sessions = getpid();
        std::atexit(stop_at_exit);
    }
    ++library.open_sessions;
}

void end_session() {
    library.job->world().engine().drain_sends();
    --library.open_sessions;
}

}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE_ANYTIME(int, Init, int*, char***) { return start("MPI_Init", MPI_THREAD_SINGLE, nullptr); }

RB2_MPI_DEFINE_ANYTIME(int, Init_thread, int*, char***, int required, int* provided) {
    return start("MPI_Init_thread", required, provided);
}

RB2_MPI_DEFINE(int, Finalize, void) {
    if (library.stage != Stage::running) return not_running("MPI_Finalize");
    // As if MPI_COMM_SELF were freed first: users hang their own ends of the program there.
    delete_attributes("MPI_Finalize", MPI_COMM_SELF, *predefined_comms.self);
    delete_attributes("MPI_Finalize", MPI_COMM_WORLD, *predefined_comms.world);
    library.stage = Stage::after;
    if (library.host_of_sessions == 0)
        stop();
    else
        library.job->world().engine().drain_sends();
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE_ANYTIME(int, Initialized, int* flag) {
    *flag = library.stage != Stage::before ? 1 : 0;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE_ANYTIME(int, Finalized, int* flag) {
    *flag = library.stage == Stage::after ? 1 : 0;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE_ANYTIME(int, Query_thread, int* provided) {
    *provided = library.thread_level;
    return require_running("MPI_Query_thread");
}

RB2_MPI_DEFINE_ANYTIME(int, Is_thread_main, int* flag) {
    *flag = std::this_thread::get_id() == library.main_thread ? 1 : 0;
    return require_running("MPI_Is_thread_main");
}

RB2_MPI_DEFINE_ANYTIME(int, Abort, MPI_Comm, int errorcode) {
    std::fflush(nullptr);
    // The low 8 bits are what a parent process sees; an aborted job never looks like a good one.
    const int code = (errorcode & 0xff) == 0 ? EXIT_FAILURE : errorcode;
    if (library.job == nullptr) std::_Exit(code);
    rb2::pt2pt::World& world = library.job->world();
    world.abort(code, fmt::format("called MPI_Abort with code {}", errorcode));
}
