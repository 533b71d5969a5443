#pragma once
// What start-up and first contacts have cost this rank, in one line for scripts (scripts/scale,
// docs/scale.md).

#include <chrono>
#include <string>

#include "pt2pt/fabric_transport.hpp"
#include "runtime/bootstrap/session.hpp"
#include "runtime/mesh/mesh.hpp"

namespace rb2::pt2pt {

/// "rb2: rank 3 of 512: open_us=... ...": words of the form name=number, in the order of docs/scale.md.
/// `open` is the time it took to join the job. Memory is that of the whole process at this moment.
[[nodiscard]] std::string start_report(const bootstrap::Session& session, const mesh::Mesh& mesh,
                                       const FabricTransport& transport, std::chrono::microseconds open);

}  // namespace rb2::pt2pt
