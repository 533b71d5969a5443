// Construction and end of an engine. Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

template <class T>
BasicEngine<T>::BasicEngine(Transport& transport, const EngineConfig& config)
    : transport_(transport), config_(config), peers_(static_cast<std::size_t>(config.size)) {
    static_assert(pt2pt::Transport<T>);
    for (int rank = 0; rank < config_.size; ++rank) {
        if (rank == config_.rank) continue;
        remote_.push_back(rank);
        config_.chunk_bytes =
            std::min<std::uint64_t>(config_.chunk_bytes, transport_.lane(rank).sender().max_length());
    }
    blocked_.reserve(remote_.size());
    max_eager_ = std::min(config_.chunk_bytes, config_.eager_window);
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
std::size_t BasicEngine<T>::max_in_place(int) const {
    return max_eager_;
}

}  // namespace rb2::pt2pt
