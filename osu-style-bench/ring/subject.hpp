#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "osu-style-bench/ring/job.hpp"

namespace rb2::bench::study {

/// Measures one job; null where the fabric cannot carry the subject.
using Runner = Figures (*)(const Job& job);

/// A subject with one size of slot.
struct Variant {
    std::size_t slot_bytes;
    Runner shm;
    Runner costed;
};

/// Something that carries messages and can be measured by name.
struct Subject {
    std::string name;
    std::string summary;  ///< one line
    /// Whether its authors copy messages into and out of the ring (rb2 paper, Table I, "zero copy").
    bool copies = true;
    std::vector<Variant> variants;    ///< at least one; the first is the default
    bool slot_holds_message = false;  ///< by default the smallest slot that holds a whole message
    bool studies = true;              ///< carries the case studies too
    std::size_t unit_bytes = 1;       ///< messages are multiples of this
    bool crowds = false;              ///< one ring serves many clients

    [[nodiscard]] bool runs(Fabric fabric, Load load) const;
    /// Throws std::invalid_argument for a fabric or a slot size that it does not have, naming those it has.
    [[nodiscard]] Figures run(const Job& job) const;

  private:
    [[nodiscard]] const Variant& variant_for(const Job& job) const;
};

/// Every subject, in the order of listings.
const std::vector<Subject>& all_subjects();

/// The subjects of these names, in order and once each. "all", "table1", "pairs" and "ablations" name
/// several. Throws std::invalid_argument naming what is unknown and what there is.
std::vector<const Subject*> find_subjects(const std::vector<std::string>& names);

}  // namespace rb2::bench::study
