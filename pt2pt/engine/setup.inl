// Construction and end of an engine. Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

template <class T>
BasicEngine<T>::BasicEngine(Transport& transport, const EngineConfig& config)
    : transport_(transport), config_(config), peers_(static_cast<std::size_t>(config.size)) {
    static_assert(pt2pt::Transport<T>);
    for (int rank = 0; rank < config_.size; ++rank) {
        if (rank == config_.rank) continue;
        const Lane lane = transport_.lane(rank);
        if (!lane.connected() || lane.local() == nullptr) continue;
        config_.chunk_bytes = std::min<std::uint64_t>(config_.chunk_bytes, lane.sender().max_length());
    }
    max_eager_ = std::min(config_.chunk_bytes, config_.eager_window);
    for (int rank = 0; rank < config_.size; ++rank) {
        if (rank == config_.rank)
            add_peer(rank).max_record = max_eager_;
        else if (transport_.lane(rank).connected())
            meet(rank);
    }
}

template <class T>
Peer& BasicEngine<T>::add_peer(int rank) {
    Peer& peer = peers_.add(rank);
    peer.rank = rank;
    peer.traffic = page_ != nullptr ? &page_->traffic()[rank] : &peer.own_traffic;
    return peer;
}

/// The first contact with a rank, from either side: from now on it is polled. Nothing to do for one already
/// met.
template <class T>
void BasicEngine<T>::meet(int rank) {
    if (peers_.has(rank)) return;
    transport_.connect(rank);
    const Lane lane = transport_.lane(rank);
    const bool far = lane.local() == nullptr;
    Peer& peer = add_peer(rank);
    peer.lane = lane;
    peer.eager_window = far ? config_.far_eager_window : config_.eager_window;
    const std::uint64_t chunk = far ? config_.far_chunk_bytes : max_eager_;
    peer.max_record = std::min<std::uint64_t>({chunk, peer.eager_window, lane.sender().max_length()});
    peer.chunk = far ? network::whole_packets(peer.max_record) : peer.max_record;
    peer.in_stream = std::min<std::uint64_t>(peer.eager_window, lane.sender().max_length());
    peer.longest_chunk = far ? peer.chunk : std::max(peer.chunk, peer.in_stream / Peer::kPieces);
    if (!far) {
        peer.bell = &transport_.doorbell(rank);
        peer.put_below = peer.max_record + 1;
    }
    remote_.push_back(rank);
    if (blocked_.capacity() < remote_.size()) blocked_.reserve(2 * remote_.size());
}

/// Ranks that made the first contact, so that this round polls them; returns how many.
template <class T>
int BasicEngine<T>::meet_callers() {
    const std::size_t before = remote_.size();
    transport_.take_callers([this](int rank) { meet(rank); });
    return static_cast<int>(remote_.size() - before);
}

/// Unexpected messages that nobody received are dropped here.
template <class T>
BasicEngine<T>::~BasicEngine() {
    for (const int rank : remote_) {
        if (network::Channel* const remote = peers_[rank].lane.remote(); remote != nullptr)
            remote->withdraw();
    }
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
    return peers_.has(destination) ? peers_[destination].max_record : max_eager_;
}

}  // namespace rb2::pt2pt
