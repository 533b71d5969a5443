#include "osu-style-bench/ring/ring_variant.hpp"
#include "osu-style-bench/ring/subjects.hpp"

namespace rb2::bench::study {

void add_rivals(std::vector<Subject>& subjects) {
    namespace mix = rb2::ring::mix;
    // The whole of a buffer is zeroed for every message: the right size is just above the message's.
    subjects.push_back({"mvapich",
                        "MVAPICH: active push, poll message with zeroing, list of buffers",
                        true,
                        {ring_variant<mix::Mvapich<128>>(), ring_variant<mix::Mvapich<320>>(),
                         swept_variant<mix::Mvapich<1088>>(), swept_variant<mix::Mvapich<4160>>(),
                         swept_variant<mix::Mvapich<16448>>(), swept_variant<mix::Mvapich<65600>>()},
                        true});
    subjects.push_back({"farm",
                        "FaRM: ring at the receiver only, poll message with zeroing, back-to-back",
                        true,
                        {ring_variant<mix::Farm>()}});
    subjects.push_back({"farm-twice",
                        "FaRM where bytes are not ordered: the length in a second write",
                        true,
                        {ring_variant<mix::FarmTwice>()}});
    subjects.push_back({"socksdirect",
                        "SocksDirect: poll CQ, ten publications in flight, back-to-back",
                        true,
                        {ring_variant<mix::SocksDirect>()}});
    subjects.push_back(
        {"l5", "L5: write twice for every message, back-to-back", true, {ring_variant<mix::L5>()}});
}

}  // namespace rb2::bench::study
