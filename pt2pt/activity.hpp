#pragma once
// Work of several messages that goes on by itself while its rank makes progress, such as a nonblocking
// collective.

namespace rb2::pt2pt {

class Activity {
  public:
    /// What advance() returns when there is nothing more to come.
    static constexpr int kOver = -1;

    Activity() = default;
    Activity(const Activity&) = delete;
    Activity& operator=(const Activity&) = delete;
    virtual ~Activity() = default;

    /// Does what can be done without waiting: the number of steps done (0: none could be), or kOver. May
    /// start and release messages, but must not wait, make progress, or start an activity.
    virtual int advance() = 0;
};

}  // namespace rb2::pt2pt
