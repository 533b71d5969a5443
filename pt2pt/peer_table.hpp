#pragma once
// What a rank keeps about its peers: made for those it has met, one pointer for all others.

#include <cstddef>
#include <memory>
#include <vector>

namespace rb2::pt2pt {

template <class Peer>
class PeerTable {
  public:
    explicit PeerTable(std::size_t ranks) : peers_(ranks) {}

    [[nodiscard]] bool has(int rank) const noexcept {
        return peers_[static_cast<std::size_t>(rank)] != nullptr;
    }
    Peer& add(int rank) { return *(peers_[static_cast<std::size_t>(rank)] = std::make_unique<Peer>()); }

    /// Of a rank that has been added.
    [[nodiscard]] Peer& operator[](int rank) noexcept { return *peers_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const Peer& operator[](int rank) const noexcept {
        return *peers_[static_cast<std::size_t>(rank)];
    }

  private:
    std::vector<std::unique_ptr<Peer>> peers_;  // by world rank
};

}  // namespace rb2::pt2pt
