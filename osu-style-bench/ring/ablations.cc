#include "osu-style-bench/ring/ring_variant.hpp"
#include "osu-style-bench/ring/subjects.hpp"

namespace rb2::bench::study {
namespace {

using namespace rb2::ring;

template <class Head, class Batching, class Layout = layout::SlotToSlot<>>
using Without = Mix<Head, tail::WriteTwice, Batching, placement::Mirrored, Layout>;

}  // namespace

void add_ablations(std::vector<Subject>& subjects) {
    const auto add = [&](const char* name, const char* summary, const Variant& variant) {
        subjects.push_back({name, summary, false, {variant}, false, false});
    };
    add("rb2-unbatched", "RB² without any batching",
        swept_variant<Without<head::LazyPush, batching::None>>());
    add("rb2-not-elastic", "RB² without the elastic threshold",
        swept_variant<Without<head::LazyPush, batching::SyncAhead>>());
    add("rb2-active-push", "RB² with the head pushed for every message",
        swept_variant<Without<head::ActivePush, batching::Adaptive>>());
    add("rb2-back-to-back", "RB² whose messages share cache lines",
        swept_variant<Without<head::LazyPush, batching::Adaptive, layout::BackToBack>>());
}

}  // namespace rb2::bench::study
