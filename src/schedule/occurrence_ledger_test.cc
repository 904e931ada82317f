#include "schedule/occurrence_ledger.h"

#include "schedule/schedule_house_for_tests.h"

namespace rouse {
namespace {

class LedgerTest : public ScheduleTest {
 protected:
  LedgerTest() { options_.enabled = false; }

  static Occurrence at_minute(std::int64_t minute, std::string_view state = kRunOk) {
    const WallTime due{minutes(minute).count};
    return {.job = 7,
            .due = due,
            .last = due,
            .state = std::string(state),
            .reason = "",
            .ready = due,
            .claimed = due,
            .ended = state == kClaimed || state == kQueued ? std::nullopt : std::optional(due)};
  }
  Run run_at(std::int64_t minute) {
    return {.number = house_->ledger.next_run_number(),
            .id = fmt::format("job:{}", minute),
            .workspace = Workspaces::default_id(),
            .job = 7,
            .job_id = "job",
            .job_name = "news",
            .due = {minutes(minute).count},
            .kind = "bound",
            .state = "ok",
            .queued = {minutes(minute).count},
            .ended = WallTime{minutes(minute).count}};
  }
  void write(std::vector<Statement> statements) {
    const auto written = world_.run(database_->write(Write{std::move(statements)}));
    ASSERT_TRUE(written) << written.error();
  }
  void cover(std::int64_t first, std::int64_t last, std::string_view state,
             std::string_view reason) {
    auto row = house_->ledger.cover(7, {minutes(first).count}, {minutes(last).count},
                                    last - first + 1, state, reason, 1, now());
    ASSERT_TRUE(row) << row.error();
    write({std::move(*row)});
  }
  void fold() {
    const auto folded = world_.run(house_->ledger.fold(7));
    ASSERT_TRUE(folded) << folded.error();
  }
  // Instants of all rows and days.
  std::int64_t covered() {
    return count(
        "SELECT COALESCE((SELECT SUM(count) FROM occurrences), 0) + "
        "COALESCE((SELECT SUM(count) FROM occurrence_days), 0)");
  }
  Job seven() {
    Job out;
    out.number = 7;
    return out;
  }
};

// design.md, rule 5
TEST_F(LedgerTest, SlotsInARowWithTheSameFateAreOneRow) {
  cover(1, 3, kSkipped, "overlap");
  cover(4, 4, kSkipped, "overlap");
  cover(5, 5, kSkipped, "backoff");
  cover(6, 9, kMissed, "down");
  cover(10, 12, kMissed, "down");
  EXPECT_EQ(rows(seven()), (Lines{"1970-01-01T00:01 to 1970-01-01T00:04: 4 skipped overlap",
                                  "1970-01-01T00:05 skipped backoff",
                                  "1970-01-01T00:06 to 1970-01-01T00:12: 7 missed down"}));
  EXPECT_EQ(covered(), 12);
}

TEST_F(LedgerTest, ASlotThatRanIsNeverPartOfARange) {
  write({OccurrenceLedger::insert(at_minute(1, kSkipped))});
  write({OccurrenceLedger::insert(at_minute(2))});
  cover(3, 3, kSkipped, "");
  EXPECT_EQ(rows(seven()).size(), 3U);
}

// CR-17
TEST_F(LedgerTest, AnInstantIsClaimedOnce) {
  write({OccurrenceLedger::insert(at_minute(1, kClaimed))});
  const auto again =
      world_.run(database_->write(Write{{OccurrenceLedger::insert(at_minute(1, kClaimed))}}));
  ASSERT_FALSE(again);
  EXPECT_TRUE(again.error().is(StoreErrc::kConflict)) << again.error();
}

// CR-17
TEST_F(LedgerTest, AClaimIsBegunOnceAndEndsOnce) {
  const Occurrence claimed = at_minute(1, kClaimed);
  write({OccurrenceLedger::insert(claimed)});
  write({OccurrenceLedger::begin(claimed)});
  EXPECT_FALSE(world_.run(database_->write(Write{{OccurrenceLedger::begin(claimed)}})));
  write({OccurrenceLedger::end(7, claimed.due, kRunOk, "", now())});
  write({OccurrenceLedger::end(7, claimed.due, kRunError, "too late", now())});
  EXPECT_EQ(rows(seven()), (Lines{"1970-01-01T00:01 ok"}));
}

TEST_F(LedgerTest, AnotherTryWaitsAndCountsOn) {
  const Occurrence claimed = at_minute(1, kClaimed);
  write({OccurrenceLedger::insert(claimed)});
  write({OccurrenceLedger::begin(claimed)});
  write({OccurrenceLedger::retry(claimed, claimed.due + minutes(5), "model_overloaded")});
  EXPECT_TRUE(house_->ledger.ready(claimed.due + minutes(4), 10)->empty());
  const auto ready = house_->ledger.ready(claimed.due + minutes(5), 10);
  ASSERT_EQ(ready->size(), 1U);
  EXPECT_EQ(ready->front().attempt, 2);
  EXPECT_FALSE(world_.run(database_->write(Write{{OccurrenceLedger::begin(claimed)}})))
      << "the first try's";
  write({OccurrenceLedger::begin(ready->front())});
}

TEST_F(LedgerTest, TheOldestOfThoseThatAreReadyGoesFirstAndOneOfAJobAtATime) {
  for (const std::int64_t minute : {3, 1, 2}) {
    Occurrence one = at_minute(minute, kClaimed);
    one.ready = {0};
    one.job = 100 + minute;
    write({OccurrenceLedger::insert(one)});
    one.due = one.last = one.due + minutes(10);  // another of the same job
    write({OccurrenceLedger::insert(one)});
  }
  EXPECT_EQ(house_->ledger.ready(now(), 10)->size(), 3U);
  const auto ready = house_->ledger.ready(now(), 2);
  ASSERT_EQ(ready->size(), 2U);
  EXPECT_EQ((*ready)[0].due, (WallTime{minutes(1).count}));
  EXPECT_EQ((*ready)[1].due, (WallTime{minutes(2).count}));
}

// CR-33
TEST_F(LedgerTest, FoldingKeepsEveryCountAndTheNewestRows) {
  std::vector<Statement> all;
  for (std::int64_t minute = 1; minute <= 2000; ++minute) {
    all.push_back(
        OccurrenceLedger::insert(at_minute(minute, minute % 10 == 0 ? kRunError : kRunOk)));
    all.push_back(OccurrenceLedger::insert(run_at(minute)));
  }
  write(std::move(all));
  for (int i = 0; i < 10; ++i) fold();
  EXPECT_EQ(covered(), 2000);
  EXPECT_LE(count("SELECT COUNT(*) FROM occurrences"), kRowsKept + 50);
  EXPECT_LE(count("SELECT COUNT(*) FROM runs"), kRowsKept + 50);
  EXPECT_EQ(count("SELECT COUNT(*) FROM occurrence_days"), 4) << "two days, two dispositions";
  EXPECT_EQ(count("SELECT MAX(due_ms) FROM occurrences"), minutes(2000).count);
  EXPECT_EQ(count("SELECT SUM(count) FROM occurrence_days WHERE state = 'error'") +
                count("SELECT COUNT(*) FROM occurrences WHERE state = 'error'"),
            200);
  const auto folded = house_->ledger.folded_at(7, {minutes(30).count});
  ASSERT_EQ(folded->size(), 2U);
  EXPECT_EQ(folded->front().day, WallTime{0});
}

TEST_F(LedgerTest, WhatIsOpenIsNotFoldedAndTheLastRunStays) {
  std::vector<Statement> all;
  all.push_back(OccurrenceLedger::insert(at_minute(1, kQueued)));
  all.push_back(OccurrenceLedger::insert(at_minute(2)));
  all.push_back(OccurrenceLedger::insert(run_at(2)));
  for (std::int64_t minute = 3; minute <= 400; ++minute) {
    all.push_back(OccurrenceLedger::insert(at_minute(minute, kSkipped)));
  }
  write(std::move(all));
  fold();
  EXPECT_EQ(covered(), 400);
  EXPECT_EQ(rows(seven()).front(), "1970-01-01T00:01 queued");
  EXPECT_EQ(count("SELECT COUNT(*) FROM runs"), 1) << "the next one goes on from it";
}

TEST_F(LedgerTest, ARangeOverManyDaysIsFoundOnEachOfThem) {
  cover(1, 10'000, kMissed, "down");
  std::vector<Statement> all;
  for (std::int64_t minute = 10'001; minute <= 10'300; ++minute) {
    all.push_back(OccurrenceLedger::insert(at_minute(minute)));
  }
  write(std::move(all));
  fold();
  EXPECT_EQ(covered(), 10'300);
  const auto folded = house_->ledger.folded_at(7, {minutes(5'000).count});
  ASSERT_EQ(folded->size(), 1U);
  EXPECT_EQ(folded->front().count, 10'000);
  EXPECT_EQ(folded->front().last, (WallTime{minutes(10'000).count}));
}

TEST_F(LedgerTest, NothingIsFoldedBelowTheBound) {
  std::vector<Statement> all;
  for (std::int64_t minute = 1; minute <= kRowsKept; ++minute) {
    all.push_back(OccurrenceLedger::insert(at_minute(minute)));
  }
  write(std::move(all));
  fold();
  EXPECT_EQ(count("SELECT COUNT(*) FROM occurrence_days"), 0);
}

}  // namespace
}  // namespace rouse
