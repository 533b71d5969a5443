// Sessions (MPI 5.0, section 11.3): the library without MPI_COMM_WORLD, for parts of a program that know
// nothing of each other. The two process sets that the standard names are there: all ranks, and the own one.

#include "mpi/session.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>

#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/group.hpp"
#include "mpi/info.hpp"
#include "mpi/library.hpp"
#include "mpi/text.hpp"
#include "runtime/status.hpp"

namespace rb2::mpi {
namespace {

constexpr const char* kThreadLevel = "thread_level";
constexpr std::array kThreadLevels{MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                   MPI_THREAD_MULTIPLE};
constexpr std::array kProcessSets{"mpi://WORLD", "mpi://SELF"};

Session* find_session(MPI_Session handle) noexcept { return object_behind<Session>(handle, Magic::session); }

int fail_session(const char* function, MPI_Session handle) {
    return fail(MPI_ERR_SESSION, function,
                handle == MPI_SESSION_NULL ? std::string("the session is MPI_SESSION_NULL")
                                           : fmt::format("{} is no session", show_handle(handle)));
}

int fail_in(const Session& session, int error_class, const char* function, std::string what) {
    Failure failure;
    failure.error_class = error_class;
    failure.function = function;
    failure.session = &session;
    failure.what = std::move(what);
    return fail(failure);
}

/// The level that the hints ask for; nothing: they name one that does not exist.
std::optional<int> wanted_level(const InfoEntries& hints) {
    for (const auto& [key, value] : hints) {
        if (key != kThreadLevel) continue;
        for (const int level : kThreadLevels)
            if (value == thread_level_name(level)) return level;
        return std::nullopt;
    }
    return MPI_THREAD_SINGLE;
}

/// Sets the session's level and starts the library, unless it runs.
int open(Session& session, MPI_Info info) {
    constexpr const char* function = "MPI_Session_init";
    const InfoEntries none;
    const InfoEntries* const hints = info == MPI_INFO_NULL ? &none : entries_of(info);
    if (hints == nullptr)
        return fail_in(session, MPI_ERR_INFO, function, fmt::format("{} is no info", show_handle(info)));
    const std::optional<int> level = wanted_level(*hints);
    if (!level)
        return fail_in(
            session, MPI_ERR_INFO_VALUE, function,
            "the value of \"thread_level\" is the name of no thread level, as MPI_THREAD_MULTIPLE is");
    session.thread_level = *level;
    try {
        begin_session(*level);
    } catch (const std::exception& error) {
        return fail_in(session, MPI_ERR_OTHER, function, error.what());
    }
    return MPI_SUCCESS;
}

/// The members of a process set; nothing: there is no such set. Names are URIs, so upper and lower case are
/// the same in these.
std::optional<Members> members_of_set(const char* name) {
    pt2pt::World& world = job()->world();
    if (strcasecmp(name, kProcessSets[1]) == 0) return Members{world.rank()};
    if (strcasecmp(name, kProcessSets[0]) != 0) return std::nullopt;
    Members all(static_cast<std::size_t>(world.size()));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// Calls `then(members)`.
template <class Then>
int with_set(const char* function, MPI_Session handle, const char* name, Then then) {
    const Session* const session = find_session(handle);
    if (session == nullptr) return fail_session(function, handle);
    if (name == nullptr) return fail_in(*session, MPI_ERR_ARG, function, "the name is a null pointer");
    std::optional<Members> members = members_of_set(name);
    if (!members)
        return fail_in(*session, MPI_ERR_ARG, function,
                       fmt::format("there is no process set \"{}\": there are {} and {}", name,
                                   kProcessSets[0], kProcessSets[1]));
    then(std::move(*members));
    return MPI_SUCCESS;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;
using Handler = MPI_Session_errhandler_function;

RB2_MPI_DEFINE(int, Session_init, MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
    *session = MPI_SESSION_NULL;
    if (!is_errhandler<Handler>(errhandler))
        return fail(MPI_ERR_ERRHANDLER, "MPI_Session_init", no_errhandler(errhandler));
    auto opened = std::make_unique<Session>();
    opened->errhandler.set(errhandler);
    if (const int error = open(*opened, info); error != MPI_SUCCESS) return error;
    *session = reinterpret_cast<MPI_Session>(opened.release());
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Session_finalize, MPI_Session* session) {
    const std::unique_ptr<Session> closed(find_session(*session));
    if (closed == nullptr) return fail_session("MPI_Session_finalize", *session);
    end_session();
    *session = MPI_SESSION_NULL;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Session_get_info, MPI_Session session, MPI_Info* info_used) {
    const Session* const found = find_session(session);
    if (found == nullptr) return fail_session("MPI_Session_get_info", session);
    *info_used = new_info({{kThreadLevel, thread_level_name(found->thread_level)}});
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Session_get_num_psets, MPI_Session session, MPI_Info info, int* npset_names) {
    if (find_session(session) == nullptr) return fail_session("MPI_Session_get_num_psets", session);
    if (const int error = check_info("MPI_Session_get_num_psets", info); error != MPI_SUCCESS) return error;
    *npset_names = static_cast<int>(kProcessSets.size());
    return MPI_SUCCESS;
}

/// `pset_len` is the room at `pset_name`, and becomes what the name needs with its final zero; 0 asks for
/// that only.
RB2_MPI_DEFINE(int, Session_get_nth_pset, MPI_Session session, MPI_Info info, int n, int* pset_len,
               char* pset_name) {
    const Session* const found = find_session(session);
    if (found == nullptr) return fail_session("MPI_Session_get_nth_pset", session);
    if (const int error = check_info("MPI_Session_get_nth_pset", info); error != MPI_SUCCESS) return error;
    if (n < 0 || static_cast<std::size_t>(n) >= kProcessSets.size())
        return fail_in(*found, MPI_ERR_ARG, "MPI_Session_get_nth_pset",
                       fmt::format("there is no process set number {}: there are {}, counted from 0", n,
                                   kProcessSets.size()));
    const std::string name = kProcessSets[static_cast<std::size_t>(n)];
    if (*pset_len > 0) copy_cut(name, pset_name, static_cast<std::size_t>(*pset_len));
    *pset_len = static_cast<int>(name.size()) + 1;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Session_get_pset_info, MPI_Session session, const char* pset_name, MPI_Info* info) {
    return with_set("MPI_Session_get_pset_info", session, pset_name, [&](const Members& members) {
        *info = new_info({{"mpi_size", fmt::format("{}", members.size())}});
    });
}

RB2_MPI_DEFINE(int, Group_from_session_pset, MPI_Session session, const char* pset_name,
               MPI_Group* newgroup) {
    *newgroup = MPI_GROUP_NULL;
    return with_set("MPI_Group_from_session_pset", session, pset_name,
                    [&](Members members) { *newgroup = handle_of(std::move(members)); });
}

RB2_MPI_DEFINE(int, Session_create_errhandler, MPI_Session_errhandler_function* session_errhandler_fn,
               MPI_Errhandler* errhandler) {
    return make_errhandler("MPI_Session_create_errhandler", session_errhandler_fn, errhandler);
}

RB2_MPI_DEFINE(int, Session_set_errhandler, MPI_Session session, MPI_Errhandler errhandler) {
    Session* const found = find_session(session);
    if (found == nullptr) return fail_session("MPI_Session_set_errhandler", session);
    if (!is_errhandler<Handler>(errhandler))
        return fail_in(*found, MPI_ERR_ERRHANDLER, "MPI_Session_set_errhandler", no_errhandler(errhandler));
    found->errhandler.set(errhandler);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Session_get_errhandler, MPI_Session session, MPI_Errhandler* errhandler) {
    const Session* const found = find_session(session);
    if (found == nullptr) return fail_session("MPI_Session_get_errhandler", session);
    *errhandler = found->errhandler.get();
    retain(*errhandler);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Session_call_errhandler, MPI_Session session, int error_code) {
    const Session* const found = find_session(session);
    if (found == nullptr) return fail_session("MPI_Session_call_errhandler", session);
    // What the handler lets return is no error of this call.
    (void)fail_in(*found, error_code, "MPI_Session_call_errhandler",
                  fmt::format("called with error code {}", error_code));
    return MPI_SUCCESS;
}
