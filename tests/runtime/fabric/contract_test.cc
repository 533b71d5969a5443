#include "tests/runtime/fabric/contract.hpp"

namespace rb2::fabric::test {
namespace {

using AllSides = testing::Types<ShmSides, FakeSides, FaultySides, CostedSides, TcpSides>;
INSTANTIATE_TYPED_TEST_SUITE_P(All, Contract, AllSides);

}  // namespace
}  // namespace rb2::fabric::test
