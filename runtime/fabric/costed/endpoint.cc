#include "runtime/fabric/costed/endpoint.hpp"

#include "runtime/fabric/fake/endpoint.hpp"
#include "runtime/fabric/shm/message_endpoint.hpp"

namespace rb2::fabric::costed {

static_assert(Clock<TscClock>);
static_assert(fabric::Endpoint<Endpoint<shm::Endpoint>> && !MappedEndpoint<Endpoint<shm::Endpoint>>);
static_assert(TwoSidedEndpoint<Endpoint<shm::MessageEndpoint>>);
static_assert(Endpoint<shm::MessageEndpoint>::kCapabilities.ordered_bytes);
static_assert(fabric::Endpoint<Endpoint<fake::Endpoint>>);

}  // namespace rb2::fabric::costed
