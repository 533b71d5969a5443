// How a datatype was made (MPI 5.0, section 5.1.13), and its name.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "mpi/datatype/predefined.hpp"
#include "mpi/datatype/type.hpp"
#include "mpi/define.hpp"
#include "mpi/errors.hpp"

namespace rb2::mpi {
namespace {

/// Calls `then(contents)`, if the handle is a datatype. A predefined one has no contents.
template <class Then>
int with_contents(const char* function, MPI_Datatype datatype, Then then) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    if (const Type* type = find_type(datatype)) return then(type->contents);
    if (find_predefined(datatype) == nullptr) return fail(MPI_ERR_TYPE, function, unknown_datatype(datatype));
    return then(Contents());
}

template <class Count, class Element>
void set_length(Count* length, const std::vector<Element>& elements) {
    *length = static_cast<Count>(elements.size());
}

/// Large counts cannot be told by the small forms (MPI 5.0, section 5.1.13).
int fail_large(const char* function) {
    return fail(MPI_ERR_TYPE, function,
                "the datatype was made with large counts: use the form that ends in _c");
}

/// `capacity` is how many the user's array takes.
template <class Element>
bool copy_out(const std::vector<Element>& from, Element* to, MPI_Count capacity) {
    if (capacity < static_cast<MPI_Count>(from.size())) return false;
    std::copy(from.begin(), from.end(), to);
    return true;
}

struct Room {
    MPI_Count integers;
    MPI_Count addresses;
    MPI_Count counts;
    MPI_Count datatypes;
};

/// The user frees the derived ones among the datatypes again.
int get_contents(const char* function, MPI_Datatype datatype, const Room& room, int* integers,
                 MPI_Aint* addresses, MPI_Count* counts, MPI_Datatype* datatypes) {
    return with_contents(function, datatype, [&](const Contents& contents) {
        if (contents.combiner == MPI_COMBINER_NAMED)
            return fail(MPI_ERR_TYPE, function, "the datatype is predefined: it was not made from others");
        if (counts == nullptr && !contents.counts.empty()) return fail_large(function);
        if (!copy_out(contents.integers, integers, room.integers) ||
            !copy_out(contents.addresses, addresses, room.addresses) ||
            !copy_out(contents.counts, counts, room.counts) ||
            !copy_out(contents.datatypes, datatypes, room.datatypes))
            return fail(
                MPI_ERR_ARG, function,
                fmt::format("the arrays have room for {} integers, {} addresses, {} counts and {} datatypes, "
                            "but {}, {}, {} and {} are needed",
                            room.integers, room.addresses, room.counts, room.datatypes,
                            contents.integers.size(), contents.addresses.size(), contents.counts.size(),
                            contents.datatypes.size()));
        for (const MPI_Datatype part : contents.datatypes) {
            retain_type(part);
            if (Type* const type = find_type(part)) ++type->handles;
        }
        return static_cast<int>(MPI_SUCCESS);
    });
}

/// Names that users gave to predefined datatypes.
std::map<MPI_Datatype, std::string>& given_names() {
    static std::map<MPI_Datatype, std::string> names;
    return names;
}

std::string name_of(MPI_Datatype datatype) {
    if (const Type* type = find_type(datatype)) return type->name;
    if (datatype == MPI_DATATYPE_NULL) return "MPI_DATATYPE_NULL";
    const auto given = given_names().find(datatype);
    return given != given_names().end() ? given->second : find_predefined(datatype)->name;
}

bool has_name(MPI_Datatype datatype) {
    return find_type(datatype) != nullptr || find_predefined(datatype) != nullptr;
}

int set_name(const char* function, MPI_Datatype datatype, const char* name) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    if (!has_name(datatype)) return fail(MPI_ERR_TYPE, function, unknown_datatype(datatype));
    if (name == nullptr) return fail(MPI_ERR_ARG, function, "the name is a null pointer");
    std::string text(name, strnlen(name, MPI_MAX_OBJECT_NAME - 1));
    if (Type* type = find_type(datatype)) {
        type->name = std::move(text);
    } else {
        given_names()[datatype] = std::move(text);
    }
    return MPI_SUCCESS;
}

int get_name(const char* function, MPI_Datatype datatype, char* name, int* length) {
    if (const int error = require_running(function); error != MPI_SUCCESS) return error;
    if (!has_name(datatype) && datatype != MPI_DATATYPE_NULL)
        return fail(MPI_ERR_TYPE, function, unknown_datatype(datatype));
    const std::string text = name_of(datatype);
    std::memcpy(name, text.c_str(), text.size() + 1);
    *length = static_cast<int>(text.size());
    return MPI_SUCCESS;
}

}  // namespace
}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Type_get_envelope, MPI_Datatype datatype, int* num_integers, int* num_addresses,
               int* num_datatypes, int* combiner) {
    return with_contents("MPI_Type_get_envelope", datatype, [&](const Contents& contents) {
        if (!contents.counts.empty()) return fail_large("MPI_Type_get_envelope");
        set_length(num_integers, contents.integers);
        set_length(num_addresses, contents.addresses);
        set_length(num_datatypes, contents.datatypes);
        *combiner = contents.combiner;
        return static_cast<int>(MPI_SUCCESS);
    });
}
RB2_MPI_DEFINE(int, Type_get_envelope_c, MPI_Datatype datatype, MPI_Count* num_integers,
               MPI_Count* num_addresses, MPI_Count* num_large_counts, MPI_Count* num_datatypes,
               int* combiner) {
    return with_contents("MPI_Type_get_envelope_c", datatype, [&](const Contents& contents) {
        set_length(num_integers, contents.integers);
        set_length(num_addresses, contents.addresses);
        set_length(num_large_counts, contents.counts);
        set_length(num_datatypes, contents.datatypes);
        *combiner = contents.combiner;
        return static_cast<int>(MPI_SUCCESS);
    });
}
RB2_MPI_DEFINE(int, Type_get_contents, MPI_Datatype datatype, int max_integers, int max_addresses,
               int max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[],
               MPI_Datatype array_of_datatypes[]) {
    return get_contents("MPI_Type_get_contents", datatype, {max_integers, max_addresses, 0, max_datatypes},
                        array_of_integers, array_of_addresses, nullptr, array_of_datatypes);
}
RB2_MPI_DEFINE(int, Type_get_contents_c, MPI_Datatype datatype, MPI_Count max_integers,
               MPI_Count max_addresses, MPI_Count max_large_counts, MPI_Count max_datatypes,
               int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
               MPI_Datatype array_of_datatypes[]) {
    return get_contents("MPI_Type_get_contents_c", datatype,
                        {max_integers, max_addresses, max_large_counts, max_datatypes}, array_of_integers,
                        array_of_addresses, array_of_large_counts, array_of_datatypes);
}
RB2_MPI_DEFINE(int, Type_set_name, MPI_Datatype datatype, const char* type_name) {
    return set_name("MPI_Type_set_name", datatype, type_name);
}
RB2_MPI_DEFINE(int, Type_get_name, MPI_Datatype datatype, char* type_name, int* resultlen) {
    return get_name("MPI_Type_get_name", datatype, type_name, resultlen);
}
