// The nights on which clocks change, through scheduler and store: how often a job fires, when, and
// what is kept as its next instant.
#include "schedule/schedule_house_for_tests.h"

namespace rouse {
namespace {

// CR-23, CR-24
struct DstCase {
  const char *zone, *expr, *begin, *end;
  std::vector<std::string> fires;
  const char* next;
};

class DstNightTest : public ScheduleTest {};

class DstTest : public ScheduleTest, public testing::WithParamInterface<DstCase> {};

TEST_P(DstTest, HoldsThroughSchedulerAndStore) {
  const DstCase& c = GetParam();
  at(c.begin);
  const Job made = create(wish("dst", c.expr, c.zone));
  until(c.end);
  Lines fired;
  for (const Run& run : runs(made)) fired.push_back(to_iso(run.due).substr(0, 16));
  EXPECT_EQ(fired, c.fires);
  EXPECT_EQ(rows(made).size(), c.fires.size());
  EXPECT_EQ(to_iso(*job(made).next).substr(0, 16), c.next);
}

INSTANTIATE_TEST_SUITE_P(Vectors, DstTest,
                         testing::Values(DstCase{"America/New_York",
                                                 "30 2 * * *",
                                                 "2026-03-08T00:00:00.000Z",
                                                 "2026-03-09T00:00:00.000Z",
                                                 {"2026-03-08T07:00"},
                                                 "2026-03-09T06:30"},
                                         DstCase{"America/New_York",
                                                 "30 1 * * *",
                                                 "2026-11-01T00:00:00.000Z",
                                                 "2026-11-02T00:00:00.000Z",
                                                 {"2026-11-01T05:30"},
                                                 "2026-11-02T06:30"},
                                         DstCase{"Australia/Lord_Howe",
                                                 "15 2 * * *",
                                                 "2026-10-03T00:00:00.000Z",
                                                 "2026-10-04T00:00:00.000Z",
                                                 {"2026-10-03T15:30"},
                                                 "2026-10-04T15:15"},
                                         DstCase{"Australia/Lord_Howe",
                                                 "45 1 * * *",
                                                 "2026-04-04T00:00:00.000Z",
                                                 "2026-04-05T00:00:00.000Z",
                                                 {"2026-04-04T14:45"},
                                                 "2026-04-05T15:15"},
                                         DstCase{"America/Santiago",
                                                 "0 0 * * *",
                                                 "2026-09-05T12:00:00.000Z",
                                                 "2026-09-06T12:00:00.000Z",
                                                 {"2026-09-06T04:00"},
                                                 "2026-09-07T03:00"},
                                         DstCase{"America/Santiago",
                                                 "30 23 * * *",
                                                 "2026-04-04T12:00:00.000Z",
                                                 "2026-04-05T12:00:00.000Z",
                                                 {"2026-04-05T02:30"},
                                                 "2026-04-06T03:30"},
                                         DstCase{"Africa/Casablanca",
                                                 "5 2 15 2 *",
                                                 "2026-02-14T00:00:00.000Z",
                                                 "2026-02-16T00:00:00.000Z",
                                                 {"2026-02-15T01:05"},
                                                 "2027-02-15T02:05"}));

// CR-24: wildcards follow the time that really passes
TEST_F(DstNightTest, AQuarterHourJobFires92And100TimesOnTheDaysTheClockChanges) {
  at("2026-03-08T04:59:00.000Z");  // midnight in New York
  const Job spring = create(wish("quarters", "*/15 * * * *", "America/New_York"));
  until("2026-03-09T03:59:00.000Z");
  EXPECT_EQ(runs(spring).size(), 92U);
  ASSERT_TRUE(world_.run(house_->book.remove(spring.workspace, spring.id, "api")));
  at("2026-11-01T03:59:00.000Z");
  const Job autumn = create(wish("quarters", "*/15 * * * *", "America/New_York"));
  until("2026-11-02T04:59:00.000Z");
  EXPECT_EQ(runs(autumn).size(), 100U);
}

}  // namespace
}  // namespace rouse
