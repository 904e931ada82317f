#include "schedule/story/forecast.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

const WallTime kFrom{*from_iso("2026-11-15T08:00:00.000Z")};

Schedule cron(std::string expr) { return {.expr = std::move(expr), .zone = "UTC"}; }
Job other(std::string id, Schedule schedule) {
  Job out;
  out.name = "the other " + id;
  out.id = std::move(id);
  out.schedule = std::move(schedule);
  return out;
}
Run run_of(std::int64_t in, std::int64_t out, std::optional<std::int64_t> micros) {
  Run run;
  run.tokens_in = in;
  run.tokens_out = out;
  run.cost_micros = micros;
  return run;
}

// UX-2
TEST(Forecast, CountsTheRunsOfAMonthAndCarriesOnWhatComesTooOftenToCount) {
  EXPECT_EQ(forecast(cron("0 9 * * *"), kFrom, {}).runs, 30);
  EXPECT_EQ(forecast(cron("0 9 * * 1"), kFrom, {}).runs, 5);
  EXPECT_EQ(forecast(cron("* * * * *"), kFrom, {}).runs, 43'200);
  EXPECT_EQ(forecast(cron("* * * * * *"), kFrom, {}).runs, 2'592'000);
  const Schedule each{.kind = ScheduleKind::kEvery, .every = minutes(30), .anchor = kFrom};
  EXPECT_EQ(forecast(each, kFrom, {}).runs, 1'440);
  const Schedule once{.kind = ScheduleKind::kAt, .at = kFrom + hours(1)};
  EXPECT_EQ(forecast(once, kFrom, {}).runs, 1);
}

// UX-2
TEST(Forecast, NamesTheOthersThatComeDueInTheSameMinute) {
  Job paused = other("p", cron("0 9 * * *"));
  paused.state = JobState::kPaused;
  const ForecastFacts facts{.others = {other("a", cron("0 9 * * 1")), other("b", cron("1 9 * * *")),
                                       other("c", cron("30 0 9 * * *")), paused}};
  const auto found = forecast(cron("0 9 * * *"), kFrom, facts).overlaps;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].automation_id, "a");
  EXPECT_EQ(found[0].name, "the other a");
  EXPECT_EQ(found[0].at, *from_iso("2026-11-16T09:00:00.000Z"));
  EXPECT_EQ(found[0].times, 3) << "Mondays among the next 20";
  EXPECT_EQ(found[1].automation_id, "c") << "at 30 seconds past";
  EXPECT_EQ(found[1].times, 20);
}

// UX-2
TEST(Forecast, CarriesOnWhatItsOwnRunsCost) {
  const ForecastFacts facts{
      .runs = {run_of(1'000, 100, 30'000), run_of(3'000, 200, 50'000), run_of(0, 0, std::nullopt)}};
  const RunForecast found = forecast(cron("0 9 * * *"), kFrom, facts);
  EXPECT_EQ(found.basis, "past_runs");
  EXPECT_EQ(found.averaged, 2) << "one asked no model";
  EXPECT_EQ(found.tokens_in, 60'000);
  EXPECT_EQ(found.tokens_out, 4'500);
  EXPECT_EQ(found.cost_micros, 1'200'000);
  EXPECT_EQ(found.words,
            "30 runs in 30 days: about 60000 tokens in, 4500 out, about $1.20; as its last runs "
            "used (2)");
}

// UX-2
TEST(Forecast, WithoutRunsTheConversationsTurnsCountAndAnUnknownPriceStaysOne) {
  Turn turn;
  turn.tokens_in = 500;
  turn.cache_read = 500;
  turn.tokens_out = 50;
  const RunForecast found = forecast(cron("0 9 * * *"), kFrom, {.turns = {turn}});
  EXPECT_EQ(found.basis, "conversation");
  EXPECT_EQ(found.tokens_in, 30'000);
  EXPECT_FALSE(found.cost_micros);
  EXPECT_TRUE(found.words.contains("price unknown")) << found.words;
}

// UX-2
TEST(Forecast, WithoutAnyPastItIsAGuessAndTheOfflineModelIsFree) {
  ModelInfo offline;
  offline.price = ModelPrice{};
  const RunForecast free = forecast(cron("0 9 * * *"), kFrom, {.model = offline});
  EXPECT_EQ(free.basis, "guess");
  EXPECT_EQ(free.cost_micros, 0);
  EXPECT_TRUE(free.words.contains("free; a guess")) << free.words;
  ModelInfo paid;
  paid.price = ModelPrice{.in = 3'000'000, .out = 15'000'000};
  const auto cost = forecast(cron("0 9 * * *"), kFrom, {.model = paid}).cost_micros;
  ASSERT_TRUE(cost);
  EXPECT_GT(*cost, 100'000);
  EXPECT_LT(*cost, 1'000'000);
}

}  // namespace
}  // namespace rouse
