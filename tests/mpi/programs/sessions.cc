// sessions alone|with_world: sessions one after the other, several at a time, without MPI_Init and next to
// it; process sets, communicators made from them, and errors.
#include <cstring>
#include <string>

#include "tests/mpi/programs/check.hpp"

namespace {

using rb2::test::check;

/// MPI_COMM_WORLD may not be there to tell which rank fails, nor to be aborted with by its own handler.
class Session {
  public:
    explicit Session(const char* thread_level = nullptr) {
        MPI_Info info = MPI_INFO_NULL;
        if (thread_level != nullptr) {
            MPI_Info_create(&info);
            MPI_Info_set(info, "thread_level", thread_level);
        }
        check(MPI_Session_init(info, MPI_ERRORS_RETURN, &handle) == MPI_SUCCESS, "MPI_Session_init");
        if (info != MPI_INFO_NULL) MPI_Info_free(&info);
    }
    ~Session() {
        check(MPI_Session_finalize(&handle) == MPI_SUCCESS, "MPI_Session_finalize");
        check(handle == MPI_SESSION_NULL, "the handle of a session that has ended");
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    MPI_Session handle = MPI_SESSION_NULL;
};

/// A communicator of a process set.
class Communicator {
  public:
    Communicator(const Session& session, const char* set, const char* tag) {
        MPI_Group group = MPI_GROUP_NULL;
        check(MPI_Group_from_session_pset(session.handle, set, &group) == MPI_SUCCESS, "group of a set");
        check(
            MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &handle) == MPI_SUCCESS,
            "MPI_Comm_create_from_group");
        MPI_Group_free(&group);
    }
    ~Communicator() { MPI_Comm_free(&handle); }
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    MPI_Comm handle = MPI_COMM_NULL;
};

std::string value_of(MPI_Info info, const char* key) {
    char value[MPI_MAX_INFO_VAL] = "";
    int length = sizeof value;
    int flag = 0;
    MPI_Info_get_string(info, key, &length, value, &flag);
    check(flag != 0, key);
    return value;
}

/// Collective and point-to-point, on a communicator of all ranks.
void talk(MPI_Comm comm) {
    const rb2::test::Ranks ranks(comm);
    int sum = -1;
    MPI_Allreduce(&ranks.rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    check(sum == ranks.size * (ranks.size - 1) / 2, "MPI_Allreduce");
    int token = ranks.rank;
    MPI_Sendrecv_replace(&token, 1, MPI_INT, (ranks.rank + 1) % ranks.size, 5,
                         (ranks.rank + ranks.size - 1) % ranks.size, 5, comm, MPI_STATUS_IGNORE);
    check(token == (ranks.rank + ranks.size - 1) % ranks.size, "a message to the next rank");
}

void process_sets(const Session& session, int job_size) {
    int sets = 0;
    MPI_Session_get_num_psets(session.handle, MPI_INFO_NULL, &sets);
    check(sets == 2, "two process sets");
    for (int i = 0; i < sets; ++i) {
        int length = 0;
        MPI_Session_get_nth_pset(session.handle, MPI_INFO_NULL, i, &length, nullptr);
        std::string name(static_cast<std::size_t>(length), '#');
        MPI_Session_get_nth_pset(session.handle, MPI_INFO_NULL, i, &length, name.data());
        check(std::strlen(name.c_str()) + 1 == name.size(), "length of a set's name");
        MPI_Info info = MPI_INFO_NULL;
        check(MPI_Session_get_pset_info(session.handle, name.c_str(), &info) == MPI_SUCCESS, "info of a set");
        check(value_of(info, "mpi_size") == std::to_string(i == 0 ? job_size : 1), "mpi_size");
        MPI_Info_free(&info);
    }
    char cut[6];
    int room = sizeof cut;
    MPI_Session_get_nth_pset(session.handle, MPI_INFO_NULL, 0, &room, cut);
    check(std::strcmp(cut, "mpi:/") == 0 && room == 12, "a name cut to its room");
}

int calls = 0;
void count_call(MPI_Session*, int*, ...) { ++calls; }

void errors(const Session& session) {
    MPI_Group group = MPI_GROUP_NULL;
    check(MPI_Group_from_session_pset(session.handle, "mpi://WORLDS", &group) == MPI_ERR_ARG, "no such set");
    int length = 0;
    check(MPI_Session_get_nth_pset(session.handle, MPI_INFO_NULL, 2, &length, nullptr) == MPI_ERR_ARG,
          "no such number");
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Session_create_errhandler(count_call, &handler);
    MPI_Session_set_errhandler(session.handle, handler);
    check(MPI_Session_get_pset_info(session.handle, "no set", nullptr) == MPI_ERR_ARG && calls == 1,
          "a user's handler is told");
    MPI_Session_call_errhandler(session.handle, MPI_ERR_OTHER);
    check(calls == 2, "MPI_Session_call_errhandler");
    MPI_Errhandler found = MPI_ERRHANDLER_NULL;
    MPI_Session_get_errhandler(session.handle, &found);
    check(found == handler, "MPI_Session_get_errhandler");
    MPI_Errhandler_free(&found);

    const Communicator self(session, "mpi://SELF", "errors");
    check(MPI_Comm_set_errhandler(self.handle, handler) == MPI_ERR_ERRHANDLER,
          "a session's handler is none for communicators");
    MPI_Errhandler_free(&handler);
    MPI_Session_set_errhandler(session.handle, MPI_ERRORS_RETURN);
}

void wrong_level() {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_MANY");
    MPI_Session session = MPI_SESSION_NULL;
    check(MPI_Session_init(info, MPI_ERRORS_RETURN, &session) == MPI_ERR_INFO_VALUE, "no such level");
    check(session == MPI_SESSION_NULL, "no session after an error");
    MPI_Info_free(&info);
}

int size_of(const Session& session) {
    const Communicator world(session, "mpi://WORLD", "size");
    return rb2::test::Ranks(world.handle).size;
}

/// Two at a time, each with a communicator of the same ranks and the same string tag.
void two_at_once() {
    const Session one;
    const Session other("MPI_THREAD_MULTIPLE");
    MPI_Info used = MPI_INFO_NULL;
    MPI_Session_get_info(other.handle, &used);
    check(value_of(used, "thread_level") == "MPI_THREAD_MULTIPLE", "the level asked for");
    MPI_Info_free(&used);
    const Communicator first(one, "mpi://WORLD", "tag");
    const Communicator second(other, "mpi://world", "tag");
    talk(first.handle);
    talk(second.handle);
}

void all_of_it() {
    wrong_level();
    for (int round = 0; round < 3; ++round) {
        const Session session;
        process_sets(session, size_of(session));
        errors(session);
        const Communicator world(session, "mpi://WORLD", "all");
        talk(world.handle);
        const Communicator self(session, "mpi://SELF", "self");
        check(rb2::test::Ranks(self.handle).size == 1, "only this rank");
        calls = 0;
    }
    two_at_once();
}

int flag_of(int (*ask)(int*)) {
    int flag = -1;
    ask(&flag);
    return flag;
}

}  // namespace

int main(int, char** argv) {
    check(flag_of(MPI_Initialized) == 0, "not initialized");
    all_of_it();
    check(flag_of(MPI_Initialized) == 0, "sessions are not MPI_Init");
    if (std::strcmp(argv[1], "with_world") != 0) return 0;
    {
        const rb2::test::Mpi mpi;
        talk(MPI_COMM_WORLD);
        all_of_it();
    }
    check(flag_of(MPI_Finalized) == 1, "finalized");
    all_of_it();  // sessions go on after MPI_Finalize
}
