#pragma once
// What a rank waits for that other ranks bring about in memory they share with it. They send no record of it,
// but ring its doorbell.

namespace rb2::pt2pt {

/// A wait for a sign that is under way. Lives on the stack of the waiting call, linked to the others of the
/// engine: whoever goes to sleep for all of them asks each once more.
class Sign {
  public:
    /// `seen()` tells whether the sign is there. It outlives this object.
    template <class Seen>
    Sign(Sign*& list, const Seen& seen) noexcept
        : list_(list),
          next_(list),
          seen_(&seen),
          ask_([](const void* function) { return (*static_cast<const Seen*>(function))(); }) {
        list = this;
    }
    Sign(const Sign&) = delete;
    Sign& operator=(const Sign&) = delete;
    ~Sign() {
        Sign** link = &list_;
        while (*link != this) link = &(*link)->next_;
        *link = next_;
    }

    /// Whether one of the list is there.
    [[nodiscard]] static bool any(const Sign* list) noexcept {
        for (; list != nullptr; list = list->next_)
            if (list->ask_(list->seen_)) return true;
        return false;
    }

  private:
    Sign*& list_;
    Sign* next_;
    const void* seen_;
    bool (*ask_)(const void*);
};

}  // namespace rb2::pt2pt
