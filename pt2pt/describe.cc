#include "pt2pt/describe.hpp"

#include <fmt/format.h>

#include "pt2pt/job.hpp"

namespace rb2::pt2pt {

std::string who(const Communicator& communicator, int rank) {
    const Job* const job = Job::current();
    if (job == nullptr) return fmt::format("rank {}", rank);
    const int world_rank = communicator.world_rank(rank);
    const std::string_view host = job->world().host(world_rank);
    if (world_rank == rank) return fmt::format("rank {} on {}", rank, host);
    return fmt::format("rank {} (world rank {}) on {}", rank, world_rank, host);
}

std::string name_of(const Communicator& communicator) {
    if (communicator.id() == Communicator::kWorldId) return "MPI_COMM_WORLD";
    if (communicator.id() == Communicator::kSelfId) return "MPI_COMM_SELF";
    return fmt::format("communicator {}", communicator.id());
}

std::string not_a_rank(const Communicator& communicator, std::string_view role, int rank) {
    return fmt::format("{} {} is not in 0 to {} of {}", role, rank, communicator.size() - 1,
                       name_of(communicator));
}

std::string not_a_tag(int tag) { return fmt::format("tag {} is not in 0 to {}", tag, kTagUpperBound); }

std::string show_tag(int tag) { return tag == kAnyTag ? "any tag" : fmt::format("tag {}", tag); }

std::string too_long(const MessageInfo& info, std::size_t buffer_bytes) {
    return fmt::format("a message of {} bytes from rank {} with tag {} came for a buffer of {} bytes",
                       info.bytes, info.source, info.tag, buffer_bytes);
}

}  // namespace rb2::pt2pt
