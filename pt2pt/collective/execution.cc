#include "pt2pt/collective/execution.hpp"

#include <cstring>

namespace rb2::collective {

pt2pt::Request* Execution::start(const std::shared_ptr<Execution>& execution) {
    Execution& self = *execution;
    pt2pt::Request* const request = self.engine().open_request();
    if (request == nullptr) return nullptr;
    self.request_ = request;
    self.status_ = Status::ok;
    self.next_ = 0;
    self.engine().run(execution);
    return request;
}

int Execution::advance() {
    int work = 0;
    while (round_is_over()) {
        if (next_ == schedule_.steps().size()) {
            engine().complete(*request_, status_);
            return kOver;
        }
        work += start_round();
    }
    return work;
}

/// In order: the first message that is not complete ends the look, so each is looked at once more than it
/// must be, however many there are.
bool Execution::round_is_over() {
    for (; finished_ < under_way_.size(); ++finished_) {
        pt2pt::Request* const message = under_way_[finished_];
        if (!message->complete()) {
            engine().waits_for(*request_, message);
            return false;
        }
        if (status_ == Status::ok) status_ = message->info().status;
        engine().release(message);
    }
    under_way_.clear();
    finished_ = 0;
    return true;
}

int Execution::start_round() {
    const std::span<const Step> steps = schedule_.steps();
    const std::size_t first = next_;
    while (next_ < steps.size() && steps[next_].kind != Step::Kind::wait) perform(steps[next_++]);
    if (next_ < steps.size()) ++next_;  // the wait itself
    return static_cast<int>(next_ - first);
}

void Execution::perform(const Step& step) {
    const auto& [with, tag] = step.across ? across_ : own_;
    switch (step.kind) {
        case Step::Kind::send:
            begun(engine().isend({step.from, step.bytes}, with.world_rank(step.peer),
                                 with.collective_context(), tag));
            break;
        case Step::Kind::receive:
            begun(engine().ireceive({step.to, step.bytes}, with.world_rank(step.peer),
                                    with.collective_context(), tag));
            break;
        case Step::Kind::copy:
            std::memmove(step.to, step.from, step.bytes);
            break;
        case Step::Kind::combine:
            combine(schedule_.reduction(), {step.from, step.bytes}, {step.to, step.bytes});
            break;
        case Step::Kind::call:
            step.function(step.argument);
            break;
        case Step::Kind::wait:
            break;
    }
}

void Execution::begun(pt2pt::Request* request) {
    if (request == nullptr) {
        if (status_ == Status::ok) status_ = Status::out_of_memory;
    } else if (!pt2pt::Engine::is_immediate(request)) {
        under_way_.push_back(request);
    }
}

}  // namespace rb2::collective
