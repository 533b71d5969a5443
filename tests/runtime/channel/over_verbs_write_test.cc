#include "runtime/channel/supported.hpp"
#include "tests/runtime/channel/rows_write.hpp"
#include "tests/runtime/channel/verbs_wire.hpp"

namespace rb2::channel::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Write, OverVerbs, SupportedOf<WriteRows>::type);

}  // namespace
}  // namespace rb2::channel::test
