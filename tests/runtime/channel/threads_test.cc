#include "tests/runtime/channel/threads.hpp"
#include "tests/runtime/channel/behaviour.hpp"
#include "tests/runtime/channel/rows_read.hpp"
#include "tests/runtime/channel/rows_write.hpp"

namespace rb2::channel::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Writing, Threads, AsTypes<WriteRows>::type);
INSTANTIATE_TYPED_TEST_SUITE_P(Reading, Threads, AsTypes<ReadRows>::type);

}  // namespace
}  // namespace rb2::channel::test
