/* Sessions, and what the library tells of its ABI.
 * Part of mpi.h; see rb2/mpi_functions.h.
 */
#ifndef RB2_MPI_SESSIONS_H
#define RB2_MPI_SESSIONS_H

#include "rb2/mpi_types.h"

RB2_MPI_FUNCTION(int, Session_init, MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session);
RB2_MPI_FUNCTION(int, Session_finalize, MPI_Session* session);
RB2_MPI_FUNCTION(int, Session_get_info, MPI_Session session, MPI_Info* info_used);

/* Process sets: mpi://WORLD and mpi://SELF */
RB2_MPI_FUNCTION(int, Session_get_num_psets, MPI_Session session, MPI_Info info, int* npset_names);
RB2_MPI_FUNCTION(int, Session_get_nth_pset, MPI_Session session, MPI_Info info, int n, int* pset_len,
                 char* pset_name);
RB2_MPI_FUNCTION(int, Session_get_pset_info, MPI_Session session, const char* pset_name, MPI_Info* info);
RB2_MPI_FUNCTION(int, Group_from_session_pset, MPI_Session session, const char* pset_name,
                 MPI_Group* newgroup);

/* Errors of sessions */
RB2_MPI_FUNCTION(int, Session_create_errhandler, MPI_Session_errhandler_function* session_errhandler_fn,
                 MPI_Errhandler* errhandler);
RB2_MPI_FUNCTION(int, Session_set_errhandler, MPI_Session session, MPI_Errhandler errhandler);
RB2_MPI_FUNCTION(int, Session_get_errhandler, MPI_Session session, MPI_Errhandler* errhandler);
RB2_MPI_FUNCTION(int, Session_call_errhandler, MPI_Session session, int error_code);

/* The ABI */
RB2_MPI_FUNCTION(int, Abi_get_version, int* abi_major, int* abi_minor);
RB2_MPI_FUNCTION(int, Abi_get_info, MPI_Info* info);

#endif /* RB2_MPI_SESSIONS_H */
