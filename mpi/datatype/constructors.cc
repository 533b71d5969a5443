// Constructors of vectors, blocks and structs (MPI 5.0, section 5.1.2).

#include "datatype/checked.hpp"
#include "mpi/datatype/construction.hpp"
#include "mpi/define.hpp"

namespace rb2::mpi {
namespace {

using datatype::checked_multiply;
using datatype::Piece;
using datatype::TypeMap;
using datatype::TypeMapPtr;

int contiguous(const char* function, Form form, MPI_Count count, MPI_Datatype oldtype,
               MPI_Datatype* newtype) {
    Construction call(function, MPI_COMBINER_CONTIGUOUS, form);
    const std::uint64_t length = call.count("count", count);
    const TypeMapPtr part = call.part(oldtype);
    return call.finish(newtype, [&] { return TypeMap::contiguous(length, part); });
}

/// Strides count elements, or bytes in the h forms.
enum class Unit : std::uint8_t { elements, bytes };

std::int64_t in_bytes(Unit unit, MPI_Count distance, const TypeMap& part) {
    return unit == Unit::bytes ? distance : checked_multiply<std::int64_t>(distance, part.extent());
}

void record(Construction& call, Unit unit, MPI_Count distance) {
    unit == Unit::bytes ? call.address(distance) : call.number(distance);
}

int vector(const char* function, Form form, Unit unit, MPI_Count count, MPI_Count blocklength,
           MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Construction call(function, unit == Unit::bytes ? MPI_COMBINER_HVECTOR : MPI_COMBINER_VECTOR, form);
    const std::uint64_t blocks = call.count("count", count);
    const std::uint64_t length = call.count("block length", blocklength);
    record(call, unit, stride);
    const TypeMapPtr part = call.part(oldtype);
    return call.finish(newtype,
                       [&] { return TypeMap::vector(blocks, length, in_bytes(unit, stride, *part), part); });
}

/// Block lengths, one behind the other, as they are recorded.
template <class Length>
std::vector<Piece> blocks_of(Construction& call, std::uint64_t count, Length length_of) {
    std::vector<Piece> pieces;
    for (std::uint64_t i = 0; call.good() && i < count; ++i) pieces.push_back({0, length_of(i), nullptr});
    return pieces;
}

/// Gives each block its place and its part, the same for all.
template <class Distance>
TypeMapPtr place_blocks(std::vector<Piece> pieces, Unit unit, const Distance* displacements,
                        const TypeMapPtr& part) {
    for (std::size_t i = 0; i < pieces.size(); ++i)
        pieces[i] = {in_bytes(unit, displacements[i], *part), pieces[i].count, part.get()};
    return TypeMap::sequence(std::move(pieces), {part});
}

template <class Count, class Distance>
int indexed(const char* function, Form form, Unit unit, Count count, const Count* blocklengths,
            const Distance* displacements, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Construction call(function, unit == Unit::bytes ? MPI_COMBINER_HINDEXED : MPI_COMBINER_INDEXED, form);
    const std::uint64_t blocks = call.count("count", count);
    call.check_array("block lengths", blocklengths, blocks);
    call.check_array("displacements", displacements, blocks);
    std::vector<Piece> pieces =
        blocks_of(call, blocks, [&](std::uint64_t i) { return call.count("block length", blocklengths[i]); });
    for (std::uint64_t i = 0; call.good() && i < blocks; ++i) record(call, unit, displacements[i]);
    const TypeMapPtr part = call.part(oldtype);
    return call.finish(newtype, [&] { return place_blocks(std::move(pieces), unit, displacements, part); });
}

template <class Count, class Distance>
int indexed_block(const char* function, Form form, Unit unit, Count count, Count blocklength,
                  const Distance* displacements, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    Construction call(function,
                      unit == Unit::bytes ? MPI_COMBINER_HINDEXED_BLOCK : MPI_COMBINER_INDEXED_BLOCK, form);
    const std::uint64_t blocks = call.count("count", count);
    const std::uint64_t length = call.count("block length", blocklength);
    call.check_array("displacements", displacements, blocks);
    std::vector<Piece> pieces = blocks_of(call, blocks, [length](std::uint64_t) { return length; });
    for (std::uint64_t i = 0; call.good() && i < blocks; ++i) record(call, unit, displacements[i]);
    const TypeMapPtr part = call.part(oldtype);
    return call.finish(newtype, [&] { return place_blocks(std::move(pieces), unit, displacements, part); });
}

template <class Count, class Distance>
int structure(const char* function, Form form, Count count, const Count* blocklengths,
              const Distance* displacements, const MPI_Datatype* types, MPI_Datatype* newtype) {
    Construction call(function, MPI_COMBINER_STRUCT, form);
    const std::uint64_t blocks = call.count("count", count);
    call.check_array("block lengths", blocklengths, blocks);
    call.check_array("displacements", displacements, blocks);
    call.check_array("datatypes", types, blocks);
    std::vector<Piece> pieces =
        blocks_of(call, blocks, [&](std::uint64_t i) { return call.count("block length", blocklengths[i]); });
    std::vector<TypeMapPtr> parts;
    for (std::uint64_t i = 0; call.good() && i < blocks; ++i) {
        call.address(displacements[i]);
        parts.push_back(call.part(types[i]));
        pieces[i] = {displacements[i], pieces[i].count, parts.back().get()};
    }
    return call.finish(newtype, [&] { return TypeMap::sequence(std::move(pieces), std::move(parts)); });
}

int resized(const char* function, Form form, MPI_Datatype oldtype, MPI_Count lower_bound, MPI_Count extent,
            MPI_Datatype* newtype) {
    Construction call(function, MPI_COMBINER_RESIZED, form);
    call.address(lower_bound);
    call.address(extent);
    const TypeMapPtr part = call.part(oldtype);
    return call.finish(newtype, [&] { return TypeMap::resized(lower_bound, extent, part); });
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Type_contiguous, int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return contiguous("MPI_Type_contiguous", Form::small, count, oldtype, newtype);
}
RB2_MPI_DEFINE(int, Type_contiguous_c, MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return contiguous("MPI_Type_contiguous_c", Form::large, count, oldtype, newtype);
}
RB2_MPI_DEFINE(int, Type_vector, int count, int blocklength, int stride, MPI_Datatype oldtype,
               MPI_Datatype* newtype) {
    return vector("MPI_Type_vector", Form::small, Unit::elements, count, blocklength, stride, oldtype,
                  newtype);
}
RB2_MPI_DEFINE(int, Type_vector_c, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
               MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return vector("MPI_Type_vector_c", Form::large, Unit::elements, count, blocklength, stride, oldtype,
                  newtype);
}
RB2_MPI_DEFINE(int, Type_create_hvector, int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
               MPI_Datatype* newtype) {
    return vector("MPI_Type_create_hvector", Form::small, Unit::bytes, count, blocklength, stride, oldtype,
                  newtype);
}
RB2_MPI_DEFINE(int, Type_create_hvector_c, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
               MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return vector("MPI_Type_create_hvector_c", Form::large, Unit::bytes, count, blocklength, stride, oldtype,
                  newtype);
}
RB2_MPI_DEFINE(int, Type_indexed, int count, const int array_of_blocklengths[],
               const int array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return indexed("MPI_Type_indexed", Form::small, Unit::elements, count, array_of_blocklengths,
                   array_of_displacements, oldtype, newtype);
}
RB2_MPI_DEFINE(int, Type_indexed_c, MPI_Count count, const MPI_Count array_of_blocklengths[],
               const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return indexed("MPI_Type_indexed_c", Form::large, Unit::elements, count, array_of_blocklengths,
                   array_of_displacements, oldtype, newtype);
}
RB2_MPI_DEFINE(int, Type_create_hindexed, int count, const int array_of_blocklengths[],
               const MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return indexed("MPI_Type_create_hindexed", Form::small, Unit::bytes, count, array_of_blocklengths,
                   array_of_displacements, oldtype, newtype);
}
RB2_MPI_DEFINE(int, Type_create_hindexed_c, MPI_Count count, const MPI_Count array_of_blocklengths[],
               const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return indexed("MPI_Type_create_hindexed_c", Form::large, Unit::bytes, count, array_of_blocklengths,
                   array_of_displacements, oldtype, newtype);
}
RB2_MPI_DEFINE(int, Type_create_indexed_block, int count, int blocklength, const int array_of_displacements[],
               MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return indexed_block("MPI_Type_create_indexed_block", Form::small, Unit::elements, count, blocklength,
                         array_of_displacements, oldtype, newtype);
}
RB2_MPI_DEFINE(int, Type_create_indexed_block_c, MPI_Count count, MPI_Count blocklength,
               const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return indexed_block("MPI_Type_create_indexed_block_c", Form::large, Unit::elements, count, blocklength,
                         array_of_displacements, oldtype, newtype);
}
RB2_MPI_DEFINE(int, Type_create_hindexed_block, int count, int blocklength,
               const MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return indexed_block("MPI_Type_create_hindexed_block", Form::small, Unit::bytes, count, blocklength,
                         array_of_displacements, oldtype, newtype);
}
RB2_MPI_DEFINE(int, Type_create_hindexed_block_c, MPI_Count count, MPI_Count blocklength,
               const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
    return indexed_block("MPI_Type_create_hindexed_block_c", Form::large, Unit::bytes, count, blocklength,
                         array_of_displacements, oldtype, newtype);
}
RB2_MPI_DEFINE(int, Type_create_struct, int count, const int array_of_blocklengths[],
               const MPI_Aint array_of_displacements[], const MPI_Datatype array_of_types[],
               MPI_Datatype* newtype) {
    return structure("MPI_Type_create_struct", Form::small, count, array_of_blocklengths,
                     array_of_displacements, array_of_types, newtype);
}
RB2_MPI_DEFINE(int, Type_create_struct_c, MPI_Count count, const MPI_Count array_of_blocklengths[],
               const MPI_Count array_of_displacements[], const MPI_Datatype array_of_types[],
               MPI_Datatype* newtype) {
    return structure("MPI_Type_create_struct_c", Form::large, count, array_of_blocklengths,
                     array_of_displacements, array_of_types, newtype);
}
RB2_MPI_DEFINE(int, Type_create_resized, MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
               MPI_Datatype* newtype) {
    return resized("MPI_Type_create_resized", Form::small, oldtype, lb, extent, newtype);
}
RB2_MPI_DEFINE(int, Type_create_resized_c, MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent,
               MPI_Datatype* newtype) {
    return resized("MPI_Type_create_resized_c", Form::large, oldtype, lb, extent, newtype);
}
