#include "tests/runtime/channel/behaviour.hpp"
#include "tests/runtime/channel/rows_write.hpp"

namespace rb2::channel::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(SendRecv, Behaviour, CasesOfAll<SendRecvRows>::type);

}  // namespace
}  // namespace rb2::channel::test
