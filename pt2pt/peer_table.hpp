#pragma once
// What a rank keeps about its peers: made for those it has met, one pointer for all others.

#include <cstddef>
#include <memory>
#include <vector>

namespace rb2::pt2pt {

template <class Peer>
class PeerTable {
  public:
    explicit PeerTable(std::size_t ranks) : nobody_(std::make_unique<Peer>()), peers_(ranks, nobody_.get()) {}

    [[nodiscard]] bool has(int rank) const noexcept {
        return peers_[static_cast<std::size_t>(rank)] != nobody_.get();
    }
    Peer& add(int rank) {
        met_.push_back(std::make_unique<Peer>());
        return *(peers_[static_cast<std::size_t>(rank)] = met_.back().get());
    }

    /// Of a rank that has not been added: the one that stands for all of them, as it was made. So the way of
    /// a message finds no lane there, without a question of its own.
    [[nodiscard]] Peer& operator[](int rank) noexcept { return *peers_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const Peer& operator[](int rank) const noexcept {
        return *peers_[static_cast<std::size_t>(rank)];
    }

    /// Those added, the first one first.
    [[nodiscard]] const std::vector<std::unique_ptr<Peer>>& met() const noexcept { return met_; }

  private:
    std::unique_ptr<Peer> nobody_;
    std::vector<std::unique_ptr<Peer>> met_;
    std::vector<Peer*> peers_;  // by world rank
};

}  // namespace rb2::pt2pt
