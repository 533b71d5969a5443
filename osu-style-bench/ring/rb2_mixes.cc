#include "osu-style-bench/ring/ring_variant.hpp"
#include "osu-style-bench/ring/subjects.hpp"

namespace rb2::bench::study {
namespace {

using namespace rb2::ring;

template <std::size_t Bytes>
using Rb2 =
    Mix<head::LazyPush, tail::WriteTwice, batching::Adaptive, placement::Mirrored, layout::SlotToSlot<Bytes>>;
template <std::size_t Bytes>
using InPlace =
    Mix<head::LazyPush, tail::InlinedBell, batching::None, placement::InPlace, layout::SlotToSlot<Bytes>>;

}  // namespace

void add_rb2(std::vector<Subject>& subjects) {
    subjects.push_back({"rb2",
                        "RB²: lazy push, write twice, adaptive batching, slots",
                        false,
                        {ring_variant<Rb2<64>>(), ring_variant<Rb2<256>>(), ring_variant<Rb2<1024>>()}});
    subjects.push_back({"rb2-in-place",
                        "RB² for mapped peers: stored into the peer's slots, inlined bell",
                        false,
                        {ring_variant<InPlace<64>>(), ring_variant<InPlace<256>>()}});
}

}  // namespace rb2::bench::study
