// What a program may ask about where it runs, and memory.

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <new>
#include <string>

#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/info.hpp"
#include "mpi/library.hpp"
#include "mpi/text.hpp"
#include "mpi/user_error.hpp"

namespace rb2::mpi {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::align_val_t kAlignment{64};  ///< of MPI_Alloc_mem: one cache line

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE_ANYTIME(double, Wtime, void) {
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

RB2_MPI_DEFINE_ANYTIME(double, Wtick, void) {
    return static_cast<double>(Clock::period::num) / static_cast<double>(Clock::period::den);
}

RB2_MPI_DEFINE(int, Get_processor_name, char* name, int* resultlen) {
    if (const int error = require_running("MPI_Get_processor_name"); error != MPI_SUCCESS) return error;
    rb2::pt2pt::World& world = job()->world();
    copy_text(std::string(world.host(world.rank())), name, MPI_MAX_PROCESSOR_NAME, resultlen);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE_ANYTIME(int, Get_version, int* version, int* subversion) {
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE_ANYTIME(int, Get_library_version, char* version, int* resultlen) {
    copy_text(fmt::format("rb2 {}, point-to-point subset of MPI {}.{} with the standard ABI {}.{}",
                          RB2_VERSION, MPI_VERSION, MPI_SUBVERSION, MPI_ABI_VERSION, MPI_ABI_SUBVERSION),
              version, MPI_MAX_LIBRARY_VERSION_STRING, resultlen);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE_ANYTIME(int, Abi_get_version, int* abi_major, int* abi_minor) {
    *abi_major = MPI_ABI_VERSION;
    *abi_minor = MPI_ABI_SUBVERSION;
    return MPI_SUCCESS;
}

/// Sizes that a binary may want to know before it relies on them, as the standard names them.
RB2_MPI_DEFINE(int, Abi_get_info, MPI_Info* info) {
    const auto size = [](std::size_t bytes) { return fmt::format("{}", bytes); };
    *info = new_info({{"mpi_aint_size", size(sizeof(MPI_Aint))},
                      {"mpi_count_size", size(sizeof(MPI_Count))},
                      {"mpi_offset_size", size(sizeof(MPI_Offset))}});
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Error_string, int errorcode, char* string, int* resultlen) {
    if (!is_error_code(errorcode))
        return fail(MPI_ERR_ARG, "MPI_Error_string", fmt::format("{} is no error code", errorcode));
    copy_text(explain(errorcode), string, MPI_MAX_ERROR_STRING, resultlen);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Error_class, int errorcode, int* errorclass) {
    if (!is_error_code(errorcode))
        return fail(MPI_ERR_ARG, "MPI_Error_class", fmt::format("{} is no error code", errorcode));
    const UserError* const user = find_user_error(errorcode);
    *errorclass = user != nullptr ? user->error_class : errorcode;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Alloc_mem, MPI_Aint size, MPI_Info info, void* baseptr) {
    if (const int error = require_running("MPI_Alloc_mem"); error != MPI_SUCCESS) return error;
    if (const int error = check_info("MPI_Alloc_mem", info); error != MPI_SUCCESS) return error;
    if (size < 0) return fail(MPI_ERR_SIZE, "MPI_Alloc_mem", fmt::format("the size is {} bytes", size));
    void* const memory = ::operator new(static_cast<std::size_t>(size), kAlignment, std::nothrow);
    if (memory == nullptr)
        return fail(MPI_ERR_NO_MEM, "MPI_Alloc_mem", fmt::format("no memory for {} bytes", size));
    std::memcpy(baseptr, &memory, sizeof(memory));
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Free_mem, void* base) {
    ::operator delete(base, kAlignment);
    return require_running("MPI_Free_mem");
}

RB2_MPI_DEFINE_ANYTIME(int, Pcontrol, const int, ...) { return MPI_SUCCESS; }
