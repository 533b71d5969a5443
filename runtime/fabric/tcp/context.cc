#include "runtime/fabric/tcp/context.hpp"

#include <sys/socket.h>

#include <algorithm>

namespace rb2::fabric::tcp {

Context::Context(Options options)
    : options_(std::move(options)), notices_(options_.notice), doorman_(options_, poller_, notices_, *this) {}

Context::~Context() {
    if (poller_.is_copy()) return;
    static_cast<void>(finish(Clock::time_point::min()));
    // Closed with bytes unread, a connection is reset, and what was sent last may be lost with it.
    for (const auto& [rank, endpoint] : endpoints_) {
        for (int i = 0; i < 16 && endpoint->connected() && endpoint->discard(); ++i) continue;
    }
}

Endpoint& Context::endpoint(std::uint32_t rank) {
    std::unique_ptr<Endpoint>& endpoint = endpoints_[rank];
    if (endpoint != nullptr) return *endpoint;
    endpoint = std::make_unique<Endpoint>(Endpoint::Made{}, *this, rank);
    // Nothing allocates on the way of a message.
    unsent_.reserve(endpoints_.size());
    lost_.reserve(endpoints_.size());
    return *endpoint;
}

void Context::visited(std::unique_ptr<Handshake> handshake) {
    Endpoint& peer = endpoint(handshake->peer());
    peer.called(std::move(handshake));
}

bool Context::progress() noexcept {
    ++round_;
    bool any = receive_hot();
    any |= push_unsent();
    any |= wait_if_due(any);
    tick();
    return any;
}

/// The sockets that were busy lately are read without asking whether there is anything: one call, not two.
bool Context::receive_hot() noexcept {
    bool any = false;
    for (std::size_t i = 0; i < hot_count_;) {
        Endpoint& endpoint = *hot_[i];
        const bool received = endpoint.receive(false);
        any |= received;
        endpoint.hot_ = received ? kStaysHot : static_cast<std::uint8_t>(endpoint.hot_ - 1);
        if (endpoint.hot_ == 0) cool(endpoint);
        // The list closes up behind one that left it.
        if (i < hot_count_ && hot_[i] == &endpoint) ++i;
    }
    return any;
}

void Context::heat(Endpoint& endpoint) noexcept {
    const bool listed = endpoint.hot_ != 0;
    if (!listed && hot_count_ == kMostHot) return;
    endpoint.hot_ = kStaysHot;
    if (listed) return;
    hot_[hot_count_++] = &endpoint;
    endpoint.watch_bytes(false);
}

void Context::cool(Endpoint& endpoint) noexcept {
    endpoint.hot_ = 0;
    const auto end = hot_.begin() + hot_count_;
    const auto place = std::find(hot_.begin(), end, &endpoint);
    if (place == end) return;
    std::copy(place + 1, end, place);
    --hot_count_;
    endpoint.watch_bytes(!endpoint.stalled_);
}

void Context::list_unsent(Endpoint& endpoint) noexcept {
    if (endpoint.listed_unsent_) return;
    endpoint.listed_unsent_ = true;
    unsent_.push_back(&endpoint);
}

/// Tries a few of those that the kernel had no room for, and lets the others come next time.
bool Context::push_unsent() noexcept {
    constexpr std::size_t most = 8;
    const std::uint64_t before = counters_.sent_bytes;
    for (std::size_t left = std::min(most, unsent_.size()); left != 0; --left) {
        Endpoint& endpoint = *unsent_.front();
        unsent_.erase(unsent_.begin());
        endpoint.listed_unsent_ = false;
        if (endpoint.state_ != Endpoint::State::up) continue;
        // Lists itself again if it must. Room also lets answers out that had none.
        if (endpoint.push() == Status::ok && endpoint.answer()) static_cast<void>(endpoint.push());
    }
    return counters_.sent_bytes != before;
}

bool Context::wait_if_due(bool busy) noexcept {
    const unsigned rounds = hot_count_ == up_ ? 16 * kRoundsPerWait : kRoundsPerWait;
    const bool unsettled = !contacting_.empty() || doorman_.half_open() != 0;
    const bool due = hot_count_ == 0 || unsettled || round_ % rounds == 0;
    if (!due || (busy && round_ % kRoundsPerWait != 0)) return false;
    ++counters_.waits;
    return poller_.handle() != 0;
}

void Context::tick() noexcept {
    if (contacting_.empty() && doorman_.next() == Clock::time_point::max()) return;
    const Clock::time_point now = Clock::now();
    doorman_.tick(now);
    for (std::size_t i = 0; i < contacting_.size();) {
        Endpoint& endpoint = *contacting_[i];
        endpoint.contact_->tick(now);
        if (!endpoint.contact_->done()) {
            ++i;
            continue;
        }
        endpoint.contact_.reset();
        contacting_[i] = contacting_.back();
        contacting_.pop_back();
    }
}

Clock::time_point Context::next_tick() const noexcept {
    Clock::time_point at = doorman_.next();
    for (const Endpoint* endpoint : contacting_) at = std::min(at, endpoint->contact_->next());
    return at;
}

int Context::prepare_wait() noexcept {
    round_ = ~0U;  // the next progress() asks epoll
    while (hot_count_ != 0) cool(*hot_[hot_count_ - 1]);
    for (Endpoint* endpoint : unsent_) {
        if (endpoint->state_ == Endpoint::State::up) endpoint->watch_room(true);
    }
    const Clock::time_point at = next_tick();
    if (at == Clock::time_point::max()) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(at - std::min(at, Clock::now()));
    return static_cast<int>(std::min<std::int64_t>(left.count(), 60'000));
}

std::uint64_t Context::unsent() const noexcept {
    std::uint64_t bytes = 0;
    for (const auto& [rank, endpoint] : endpoints_) bytes += endpoint->unsent();
    return bytes;
}

Endpoint* Context::next_lost() noexcept { return lost_told_ == lost_.size() ? nullptr : lost_[lost_told_++]; }

bool Context::all_parted() const noexcept {
    return std::ranges::all_of(endpoints_, [](const auto& entry) {
        const Endpoint& endpoint = *entry.second;
        return (endpoint.state_ != Endpoint::State::up || endpoint.queues_->in.left()) &&
               (endpoint.state_ == Endpoint::State::lost || endpoint.unsent() == 0);
    });
}

bool Context::finish(Clock::time_point deadline) noexcept {
    bool parted = false;
    do {
        for (const auto& [rank, endpoint] : endpoints_) endpoint->part();
        parted = all_parted();
        if (!parted && deadline != Clock::time_point::min()) progress();
    } while (!parted && Clock::now() < deadline);
    return parted;
}

}  // namespace rb2::fabric::tcp
