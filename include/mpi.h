/* MPI 5.0, the standard ABI (chapter 20): the C interface of rb2.
 *
 * Types, handle values, status layout and constants are the standard's, all of them. Functions are declared
 * in the headers of rb2/, only those that the library has: what is missing fails to compile or link. A
 * program built with this header runs on any libmpi_abi.so.1 that has the functions it calls.
 */
#ifndef MPI_H
#define MPI_H

#include "rb2/mpi_attributes.h"
#include "rb2/mpi_collectives.h"
#include "rb2/mpi_constants.h"
#include "rb2/mpi_datatypes.h"
#include "rb2/mpi_functions.h"
#include "rb2/mpi_nonblocking_collectives.h"
#include "rb2/mpi_sessions.h"
#include "rb2/mpi_topologies.h"
#include "rb2/mpi_types.h"

/* --- Predefined handles -----------------------------------------------------------------------------------
 */

#define MPI_COMM_NULL RB2_MPI_CONSTANT(MPI_Comm, 0x100)
#define MPI_COMM_WORLD RB2_MPI_CONSTANT(MPI_Comm, 0x101)
#define MPI_COMM_SELF RB2_MPI_CONSTANT(MPI_Comm, 0x102)

#define MPI_GROUP_NULL RB2_MPI_CONSTANT(MPI_Group, 0x108)
#define MPI_GROUP_EMPTY RB2_MPI_CONSTANT(MPI_Group, 0x109)

#define MPI_WIN_NULL RB2_MPI_CONSTANT(MPI_Win, 0x110)

#define MPI_FILE_NULL RB2_MPI_CONSTANT(MPI_File, 0x118)

#define MPI_SESSION_NULL RB2_MPI_CONSTANT(MPI_Session, 0x120)

#define MPI_MESSAGE_NULL RB2_MPI_CONSTANT(MPI_Message, 0x128)
#define MPI_MESSAGE_NO_PROC RB2_MPI_CONSTANT(MPI_Message, 0x129)

#define MPI_INFO_NULL RB2_MPI_CONSTANT(MPI_Info, 0x130)
#define MPI_INFO_ENV RB2_MPI_CONSTANT(MPI_Info, 0x131)

#define MPI_ERRHANDLER_NULL RB2_MPI_CONSTANT(MPI_Errhandler, 0x140)
#define MPI_ERRORS_ARE_FATAL RB2_MPI_CONSTANT(MPI_Errhandler, 0x141)
#define MPI_ERRORS_ABORT RB2_MPI_CONSTANT(MPI_Errhandler, 0x142)
#define MPI_ERRORS_RETURN RB2_MPI_CONSTANT(MPI_Errhandler, 0x143)

#define MPI_REQUEST_NULL RB2_MPI_CONSTANT(MPI_Request, 0x180)

#define MPI_OP_NULL RB2_MPI_CONSTANT(MPI_Op, 0x020)
#define MPI_SUM RB2_MPI_CONSTANT(MPI_Op, 0x021)
#define MPI_MIN RB2_MPI_CONSTANT(MPI_Op, 0x022)
#define MPI_MAX RB2_MPI_CONSTANT(MPI_Op, 0x023)
#define MPI_PROD RB2_MPI_CONSTANT(MPI_Op, 0x024)
#define MPI_BAND RB2_MPI_CONSTANT(MPI_Op, 0x028)
#define MPI_BOR RB2_MPI_CONSTANT(MPI_Op, 0x029)
#define MPI_BXOR RB2_MPI_CONSTANT(MPI_Op, 0x02a)
#define MPI_LAND RB2_MPI_CONSTANT(MPI_Op, 0x030)
#define MPI_LOR RB2_MPI_CONSTANT(MPI_Op, 0x031)
#define MPI_LXOR RB2_MPI_CONSTANT(MPI_Op, 0x032)
#define MPI_MINLOC RB2_MPI_CONSTANT(MPI_Op, 0x038)
#define MPI_MAXLOC RB2_MPI_CONSTANT(MPI_Op, 0x039)
#define MPI_REPLACE RB2_MPI_CONSTANT(MPI_Op, 0x03c)
#define MPI_NO_OP RB2_MPI_CONSTANT(MPI_Op, 0x03d)

