#pragma once
// A channel as a subject of the bench.

#include "osu-style-bench/ring/channel_link.hpp"
#include "osu-style-bench/ring/loads.hpp"
#include "osu-style-bench/ring/subjects.hpp"

namespace rb2::bench::study {

/// A channel on both fabrics; the case studies are for rings.
template <class C>
Subject channel_subject(const char* name, const char* summary) {
    return {name,  summary, false, {{0, run_swept<ChannelLink<C, Bare>>, run_swept<ChannelLink<C, Costed>>}},
            false, false};
}

/// The parts of add_channels(), in files of their own because they take long to compile.
void add_write_slots(std::vector<Subject>& subjects);
void add_shared_rings(std::vector<Subject>& subjects);
void add_read_slots(std::vector<Subject>& subjects);
void add_read_rings(std::vector<Subject>& subjects);

}  // namespace rb2::bench::study
