#include "tests/runtime/channel/rows_write.hpp"
#include "tests/runtime/channel/threads.hpp"

namespace rb2::channel::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Write, Threads, AsTypes<WriteRows>::type);

}  // namespace
}  // namespace rb2::channel::test
