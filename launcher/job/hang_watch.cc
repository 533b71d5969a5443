#include "launcher/job/hang_watch.hpp"

#include <chrono>
#include <utility>

#include "runtime/state/summary.hpp"

namespace rb2::launcher {
namespace {

const std::string kLinePrefix = "rb2run: ";

}  // namespace

HangWatch::HangWatch(const Job& job) : pages_(job.footprint.page_prefix), size_(job.size) {}

void HangWatch::begin(Ranks& ranks) {
    if (next_) {
        return;
    }
    pages_.find();
    looks_.now = look(ranks);
    looks_.before = looks_.now;
    pages_.ask();
    step_ = Step::first_look;
    next_ = Clock::now() + state::kBetweenLooks;
    give_up_at_ = *next_ + state::kAnswerPatience;
}

void HangWatch::go_on(Ranks& ranks) {
    if (!pages_.all_answered() && Clock::now() < give_up_at_) {
        next_ = Clock::now() + state::kAskAgain;
        return;
    }
    pages_.find();
    looks_.before = std::exchange(looks_.now, look(ranks));
    if (step_ == Step::second_look || pages_.size() == 0) {
        next_.reset();
        return;
    }
    pages_.ask();
    step_ = Step::second_look;
    next_ = Clock::now() + state::kBetweenLooks;
    give_up_at_ = *next_ + state::kAnswerPatience;
}

std::vector<state::RankView> HangWatch::look(Ranks& ranks) const {
    std::vector<state::RankView> views = pages_.view(size_);
    for (int rank = 0; rank < size_; ++rank) {
        views[static_cast<std::size_t>(rank)].exited = !ranks.at(rank).alive && ranks.at(rank).pid > 0;
    }
    return views;
}

std::string HangWatch::text() const { return state::hang_report(looks_, kLinePrefix); }

std::string HangWatch::summary(Ranks& ranks) {
    pages_.find();
    return state::summary_text(look(ranks), kLinePrefix);
}

}  // namespace rb2::launcher
