#include "osu-style-bench/ring/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "osu-style-bench/ring/subjects.hpp"

namespace rb2::bench::study {
namespace {

constexpr std::size_t kMostExtra = 24;  // header and trailer of a record

Runner runner(const Variant& variant, Fabric fabric) {
    return fabric == Fabric::shm ? variant.shm : variant.costed;
}

std::string names_of(const std::vector<Subject>& subjects) {
    std::string names;
    for (const Subject& subject : subjects) names += " " + subject.name;
    return names;
}

std::vector<std::string> group_of(const std::string& name) {
    static const std::map<std::string, std::vector<std::string>> groups{
        {"table1", {"rb2", "mvapich", "farm", "farm-twice", "socksdirect", "l5"}},
        {"pairs", {"push+wt", "push+cq", "pull+wt", "pull+cq"}},
        {"ablations",
         {"rb2", "rb2-unbatched", "push+wt", "rb2-not-elastic", "rb2-active-push", "rb2-back-to-back"}},
        {"pushed",
         {"send-recv", "send-recv-shared", "slot-detached-bell", "slot-inlined-bell", "slot-imm",
          "ring-detached-bell", "ring-imm", "ring-zeroing", "ring-reversed"}},
        {"table2",
         {"send-recv",
          "send-recv-shared",
          "send-recv-bufferless",
          "slot-detached-bell",
          "slot-inlined-bell",
          "slot-imm",
          "slot-reserved",
          "ring-detached-bell",
          "ring-imm",
          "ring-zeroing",
          "ring-reversed",
          "shared-ring-imm",
          "shared-ring-inlined-bell",
          "read-slot-detached-bell",
          "read-slot-inlined-bell",
          "read-slot-notify",
          "indirect-read",
          "read-ring-detached-bell",
          "read-ring-inlined-bell",
          "read-ring-notify"}}};
    const auto found = groups.find(name);
    return found == groups.end() ? std::vector{name} : found->second;
}

std::vector<Subject> made_subjects() {
    std::vector<Subject> subjects;
    add_rb2(subjects);
    add_rivals(subjects);
    add_pairs(subjects);
    add_ablations(subjects);
    add_channels(subjects);
    return subjects;
}

}  // namespace

bool Subject::runs(Fabric fabric, Load load) const {
    const bool swept = load == Load::stream || load == Load::exchange;
    return (load == Load::crowd ? crowds : studies || swept) && runner(variants.front(), fabric) != nullptr;
}

const Variant& Subject::variant_for(const Job& job) const {
    const auto fits = [&](const Variant& variant) {
        if (job.slot_bytes != 0) return variant.slot_bytes == job.slot_bytes;
        return !slot_holds_message || variant.slot_bytes >= std::max(job.bytes, job.reply_bytes) + kMostExtra;
    };
    const auto found = std::ranges::find_if(variants, fits);
    if (found != variants.end()) return *found;
    if (job.slot_bytes == 0) return variants.back();
    std::string sizes;
    for (const Variant& variant : variants) sizes += fmt::format(" {}", variant.slot_bytes);
    throw std::invalid_argument(
        fmt::format("{} has no slots of {} bytes; it has{}", name, job.slot_bytes, sizes));
}

Figures Subject::run(const Job& job) const {
    const Runner measure = runner(variant_for(job), job.fabric);
    if (measure == nullptr) {
        throw std::invalid_argument(fmt::format(
            "{} stores into the peer's memory, which a card does not allow; use --fabric shm", name));
    }
    return measure(job);
}

const std::vector<Subject>& all_subjects() {
    static const std::vector<Subject> subjects = made_subjects();
    return subjects;
}

std::vector<const Subject*> find_subjects(const std::vector<std::string>& names) {
    std::vector<const Subject*> found;
    const auto add = [&](const Subject& subject) {
        if (std::ranges::find(found, &subject) == found.end()) found.push_back(&subject);
    };
    const auto add_named = [&](const std::string& name) {
        const auto subject = std::ranges::find(all_subjects(), name, &Subject::name);
        if (subject == all_subjects().end()) {
            throw std::invalid_argument(
                fmt::format("unknown mix '{}'; there are:{}, and all table1 pairs ablations pushed table2",
                            name, names_of(all_subjects())));
        }
        add(*subject);
    };
    for (const std::string& name : names) {
        if (name == "all") {
            std::ranges::for_each(all_subjects(), add);
        } else {
            std::ranges::for_each(group_of(name), add_named);
        }
    }
    return found;
}

}  // namespace rb2::bench::study
