#include "net/deadlines.h"

#include <vector>

#include <gtest/gtest.h>

namespace rouse {
namespace {

class Recorder final : public Deadlines::Entry {
 public:
  explicit Recorder(Loop& loop) : loop_(loop) {}
  int fired = 0;

 private:
  void on_deadline(MonoTime) override {
    ++fired;
    loop_.stop();
  }
  Loop& loop_;
};

TEST(Deadlines, FireOnceAndNotBeforeTheirTime) {
  Loop loop;
  Deadlines deadlines(loop);
  Recorder entry(loop);
  deadlines.add(entry);
  const MonoTime start = deadlines.now();
  deadlines.set(entry, millis(20));
  loop.run();
  EXPECT_EQ(entry.fired, 1);
  EXPECT_GE((deadlines.now() - start).count, 20);
}

TEST(Deadlines, DoNotKeepTheLoopAwakeWhenThereAreNone) {
  Loop loop;
  Deadlines deadlines(loop);
  Recorder entry(loop);
  deadlines.add(entry);
  loop.run();  // returns: no timer is armed
  EXPECT_EQ(deadlines.sweeps(), 0u);
}

TEST(Deadlines, MovedFurtherCostNoWakeUpEach) {
  Loop loop;
  Deadlines deadlines(loop);
  Recorder entry(loop);
  deadlines.add(entry);
  for (int i = 0; i < 10'000; ++i) deadlines.set(entry, millis(30));
  loop.run();
  EXPECT_EQ(entry.fired, 1);
  EXPECT_LE(deadlines.sweeps(), 10u);
}

TEST(Deadlines, OfManyEntriesFallTogether) {
  Loop loop;
  Deadlines deadlines(loop);
  std::vector<std::unique_ptr<Recorder>> entries;
  for (int i = 0; i < 1000; ++i) {
    entries.push_back(std::make_unique<Recorder>(loop));
    deadlines.add(*entries.back());
    deadlines.set(*entries.back(), millis(40), 2);
  }
  loop.run();
  loop.context().restart();
  loop.run();
  EXPECT_LE(deadlines.sweeps(), 4u);
  for (const auto& entry : entries) EXPECT_EQ(entry->fired, 1);
}

TEST(Deadlines, ForgetEntriesThatAreGone) {
  Loop loop;
  Deadlines deadlines(loop);
  {
    Recorder gone(loop);
    deadlines.add(gone);
    deadlines.set(gone, millis(5));
  }
  loop.run();  // sweeps once, finds nobody
  EXPECT_EQ(deadlines.sweeps(), 1u);
}

}  // namespace
}  // namespace rouse
