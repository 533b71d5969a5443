#pragma once
// What an MPI_Comm stands for.

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "mpi.h"
#include "mpi/attributes.hpp"
#include "mpi/errhandler.hpp"
#include "mpi/topology.hpp"
#include "pt2pt/communicator.hpp"
#include "pt2pt/job.hpp"

namespace rb2::mpi {

/// First word of every object behind a handle, so that a wrong handle is noticed. Wiped when the object goes.
enum class Magic : std::uint32_t {
    gone = 0,
    comm = 0x52423243,        // "RB2C"
    request = 0x52423252,     // "RB2R"
    message = 0x5242324d,     // "RB2M"
    group = 0x52423247,       // "RB2G"
    op = 0x5242324f,          // "RB2O"
    datatype = 0x52423254,    // "RB2T"
    errhandler = 0x52423245,  // "RB2E"
    info = 0x52423249,        // "RB2I"
    session = 0x52423253,     // "RB2S"
};

/// Handles below this are predefined ones, never addresses (the ABI keeps them in the first page).
constexpr std::uintptr_t kFirstAddress = 0x1000;

/// The object behind `handle`, or null when the handle is predefined or no `Object`, whose first member must
/// be its Magic.
template <class Object, class Handle>
Object* object_behind(Handle handle, Magic magic) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(handle);
    if (address < kFirstAddress) return nullptr;
    // Copied out: a wrong handle may point between two words.
    Magic found{};
    std::memcpy(&found, reinterpret_cast<const void*>(address), sizeof found);
    return found == magic ? reinterpret_cast<Object*>(address) : nullptr;
}

/// Lives as long as its handle or a request that uses it: see retain() and drop().
struct Comm {
    Magic magic = Magic::comm;
    int references = 1;
    pt2pt::Communicator* communicator = nullptr;
    HandlerSlot errhandler;
    std::unique_ptr<pt2pt::Communicator> owned;  // null for the predefined ones
    std::string name;                            // of MPI_Comm_set_name
    AttributeSet<CommAttributes> attributes;     // what users set
    std::shared_ptr<const Topology> topology;    // null: none

    [[nodiscard]] pt2pt::Engine& engine() const noexcept { return communicator->engine(); }
    void retain() noexcept { ++references; }
    void drop() noexcept {
        if (--references == 0) [[unlikely]]
            delete this;
    }
    ~Comm() { magic = Magic::gone; }
};

/// The two predefined communicators; null before MPI_Init and after MPI_Finalize.
struct PredefinedComms {
    Comm* world = nullptr;
    Comm* self = nullptr;
};
inline constinit PredefinedComms predefined_comms;

[[gnu::noinline]] Comm* find_other_comm(MPI_Comm handle) noexcept;

/// The communicator behind a handle, or null: the handle is none, or the library is not running.
inline Comm* find_comm(MPI_Comm handle) noexcept {
    return handle == MPI_COMM_WORLD ? predefined_comms.world : find_other_comm(handle);
}

/// Gives a handle that stands for nothing yet its communicator.
void fill(Comm& comm, std::unique_ptr<pt2pt::Communicator> communicator);

/// A handle for a new communicator (null: to be given by fill()), with its parent's error handler.
[[nodiscard]] MPI_Comm adopt(std::unique_ptr<pt2pt::Communicator> communicator, const Comm& parent);

/// Sets `newcomm` to a handle for what the job made, or to MPI_COMM_NULL. Returns the error class.
int finish_making(const char* function, pt2pt::Job::Made made, const Comm& parent, MPI_Comm* newcomm);

/// For a call that is defined for intercommunicators only.
[[gnu::cold]] int fail_not_inter(const char* function, const Comm& comm);

/// find_comm() for the short way of a message: knows all but MPI_COMM_SELF, and makes no call.
inline Comm* find_comm_quickly(MPI_Comm handle) noexcept {
    Comm* const world = predefined_comms.world;
    if (handle == MPI_COMM_WORLD) [[likely]]
        return world;
    return world != nullptr ? object_behind<Comm>(handle, Magic::comm) : nullptr;
}

/// Gives a duplicate what duplicates get of their parent, whose handle is `from`: attributes and topology. On
/// an error, which is returned, the duplicate is gone and its handle MPI_COMM_NULL.
int inherit(const char* function, MPI_Comm from, const Comm& parent, MPI_Comm* duplicate);

}  // namespace rb2::mpi
