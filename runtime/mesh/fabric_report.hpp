#pragma once
// Which fabric serves which ranks of a job, and why, as text.

#include <optional>
#include <span>
#include <string>

#include "runtime/bootstrap/card.hpp"
#include "runtime/network/fabrics.hpp"

namespace rb2::mesh {

/// What serves two ranks; nullopt: nothing.
[[nodiscard]] std::optional<network::Fabric> fabric_between(const bootstrap::Card& a,
                                                            const bootstrap::Card& b);

/// Ranks of one host, one /dev/shm and the same fabrics are a group; the text lists the groups, then, if they
/// are few, a matrix of what serves each two of them, then, for each fabric and reason, how many pairs of
/// ranks it serves, an example and why it is no faster one. Lines begin with "rb2: " and end in a newline.
/// Pure.
[[nodiscard]] std::string describe_fabrics(std::span<const bootstrap::Card> cards);

}  // namespace rb2::mesh
