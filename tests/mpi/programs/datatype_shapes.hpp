#pragma once
// Datatypes of many shapes, and memory for elements of them.

#include <algorithm>
#include <cstddef>
#include <functional>

#include "tests/mpi/programs/check.hpp"

namespace rb2::test {

using Bytes = std::vector<unsigned char>;

/// A committed datatype and the buffer that `count` of it need; freed at the end.
struct Layout {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int count = 0;
    MPI_Aint before = 0;  // bytes in front of the buffer's address
    MPI_Aint span = 0;    // of the whole buffer
    int size = 0;         // of all data

    Layout(MPI_Datatype made, int elements) : type(made), count(elements) {
        MPI_Type_commit(&type);
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        MPI_Aint true_lower = 0;
        MPI_Aint true_extent = 0;
        MPI_Type_get_extent(type, &lower, &extent);
        MPI_Type_get_true_extent(type, &true_lower, &true_extent);
        const MPI_Aint last = (count - 1) * extent;
        before = -std::min<MPI_Aint>({0, true_lower, true_lower + last});
        span = before + std::max<MPI_Aint>({0, true_lower + true_extent, true_lower + true_extent + last});
        MPI_Type_size(type, &size);
        size *= count;
    }
    ~Layout() { MPI_Type_free(&type); }
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;

    [[nodiscard]] Bytes memory(unsigned seed) const { return pattern(static_cast<std::size_t>(span), seed); }
    unsigned char* at(Bytes& memory) const { return memory.data() + before; }

    [[nodiscard]] Bytes packed(Bytes& memory) const {
        Bytes bytes(static_cast<std::size_t>(size));
        int position = 0;
        MPI_Pack(at(memory), count, type, bytes.data(), size, &position, MPI_COMM_WORLD);
        check(position == size, "size of packed data");
        return bytes;
    }
    /// `memory` with other data.
    void set(Bytes& memory, const Bytes& data) const {
        int position = 0;
        MPI_Unpack(data.data(), size, &position, at(memory), count, type, MPI_COMM_WORLD);
    }
};

using Make = std::function<MPI_Datatype()>;

inline MPI_Datatype column() {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(40, 1, 3, MPI_DOUBLE, &type);
    return type;
}

inline MPI_Datatype backwards() {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hvector(9, 5, -48, MPI_INT, &type);
    return type;
}

struct Record {
    char kind;
    double value;
    short parts[3];
};

inline MPI_Datatype record() {
    const int lengths[] = {1, 1, 3};
    const MPI_Aint places[] = {offsetof(Record, kind), offsetof(Record, value), offsetof(Record, parts)};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
    MPI_Datatype plain = MPI_DATATYPE_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(3, lengths, places, types, &plain);
    MPI_Type_create_resized(plain, 0, sizeof(Record), &type);
    MPI_Type_free(&plain);
    return type;
}

inline MPI_Datatype records_here_and_there() {
    const int lengths[] = {2, 0, 1, 3};
    const int places[] = {5, 1, 0, 9};
    MPI_Datatype part = record();
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_indexed(4, lengths, places, part, &type);
    MPI_Type_free(&part);
    return type;
}

inline MPI_Datatype face() {
    const int sizes[] = {6, 7, 8};
    const int parts[] = {6, 2, 1};
    const int starts[] = {0, 3, 4};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_FLOAT, &type);
    return type;
}

inline MPI_Datatype pair_with_padding() {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_dup(MPI_DOUBLE_INT, &type);
    return type;
}

inline MPI_Datatype nothing() {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(0, MPI_INT, &type);
    return type;
}

inline MPI_Datatype row() {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(7, MPI_INT, &type);
    return type;
}

}  // namespace rb2::test
