#include "tests/runtime/channel/rows_read.hpp"
#include "tests/runtime/channel/threads.hpp"

namespace rb2::channel::test {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Read, Threads, AsTypes<ReadRows>::type);
// A second READ relies on bells that a long one fetched, whose order TSan is not shown (load_words() in
// runtime/fabric/shm/endpoint.cc).
#ifndef __SANITIZE_THREAD__
INSTANTIATE_TYPED_TEST_SUITE_P(Prefetch, Threads, AsTypes<PrefetchRows>::type);
#endif

}  // namespace
}  // namespace rb2::channel::test
