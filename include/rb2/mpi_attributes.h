/* Attributes and info objects of the C interface.
 * Part of mpi.h; see rb2/mpi_functions.h.
 */
#ifndef RB2_MPI_ATTRIBUTES_H
#define RB2_MPI_ATTRIBUTES_H

#include "rb2/mpi_types.h"

/* Of communicators */
RB2_MPI_FUNCTION(int, Comm_create_keyval, MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                 MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval, void* extra_state);
RB2_MPI_FUNCTION(int, Comm_free_keyval, int* comm_keyval);
RB2_MPI_FUNCTION(int, Comm_get_attr, MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag);
RB2_MPI_FUNCTION(int, Comm_set_attr, MPI_Comm comm, int comm_keyval, void* attribute_val);
RB2_MPI_FUNCTION(int, Comm_delete_attr, MPI_Comm comm, int comm_keyval);

/* The same, deprecated */
RB2_MPI_FUNCTION(int, Keyval_create, MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn, int* keyval,
                 void* extra_state);
RB2_MPI_FUNCTION(int, Keyval_free, int* keyval);
RB2_MPI_FUNCTION(int, Attr_get, MPI_Comm comm, int keyval, void* attribute_val, int* flag);
RB2_MPI_FUNCTION(int, Attr_put, MPI_Comm comm, int keyval, void* attribute_val);
RB2_MPI_FUNCTION(int, Attr_delete, MPI_Comm comm, int keyval);

/* Of datatypes */
RB2_MPI_FUNCTION(int, Type_create_keyval, MPI_Type_copy_attr_function* type_copy_attr_fn,
                 MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval, void* extra_state);
RB2_MPI_FUNCTION(int, Type_free_keyval, int* type_keyval);
RB2_MPI_FUNCTION(int, Type_get_attr, MPI_Datatype datatype, int type_keyval, void* attribute_val, int* flag);
RB2_MPI_FUNCTION(int, Type_set_attr, MPI_Datatype datatype, int type_keyval, void* attribute_val);
RB2_MPI_FUNCTION(int, Type_delete_attr, MPI_Datatype datatype, int type_keyval);

/* Info */
RB2_MPI_FUNCTION(int, Info_create, MPI_Info* info);
RB2_MPI_FUNCTION(int, Info_create_env, int argc, char* argv[], MPI_Info* info);
RB2_MPI_FUNCTION(int, Info_dup, MPI_Info info, MPI_Info* newinfo);
RB2_MPI_FUNCTION(int, Info_free, MPI_Info* info);
RB2_MPI_FUNCTION(int, Info_set, MPI_Info info, const char* key, const char* value);
RB2_MPI_FUNCTION(int, Info_delete, MPI_Info info, const char* key);
RB2_MPI_FUNCTION(int, Info_get_nkeys, MPI_Info info, int* nkeys);
RB2_MPI_FUNCTION(int, Info_get_nthkey, MPI_Info info, int n, char* key);
RB2_MPI_FUNCTION(int, Info_get_string, MPI_Info info, const char* key, int* buflen, char* value, int* flag);

/* The same, deprecated */
RB2_MPI_FUNCTION(int, Info_get, MPI_Info info, const char* key, int valuelen, char* value, int* flag);
RB2_MPI_FUNCTION(int, Info_get_valuelen, MPI_Info info, const char* key, int* valuelen, int* flag);

#endif /* RB2_MPI_ATTRIBUTES_H */
