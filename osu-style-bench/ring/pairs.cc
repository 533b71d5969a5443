#include "osu-style-bench/ring/ring_variant.hpp"
#include "osu-style-bench/ring/subjects.hpp"

namespace rb2::bench::study {
namespace {

using namespace rb2::ring;

template <class Head, class Tail>
using Pair = Mix<Head, Tail, batching::Fixed, placement::Mirrored>;

}  // namespace

void add_pairs(std::vector<Subject>& subjects) {
    const auto add = [&](const char* name, const char* summary, const Variant& variant) {
        subjects.push_back({name, summary, false, {variant}, false, false});
    };
    add("push+wt", "lazy push, write twice, fixed batching",
        swept_variant<Pair<head::LazyPush, tail::WriteTwice>>());
    add("push+cq", "lazy push, poll CQ, fixed batching", swept_variant<Pair<head::LazyPush, tail::PollCq>>());
    add("pull+wt", "lazy pull, write twice, fixed batching",
        swept_variant<Pair<head::LazyPull, tail::WriteTwice>>());
    add("pull+cq", "lazy pull, poll CQ, fixed batching", swept_variant<Pair<head::LazyPull, tail::PollCq>>());
}

}  // namespace rb2::bench::study
