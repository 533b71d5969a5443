/* Functions of the C interface: each is there as MPI_X and, for profiling tools, as PMPI_X. Part of mpi.h.
 * Collectives, datatypes, topologies, attributes and infos have headers of their own.
 * Meaning, arguments and results are the MPI 5.0 standard's. "_c" forms take counts of type MPI_Count.
 */
#ifndef RB2_MPI_FUNCTIONS_H
#define RB2_MPI_FUNCTIONS_H

#include "rb2/mpi_types.h"

/* Start and end */
RB2_MPI_FUNCTION(int, Init, int* argc, char*** argv);
RB2_MPI_FUNCTION(int, Init_thread, int* argc, char*** argv, int required, int* provided);
RB2_MPI_FUNCTION(int, Query_thread, int* provided);
RB2_MPI_FUNCTION(int, Is_thread_main, int* flag);
RB2_MPI_FUNCTION(int, Initialized, int* flag);
RB2_MPI_FUNCTION(int, Finalized, int* flag);
RB2_MPI_FUNCTION(int, Finalize, void);
RB2_MPI_FUNCTION(int, Abort, MPI_Comm comm, int errorcode);

/* Environment */
RB2_MPI_FUNCTION(double, Wtime, void);
RB2_MPI_FUNCTION(double, Wtick, void);
RB2_MPI_FUNCTION(int, Get_processor_name, char* name, int* resultlen);
RB2_MPI_FUNCTION(int, Get_version, int* version, int* subversion);
RB2_MPI_FUNCTION(int, Get_library_version, char* version, int* resultlen);
RB2_MPI_FUNCTION(int, Error_string, int errorcode, char* string, int* resultlen);
RB2_MPI_FUNCTION(int, Error_class, int errorcode, int* errorclass);
RB2_MPI_FUNCTION(int, Alloc_mem, MPI_Aint size, MPI_Info info, void* baseptr);
RB2_MPI_FUNCTION(int, Free_mem, void* base);
RB2_MPI_FUNCTION(int, Pcontrol, const int level, ...);

/* Communicators */
RB2_MPI_FUNCTION(int, Comm_rank, MPI_Comm comm, int* rank);
RB2_MPI_FUNCTION(int, Comm_size, MPI_Comm comm, int* size);
RB2_MPI_FUNCTION(int, Comm_dup, MPI_Comm comm, MPI_Comm* newcomm);
RB2_MPI_FUNCTION(int, Comm_split, MPI_Comm comm, int color, int key, MPI_Comm* newcomm);
RB2_MPI_FUNCTION(int, Comm_free, MPI_Comm* comm);
RB2_MPI_FUNCTION(int, Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler errhandler);
RB2_MPI_FUNCTION(int, Comm_get_errhandler, MPI_Comm comm, MPI_Errhandler* errhandler);
RB2_MPI_FUNCTION(int, Errhandler_free, MPI_Errhandler* errhandler);

/* Groups */
RB2_MPI_FUNCTION(int, Comm_group, MPI_Comm comm, MPI_Group* group);
RB2_MPI_FUNCTION(int, Comm_compare, MPI_Comm comm1, MPI_Comm comm2, int* result);
RB2_MPI_FUNCTION(int, Comm_create, MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm);
RB2_MPI_FUNCTION(int, Group_size, MPI_Group group, int* size);
RB2_MPI_FUNCTION(int, Group_rank, MPI_Group group, int* rank);
RB2_MPI_FUNCTION(int, Group_translate_ranks, MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
                 int ranks2[]);
RB2_MPI_FUNCTION(int, Group_compare, MPI_Group group1, MPI_Group group2, int* result);
RB2_MPI_FUNCTION(int, Group_union, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup);
RB2_MPI_FUNCTION(int, Group_intersection, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup);
RB2_MPI_FUNCTION(int, Group_difference, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup);
RB2_MPI_FUNCTION(int, Group_incl, MPI_Group group, int n, const int ranks[], MPI_Group* newgroup);
RB2_MPI_FUNCTION(int, Group_excl, MPI_Group group, int n, const int ranks[], MPI_Group* newgroup);
RB2_MPI_FUNCTION(int, Group_range_incl, MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup);
RB2_MPI_FUNCTION(int, Group_range_excl, MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup);
RB2_MPI_FUNCTION(int, Group_free, MPI_Group* group);

