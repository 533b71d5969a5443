#include "tests/runtime/channel/rows_write.hpp"
#include "tests/runtime/channel/table2_suite.hpp"

namespace rb2::channel::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Write, Table2, AsTypes<WriteRows>::type);

TEST(Table2Write, EveryRowHasItsChannels) { Coverage<WriteRows>::expect_complete(); }

}  // namespace
}  // namespace rb2::channel::test
