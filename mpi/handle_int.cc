// Handles as ints, for languages that keep them so, and back (MPI 5.0, section 20.3).

#include <climits>
#include <unordered_map>
#include <vector>

#include "mpi/comm.hpp"
#include "mpi/define.hpp"

namespace rb2::mpi {
namespace {

/// Predefined handles are their own numbers; objects get one behind them at the first question and keep it,
/// also beyond their end: an address that is used again is the same handle to its user, too.
class Numbers {
  public:
    int number_of(void* object) {
        const auto [at, is_new] = numbers_.try_emplace(object, static_cast<int>(objects_.size()));
        if (is_new) objects_.push_back(object);
        return static_cast<int>(kFirstAddress) + at->second;
    }
    void* object_of(int number) {
        const auto index = static_cast<std::size_t>(number) - kFirstAddress;
        return index < objects_.size() ? objects_[index] : nullptr;
    }

  private:
    std::unordered_map<void*, int> numbers_;
    std::vector<void*> objects_;
};

Numbers& numbers() {
    static Numbers all;
    return all;
}

template <class Handle>
int to_int(Handle handle) {
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    return value < kFirstAddress ? static_cast<int>(value) : numbers().number_of(handle);
}

/// A number that no handle has gives the value 0, which is no handle of any kind.
template <class Handle>
Handle from_int(int number) {
    if (number >= 0 && static_cast<std::uintptr_t>(number) < kFirstAddress)
        return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(number));
    return number < 0 ? nullptr : static_cast<Handle>(numbers().object_of(number));
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Comm_toint, MPI_Comm comm) { return to_int(comm); }
RB2_MPI_DEFINE(MPI_Comm, Comm_fromint, int comm) { return from_int<MPI_Comm>(comm); }
RB2_MPI_DEFINE(int, Errhandler_toint, MPI_Errhandler errhandler) { return to_int(errhandler); }
RB2_MPI_DEFINE(MPI_Errhandler, Errhandler_fromint, int errhandler) {
    return from_int<MPI_Errhandler>(errhandler);
}
RB2_MPI_DEFINE(int, File_toint, MPI_File file) { return to_int(file); }
RB2_MPI_DEFINE(MPI_File, File_fromint, int file) { return from_int<MPI_File>(file); }
RB2_MPI_DEFINE(int, Group_toint, MPI_Group group) { return to_int(group); }
RB2_MPI_DEFINE(MPI_Group, Group_fromint, int group) { return from_int<MPI_Group>(group); }
RB2_MPI_DEFINE(int, Info_toint, MPI_Info info) { return to_int(info); }
RB2_MPI_DEFINE(MPI_Info, Info_fromint, int info) { return from_int<MPI_Info>(info); }
RB2_MPI_DEFINE(int, Message_toint, MPI_Message message) { return to_int(message); }
RB2_MPI_DEFINE(MPI_Message, Message_fromint, int message) { return from_int<MPI_Message>(message); }
RB2_MPI_DEFINE(int, Op_toint, MPI_Op op) { return to_int(op); }
RB2_MPI_DEFINE(MPI_Op, Op_fromint, int op) { return from_int<MPI_Op>(op); }
RB2_MPI_DEFINE(int, Request_toint, MPI_Request request) { return to_int(request); }
RB2_MPI_DEFINE(MPI_Request, Request_fromint, int request) { return from_int<MPI_Request>(request); }
RB2_MPI_DEFINE(int, Session_toint, MPI_Session session) { return to_int(session); }
RB2_MPI_DEFINE(MPI_Session, Session_fromint, int session) { return from_int<MPI_Session>(session); }
RB2_MPI_DEFINE(int, Type_toint, MPI_Datatype datatype) { return to_int(datatype); }
RB2_MPI_DEFINE(MPI_Datatype, Type_fromint, int datatype) { return from_int<MPI_Datatype>(datatype); }
RB2_MPI_DEFINE(int, Win_toint, MPI_Win win) { return to_int(win); }
RB2_MPI_DEFINE(MPI_Win, Win_fromint, int win) { return from_int<MPI_Win>(win); }