/* Statuses */
RB2_MPI_FUNCTION(int, Test_cancelled, const MPI_Status* status, int* flag);

/* Blocking point-to-point */
RB2_MPI_FUNCTION(int, Send, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Send_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Ssend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Ssend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Rsend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Rsend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Bsend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Bsend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm);
RB2_MPI_FUNCTION(int, Recv, void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                 MPI_Status* status);
RB2_MPI_FUNCTION(int, Recv_c, void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                 MPI_Comm comm, MPI_Status* status);
RB2_MPI_FUNCTION(int, Sendrecv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                 int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Status* status);
RB2_MPI_FUNCTION(int, Sendrecv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                 int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source,
                 int recvtag, MPI_Comm comm, MPI_Status* status);
RB2_MPI_FUNCTION(int, Sendrecv_replace, void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                 int source, int recvtag, MPI_Comm comm, MPI_Status* status);
RB2_MPI_FUNCTION(int, Sendrecv_replace_c, void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                 int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status* status);
RB2_MPI_FUNCTION(int, Buffer_attach, void* buffer, int size);
RB2_MPI_FUNCTION(int, Buffer_attach_c, void* buffer, MPI_Count size);
RB2_MPI_FUNCTION(int, Buffer_detach, void* buffer_addr, int* size);
RB2_MPI_FUNCTION(int, Buffer_detach_c, void* buffer_addr, MPI_Count* size);
RB2_MPI_FUNCTION(int, Buffer_flush, void);
RB2_MPI_FUNCTION(int, Buffer_iflush, MPI_Request* request);
RB2_MPI_FUNCTION(int, Comm_attach_buffer, MPI_Comm comm, void* buffer, int size);
RB2_MPI_FUNCTION(int, Comm_attach_buffer_c, MPI_Comm comm, void* buffer, MPI_Count size);
RB2_MPI_FUNCTION(int, Comm_detach_buffer, MPI_Comm comm, void* buffer_addr, int* size);
RB2_MPI_FUNCTION(int, Comm_detach_buffer_c, MPI_Comm comm, void* buffer_addr, MPI_Count* size);
RB2_MPI_FUNCTION(int, Comm_flush_buffer, MPI_Comm comm);
RB2_MPI_FUNCTION(int, Comm_iflush_buffer, MPI_Comm comm, MPI_Request* request);

/* Nonblocking point-to-point */
RB2_MPI_FUNCTION(int, Isend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Isend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Issend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Issend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Irsend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Irsend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ibsend, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ibsend_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Irecv, void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Irecv_c, void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Isendrecv, const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                 int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Isendrecv_c, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                 int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source,
                 int recvtag, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Isendrecv_replace, void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                 int source, int recvtag, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Isendrecv_replace_c, void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                 int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Grequest_start, MPI_Grequest_query_function* query_fn,
                 MPI_Grequest_free_function* free_fn, MPI_Grequest_cancel_function* cancel_fn,
                 void* extra_state, MPI_Request* request);
RB2_MPI_FUNCTION(int, Grequest_complete, MPI_Request request);

/* Persistent requests */
RB2_MPI_FUNCTION(int, Send_init, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Send_init_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ssend_init, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Ssend_init_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                 int tag, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Rsend_init, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Rsend_init_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                 int tag, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Bsend_init, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Bsend_init_c, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                 int tag, MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Recv_init, void* buf, int count, MPI_Datatype datatype, int source, int tag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Recv_init_c, void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                 MPI_Comm comm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Start, MPI_Request* request);
RB2_MPI_FUNCTION(int, Startall, int count, MPI_Request array_of_requests[]);

/* Completion */
RB2_MPI_FUNCTION(int, Wait, MPI_Request* request, MPI_Status* status);
RB2_MPI_FUNCTION(int, Waitall, int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]);
RB2_MPI_FUNCTION(int, Waitany, int count, MPI_Request array_of_requests[], int* index, MPI_Status* status);
RB2_MPI_FUNCTION(int, Waitsome, int incount, MPI_Request array_of_requests[], int* outcount,
                 int array_of_indices[], MPI_Status array_of_statuses[]);
RB2_MPI_FUNCTION(int, Test, MPI_Request* request, int* flag, MPI_Status* status);
RB2_MPI_FUNCTION(int, Testall, int count, MPI_Request array_of_requests[], int* flag,
                 MPI_Status array_of_statuses[]);
