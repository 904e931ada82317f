#include "model/call_slots.h"

#include "model/model_for_tests.h"

namespace rouse {
namespace {

using MaybeSlot = std::optional<CallSlots::Slot>;

class Slots : public testing::Test {
 protected:
  ModelTestLoop world_;
  CallSlots slots_{2};

  std::unique_ptr<std::optional<MaybeSlot>> take(Millis within = minutes(1),
                                                 std::stop_token stop = {}) {
    auto out = std::make_unique<std::optional<MaybeSlot>>();
    world_.start(slots_.take(world_.clock, world_.clock.mono_now() + within, std::move(stop)),
                 *out);
    return out;
  }
};

TEST_F(Slots, ServesThoseWhoWaitInOrder) {
  auto first = take();
  auto second = take();
  const auto third = take();
  const auto fourth = take();
  EXPECT_TRUE(first->has_value() && second->has_value());
  EXPECT_FALSE(third->has_value() || fourth->has_value());
  EXPECT_EQ(slots_.waiting(), 2u);
  first.reset();
  world_.settle();
  EXPECT_TRUE(third->has_value());
  EXPECT_FALSE(fourth->has_value());
  second.reset();
  world_.settle();
  EXPECT_TRUE(fourth->has_value());
  EXPECT_EQ(slots_.running(), 2);
}

TEST_F(Slots, LetsGoOfOneWhoIsCancelledOrOutOfTime) {
  auto first = take();
  auto second = take();
  std::stop_source stop;
  const auto cancelled = take(minutes(1), stop.get_token());
  const auto late = take(seconds(5));
  const auto patient = take();
  stop.request_stop();
  world_.settle();
  ASSERT_TRUE(cancelled->has_value());
  EXPECT_FALSE((*cancelled)->has_value());
  world_.clock.advance(seconds(5));
  world_.settle();
  ASSERT_TRUE(late->has_value());
  EXPECT_FALSE((*late)->has_value());
  EXPECT_EQ(slots_.waiting(), 1u);
  first.reset();
  world_.settle();
  ASSERT_TRUE(patient->has_value());
  EXPECT_TRUE((*patient)->has_value());
  second.reset();
  EXPECT_EQ(slots_.running(), 1);
}

TEST_F(Slots, AreFreeAgainWhenEverybodyIsDone) {
  for (int i = 0; i < 5; ++i) {
    auto one = take();
    auto two = take();
    auto three = take();
    one.reset();
    two.reset();
    world_.settle();
    three.reset();
    world_.settle();
  }
  EXPECT_EQ(slots_.running(), 0);
  EXPECT_EQ(slots_.waiting(), 0u);
  EXPECT_EQ(world_.clock.waiting(), 0u);
}

}  // namespace
}  // namespace rouse
