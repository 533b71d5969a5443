#include "tests/runtime/channel/rows_read.hpp"
#include "tests/runtime/channel/threads.hpp"

namespace rb2::channel::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Read, Threads, AsTypes<ReadRows>::type);
INSTANTIATE_TYPED_TEST_SUITE_P(Prefetch, Threads, AsTypes<PrefetchRows>::type);

}  // namespace
}  // namespace rb2::channel::test
