// Use before, between and after: the order of environments, communicators and requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <stdexcept>

#include "rb2/rb2.hpp"

namespace {

TEST(Lifetime, AfterTheEnvironmentCallsFailAndHandlesMayGo) {
    rb2::Communicator world;
    std::optional<rb2::Request> request;
    std::array<int, 1> in{};
    {
        const rb2::Environment environment;
        world = environment.world();
        EXPECT_EQ(environment.self().size(), 1);
        EXPECT_FALSE(environment.host(0).empty());
        request = world.irecv(in, 0).or_abort();
        request->cancel();
        ASSERT_TRUE(request->wait().ok());
    }
    auto result = world.send(in, 0);
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error().text, ::testing::HasSubstr("no job is running"));
    EXPECT_FALSE(world.barrier().ok());
    EXPECT_THROW(rb2::Environment(), std::runtime_error);
}

}  // namespace
