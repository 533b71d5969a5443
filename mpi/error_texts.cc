// The error classes: names, meanings, advice.

#include <array>

#include "mpi/errors.hpp"

namespace rb2::mpi {
namespace {

constexpr const char* kSeeStandard = "see the function's description in the MPI standard";
constexpr const char* kReport = "report this with the text above: it is a fault of the library";
constexpr const char* kNotProvided = "nothing: no function that can report this is provided";

/// By class, 0 … MPI_ERR_ABI.
constexpr std::array<ClassText, MPI_ERR_ABI + 1> kTexts = {{
    {"MPI_SUCCESS", "no error", ""},
    {"MPI_ERR_BUFFER", "invalid buffer",
     "pass the address of memory that holds all elements, or a count of 0"},
    {"MPI_ERR_COUNT", "invalid count",
     "pass a count from 0 up; use the _c form of the call for 2^31 and more"},
    {"MPI_ERR_TYPE", "invalid datatype", "pass a predefined datatype such as MPI_INT or MPI_BYTE"},
    {"MPI_ERR_TAG", "invalid tag",
     "use tags from 0 to the attribute MPI_TAG_UB; MPI_ANY_TAG only to receive"},
    {"MPI_ERR_COMM", "invalid communicator",
     "use MPI_COMM_WORLD or a communicator that was made and not freed, between MPI_Init and MPI_Finalize"},
    {"MPI_ERR_RANK", "invalid rank", "use ranks from 0 to the communicator's size minus 1, or MPI_PROC_NULL"},
    {"MPI_ERR_REQUEST", "invalid request",
     "pass a request that a nonblocking call filled in and no call completed"},
    {"MPI_ERR_ROOT", "invalid root",
     "use a root from 0 to the communicator's size minus 1, the same on all ranks"},
    {"MPI_ERR_GROUP", "invalid group", kNotProvided},
    {"MPI_ERR_OP", "invalid reduction operation",
     "use a predefined operation that is defined for the datatype"},
    {"MPI_ERR_TOPOLOGY", "invalid topology",
     "use a communicator made by the MPI_Cart, MPI_Graph or MPI_Dist_graph function of the same kind"},
    {"MPI_ERR_DIMS", "invalid dimensions", "let MPI_Dims_create find dimensions for the number of ranks"},
    {"MPI_ERR_ARG", "invalid argument", kSeeStandard},
    {"MPI_ERR_UNKNOWN", "unknown error", kReport},
    {"MPI_ERR_TRUNCATE", "message truncated: it is longer than the receive buffer",
     "receive with a larger count, or ask MPI_Probe and MPI_Get_count for the size first"},
    {"MPI_ERR_OTHER", "other error", "read the text above"},
    {"MPI_ERR_INTERN", "internal error", kReport},
    {"MPI_ERR_PENDING", "request not finished", "wait for it again"},
    {"MPI_ERR_IN_STATUS", "at least one request failed", "look at MPI_ERROR of each status"},
    {"MPI_ERR_ACCESS", "permission denied", kNotProvided},
    {"MPI_ERR_AMODE", "invalid file mode", kNotProvided},
    {"MPI_ERR_ASSERT", "invalid assertion", kNotProvided},
    {"MPI_ERR_BAD_FILE", "invalid file name", kNotProvided},
    {"MPI_ERR_BASE", "invalid base address", "pass what MPI_Alloc_mem gave"},
    {"MPI_ERR_CONVERSION", "data conversion failed", kNotProvided},
    {"MPI_ERR_DISP", "invalid displacement", kNotProvided},
    {"MPI_ERR_DUP_DATAREP", "data representation defined twice", kNotProvided},
    {"MPI_ERR_FILE_EXISTS", "file exists", kNotProvided},
    {"MPI_ERR_FILE_IN_USE", "file in use", kNotProvided},
    {"MPI_ERR_FILE", "invalid file handle", kNotProvided},
    {"MPI_ERR_INFO_KEY", "invalid info key", "use a key of 1 to MPI_MAX_INFO_KEY - 1 characters"},
    {"MPI_ERR_INFO_NOKEY", "info key not there",
     "ask MPI_Info_get_nkeys and MPI_Info_get_nthkey which keys there are"},
    {"MPI_ERR_INFO_VALUE", "invalid info value", "use a value of at most MPI_MAX_INFO_VAL - 1 characters"},
    {"MPI_ERR_INFO", "invalid info object", "pass MPI_INFO_NULL or an info that MPI_Info_create made"},
    {"MPI_ERR_IO", "input or output failed", kNotProvided},
    {"MPI_ERR_KEYVAL", "invalid attribute key",
     "use a predefined key such as MPI_TAG_UB, or one that a keyval function made"},
    {"MPI_ERR_LOCKTYPE", "invalid kind of lock", kNotProvided},
    {"MPI_ERR_NAME", "service name unknown", kNotProvided},
    {"MPI_ERR_NO_MEM", "out of memory",
     "free memory, use fewer ranks on this machine, or send smaller messages"},
    {"MPI_ERR_NOT_SAME", "ranks passed different arguments", "pass the same on all ranks"},
    {"MPI_ERR_NO_SPACE", "no space left", kNotProvided},
    {"MPI_ERR_NO_SUCH_FILE", "no such file", kNotProvided},
    {"MPI_ERR_PORT", "invalid port", kNotProvided},
    {"MPI_ERR_QUOTA", "quota exceeded", kNotProvided},
    {"MPI_ERR_READ_ONLY", "read-only file", kNotProvided},
    {"MPI_ERR_RMA_ATTACH", "memory cannot be attached", kNotProvided},
    {"MPI_ERR_RMA_CONFLICT", "conflicting accesses to a window", kNotProvided},
    {"MPI_ERR_RMA_RANGE", "target memory outside the window", kNotProvided},
    {"MPI_ERR_RMA_SHARED", "memory cannot be shared", kNotProvided},
    {"MPI_ERR_RMA_SYNC", "wrong synchronisation of a window", kNotProvided},
    {"MPI_ERR_SERVICE", "service name not published", kNotProvided},
    {"MPI_ERR_SIZE", "invalid size", kSeeStandard},
    {"MPI_ERR_SPAWN", "processes cannot be spawned", kNotProvided},
    {"MPI_ERR_UNSUPPORTED_DATAREP", "data representation not supported", kNotProvided},
    {"MPI_ERR_UNSUPPORTED_OPERATION", "operation not supported", kSeeStandard},
    {"MPI_ERR_WIN", "invalid window", kNotProvided},
    {"MPI_ERR_RMA_FLAVOR", "wrong flavor of window", kNotProvided},
    {"MPI_ERR_PROC_ABORTED", "a rank is gone", "look at the other ranks' output for why it ended"},
    {"MPI_ERR_VALUE_TOO_LARGE", "value too large for its type", "use the _c form of the call"},
    {"MPI_ERR_SESSION", "invalid session", kNotProvided},
    {"MPI_ERR_ERRHANDLER", "invalid error handler",
     "use MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT or MPI_ERRORS_RETURN"},
    {"MPI_ERR_ABI", "ABI mismatch", "run the program with the libmpi_abi.so.1 of an MPI 5.0 library"},
}};

}  // namespace

bool is_error_class(int error_class) noexcept {
    return error_class >= 0 && error_class < static_cast<int>(kTexts.size());
}

const ClassText& class_text(int error_class) noexcept {
    return kTexts[static_cast<std::size_t>(is_error_class(error_class) ? error_class : MPI_ERR_UNKNOWN)];
}

}  // namespace rb2::mpi
