#include "tests/sim/world.h"

#include <array>

#include <gtest/gtest.h>

namespace rouse::sim {
namespace {

constexpr std::array kSteps{Migration{1, "wakes",
                                      "CREATE TABLE wakes (hour BIGINT PRIMARY KEY, "
                                      "at_ms BIGINT NOT NULL)"}};

Task<void> wake_hourly(World& world, int* wakes) {
  for (int hour = 0; hour < 365 * 24; ++hour) {
    co_await world.clock().wait_for(hours(1));
    ++*wakes;
  }
}

Task<void> wake_and_write(World& world, Database& db, int times, int* written) {
  for (int hour = 0; hour < times; ++hour) {
    co_await world.clock().wait_for(hours(1));
    const auto answer =
        co_await db.write(one("INSERT INTO wakes (hour, at_ms) VALUES ($1, $2)",
                              {std::int64_t{hour}, world.clock().wall_now().unix_ms}));
    *written += answer ? 1 : 0;
  }
}

// Three writers of different haste on one store: enough to go wrong in many orders.
Task<void> write_at_odd_times(World& world, Database& db, std::int64_t who, int* left) {
  for (std::int64_t i = 0; i < 50; ++i) {
    co_await world.clock().wait_for(millis(static_cast<std::int64_t>(world.random().below(1000))));
    const auto answer = co_await db.write(
        one("INSERT INTO wakes (hour, at_ms) VALUES ($1, $2)", {who * 1000 + i, i}));
    world.record(answer ? "written" : answer.error().message);
  }
  --*left;
}

std::uint64_t trace_of(std::uint64_t seed) {
  World world(seed);
  auto db = world.open_store(kSteps);
  EXPECT_TRUE(db) << db.error();
  int left = 3;
  for (std::int64_t who = 0; who < 3; ++who) {
    world.loop().spawn("writer", write_at_odd_times(world, **db, who, &left));
  }
  world.run_while([&] { return left > 0; });
  world.close_store();
  return world.trace_hash();
}

TEST(World, AYearOfHourlyWakesPassesAtOnce) {
  World world(1);
  int wakes = 0;
  world.loop().spawn("hourly", wake_hourly(world, &wakes));
  world.run_for(days(365));
  EXPECT_EQ(wakes, 8760);
  EXPECT_EQ(to_iso(world.clock().wall_now()), "2027-01-01T00:00:00.000Z");
}

TEST(World, AYearOfHourlyRowsInTheRealStoreKeepsEachOfThem) {
  World world(1);
  auto db = world.open_store(kSteps);
  ASSERT_TRUE(db) << db.error();
  int written = 0;
  world.loop().spawn("hourly", wake_and_write(world, **db, 8760, &written));
  world.run_for(days(366));
  EXPECT_EQ(written, 8760);
  EXPECT_EQ((*db)->health().commits, 8760U);
  EXPECT_EQ((*db)->read({"SELECT count(*) FROM wakes", {}})->front().integer(0), 8760);
  EXPECT_LT((*db)->health().wal_bytes, 64 << 20);
}

TEST(World, TheSameSeedGivesTheSameTrace) {
  EXPECT_EQ(trace_of(1), trace_of(1));
  EXPECT_EQ(trace_of(77), trace_of(77));
  EXPECT_NE(trace_of(1), trace_of(2));
}

TEST(World, TimeStopsWhereItWasToldTo) {
  World world(1);
  int wakes = 0;
  world.loop().spawn("hourly", wake_hourly(world, &wakes));
  world.run_for(minutes(59));
  EXPECT_EQ(wakes, 0);
  world.run_for(minutes(1));
  EXPECT_EQ(wakes, 1);
}

TEST(World, ATaskThatWaitsForNothingIsABugInTheTest) {
  World world(1);
  EXPECT_THROW(world.run_while([] { return true; }), std::logic_error);
}

}  // namespace
}  // namespace rouse::sim
