// Whom the order of broken connections points at.
#include "launcher/job/ranks.hpp"

#include <gtest/gtest.h>

namespace rb2::launcher {
namespace {

TEST(LostOrder, NeverConnectedThenBrokenThenUnbrokenThenFinalized) {
    Ranks ranks(5);
    for (const int rank : {1, 2, 3, 4}) ranks.at(rank).pmix = PmixState::connected;
    ranks.connection_lost(3);
    ranks.connection_lost(1);
    // Rank 4's fence failed because rank 3 vanished; it finalized before it gave up with a code of its own.
    ranks.at(4).pmix = PmixState::finalized;
    EXPECT_EQ(ranks.lost_order(0), 0);
    EXPECT_EQ(ranks.lost_order(3), 1);
    EXPECT_EQ(ranks.lost_order(1), 2);
    EXPECT_GT(ranks.lost_order(2), 2);
    EXPECT_GT(ranks.lost_order(4), ranks.lost_order(2));
}

}  // namespace
}  // namespace rb2::launcher
