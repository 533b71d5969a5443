#include "runtime/fabric/tcp/contact.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rb2::fabric::tcp {

void Contact::call() {
    if (wanted_ || done_) return;
    wanted_ = true;
    if (accepted_ == nullptr) call_next();
}

void Contact::called(std::unique_ptr<Handshake> handshake) {
    handshake->set_owner(*this);
    if (ours_ != nullptr && options_->rank < peer_) {
        drop(waiting_);
        waiting_ = std::move(handshake);
        return;
    }
    // Whatever the peer began before, this is what it means now.
    drop(accepted_);
    drop(ours_);
    take(std::move(handshake));
}

void Contact::take(std::unique_ptr<Handshake> handshake) {
    call_at_ = Clock::time_point::max();
    accepted_ = std::move(handshake);
    if (accepted_->welcome(Reception::accepted)) return;
    drop(accepted_);
    if (wanted_) pause(options_->timing.first_pause);
}

void Contact::trusted(Handshake& handshake) {
    done_ = true;
    const SocketAddress address = handshake.address();
    const Greeting greeting = handshake.peer_greeting();
    Descriptor socket = handshake.release();
    // Ours counts: the peer, being told so, waits for nothing else.
    if (waiting_ != nullptr) static_cast<void>(waiting_->welcome(Reception::superseded));
    drop_all();
    owner_->connected(std::move(socket), address, greeting);
}

void Contact::failed(Handshake& handshake, std::string cause, bool) {
    if (&handshake == waiting_.get()) return drop(waiting_);
    if (&handshake == accepted_.get()) {
        drop(accepted_);
        // Nothing was lost: no frame had been sent on it.
        if (wanted_) pause(options_->timing.first_pause);
        return;
    }
    const Reception reception = handshake.reception();
    drop(ours_);
    causes_.push_back(std::move(cause));
    if (reception == Reception::refused) return give_up();
    // Its call, or the one it has, will come through; if not, this side calls again.
    if (reception == Reception::superseded)
        return ++round_ < options_->timing.rounds ? pause(options_->timing.longest_pause) : give_up();
    call_failed();
}

void Contact::call_failed() {
    if (waiting_ != nullptr) return take(std::move(waiting_));
    if (next_target_ < targets_.size()) return call_next();
    if (++round_ >= options_->timing.rounds) return give_up();
    const auto doubled = options_->timing.first_pause * (1U << std::min(round_ - 1, 16U));
    pause(std::min<std::chrono::milliseconds>(doubled, options_->timing.longest_pause));
}

void Contact::pause(std::chrono::milliseconds pause) {
    next_target_ = 0;
    call_at_ = Clock::now() + pause;
}

/// Calls the next address; a refusal by the kernel itself counts as a call that failed.
void Contact::call_next() {
    call_at_ = Clock::time_point::max();
    std::string why;
    if (targets_.empty()) {
        targets_ = options_->find_peer ? options_->find_peer(peer_, why) : std::vector<Target>{};
        if (targets_.empty()) {
            causes_ = {why.empty() ? "it has told no address" : why};
            return give_up();
        }
    }
    if (next_target_ == 0) causes_.clear();
    const Target& target = targets_[next_target_++];
    // A peer that computes answers late, but some other program at that address never does.
    const auto patience = options_->timing.call * (1U << std::min(round_, 16U));
    ours_ = Handshake::call(*options_, *poller_, *this, peer_, target, patience, why);
    if (ours_ != nullptr) return;
    causes_.push_back(why);
    // Not at once: call_failed() would come back here, as often as there are addresses and rounds.
    call_at_ = Clock::time_point::min();
}

void Contact::tick(Clock::time_point now) {
    if (done_) return;
    if (accepted_ != nullptr && accepted_->expired(now)) {
        drop(accepted_);
        if (wanted_) pause(options_->timing.first_pause);
    }
    if (ours_ != nullptr && ours_->expired(now)) {
        causes_.push_back(fmt::format("{}: no answer", ours_->address().text()));
        drop(ours_);
        return call_failed();
    }
    if (done_ || ours_ != nullptr || accepted_ != nullptr || now < call_at_) return;
    const bool refused = call_at_ == Clock::time_point::min();
    refused ? call_failed() : call_next();
}

Clock::time_point Contact::next() const noexcept {
    if (done_) return Clock::time_point::max();
    Clock::time_point at = call_at_;
    if (ours_ != nullptr) at = std::min(at, ours_->deadline());
    if (accepted_ != nullptr) at = std::min(at, accepted_->deadline());
    return at;
}

void Contact::give_up() {
    done_ = true;
    drop_all();
    std::string causes;
    for (const std::string& cause : causes_) causes += causes.empty() ? cause : "; " + cause;
    owner_->unreachable(std::move(causes));
}

void Contact::drop(std::unique_ptr<Handshake>& handshake) {
    if (handshake == nullptr) return;
    const Descriptor closing = handshake->release();
    poller_->retire(std::move(handshake));
}

void Contact::drop_all() {
    drop(ours_);
    drop(waiting_);
    drop(accepted_);
}

}  // namespace rb2::fabric::tcp
