#pragma once
// A static object that the end of the process leaves as it is.

#include <type_traits>

namespace rb2::pt2pt {

/// A process that exits without finalizing is lost to its job, and rb2run says so: it must not look as if it
/// had left in order, nor may what its other threads still use go away under them.
template <class T>
union Undestroyed {
    static_assert(std::is_default_constructible_v<T>);

    constexpr Undestroyed() : value() {}
    // NOLINTNEXTLINE(modernize-use-equals-default): a defaulted one is deleted, as T has a destructor
    ~Undestroyed() {}
    Undestroyed(const Undestroyed&) = delete;
    Undestroyed& operator=(const Undestroyed&) = delete;

    T value;
};

}  // namespace rb2::pt2pt