/* Datatypes. Bit 0x40 set: the size in bytes is 1 << ((value >> 3) & 7); else the platform's. */
#define MPI_DATATYPE_NULL RB2_MPI_CONSTANT(MPI_Datatype, 0x200)
#define MPI_AINT RB2_MPI_CONSTANT(MPI_Datatype, 0x201)
#define MPI_COUNT RB2_MPI_CONSTANT(MPI_Datatype, 0x202)
#define MPI_OFFSET RB2_MPI_CONSTANT(MPI_Datatype, 0x203)
#define MPI_PACKED RB2_MPI_CONSTANT(MPI_Datatype, 0x207)
#define MPI_SHORT RB2_MPI_CONSTANT(MPI_Datatype, 0x208)
#define MPI_INT RB2_MPI_CONSTANT(MPI_Datatype, 0x209)
#define MPI_LONG RB2_MPI_CONSTANT(MPI_Datatype, 0x20a)
#define MPI_LONG_LONG RB2_MPI_CONSTANT(MPI_Datatype, 0x20b)
#define MPI_LONG_LONG_INT MPI_LONG_LONG
#define MPI_UNSIGNED_SHORT RB2_MPI_CONSTANT(MPI_Datatype, 0x20c)
#define MPI_UNSIGNED RB2_MPI_CONSTANT(MPI_Datatype, 0x20d)
#define MPI_UNSIGNED_LONG RB2_MPI_CONSTANT(MPI_Datatype, 0x20e)
#define MPI_UNSIGNED_LONG_LONG RB2_MPI_CONSTANT(MPI_Datatype, 0x20f)
#define MPI_FLOAT RB2_MPI_CONSTANT(MPI_Datatype, 0x210)
#define MPI_C_FLOAT_COMPLEX RB2_MPI_CONSTANT(MPI_Datatype, 0x212)
#define MPI_C_COMPLEX MPI_C_FLOAT_COMPLEX
#define MPI_CXX_FLOAT_COMPLEX RB2_MPI_CONSTANT(MPI_Datatype, 0x213)
#define MPI_DOUBLE RB2_MPI_CONSTANT(MPI_Datatype, 0x214)
#define MPI_C_DOUBLE_COMPLEX RB2_MPI_CONSTANT(MPI_Datatype, 0x216)
#define MPI_CXX_DOUBLE_COMPLEX RB2_MPI_CONSTANT(MPI_Datatype, 0x217)
#define MPI_LOGICAL RB2_MPI_CONSTANT(MPI_Datatype, 0x218)
#define MPI_INTEGER RB2_MPI_CONSTANT(MPI_Datatype, 0x219)
#define MPI_REAL RB2_MPI_CONSTANT(MPI_Datatype, 0x21a)
#define MPI_COMPLEX RB2_MPI_CONSTANT(MPI_Datatype, 0x21b)
#define MPI_DOUBLE_PRECISION RB2_MPI_CONSTANT(MPI_Datatype, 0x21c)
#define MPI_DOUBLE_COMPLEX RB2_MPI_CONSTANT(MPI_Datatype, 0x21d)
#define MPI_CHARACTER RB2_MPI_CONSTANT(MPI_Datatype, 0x21e)
#define MPI_LONG_DOUBLE RB2_MPI_CONSTANT(MPI_Datatype, 0x220)
#define MPI_C_LONG_DOUBLE_COMPLEX RB2_MPI_CONSTANT(MPI_Datatype, 0x224)
#define MPI_CXX_LONG_DOUBLE_COMPLEX RB2_MPI_CONSTANT(MPI_Datatype, 0x225)
#define MPI_FLOAT_INT RB2_MPI_CONSTANT(MPI_Datatype, 0x228)
#define MPI_DOUBLE_INT RB2_MPI_CONSTANT(MPI_Datatype, 0x229)
#define MPI_LONG_INT RB2_MPI_CONSTANT(MPI_Datatype, 0x22a)
#define MPI_2INT RB2_MPI_CONSTANT(MPI_Datatype, 0x22b)
#define MPI_SHORT_INT RB2_MPI_CONSTANT(MPI_Datatype, 0x22c)
#define MPI_LONG_DOUBLE_INT RB2_MPI_CONSTANT(MPI_Datatype, 0x22d)
#define MPI_2REAL RB2_MPI_CONSTANT(MPI_Datatype, 0x230)
#define MPI_2DOUBLE_PRECISION RB2_MPI_CONSTANT(MPI_Datatype, 0x231)
#define MPI_2INTEGER RB2_MPI_CONSTANT(MPI_Datatype, 0x232)
#define MPI_C_BOOL RB2_MPI_CONSTANT(MPI_Datatype, 0x238)
#define MPI_CXX_BOOL RB2_MPI_CONSTANT(MPI_Datatype, 0x239)
#define MPI_WCHAR RB2_MPI_CONSTANT(MPI_Datatype, 0x23c)
#define MPI_INT8_T RB2_MPI_CONSTANT(MPI_Datatype, 0x240)
#define MPI_UINT8_T RB2_MPI_CONSTANT(MPI_Datatype, 0x241)
#define MPI_CHAR RB2_MPI_CONSTANT(MPI_Datatype, 0x243)
#define MPI_SIGNED_CHAR RB2_MPI_CONSTANT(MPI_Datatype, 0x244)
#define MPI_UNSIGNED_CHAR RB2_MPI_CONSTANT(MPI_Datatype, 0x245)
#define MPI_BYTE RB2_MPI_CONSTANT(MPI_Datatype, 0x247)
#define MPI_INT16_T RB2_MPI_CONSTANT(MPI_Datatype, 0x248)
#define MPI_UINT16_T RB2_MPI_CONSTANT(MPI_Datatype, 0x249)
#define MPI_INT32_T RB2_MPI_CONSTANT(MPI_Datatype, 0x250)
#define MPI_UINT32_T RB2_MPI_CONSTANT(MPI_Datatype, 0x251)
#define MPI_INT64_T RB2_MPI_CONSTANT(MPI_Datatype, 0x258)
#define MPI_UINT64_T RB2_MPI_CONSTANT(MPI_Datatype, 0x259)
#define MPI_LOGICAL1 RB2_MPI_CONSTANT(MPI_Datatype, 0x2c0)
#define MPI_INTEGER1 RB2_MPI_CONSTANT(MPI_Datatype, 0x2c1)
#define MPI_LOGICAL2 RB2_MPI_CONSTANT(MPI_Datatype, 0x2c8)
#define MPI_INTEGER2 RB2_MPI_CONSTANT(MPI_Datatype, 0x2c9)
#define MPI_REAL2 RB2_MPI_CONSTANT(MPI_Datatype, 0x2ca)
#define MPI_LOGICAL4 RB2_MPI_CONSTANT(MPI_Datatype, 0x2d0)
#define MPI_INTEGER4 RB2_MPI_CONSTANT(MPI_Datatype, 0x2d1)
#define MPI_REAL4 RB2_MPI_CONSTANT(MPI_Datatype, 0x2d2)
#define MPI_COMPLEX4 RB2_MPI_CONSTANT(MPI_Datatype, 0x2d3)
#define MPI_LOGICAL8 RB2_MPI_CONSTANT(MPI_Datatype, 0x2d8)
#define MPI_INTEGER8 RB2_MPI_CONSTANT(MPI_Datatype, 0x2d9)
#define MPI_REAL8 RB2_MPI_CONSTANT(MPI_Datatype, 0x2da)
#define MPI_COMPLEX8 RB2_MPI_CONSTANT(MPI_Datatype, 0x2db)
#define MPI_LOGICAL16 RB2_MPI_CONSTANT(MPI_Datatype, 0x2e0)
#define MPI_INTEGER16 RB2_MPI_CONSTANT(MPI_Datatype, 0x2e1)
#define MPI_REAL16 RB2_MPI_CONSTANT(MPI_Datatype, 0x2e2)
#define MPI_COMPLEX16 RB2_MPI_CONSTANT(MPI_Datatype, 0x2e3)
#define MPI_COMPLEX32 RB2_MPI_CONSTANT(MPI_Datatype, 0x2eb)

