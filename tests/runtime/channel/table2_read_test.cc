#include "tests/runtime/channel/rows_read.hpp"
#include "tests/runtime/channel/table2_suite.hpp"

namespace rb2::channel::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Read, Table2, AsTypes<ReadRows>::type);

TEST(Table2Read, EveryRowHasItsChannels) { Coverage<ReadRows>::expect_complete(); }

}  // namespace
}  // namespace rb2::channel::test
