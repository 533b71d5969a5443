#include "runtime/channel/parameters.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "runtime/status.hpp"

namespace rb2::channel {
namespace {

TEST(ChannelParameters, OutOfRangeAreRefused) {
    const Parameters good{.slots = 4, .message_bytes = 96, .ring_bytes = 512};
    for (auto [field, value] :
         {std::pair{&Parameters::slots, 0U}, std::pair{&Parameters::slots, kMaxSlots + 1},
          std::pair{&Parameters::message_bytes, 0U}, std::pair{&Parameters::ring_bytes, 16U},
          std::pair{&Parameters::credits_per_lap, 0U}}) {
        Parameters bad = good;
        bad.*field = value;
        EXPECT_THROW(static_cast<void>(validate(bad)), StartupError);
    }
    EXPECT_NO_THROW(static_cast<void>(validate(good)));
}

}  // namespace
}  // namespace rb2::channel