/* --- Pointer constants ------------------------------------------------------------------------------------
 */

#define MPI_BOTTOM RB2_MPI_CONSTANT(void*, 0)
#define MPI_IN_PLACE RB2_MPI_CONSTANT(void*, 1)
#define MPI_BUFFER_AUTOMATIC RB2_MPI_CONSTANT(void*, 2)
#define MPI_ARGV_NULL RB2_MPI_CONSTANT(char**, 0)
#define MPI_ARGVS_NULL RB2_MPI_CONSTANT(char***, 0)
#define MPI_ERRCODES_IGNORE RB2_MPI_CONSTANT(int*, 0)
#define MPI_STATUS_IGNORE RB2_MPI_CONSTANT(MPI_Status*, 0)
#define MPI_STATUSES_IGNORE RB2_MPI_CONSTANT(MPI_Status*, 0)
#define MPI_UNWEIGHTED RB2_MPI_CONSTANT(int*, 10)
#define MPI_WEIGHTS_EMPTY RB2_MPI_CONSTANT(int*, 11)

#define MPI_DISPLACEMENT_CURRENT (-INT64_C(1))

/* Predefined callbacks are values, not functions. */
#define MPI_COMM_NULL_COPY_FN RB2_MPI_CONSTANT(MPI_Comm_copy_attr_function*, 0)
#define MPI_COMM_DUP_FN RB2_MPI_CONSTANT(MPI_Comm_copy_attr_function*, 1)
#define MPI_COMM_NULL_DELETE_FN RB2_MPI_CONSTANT(MPI_Comm_delete_attr_function*, 0)
#define MPI_TYPE_NULL_COPY_FN RB2_MPI_CONSTANT(MPI_Type_copy_attr_function*, 0)
#define MPI_TYPE_DUP_FN RB2_MPI_CONSTANT(MPI_Type_copy_attr_function*, 1)
#define MPI_TYPE_NULL_DELETE_FN RB2_MPI_CONSTANT(MPI_Type_delete_attr_function*, 0)
#define MPI_WIN_NULL_COPY_FN RB2_MPI_CONSTANT(MPI_Win_copy_attr_function*, 0)
#define MPI_WIN_DUP_FN RB2_MPI_CONSTANT(MPI_Win_copy_attr_function*, 1)
#define MPI_WIN_NULL_DELETE_FN RB2_MPI_CONSTANT(MPI_Win_delete_attr_function*, 0)
#define MPI_NULL_COPY_FN RB2_MPI_CONSTANT(MPI_Copy_function*, 0)     /* deprecated */
#define MPI_DUP_FN RB2_MPI_CONSTANT(MPI_Copy_function*, 1)           /* deprecated */
#define MPI_NULL_DELETE_FN RB2_MPI_CONSTANT(MPI_Delete_function*, 0) /* deprecated */
#define MPI_CONVERSION_FN_NULL RB2_MPI_CONSTANT(MPI_Datarep_conversion_function*, 0)
#define MPI_CONVERSION_FN_NULL_C RB2_MPI_CONSTANT(MPI_Datarep_conversion_function_c*, 0)

#endif /* MPI_H */
