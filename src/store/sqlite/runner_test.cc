#include "store/sqlite/runner.h"

#include <atomic>
#include <future>

#include <gtest/gtest.h>

#include "base/stopwatch.h"

namespace rouse::sqlite {
namespace {

TEST(ThreadRunner, AJobLingersUntilWhatItWaitsForComes) {
  constexpr std::int64_t kLongUs = 60'000'000;
  ThreadRunner runner("test");
  std::atomic<bool> came = false;
  std::promise<void> began;
  std::promise<bool> ended;
  runner.run([&] {
    began.set_value();
    ended.set_value(runner.linger(real_microseconds() + kLongUs, [&] { return came.load(); }));
  });
  began.get_future().wait();
  came = true;
  EXPECT_TRUE(ended.get_future().get());
}

TEST(ThreadRunner, AJobLingersNoLongerThanItSaid) {
  ThreadRunner runner("test");
  std::promise<bool> ended;
  runner.run([&] { ended.set_value(runner.linger(real_microseconds(), [] { return false; })); });
  EXPECT_FALSE(ended.get_future().get());
}

TEST(ThreadRunner, AJobThatDozesIsNudged) {
  constexpr std::int64_t kLongUs = 60'000'000;
  ThreadRunner runner("test");
  std::atomic<bool> awake = false;
  std::promise<void> ended;
  runner.run([&] {
    runner.doze(kLongUs);
    awake = true;
    ended.set_value();
  });
  while (!awake) runner.nudge();
  ended.get_future().wait();
}

TEST(ThreadRunner, AJobDozesNoLongerThanItSaidAndNotWhenTheRunnerEnds) {
  constexpr std::int64_t kLongUs = 60'000'000;
  std::promise<void> began;
  ThreadRunner runner("test");
  runner.run([&] {
    runner.doze(0);
    began.set_value();
    while (true) {
      const std::int64_t before = real_microseconds();
      runner.doze(kLongUs);
      if (real_microseconds() - before < kLongUs) return;
    }
  });
  began.get_future().wait();
}

}  // namespace
}  // namespace rouse::sqlite
