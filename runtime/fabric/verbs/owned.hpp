#pragma once
// What libibverbs makes, held by whoever needs it.

#include <infiniband/verbs.h>

#include <memory>

namespace rb2::fabric::verbs {

/// Owns what a verb made, and gives it back by the verb that undoes it.
template <auto kUndo>
struct Undo {
    void operator()(auto* made) const noexcept { kUndo(made); }
};
template <class T, auto kUndo>
using Owned = std::unique_ptr<T, Undo<kUndo>>;

using Context = Owned<ibv_context, &ibv_close_device>;
using Domain = Owned<ibv_pd, &ibv_dealloc_pd>;
using DeviceList = Owned<ibv_device*[], &ibv_free_device_list>;

}  // namespace rb2::fabric::verbs
