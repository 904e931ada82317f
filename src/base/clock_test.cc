#include "base/clock.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace rouse {
namespace {

Task<void> note_when(Clock& clock, Millis after, std::stop_token stop,
                     std::vector<std::string>& notes, std::string name) {
  const bool reached = co_await clock.wait_for(after, stop);
  notes.push_back(name + (reached ? "" : " stopped"));
}

void run(Loop& loop, VirtualClock& clock) {
  while (true) {
    while (loop.poll() > 0) {
    }
    const auto next = clock.next_deadline();
    if (!next) return;
    clock.advance_to(*next);
  }
}

TEST(VirtualClock, WakesInOrderOfDeadlineThenOfArrival) {
  Loop loop;
  VirtualClock clock;
  std::vector<std::string> notes;
  loop.spawn("c", note_when(clock, seconds(20), {}, notes, "late"));
  loop.spawn("a", note_when(clock, seconds(10), {}, notes, "first"));
  loop.spawn("b", note_when(clock, seconds(10), {}, notes, "second"));
  run(loop, clock);
  EXPECT_EQ(notes, (std::vector<std::string>{"first", "second", "late"}));
  EXPECT_EQ(clock.mono_now(), MonoTime{20'000});
}

TEST(VirtualClock, AStopEndsAWaitEarly) {
  Loop loop;
  VirtualClock clock;
  std::vector<std::string> notes;
  std::stop_source stop;
  loop.spawn("a", note_when(clock, hours(10), stop.get_token(), notes, "a"));
  loop.poll();
  stop.request_stop();
  loop.poll();
  EXPECT_EQ(notes, std::vector<std::string>{"a stopped"});
  EXPECT_EQ(clock.waiting(), 0U);
}

// CR-9, CR-10
TEST(VirtualClock, StepsAndSuspendMoveOnlyTheWall) {
  VirtualClock clock(WallTime{1'000'000});
  clock.step_wall(hours(-1) + hours(0));
  EXPECT_EQ(clock.wall_now(), WallTime{1'000'000 - 3'600'000});
  clock.suspend(hours(8));
  EXPECT_EQ(clock.mono_now(), MonoTime{0});
  clock.advance(seconds(1));
  EXPECT_EQ(clock.mono_now(), MonoTime{1000});
}

Task<void> every_hour(Clock& clock, std::int64_t times, std::int64_t& count) {
  while (count < times) {
    co_await clock.wait_for(hours(1));
    ++count;
  }
}

TEST(VirtualClock, AYearOfAnHourlyTimerIsExactlyItsWakes) {
  Loop loop;
  VirtualClock clock;
  std::int64_t count = 0;
  loop.spawn("hourly", every_hour(clock, 8760, count));
  run(loop, clock);
  EXPECT_EQ(count, 8760);
  EXPECT_EQ(to_iso(clock.wall_now()), "2027-01-01T00:00:00.000Z");
}

TEST(RealClock, WaitsEndAtTheirTimeOrAtAStopFromAnotherThread) {
  Loop loop;
  RealClock clock(loop);
  std::vector<std::string> notes;
  std::stop_source stop;
  const MonoTime before = clock.mono_now();
  loop.spawn("short", note_when(clock, millis(5), {}, notes, "short"));
  loop.spawn("long", note_when(clock, hours(1), stop.get_token(), notes, "long"));
  std::thread other([&] { stop.request_stop(); });
  loop.run();
  other.join();
  EXPECT_EQ(notes.size(), 2U);
  EXPECT_GE(clock.mono_now() - before, millis(4));
}

}  // namespace
}  // namespace rouse
