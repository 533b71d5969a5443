#include "mpi/errors.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "mpi/session.hpp"
#include "mpi/user_error.hpp"
#include "pt2pt/describe.hpp"
#include "pt2pt/job.hpp"

namespace rb2::mpi {
namespace {

/// Last text of each class on this rank.
std::array<std::string, MPI_ERR_ABI + 1> last_texts;

pt2pt::World* running_world() {
    pt2pt::Job* const job = pt2pt::Job::current();
    return job == nullptr ? nullptr : &job->world();
}

std::string where(const Failure& failure) {
    if (running_world() == nullptr) return fmt::format("process {}, which is not in a running job", getpid());
    const Comm& comm = failure.comm == nullptr ? *predefined_comms.world : *failure.comm;
    const pt2pt::Communicator& communicator = comm.communicator->own_side();
    return fmt::format("{}, {} ({} rank{})", pt2pt::who(communicator, communicator.rank()),
                       pt2pt::name_of(*comm.communicator), communicator.size(),
                       communicator.size() == 1 ? "" : "s");
}

std::string block(const Failure& failure) {
    const UserError* const user = find_user_error(failure.error_class);
    const ClassText& text = class_text(user != nullptr ? user->error_class : failure.error_class);
    std::string lines = fmt::format("rb2: {} failed: {} ({})\n", failure.function, text.meaning, text.name);
    if (user != nullptr) lines += fmt::format("  meaning  {}\n", user->text);
    lines += fmt::format("  what     {}\n  where    {}\n", failure.what, where(failure));
    if (failure.comm != nullptr && failure.comm->communicator->has_rank(failure.peer))
        lines += fmt::format("  with     {}\n", pt2pt::who(*failure.comm->communicator, failure.peer));
    if (!failure.message.empty()) lines += fmt::format("  message  {}\n", failure.message);
    lines += fmt::format("  to try   {}\n", text.advice);
    return lines;
}

/// One write, so that blocks of different ranks do not mix.
void print(const std::string& text) {
    std::fflush(nullptr);
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

[[noreturn]] void end_job(const Failure& failure) {
    print(block(failure));
    if (pt2pt::World* world = running_world())
        world->abort(failure.error_class, fmt::format("{}: {}", failure.function, failure.what));
    std::_Exit(failure.error_class);
}

/// MPI 5.0, section 9.3: errors of no communicator go to MPI_COMM_SELF's handler. Programs written before MPI
/// 4 set that of MPI_COMM_WORLD only, so it is asked while SELF's is still the default.
MPI_Errhandler handler_for(const Failure& failure) {
    if (failure.session != nullptr) return failure.session->errhandler.get();
    if (failure.comm != nullptr) return failure.comm->errhandler.get();
    if (predefined_comms.self == nullptr) return MPI_ERRORS_ARE_FATAL;
    const MPI_Errhandler of_self = predefined_comms.self->errhandler.get();
    return of_self != MPI_ERRORS_ARE_FATAL ? of_self : predefined_comms.world->errhandler.get();
}

/// The handle that the user's handler is told: without a communicator MPI_COMM_SELF.
MPI_Comm comm_handle(const Comm* comm) {
    if (comm == nullptr || comm == predefined_comms.self) return MPI_COMM_SELF;
    if (comm == predefined_comms.world) return MPI_COMM_WORLD;
    return reinterpret_cast<MPI_Comm>(const_cast<Comm*>(comm));
}

void keep_text(const Failure& failure) {
    if (!is_error_class(failure.error_class)) return;
    last_texts[static_cast<std::size_t>(failure.error_class)] =
        failure.message.empty() ? fmt::format("{}: {}", failure.function, failure.what)
                                : fmt::format("{}: {}; {}", failure.function, failure.what, failure.message);
}

}  // namespace

int fail(const Failure& failure) {
    keep_text(failure);
    const MPI_Errhandler handler = handler_for(failure);
    int code = failure.error_class;
    if (auto* const of_comm = function_of<MPI_Comm_errhandler_function>(handler); of_comm != nullptr) {
        MPI_Comm comm = comm_handle(failure.comm);
        of_comm(&comm, &code);
    } else if (auto* const of_session = function_of<MPI_Session_errhandler_function>(handler);
               of_session != nullptr) {
        auto session = reinterpret_cast<MPI_Session>(const_cast<Session*>(failure.session));
        of_session(&session, &code);
    } else if (handler != MPI_ERRORS_RETURN) {
        end_job(failure);
    }
    return failure.error_class;
}

int fail(int error_class, const char* function, std::string what, const Comm* comm) {
    Failure failure;
    failure.error_class = error_class;
    failure.function = function;
    failure.comm = comm;
    failure.what = std::move(what);
    return fail(failure);
}

int not_running(const char* function) {
    int finalized = 0;
    MPI_Finalized(&finalized);
    return fail(MPI_ERR_OTHER, function,
                finalized != 0 ? "called after MPI_Finalize: no call that communicates may follow it"
                               : "called before MPI_Init: call MPI_Init or MPI_Init_thread first");
}

int fail_comm(const char* function, MPI_Comm handle) {
    if (predefined_comms.world == nullptr) return not_running(function);
    if (handle == MPI_COMM_NULL) return fail(MPI_ERR_COMM, function, "the communicator is MPI_COMM_NULL");
    return fail(MPI_ERR_COMM, function, fmt::format("{} is no communicator", show_handle(handle)));
}

int class_of(Status status) noexcept {
    switch (status) {
        case Status::ok:
            return MPI_SUCCESS;
        case Status::truncated:
            return MPI_ERR_TRUNCATE;
        case Status::invalid_argument:
            return MPI_ERR_ARG;
        case Status::out_of_memory:
            return MPI_ERR_NO_MEM;
        case Status::peer_lost:
            return MPI_ERR_PROC_ABORTED;
        case Status::would_block:
        case Status::fatal:
            return MPI_ERR_INTERN;
    }
    return MPI_ERR_INTERN;
}

bool is_error_code(int code) noexcept { return is_error_class(code) || find_user_error(code) != nullptr; }

std::string collective_failure(Status status) {
    if (status == Status::truncated)
        return "another rank gave more or less than this one expects; are the counts the same?";
    if (status == Status::out_of_memory) return "there is no memory for its messages";
    return "a message to or from another rank failed";
}

std::string explain(int code) {
    if (const UserError* const user = find_user_error(code); user != nullptr) return user->text;
    const ClassText& text = class_text(code);
    const std::string& last = last_texts[static_cast<std::size_t>(is_error_class(code) ? code : 0)];
    if (code == MPI_SUCCESS || last.empty()) return fmt::format("{} ({})", text.meaning, text.name);
    return fmt::format("{} ({}); last: {}", text.meaning, text.name, last);
}

std::string unknown_datatype(MPI_Datatype datatype) {
    if (datatype == MPI_DATATYPE_NULL) return "the datatype is MPI_DATATYPE_NULL";
    return fmt::format("{} is no datatype", show_handle(datatype));
}

std::string show_handle(const void* handle) { return fmt::format("{}", fmt::ptr(handle)); }

}  // namespace rb2::mpi