RB2_MPI_FUNCTION(int, Testany, int count, MPI_Request array_of_requests[], int* index, int* flag,
                 MPI_Status* status);
RB2_MPI_FUNCTION(int, Testsome, int incount, MPI_Request array_of_requests[], int* outcount,
                 int array_of_indices[], MPI_Status array_of_statuses[]);
RB2_MPI_FUNCTION(int, Request_free, MPI_Request* request);
RB2_MPI_FUNCTION(int, Request_get_status, MPI_Request request, int* flag, MPI_Status* status);
RB2_MPI_FUNCTION(int, Request_get_status_all, int count, const MPI_Request array_of_requests[], int* flag,
                 MPI_Status* array_of_statuses);
RB2_MPI_FUNCTION(int, Request_get_status_any, int count, const MPI_Request array_of_requests[], int* index,
                 int* flag, MPI_Status* status);
RB2_MPI_FUNCTION(int, Request_get_status_some, int incount, const MPI_Request array_of_requests[],
                 int* outcount, int array_of_indices[], MPI_Status* array_of_statuses);
RB2_MPI_FUNCTION(int, Cancel, MPI_Request* request);

/* Probing */
RB2_MPI_FUNCTION(int, Probe, int source, int tag, MPI_Comm comm, MPI_Status* status);
RB2_MPI_FUNCTION(int, Iprobe, int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
RB2_MPI_FUNCTION(int, Mprobe, int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status);
RB2_MPI_FUNCTION(int, Improbe, int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                 MPI_Status* status);
RB2_MPI_FUNCTION(int, Mrecv, void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
                 MPI_Status* status);
RB2_MPI_FUNCTION(int, Mrecv_c, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
                 MPI_Status* status);
RB2_MPI_FUNCTION(int, Imrecv, void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Imrecv_c, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
                 MPI_Request* request);

/* One step of a reduction, without messages */
RB2_MPI_FUNCTION(int, Reduce_local, const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype,
                 MPI_Op op);
RB2_MPI_FUNCTION(int, Reduce_local_c, const void* inbuf, void* inoutbuf, MPI_Count count,
                 MPI_Datatype datatype, MPI_Op op);

/* User operations */
RB2_MPI_FUNCTION(int, Op_create, MPI_User_function* user_fn, int commute, MPI_Op* op);
RB2_MPI_FUNCTION(int, Op_create_c, MPI_User_function_c* user_fn, int commute, MPI_Op* op);
RB2_MPI_FUNCTION(int, Op_free, MPI_Op* op);
RB2_MPI_FUNCTION(int, Op_commutative, MPI_Op op, int* commute);

/* Intercommunicators */
RB2_MPI_FUNCTION(int, Intercomm_create, MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                 int remote_leader, int tag, MPI_Comm* newintercomm);
RB2_MPI_FUNCTION(int, Intercomm_merge, MPI_Comm intercomm, int high, MPI_Comm* newintracomm);
RB2_MPI_FUNCTION(int, Comm_test_inter, MPI_Comm comm, int* flag);
RB2_MPI_FUNCTION(int, Comm_remote_size, MPI_Comm comm, int* size);
RB2_MPI_FUNCTION(int, Comm_remote_group, MPI_Comm comm, MPI_Group* group);

/* Communicators from groups, by machine, with hints; names */
RB2_MPI_FUNCTION(int, Comm_create_group, MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm);
RB2_MPI_FUNCTION(int, Comm_split_type, MPI_Comm comm, int split_type, int key, MPI_Info info,
                 MPI_Comm* newcomm);
RB2_MPI_FUNCTION(int, Comm_dup_with_info, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm);
RB2_MPI_FUNCTION(int, Comm_set_name, MPI_Comm comm, const char* comm_name);
RB2_MPI_FUNCTION(int, Comm_get_name, MPI_Comm comm, char* comm_name, int* resultlen);
RB2_MPI_FUNCTION(int, Comm_idup, MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request);
RB2_MPI_FUNCTION(int, Comm_idup_with_info, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm,
                 MPI_Request* request);
RB2_MPI_FUNCTION(int, Comm_set_info, MPI_Comm comm, MPI_Info info);
RB2_MPI_FUNCTION(int, Comm_get_info, MPI_Comm comm, MPI_Info* info_used);
RB2_MPI_FUNCTION(int, Comm_create_from_group, MPI_Group group, const char* stringtag, MPI_Info info,
                 MPI_Errhandler errhandler, MPI_Comm* newcomm);
RB2_MPI_FUNCTION(int, Intercomm_create_from_groups, MPI_Group local_group, int local_leader,
                 MPI_Group remote_group, int remote_leader, const char* stringtag, MPI_Info info,
                 MPI_Errhandler errhandler, MPI_Comm* newintercomm);

/* Error handlers, and errors that users add */
RB2_MPI_FUNCTION(int, Comm_create_errhandler, MPI_Comm_errhandler_function* comm_errhandler_fn,
                 MPI_Errhandler* errhandler);
RB2_MPI_FUNCTION(int, Comm_call_errhandler, MPI_Comm comm, int errorcode);
RB2_MPI_FUNCTION(int, Add_error_class, int* errorclass);
RB2_MPI_FUNCTION(int, Add_error_code, int errorclass, int* errorcode);
RB2_MPI_FUNCTION(int, Add_error_string, int errorcode, const char* string);
RB2_MPI_FUNCTION(int, Remove_error_class, int errorclass);
RB2_MPI_FUNCTION(int, Remove_error_code, int errorcode);
RB2_MPI_FUNCTION(int, Remove_error_string, int errorcode);

/* Fields of a status */
RB2_MPI_FUNCTION(int, Status_set_elements, MPI_Status* status, MPI_Datatype datatype, int count);
RB2_MPI_FUNCTION(int, Status_set_elements_c, MPI_Status* status, MPI_Datatype datatype, MPI_Count count);
RB2_MPI_FUNCTION(int, Status_set_elements_x, MPI_Status* status, MPI_Datatype datatype, MPI_Count count);
RB2_MPI_FUNCTION(int, Status_set_cancelled, MPI_Status* status, int flag);
RB2_MPI_FUNCTION(int, Status_set_source, MPI_Status* status, int source);
RB2_MPI_FUNCTION(int, Status_get_source, const MPI_Status* status, int* source);
RB2_MPI_FUNCTION(int, Status_set_tag, MPI_Status* status, int tag);
RB2_MPI_FUNCTION(int, Status_get_tag, const MPI_Status* status, int* tag);
RB2_MPI_FUNCTION(int, Status_set_error, MPI_Status* status, int error);
RB2_MPI_FUNCTION(int, Status_get_error, const MPI_Status* status, int* error);

/* Handles as ints */
RB2_MPI_FUNCTION(int, Comm_toint, MPI_Comm comm);
RB2_MPI_FUNCTION(MPI_Comm, Comm_fromint, int comm);
RB2_MPI_FUNCTION(int, Errhandler_toint, MPI_Errhandler errhandler);
RB2_MPI_FUNCTION(MPI_Errhandler, Errhandler_fromint, int errhandler);
RB2_MPI_FUNCTION(int, File_toint, MPI_File file);
RB2_MPI_FUNCTION(MPI_File, File_fromint, int file);
RB2_MPI_FUNCTION(int, Group_toint, MPI_Group group);
RB2_MPI_FUNCTION(MPI_Group, Group_fromint, int group);
RB2_MPI_FUNCTION(int, Info_toint, MPI_Info info);
RB2_MPI_FUNCTION(MPI_Info, Info_fromint, int info);
RB2_MPI_FUNCTION(int, Message_toint, MPI_Message message);
RB2_MPI_FUNCTION(MPI_Message, Message_fromint, int message);
RB2_MPI_FUNCTION(int, Op_toint, MPI_Op op);
RB2_MPI_FUNCTION(MPI_Op, Op_fromint, int op);
RB2_MPI_FUNCTION(int, Request_toint, MPI_Request request);
RB2_MPI_FUNCTION(MPI_Request, Request_fromint, int request);
RB2_MPI_FUNCTION(int, Session_toint, MPI_Session session);
RB2_MPI_FUNCTION(MPI_Session, Session_fromint, int session);
RB2_MPI_FUNCTION(int, Type_toint, MPI_Datatype datatype);
RB2_MPI_FUNCTION(MPI_Datatype, Type_fromint, int datatype);
RB2_MPI_FUNCTION(int, Win_toint, MPI_Win win);
RB2_MPI_FUNCTION(MPI_Win, Win_fromint, int win);

#endif /* RB2_MPI_FUNCTIONS_H */
