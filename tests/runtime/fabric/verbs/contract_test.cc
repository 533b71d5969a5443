#include "tests/runtime/fabric/contract.hpp"
#include "tests/runtime/fabric/two_sided.hpp"
#include "tests/runtime/fabric/verbs/sides.hpp"

namespace rb2::fabric::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Verbs, Contract, VerbsSides);
INSTANTIATE_TYPED_TEST_SUITE_P(Verbs, TwoSided, VerbsMessageSides);

}  // namespace
}  // namespace rb2::fabric::test
