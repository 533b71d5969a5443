// Allreduce by recursive doubling, for any number of ranks.
//
// Thakur, Rabenseifner, Gropp 2005 (see broadcast.cc), section 4.5: with n not a power of two, the first 2 r
// ranks (r = n minus the largest power of two) pair up and the even ones hand their data to the odd ones,
// which take part for both; then in round k partners at distance 2^k exchange and combine; at the end the odd
// ones hand the result back. Partial results cover consecutive ranks, so operations that do not commute are
// right too.

#include <bit>
#include <vector>

#include "pt2pt/collective/collective.hpp"
#include "pt2pt/collective/exchange.hpp"

namespace rb2::collective {
namespace {

class RecursiveDoubling {
  public:
    RecursiveDoubling(Communicator& communicator, MutableBytes data, const Reduction& reduction)
        : exchange_(communicator),
          data_(data),
          reduction_(reduction),
          other_(data.size()),
          active_(static_cast<int>(std::bit_floor(static_cast<unsigned>(communicator.size())))),
          paired_(2 * (communicator.size() - active_)) {}

    Status run() {
        const int rank = exchange_.rank();
        if (rank >= paired_) return double_up(rank - paired_ / 2);
        if (rank % 2 == 0) return hand_over(rank + 1);
        Status status = exchange_.receive(other_, rank - 1);
        if (status == Status::ok) {
            combine(/*other_is_lower=*/true);
            status = double_up(rank / 2);
        }
        return status == Status::ok ? exchange_.send(data_, rank - 1) : status;
    }

  private:
    Status hand_over(int partner) {
        const Status status = exchange_.send(data_, partner);
        return status == Status::ok ? exchange_.receive(data_, partner) : status;
    }

    Status double_up(int position) {
        for (int distance = 1; distance < active_; distance *= 2) {
            const int partner = rank_at(position ^ distance);
            const Status status = exchange_.send_receive(data_, partner, other_, partner);
            if (status != Status::ok) return status;
            combine((position & distance) != 0);
        }
        return Status::ok;
    }

    /// Rank that stands at a position of the power-of-two exchange.
    [[nodiscard]] int rank_at(int position) const {
        return position < paired_ / 2 ? 2 * position + 1 : position + paired_ / 2;
    }

    void combine(bool other_is_lower) {
        if (other_is_lower || reduction_.commutative) {
            collective::combine(reduction_, other_, data_);
        } else {
            collective::combine(reduction_, data_, other_);
            std::copy(other_.begin(), other_.end(), data_.begin());
        }
    }

    Exchange exchange_;
    MutableBytes data_;
    const Reduction& reduction_;
    std::vector<std::byte> other_;
    int active_;  // largest power of two that is not above the number of ranks
    int paired_;  // ranks below this work in pairs
};

}  // namespace

Status allreduce(Communicator& communicator, std::span<std::byte> data, const Reduction& reduction) {
    return RecursiveDoubling(communicator, data, reduction).run();
}

}  // namespace rb2::collective
