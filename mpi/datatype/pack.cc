// Packing into and out of a user's buffer, and addresses. Packed data are the bytes of the elements one
// behind the other, so MPI_PACKED data can be received as what they were packed from, and the other way
// round.

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "datatype/external32.hpp"
#include "mpi/arguments.hpp"
#include "mpi/datatype/data.hpp"
#include "mpi/datatype/type.hpp"
#include "mpi/define.hpp"

namespace rb2::mpi {
namespace {

/// A buffer of packed data and the user's place in it.
template <class Size>
struct Packed {
    Size bytes;
    Size* position;
};

template <class Size>
int check_room(const char* function, const Packed<Size>& packed, std::size_t needed, const Comm* comm) {
    const bool fits = *packed.position >= 0 && *packed.position <= packed.bytes &&
                      needed <= static_cast<std::size_t>(packed.bytes - *packed.position);
    if (fits) return MPI_SUCCESS;
    return fail(MPI_ERR_TRUNCATE, function,
                fmt::format("{} bytes from position {} on do not fit a buffer of {}", needed,
                            *packed.position, packed.bytes),
                comm);
}

/// The user's elements and their communicator. Returns the error class.
int check_elements(const char* function, const void* buffer, std::int64_t count, MPI_Datatype datatype,
                   MPI_Comm handle, Comm*& comm, Data& data) {
    comm = find_comm(handle);
    if (comm == nullptr) return fail_comm(function, handle);
    if (find_data(buffer, count, datatype, data)) return MPI_SUCCESS;
    return refuse_buffer(function, buffer, count, datatype, comm);
}

template <class Size>
int pack(const char* function, const void* buffer, std::int64_t count, MPI_Datatype datatype, void* to,
         const Packed<Size>& packed, MPI_Comm handle) {
    Comm* comm = nullptr;
    Data data;
    if (const int error = check_elements(function, buffer, count, datatype, handle, comm, data);
        error != MPI_SUCCESS)
        return error;
    if (const int error = check_room(function, packed, data.bytes, comm); error != MPI_SUCCESS) return error;
    pack(data, static_cast<std::byte*>(to) + *packed.position);
    *packed.position += static_cast<Size>(data.bytes);
    return MPI_SUCCESS;
}

template <class Size>
int unpack(const char* function, const void* from, const Packed<Size>& packed, void* buffer,
           std::int64_t count, MPI_Datatype datatype, MPI_Comm handle) {
    Comm* comm = nullptr;
    Data data;
    if (const int error = check_elements(function, buffer, count, datatype, handle, comm, data);
        error != MPI_SUCCESS)
        return error;
    if (const int error = check_room(function, packed, data.bytes, comm); error != MPI_SUCCESS) return error;
    unpack(data, static_cast<const std::byte*>(from) + *packed.position, data.bytes);
    *packed.position += static_cast<Size>(data.bytes);
    return MPI_SUCCESS;
}

/// `bytes` of `count` elements of `each` bytes; what `Size` cannot hold is an error.
template <class Size>
int total(const char* function, std::int64_t count, std::uint64_t each, const Comm* comm, Size& bytes) {
    if (count < 0) return fail(MPI_ERR_COUNT, function, fmt::format("the count is {}", count), comm);
    if (!__builtin_mul_overflow(count, each, &bytes)) return MPI_SUCCESS;
    return fail(MPI_ERR_COUNT, function,
                fmt::format("{} elements of {} bytes are more than the result can tell", count, each), comm);
}

template <class Size>
int pack_size(const char* function, std::int64_t count, MPI_Datatype datatype, MPI_Comm handle, Size* size) {
    const Comm* const comm = find_comm(handle);
    if (comm == nullptr) return fail_comm(function, handle);
    const datatype::TypeMap* const map = map_of(datatype);
    if (map == nullptr) return fail(MPI_ERR_TYPE, function, unknown_datatype(datatype), comm);
    return total(function, count, map->size(), comm, *size);
}

/// The map of elements that can be converted; null: `error` is the class of what is wrong.
const datatype::TypeMap* find_external(const char* function, const char* representation,
                                       MPI_Datatype datatype, int& error) {
    error = require_running(function);
    if (error != MPI_SUCCESS) return nullptr;
    if (representation == nullptr || std::strcmp(representation, "external32") != 0) {
        error = fail(MPI_ERR_ARG, function, "the only data representation is \"external32\"");
        return nullptr;
    }
    const datatype::TypeMap* const map = map_of(datatype);
    if (map == nullptr) error = fail(MPI_ERR_TYPE, function, unknown_datatype(datatype));
    return map;
}

/// Checks, and calls `convert(map, place)` for elements that take `bytes` from `packed` on.
template <class Size, class Convert>
int external(const char* function, const char* representation, std::int64_t count, MPI_Datatype datatype,
             const Packed<Size>& packed, Convert convert) {
    int error = MPI_SUCCESS;
    const datatype::TypeMap* const map = find_external(function, representation, datatype, error);
    if (map == nullptr) return error;
    Size bytes = 0;
    if (layout_of(datatype) == nullptr)
        return fail(MPI_ERR_TYPE, function, "the datatype is not committed: call MPI_Type_commit first");
    error = total(function, count, map->external_size(), nullptr, bytes);
    if (error == MPI_SUCCESS) error = check_room(function, packed, static_cast<std::size_t>(bytes), nullptr);
    if (error != MPI_SUCCESS) return error;
    convert(*map, *packed.position);
    *packed.position += bytes;
    return MPI_SUCCESS;
}

template <class Size>
int pack_external(const char* function, const char* representation, const void* buffer, std::int64_t count,
                  MPI_Datatype datatype, void* to, const Packed<Size>& packed) {
    return external(
        function, representation, count, datatype, packed, [&](const datatype::TypeMap& map, Size at) {
            datatype::pack_external(map, static_cast<const std::byte*>(buffer),
                                    static_cast<std::uint64_t>(count), static_cast<std::byte*>(to) + at);
        });
}

template <class Size>
int unpack_external(const char* function, const char* representation, const void* from,
                    const Packed<Size>& packed, void* buffer, std::int64_t count, MPI_Datatype datatype) {
    return external(
        function, representation, count, datatype, packed, [&](const datatype::TypeMap& map, Size at) {
            datatype::unpack_external(map, static_cast<std::byte*>(buffer), static_cast<std::uint64_t>(count),
                                      static_cast<const std::byte*>(from) + at);
        });
}

int external_size(const char* function, const char* representation, std::int64_t count, MPI_Datatype datatype,
                  MPI_Aint* size) {
    int error = MPI_SUCCESS;
    const datatype::TypeMap* const map = find_external(function, representation, datatype, error);
    if (map == nullptr) return error;
    return total(function, count, map->external_size(), nullptr, *size);
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Pack, const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize,
               int* position, MPI_Comm comm) {
    return pack<int>("MPI_Pack", inbuf, incount, datatype, outbuf, {outsize, position}, comm);
}
RB2_MPI_DEFINE(int, Pack_c, const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf,
               MPI_Count outsize, MPI_Count* position, MPI_Comm comm) {
    return pack<MPI_Count>("MPI_Pack_c", inbuf, incount, datatype, outbuf, {outsize, position}, comm);
}
RB2_MPI_DEFINE(int, Unpack, const void* inbuf, int insize, int* position, void* outbuf, int outcount,
               MPI_Datatype datatype, MPI_Comm comm) {
    return unpack<int>("MPI_Unpack", inbuf, {insize, position}, outbuf, outcount, datatype, comm);
}
RB2_MPI_DEFINE(int, Unpack_c, const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf,
               MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm) {
    return unpack<MPI_Count>("MPI_Unpack_c", inbuf, {insize, position}, outbuf, outcount, datatype, comm);
}
RB2_MPI_DEFINE(int, Pack_size, int incount, MPI_Datatype datatype, MPI_Comm comm, int* size) {
    return pack_size("MPI_Pack_size", incount, datatype, comm, size);
}
RB2_MPI_DEFINE(int, Pack_size_c, MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count* size) {
    return pack_size("MPI_Pack_size_c", incount, datatype, comm, size);
}
RB2_MPI_DEFINE(int, Pack_external, const char datarep[], const void* inbuf, int incount,
               MPI_Datatype datatype, void* outbuf, MPI_Aint outsize, MPI_Aint* position) {
    return pack_external<MPI_Aint>("MPI_Pack_external", datarep, inbuf, incount, datatype, outbuf,
                                   {outsize, position});
}
RB2_MPI_DEFINE(int, Pack_external_c, const char datarep[], const void* inbuf, MPI_Count incount,
               MPI_Datatype datatype, void* outbuf, MPI_Count outsize, MPI_Count* position) {
    return pack_external<MPI_Count>("MPI_Pack_external_c", datarep, inbuf, incount, datatype, outbuf,
                                    {outsize, position});
}
RB2_MPI_DEFINE(int, Unpack_external, const char datarep[], const void* inbuf, MPI_Aint insize,
               MPI_Aint* position, void* outbuf, int outcount, MPI_Datatype datatype) {
    return unpack_external<MPI_Aint>("MPI_Unpack_external", datarep, inbuf, {insize, position}, outbuf,
                                     outcount, datatype);
}
RB2_MPI_DEFINE(int, Unpack_external_c, const char datarep[], const void* inbuf, MPI_Count insize,
               MPI_Count* position, void* outbuf, MPI_Count outcount, MPI_Datatype datatype) {
    return unpack_external<MPI_Count>("MPI_Unpack_external_c", datarep, inbuf, {insize, position}, outbuf,
                                      outcount, datatype);
}
RB2_MPI_DEFINE(int, Pack_external_size, const char datarep[], int incount, MPI_Datatype datatype,
               MPI_Aint* size) {
    return external_size("MPI_Pack_external_size", datarep, incount, datatype, size);
}
RB2_MPI_DEFINE(int, Pack_external_size_c, const char datarep[], MPI_Count incount, MPI_Datatype datatype,
               MPI_Count* size) {
    return external_size("MPI_Pack_external_size_c", datarep, incount, datatype, size);
}

RB2_MPI_DEFINE(int, Get_address, const void* location, MPI_Aint* address) {
    *address = reinterpret_cast<MPI_Aint>(location);
    return MPI_SUCCESS;
}
RB2_MPI_DEFINE(MPI_Aint, Aint_add, MPI_Aint base, MPI_Aint disp) { return base + disp; }
RB2_MPI_DEFINE(MPI_Aint, Aint_diff, MPI_Aint addr1, MPI_Aint addr2) { return addr1 - addr2; }
