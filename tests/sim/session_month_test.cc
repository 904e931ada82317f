// A virtual month of 200 senders: they write in bursts, bridges deliver twice, late and again after
// a day, the clock is set, the power fails. After each step the touched sender is checked, after
// each fault and at the end of each day everything; at last the faults stop and everything that was
// said must have been answered once (robustness.md section 9: invariants 2, 3, 8, 9).
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sim/session_life.h"

namespace rouse::sim {
namespace {

constexpr int kSenders = 200;
constexpr int kDays = 30;

struct Month {
  explicit Month(std::uint64_t seed) : life(seed), random(life.random()) {}

  void something_is_said() {
    const int sender = static_cast<int>(random.below(kSenders));
    const std::uint64_t messages = 1 + random.below(4);  // a burst, some of it at the same instant
    for (std::uint64_t i = 0; i < messages; ++i) {
      life.say(sender, random.below(12) == 0 ? "start over" : fmt::format("thought {}", i));
      if (random.below(3) == 0) life.redeliver();
      if (random.below(2) == 0) life.wait(seconds(static_cast<std::int64_t>(random.below(90))));
      life.answer();
      life.check_sender(sender);
    }
    if (random.below(15) == 0) life.close(sender);
    life.check_sender(sender);
  }

  void something_goes_wrong() {
    life.say(static_cast<int>(random.below(kSenders)), "in the middle of it");
    switch (random.below(6)) {
      case 0:
        life.step_clock(hours(-static_cast<std::int64_t>(random.below(5))));
        break;
      case 1:
        life.step_clock(minutes(static_cast<std::int64_t>(random.below(200))));
        break;
      case 2:
        life.restart();
        break;
      case 3:
        life.kill(sqlite::Unsynced::kKeepAll);
        break;
      case 4:
        life.kill(sqlite::Unsynced::kKeepSome);
        break;
      default:
        life.kill(sqlite::Unsynced::kKeepNone);
        break;
    }
    life.check("after a fault");
    life.repeat_what_got_no_answer();
  }

  void a_day(int day) {
    const auto part = [&] { return minutes(static_cast<std::int64_t>(random.below(30))); };
    for (int i = 0; i < 60 && !testing::Test::HasFailure(); ++i) {
      something_is_said();
      life.wait(part());
    }
    something_goes_wrong();
    life.check(fmt::format("at the end of day {}", day));
  }

  SessionLife life;
  SeededRandom& random;
};

TEST(SessionMonth, TwoHundredSendersAreRememberedThroughAllOfIt) {
  Month month(20'261'115);
  for (int day = 1; day <= kDays && !testing::Test::HasFailure(); ++day) month.a_day(day);
  for (int i = 0; i < 2; ++i) {
    month.life.repeat_what_got_no_answer();
    month.life.wait(seconds(5));
  }
  month.life.check("at the end of the month");
  month.life.check_everything_was_answered();
  EXPECT_GT(month.life.sent(), 3000U);
  EXPECT_GT(month.life.lives(), 10U) << "the faults did happen";
  EXPECT_GT(month.life.redelivered(), 500U);
  EXPECT_EQ(month.life.kernel().gate().held(), 0U) << "nothing is held when nothing is going on";
}

}  // namespace
}  // namespace rouse::sim
