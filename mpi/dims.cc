// MPI_Dims_create: a grid of a given number of ranks whose free dimensions are as even as they can be.

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "mpi/define.hpp"
#include "mpi/dims.hpp"
#include "mpi/errors.hpp"

namespace rb2::mpi {
namespace {

/// The divisors of n, ascending.
std::vector<int> divisors_of(int n) {
    std::vector<int> low;
    std::vector<int> high;
    for (int d = 1; std::int64_t{d} * d <= n; ++d) {
        if (n % d != 0) continue;
        low.push_back(d);
        if (d != n / d) high.push_back(n / d);
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

/// Tries the largest factor first, from about the root of what is left upwards: the search stops where the
/// factor alone exceeds the smallest possible last factor by more than the best difference found.
class EvenFactors {
  public:
    EvenFactors(int n, int count)
        : divisors_(divisors_of(n)), best_(static_cast<std::size_t>(count)), current_(best_.size()) {
        while (!reaches(share_, best_.size(), n)) ++share_;
        descend(n, 0, n);
    }
    [[nodiscard]] std::vector<int> take() && { return std::move(best_); }

  private:
    void descend(int left, std::size_t depth, int most) {
        if (depth + 1 == current_.size()) {
            if (left > most) return;
            current_[depth] = left;
            const int difference = current_.front() - left;
            if (difference > difference_ || (difference == difference_ && left <= best_.back())) return;
            difference_ = difference;
            best_ = current_;
            return;
        }
        for (const int factor : divisors_) {
            if (factor > most || factor > left) break;
            if (left % factor != 0 || !reaches(factor, current_.size() - depth, left)) continue;
            // The last factor is at most the even share, so at least this much off.
            if (depth == 0 && factor - share_ > difference_) break;
            current_[depth] = factor;
            descend(left / factor, depth + 1, factor);
        }
    }
    /// Whether `count` factors of at most `factor` can make `n`.
    static bool reaches(int factor, std::size_t count, int n) {
        std::int64_t product = 1;
        for (std::size_t i = 0; i < count && product < n; ++i) product *= factor;
        return product >= n;
    }

    std::vector<int> divisors_;
    std::vector<int> best_;
    std::vector<int> current_;
    int share_ = 1;  // the least number whose power to the number of factors reaches n
    int difference_ = std::numeric_limits<int>::max();
};

}  // namespace

std::vector<int> even_factors(int n, int count) { return EvenFactors(n, count).take(); }

namespace {

int dims_create(const char* function, int nnodes, int ndims, int* dims) {
    if (nnodes < 1) return fail(MPI_ERR_DIMS, function, fmt::format("the number of nodes is {}", nnodes));
    if (ndims < 0) return fail(MPI_ERR_DIMS, function, fmt::format("the number of dimensions is {}", ndims));
    if (ndims > 0 && dims == nullptr)
        return fail(MPI_ERR_ARG, function, "the array of dimensions is a null pointer");
    int free = 0;
    std::int64_t fixed = 1;
    for (int i = 0; i < ndims; ++i) {
        if (dims[i] < 0) return fail(MPI_ERR_DIMS, function, fmt::format("dimension {} is {}", i, dims[i]));
        if (dims[i] == 0)
            ++free;
        else if (fixed <= nnodes)
            fixed *= dims[i];
    }
    if (fixed > nnodes || nnodes % fixed != 0 || (free == 0 && ndims > 0 && fixed != nnodes))
        return fail(
            MPI_ERR_DIMS, function,
            fmt::format("{} nodes cannot be spread over fixed dimensions that make {}", nnodes, fixed));
    if (free == 0) return MPI_SUCCESS;
    const std::vector<int> factors = even_factors(nnodes / static_cast<int>(fixed), free);
    for (int i = 0, next = 0; i < ndims; ++i)
        if (dims[i] == 0) dims[i] = factors[static_cast<std::size_t>(next++)];
    return MPI_SUCCESS;
}

}  // namespace
}  // namespace rb2::mpi

RB2_MPI_DEFINE(int, Dims_create, int nnodes, int ndims, int dims[]) {
    return rb2::mpi::dims_create("MPI_Dims_create", nnodes, ndims, dims);
}
