// Operations made of several messages, advanced in every round of progress. Part of pt2pt/engine.hpp.

namespace rb2::pt2pt {

template <class T>
Request* BasicEngine<T>::open_request() {
    Request* const group = pool_.take(Request::Kind::group);
    if (group != nullptr) {
        group->info_ = {};
        group->next_ = nullptr;
    }
    return group;
}

template <class T>
void BasicEngine<T>::waits_for(Request& group, Request* part) noexcept {
    group.next_ = part;
}

template <class T>
void BasicEngine<T>::complete(Request& group, Status status) {
    group.info_.status = status;
    group.next_ = nullptr;
    finish(group);
}

template <class T>
void BasicEngine<T>::run(std::shared_ptr<Activity> activity) {
    if (activity->advance() != Activity::kOver) activities_.push_back(std::move(activity));
}

/// All activities once; returns the number of steps done. One that is over counts as a step, so that whoever
/// waits for it looks again.
template <class T>
int BasicEngine<T>::advance_activities() {
    int work = 0;
    for (std::size_t i = 0; i < activities_.size();) {
        const int steps = activities_[i]->advance();
        if (steps != Activity::kOver) {
            work += steps;
            ++i;
            continue;
        }
        ++work;
        activities_[i] = std::move(activities_.back());
        activities_.pop_back();
    }
    return work;
}

}  // namespace rb2::pt2pt
