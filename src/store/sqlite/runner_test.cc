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

}  // namespace
}  // namespace rouse::sqlite
