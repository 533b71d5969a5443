#pragma once
// Every collective as a case that can be called in its nonblocking and its persistent form, again and again
// with other values, and checked against a loop over the ranks.

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "tests/mpi/programs/check.hpp"

namespace rb2::test {

using Values = std::vector<long>;

struct Case {
    const char* name;
    std::function<void(int seed)> fill;
    std::function<int(MPI_Request*)> start;    ///< nonblocking
    std::function<int(MPI_Request*)> prepare;  ///< persistent
    std::function<bool(int seed)> good;
};

inline std::size_t index(int i) { return static_cast<std::size_t>(i); }
inline long element(int rank, std::size_t i, int seed) {
    return 1'000'000L * (rank + 1) + static_cast<long>(i % 9973) + 31L * seed;
}

/// element() of one rank, `first` and on.
inline Values row(int rank, std::size_t first, std::size_t count, int seed) {
    Values values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = element(rank, first + i, seed);
    return values;
}
/// The sum over ranks below `end`.
inline Values sums(int end, std::size_t first, std::size_t count, int seed) {
    Values values(count);
    for (std::size_t i = 0; i < count; ++i)
        for (int rank = 0; rank < end; ++rank) values[i] += element(rank, first + i, seed);
    return values;
}
/// Block `block` of every rank, in rank order.
inline Values column(const Ranks& on, int block, std::size_t count, int seed) {
    Values values;
    for (int rank = 0; rank < on.size; ++rank)
        for (const long value : row(rank, index(block) * count, count, seed)) values.push_back(value);
    return values;
}

/// The memory stays: persistent requests have its address.
inline void refill(Values& values, const Values& with) {
    std::copy(with.begin(), with.end(), values.begin());
}

/// One buffer that is sent and one that is received into.
struct Buffers {
    Values out;
    Values in;
};

/// A case whose rank sends `out` elements and receives `in`; `expected(seed)` is what must come.
template <class Start, class Prepare, class Expected>
Case make_case(const char* name, const Ranks& on, std::size_t out, std::size_t in, Start start,
               Prepare prepare, Expected expected) {
    auto buffers = std::make_shared<Buffers>();
    buffers->out.resize(out);
    buffers->in.resize(in);
    return {name,
            [=](int seed) {
                refill(buffers->out, row(on.rank, 0, out, seed));
                refill(buffers->in, Values(in, -1));
            },
            [=](MPI_Request* request) { return start(buffers->out.data(), buffers->in.data(), request); },
            [=](MPI_Request* request) { return prepare(buffers->out.data(), buffers->in.data(), request); },
            [=](int seed) { return buffers->in == expected(seed); }};
}

/// Cases for `count` elements per rank; rooted ones have `root`.
std::vector<Case> collective_cases(const Ranks& on, int count, int root);

}  // namespace rb2::test
