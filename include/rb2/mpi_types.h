/* Types of the MPI 5.0 standard ABI. Part of mpi.h. */
#ifndef RB2_MPI_TYPES_H
#define RB2_MPI_TYPES_H

#include <stdint.h>

/* NOLINTBEGIN(modernize-*,readability-identifier-naming): C, with the standard's names. */

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;

typedef struct {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int MPI_internal[5]; /* the library's; copied with the rest by assignment */
} MPI_Status;

/* Handles: pointers to structs that are never completed here. Predefined ones are small integers. */
typedef struct MPI_ABI_Comm* MPI_Comm;
typedef struct MPI_ABI_Datatype* MPI_Datatype;
typedef struct MPI_ABI_Errhandler* MPI_Errhandler;
typedef struct MPI_ABI_File* MPI_File;
typedef struct MPI_ABI_Group* MPI_Group;
typedef struct MPI_ABI_Info* MPI_Info;
typedef struct MPI_ABI_Message* MPI_Message;
typedef struct MPI_ABI_Op* MPI_Op;
typedef struct MPI_ABI_Request* MPI_Request;
typedef struct MPI_ABI_Session* MPI_Session;
typedef struct MPI_ABI_Win* MPI_Win;

#ifdef __cplusplus
#define RB2_MPI_CONSTANT(type, value) (reinterpret_cast<type>(static_cast<intptr_t>(value)))
#else
#define RB2_MPI_CONSTANT(type, value) ((type)(intptr_t)(value))
#endif

/* Declares MPI_X and PMPI_X: C functions, visible whatever the flags of the program or of the library. */
#ifdef __cplusplus
#define RB2_MPI_C extern "C"
#else
#define RB2_MPI_C extern
#endif
#ifdef __GNUC__
#define RB2_MPI_VISIBLE __attribute__((visibility("default")))
#else
#define RB2_MPI_VISIBLE
#endif
#define RB2_MPI_FUNCTION(type, name, ...)                   \
    RB2_MPI_C RB2_MPI_VISIBLE type MPI_##name(__VA_ARGS__); \
    RB2_MPI_C RB2_MPI_VISIBLE type PMPI_##name(__VA_ARGS__)

/* Functions that users hand to the library. */
typedef void(MPI_User_function)(void* in, void* inout, int* length, MPI_Datatype* datatype);
typedef void(MPI_User_function_c)(void* in, void* inout, MPI_Count* length, MPI_Datatype* datatype);
typedef void(MPI_Comm_errhandler_function)(MPI_Comm* comm, int* error_code, ...);
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef void(MPI_File_errhandler_function)(MPI_File* file, int* error_code, ...);
typedef void(MPI_Session_errhandler_function)(MPI_Session* session, int* error_code, ...);
typedef void(MPI_Win_errhandler_function)(MPI_Win* win, int* error_code, ...);
typedef int(MPI_Comm_copy_attr_function)(MPI_Comm comm, int keyval, void* extra_state, void* value_in,
                                         void* value_out, int* flag);
typedef int(MPI_Comm_delete_attr_function)(MPI_Comm comm, int keyval, void* value, void* extra_state);
typedef int(MPI_Type_copy_attr_function)(MPI_Datatype datatype, int keyval, void* extra_state, void* value_in,
                                         void* value_out, int* flag);
typedef int(MPI_Type_delete_attr_function)(MPI_Datatype datatype, int keyval, void* value, void* extra_state);
typedef int(MPI_Win_copy_attr_function)(MPI_Win win, int keyval, void* extra_state, void* value_in,
                                        void* value_out, int* flag);
typedef int(MPI_Win_delete_attr_function)(MPI_Win win, int keyval, void* value, void* extra_state);
typedef MPI_Comm_copy_attr_function MPI_Copy_function;     /* deprecated */
typedef MPI_Comm_delete_attr_function MPI_Delete_function; /* deprecated */
typedef int(MPI_Grequest_query_function)(void* extra_state, MPI_Status* status);
typedef int(MPI_Grequest_free_function)(void* extra_state);
typedef int(MPI_Grequest_cancel_function)(void* extra_state, int complete);
typedef int(MPI_Datarep_extent_function)(MPI_Datatype datatype, MPI_Aint* extent, void* extra_state);
typedef int(MPI_Datarep_conversion_function)(void* userbuf, MPI_Datatype datatype, int count, void* filebuf,
                                             MPI_Offset position, void* extra_state);
typedef int(MPI_Datarep_conversion_function_c)(void* userbuf, MPI_Datatype datatype, MPI_Count count,
                                               void* filebuf, MPI_Offset position, void* extra_state);

/* NOLINTEND(modernize-*,readability-identifier-naming) */

#endif /* RB2_MPI_TYPES_H */
