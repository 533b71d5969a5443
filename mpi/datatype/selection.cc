// Datatypes chosen by what they must hold: by size, by Fortran precision and range, by their parts.

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <tuple>

#include "mpi/datatype/predefined.hpp"
#include "mpi/datatype/type.hpp"
#include "mpi/define.hpp"
#include "mpi/errors.hpp"

namespace rb2::mpi {
namespace {

int match_size(const char* function, int typeclass, int size, MPI_Datatype* datatype) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    struct Match {
        int typeclass;
        int size;
        MPI_Datatype datatype;
    };
    const Match matches[] = {
        {MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1},   {MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2},
        {MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4},   {MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8},
        {MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16}, {MPI_TYPECLASS_REAL, 2, MPI_REAL2},
        {MPI_TYPECLASS_REAL, 4, MPI_REAL4},         {MPI_TYPECLASS_REAL, 8, MPI_REAL8},
        {MPI_TYPECLASS_REAL, 16, MPI_REAL16},       {MPI_TYPECLASS_COMPLEX, 4, MPI_COMPLEX4},
        {MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8},   {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16},
        {MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32},
    };
    for (const Match& match : matches)
        if (match.typeclass == typeclass && match.size == size) {
            *datatype = match.datatype;
            return MPI_SUCCESS;
        }
    *datatype = MPI_DATATYPE_NULL;
    return fail(MPI_ERR_ARG, function, fmt::format("no datatype of class {} has {} bytes", typeclass, size));
}

/// Pairs exist for the value types of MINLOC and MAXLOC with an int index.
int value_index(const char* function, MPI_Datatype value_type, MPI_Datatype index_type,
                MPI_Datatype* pair_type) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    const MPI_Datatype pairs[][3] = {
        {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
        {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
        {MPI_LONG, MPI_INT, MPI_LONG_INT},
        {MPI_INT, MPI_INT, MPI_2INT},
        {MPI_SHORT, MPI_INT, MPI_SHORT_INT},
        {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
        {MPI_REAL, MPI_REAL, MPI_2REAL},
        {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
        {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
    };
    *pair_type = MPI_DATATYPE_NULL;
    for (const auto& pair : pairs)
        if (pair[0] == value_type && pair[1] == index_type) *pair_type = pair[2];
    return MPI_SUCCESS;
}

/// A Fortran kind: its datatype, and the decimal digits and exponent that it holds.
struct Kind {
    MPI_Datatype datatype;
    int digits;
    int exponent;
};

/// The smallest kind with at least `digits` and `exponent`, either MPI_UNDEFINED; MPI_DATATYPE_NULL: none.
MPI_Datatype smallest(const std::array<Kind, 3>& kinds, int digits, int exponent) {
    for (const Kind& kind : kinds)
        if ((digits == MPI_UNDEFINED || digits <= kind.digits) &&
            (exponent == MPI_UNDEFINED || exponent <= kind.exponent))
            return kind.datatype;
    return MPI_DATATYPE_NULL;
}

/// The same call gives the same handle, which is never freed (MPI 5.0, section 19.1.9).
int parameterized(const char* function, int combiner, const std::vector<int>& arguments, MPI_Datatype like,
                  MPI_Datatype* newtype) {
    static std::map<std::pair<int, std::vector<int>>, MPI_Datatype> made;
    *newtype = MPI_DATATYPE_NULL;
    if (like == MPI_DATATYPE_NULL)
        return fail(MPI_ERR_ARG, function, "no kind of number has this precision and range");
    MPI_Datatype& handle = made.try_emplace({combiner, arguments}, MPI_DATATYPE_NULL).first->second;
    if (handle == MPI_DATATYPE_NULL) {
        Contents contents;
        contents.combiner = combiner;
        contents.integers = arguments;
        const Predefined& predefined = *find_predefined(like);
        handle = make_type(predefined.map, std::move(contents));
        Type& type = *find_type(handle);
        type.layout = predefined.layout;
        type.permanent = true;
    }
    *newtype = handle;
    return MPI_SUCCESS;
}

// IEEE 754: binary32, binary64 and binary128.
constexpr std::array<std::pair<int, int>, 3> kRealLimits = {{{6, 37}, {15, 307}, {33, 4931}}};

std::array<Kind, 3> real_kinds(MPI_Datatype small, MPI_Datatype middle, MPI_Datatype large) {
    std::array<Kind, 3> kinds = {{{small, 0, 0}, {middle, 0, 0}, {large, 0, 0}}};
    for (std::size_t i = 0; i < kinds.size(); ++i)
        std::tie(kinds[i].digits, kinds[i].exponent) = kRealLimits[i];
    return kinds;
}

MPI_Datatype integer_with(int digits) {
    const std::pair<int, MPI_Datatype> kinds[] = {
        {2, MPI_INTEGER1}, {4, MPI_INTEGER2}, {9, MPI_INTEGER4}, {18, MPI_INTEGER8}, {38, MPI_INTEGER16}};
    for (const auto& [most, datatype] : kinds)
        if (digits <= most) return datatype;
    return MPI_DATATYPE_NULL;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Type_match_size, int typeclass, int size, MPI_Datatype* datatype) {
    return match_size("MPI_Type_match_size", typeclass, size, datatype);
}
RB2_MPI_DEFINE(int, Type_get_value_index, MPI_Datatype value_type, MPI_Datatype index_type,
               MPI_Datatype* pair_type) {
    return value_index("MPI_Type_get_value_index", value_type, index_type, pair_type);
}
RB2_MPI_DEFINE(int, Type_create_f90_real, int p, int r, MPI_Datatype* newtype) {
    return parameterized("MPI_Type_create_f90_real", MPI_COMBINER_F90_REAL, {p, r},
                         smallest(real_kinds(MPI_REAL4, MPI_REAL8, MPI_REAL16), p, r), newtype);
}
RB2_MPI_DEFINE(int, Type_create_f90_complex, int p, int r, MPI_Datatype* newtype) {
    return parameterized("MPI_Type_create_f90_complex", MPI_COMBINER_F90_COMPLEX, {p, r},
                         smallest(real_kinds(MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32), p, r), newtype);
}
RB2_MPI_DEFINE(int, Type_create_f90_integer, int r, MPI_Datatype* newtype) {
    return parameterized("MPI_Type_create_f90_integer", MPI_COMBINER_F90_INTEGER, {r}, integer_with(r),
                         newtype);
}
