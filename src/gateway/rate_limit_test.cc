#include "gateway/rate_limit.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

TEST(RateLimit, AMinutesWorthAtOnceThenOneAtATime) {
  RateLimit limit(60);
  for (int i = 0; i < 60; ++i) EXPECT_FALSE(limit.take("a", {0}));
  const auto wait = limit.take("a", {0});
  ASSERT_TRUE(wait);
  EXPECT_EQ(*wait, millis(1001));
  EXPECT_FALSE(limit.take("b", {0})) << "each key has its own";
  EXPECT_FALSE(limit.take("a", {1001}));
  EXPECT_TRUE(limit.take("a", {1001}));
}

TEST(RateLimit, ZeroIsNoLimitAndARateCanChangeWhileItRuns) {
  RateLimit limit(0);
  for (int i = 0; i < 10'000; ++i) EXPECT_FALSE(limit.take("a", {0}));
  limit.set_rate(1);
  EXPECT_FALSE(limit.take("a", {0}));
  EXPECT_TRUE(limit.take("a", {0}));
}

TEST(RateLimit, ManyKeysStayBoundedAndTheBusyOnesAreRemembered) {
  RateLimit limit(10, 100);
  for (int i = 0; i < 10; ++i) limit.take("busy", {0});
  for (int i = 0; i < 10'000; ++i) {
    limit.take("k" + std::to_string(i), {i});  // each seen once, and full again after six seconds
  }
  EXPECT_TRUE(limit.check("busy", {1}))
      << "a flood of new keys does not free the one that must wait";
}

}  // namespace
}  // namespace rouse
