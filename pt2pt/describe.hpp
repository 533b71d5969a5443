#pragma once
// Phrases about ranks, tags and communicators for the error texts of both interfaces.

#include <string>
#include <string_view>

#include "pt2pt/communicator.hpp"

namespace rb2::pt2pt {

/// "rank 2 on node7", with the world rank where it differs. Without a running world only "rank 2".
[[nodiscard]] std::string who(const Communicator& communicator, int rank);

/// "MPI_COMM_WORLD", "MPI_COMM_SELF" or "communicator 7": the names users know the predefined ones by.
[[nodiscard]] std::string name_of(const Communicator& communicator);

/// "destination 7 is not in 0 to 3 of MPI_COMM_WORLD"; `role` is the rank's part in the call.
[[nodiscard]] std::string not_a_rank(const Communicator& communicator, std::string_view role, int rank);

/// "tag -5 is not in 0 to 2147483647".
[[nodiscard]] std::string not_a_tag(int tag);

/// "any tag" or "tag 5".
[[nodiscard]] std::string show_tag(int tag);

/// "a message of 80 bytes from rank 1 with tag 5 came for a buffer of 40 bytes"; the source is a rank here.
[[nodiscard]] std::string too_long(const MessageInfo& info, std::size_t buffer_bytes);

}  // namespace rb2::pt2pt
