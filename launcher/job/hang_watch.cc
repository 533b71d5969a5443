#include "launcher/job/hang_watch.hpp"

#include <chrono>

#include "runtime/state/summary.hpp"

namespace rb2::launcher {
namespace {

// A sleeping rank looks up ten times a second.
constexpr std::chrono::milliseconds kBetweenLooks{250};
constexpr std::chrono::milliseconds kAgain{50};
constexpr std::chrono::milliseconds kPatience{500};  // with ranks that are late because the machine is busy

const std::string kPrefix = "rb2run: ";

}  // namespace

HangWatch::HangWatch(const Job& job) : pages_(job.footprint.page_prefix), size_(job.size) {}

void HangWatch::begin(Ranks& ranks) {
    if (next_) {
        return;
    }
    pages_.find();
    looks_ = {look(ranks), {}};
    looks_.now = looks_.before;
    pages_.ask();
    step_ = Step::first_look;
    next_ = Clock::now() + kBetweenLooks;
    give_up_at_ = *next_ + kPatience;
}

void HangWatch::go_on(Ranks& ranks) {
    if (!pages_.all_answered() && Clock::now() < give_up_at_ && step_ == Step::second_look) {
        next_ = Clock::now() + kAgain;
        return;
    }
    if (step_ == Step::second_look) {
        looks_.now = look(ranks);
        next_.reset();
        return;
    }
    pages_.find();
    looks_.before = look(ranks);
    pages_.ask();
    step_ = Step::second_look;
    next_ = Clock::now() + kBetweenLooks;
    give_up_at_ = *next_ + kPatience;
}

std::vector<state::RankView> HangWatch::look(Ranks& ranks) const {
    std::vector<state::RankView> views = pages_.view(size_);
    for (int rank = 0; rank < size_; ++rank) {
        views[static_cast<std::size_t>(rank)].exited = !ranks.at(rank).alive && ranks.at(rank).pid > 0;
    }
    return views;
}

std::string HangWatch::text() const { return state::hang_report(looks_, kPrefix); }

std::string HangWatch::summary(Ranks& ranks) {
    pages_.find();
    return state::summary_text(look(ranks), kPrefix);
}

}  // namespace rb2::launcher
