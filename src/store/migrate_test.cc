#include "store/migrate.h"

#include <array>

#include <gtest/gtest.h>

#include "store/database.h"

namespace rouse {
namespace {

constexpr std::array kTwo{Migration{1, "one", "CREATE TABLE a (x BIGINT)"},
                          Migration{2, "two", "CREATE TABLE b (x BIGINT)"}};

std::vector<AppliedStep> applied(std::size_t n) {
  std::vector<AppliedStep> steps;
  for (std::size_t i = 0; i < n; ++i)
    steps.push_back({kTwo[i].number, step_hash(kTwo[i]), "1.0.0"});
  return steps;
}

TEST(PlanUpgrade, RunsWhatIsNotThereYet) {
  EXPECT_EQ(plan_upgrade(kTwo, applied(0), "1.0.0")->size(), 2U);
  EXPECT_EQ(plan_upgrade(kTwo, applied(1), "1.0.0")->front().number, 2);
  EXPECT_TRUE(plan_upgrade(kTwo, applied(2), "1.0.0")->empty());
}

TEST(PlanUpgrade, RefusesNumbersWithAGap) {
  constexpr std::array gap{Migration{1, "one", ""}, Migration{3, "three", ""}};
  const auto plan = plan_upgrade(gap, {}, "1.0.0");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, Kind::kInternal);
}

// UX-5
TEST(PlanUpgrade, RefusesADowngradeAndNamesBothVersions) {
  const auto plan = plan_upgrade(std::span(kTwo).first(1), applied(2), "0.9.0");
  ASSERT_FALSE(plan);
  EXPECT_TRUE(plan.error().is(StoreErrc::kNewer));
  EXPECT_NE(plan.error().message.find("rouse 1.0.0 (schema 2)"), std::string::npos);
  EXPECT_NE(plan.error().message.find("rouse 0.9.0 (schema 1)"), std::string::npos);
}

TEST(PlanUpgrade, RefusesAStoreWhoseStepHadAnotherText) {
  auto steps = applied(2);
  steps[0].hash = "something else";
  const auto plan = plan_upgrade(kTwo, steps, "1.0.0");
  ASSERT_FALSE(plan);
  EXPECT_TRUE(plan.error().is(StoreErrc::kCorrupt));
}

TEST(CompareCensus, NoticesLostTablesRowsAndFields) {
  const Census before{{"t", {10, {{"a", 10}, {"b", 5}}}}};
  EXPECT_TRUE(compare_census(before, before, {}));
  EXPECT_TRUE(
      compare_census(before, {{"t", {11, {{"a", 11}, {"b", 5}, {"c", 0}}}}, {"u", {}}}, {}));
  EXPECT_TRUE(compare_census(before, {{"t", {10, {{"a", 10}}}}}, {}))
      << "a dropped column is no loss";
  EXPECT_FALSE(compare_census(before, {}, {}));
  EXPECT_FALSE(compare_census(before, {{"t", {9, {{"a", 9}, {"b", 5}}}}}, {}));
  EXPECT_FALSE(compare_census(before, {{"t", {10, {{"a", 10}, {"b", 4}}}}}, {}));
}

TEST(CompareCensus, AllowsALossThatAStepDeclares) {
  constexpr std::array ran{Migration{1, "tidy", "DROP TABLE t", "u, t"}};
  const Census before{{"t", {10, {}}}};
  EXPECT_TRUE(compare_census(before, {}, ran));
}

}  // namespace
}  // namespace rouse
