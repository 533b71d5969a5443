#include "runtime/fabric/fault/endpoint.hpp"

#include "runtime/fabric/fake/endpoint.hpp"
#include "runtime/fabric/shm/endpoint.hpp"

namespace rb2::fabric::fault {

static_assert(MappedEndpoint<Endpoint<shm::Endpoint>>);
static_assert(fabric::Endpoint<Endpoint<fake::Endpoint>> && !MappedEndpoint<Endpoint<fake::Endpoint>>);
static_assert(fabric::Endpoint<Endpoint<Endpoint<fake::Endpoint>>>, "decorators stack");

}  // namespace rb2::fabric::fault
