// The engine over the real transport, compiled once.
#include "pt2pt/engine.hpp"

#include "pt2pt/fabric_transport.hpp"

namespace rb2::pt2pt {
template class BasicEngine<FabricTransport>;
}
