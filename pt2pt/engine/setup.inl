// Construction and end of an engine. Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

template <class T>
BasicEngine<T>::BasicEngine(Transport& transport, const EngineConfig& config)
    : transport_(transport),
      config_(config),
      peers_(static_cast<std::size_t>(config.size)),
      own_traffic_(static_cast<std::size_t>(config.size)) {
    static_assert(pt2pt::Transport<T>);
    for (int rank = 0; rank < config_.size; ++rank) {
        Peer& peer = peers_[static_cast<std::size_t>(rank)];
        peer.rank = rank;
        peer.traffic = &own_traffic_[static_cast<std::size_t>(rank)];
        if (rank == config_.rank) continue;
        peer.lane = transport_.lane(rank);
        remote_.push_back(rank);
        const Lane lane = transport_.lane(rank);
        std::uint64_t& chunk = lane.local() != nullptr ? config_.chunk_bytes : config_.far_chunk_bytes;
        chunk = std::min<std::uint64_t>(chunk, lane.sender().max_length());
    }
    blocked_.reserve(remote_.size());
    max_eager_ = std::min(config_.chunk_bytes, config_.eager_window);
    for (int rank = 0; rank < config_.size; ++rank) {
        const bool far = rank != config_.rank && transport_.lane(rank).local() == nullptr;
        peers_[static_cast<std::size_t>(rank)].max_record =
            far ? std::min(config_.far_chunk_bytes, config_.eager_window) : max_eager_;
    }
}

/// Unexpected messages that nobody received are dropped here.
template <class T>
BasicEngine<T>::~BasicEngine() {
    std::vector<Unexpected*> left;
    matcher_.for_each_unexpected(
        [&](matching::UnexpectedEntry& entry) { left.push_back(static_cast<Unexpected*>(&entry)); });
    for (Unexpected* message : left) {
        matcher_.remove(*message);
        UnexpectedPtr(message).reset();
    }
    std::vector<matching::PostedEntry*> posted;
    matcher_.for_each_posted([&](matching::PostedEntry& entry) { posted.push_back(&entry); });
    for (matching::PostedEntry* entry : posted) matcher_.remove(*entry);
}

template <class T>
std::size_t BasicEngine<T>::max_in_place(int destination) const {
    return peers_[static_cast<std::size_t>(destination)].max_record;
}

}  // namespace rb2::pt2pt
