#include "schedule/import/legacy_import.h"

#include "schedule/jobs_for_tests.h"

namespace rouse {
namespace {

constexpr std::string_view kForeign = R"({"version": 1, "jobs": [
  {"id": "aa11", "name": "daily monitor", "enabled": true,
   "schedule": {"kind": "cron", "expr": "0 9 * * *", "tz": "Asia/Tokyo"},
   "payload": {"kind": "agent_turn", "message": "Check the site", "deliver": false,
               "channel": null, "to": null, "channelMeta": {}, "sessionKey": "websocket:main"},
   "state": {"nextRunAtMs": 1}, "deleteAfterRun": false},
  {"id": "bb22", "name": "old", "enabled": false,
   "schedule": {"kind": "every", "every_ms": 60000},
   "payload": {"kind": "agent_turn", "message": "Old way", "deliver": true,
               "channel": "telegram", "to": "42"}},
  {"id": "cc33", "name": "both",
   "schedule": {"kind": "at", "atMs": 1800000000000},
   "payload": {"message": "Both", "channel": "telegram", "session_key": "telegram:42"}},
  {"id": "dd44", "name": "dream", "schedule": {"kind": "every", "everyMs": 7200000},
   "payload": {"kind": "system_event", "message": ""}},
  {"id": "ee55", "name": "over", "schedule": {"kind": "at", "atMs": 1000},
   "payload": {"kind": "agent_turn", "message": "m", "sessionKey": "websocket:main"}},
  {"id": "ff66", "name": "lost", "schedule": {"kind": "every", "everyMs": 60000},
   "payload": {"kind": "agent_turn", "message": "m", "sessionKey": "nowhere"}}]})";

class LegacyImportTest : public JobsTest {
 protected:
  Result<JobImport> take(std::string_view text) {
    return world_.run(
        import_foreign_jobs(*book_, here_, std::string(text), world_.clock().wall_now()));
  }
  Job called(const std::string& name) {
    for (Job& found : *world_.run(book_->list(here_, "", 0, 100))) {
      if (found.name == name) return found;
    }
    ADD_FAILURE() << "no job is called " << name;
    return {};
  }
};

// S3-03 to S3-06
TEST_F(LegacyImportTest, ARecordIsWhatItsFieldsSay) {
  const auto done = take(kForeign);
  ASSERT_TRUE(done) << done.error();
  EXPECT_EQ(done->added, 3);
  EXPECT_EQ(done->skipped, 3);
  const Job bound = called("daily monitor");
  EXPECT_EQ(bound.kind, JobKind::kBound);
  EXPECT_EQ(bound.session_key, "websocket:main");
  EXPECT_EQ(bound.schedule.zone, "Asia/Tokyo");
  EXPECT_EQ(bound.extra, JobExtra{});
  EXPECT_EQ(bound.source, "import");
  const Job legacy = called("old");
  EXPECT_EQ(legacy.kind, JobKind::kLegacy);
  EXPECT_EQ(legacy.session_key, "");
  EXPECT_EQ(legacy.extra.legacy,
            (LegacyDelivery{.deliver = true, .channel = "telegram", .to = "42"}));
  EXPECT_EQ(legacy.state, JobState::kPaused);
  EXPECT_EQ(called("both").kind, JobKind::kLegacy);
  ASSERT_EQ(done->notes.size(), 3U);
  EXPECT_EQ(done->notes[0], "'dd44' was left out: it is one of the other system's own");
  EXPECT_EQ(done->notes[1], "'ee55' was left out: its time is over");
  EXPECT_TRUE(done->notes[2].contains("'nowhere'")) << done->notes[2];
}

// CR-20
TEST_F(LegacyImportTest, AgainAddsNothingAndBringsNothingBack) {
  ASSERT_TRUE(take(kForeign));
  ASSERT_TRUE(world_.run(book_->remove(here_, called("old").id, "web")));
  const auto again = take(kForeign);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->added, 0);
  EXPECT_EQ(again->existed, 2);
  EXPECT_EQ(again->skipped, 4);
  EXPECT_EQ(jobs(), 2);
}

TEST_F(LegacyImportTest, OneBadRecordAndNothingIsTaken) {
  for (const auto& [job, words] : {
           std::pair{R"({"id":"x","schedule":{"kind":"cron"},"payload":{"message":"m"}})",
                     "job 'x': 'schedule.expr' is missing"},
           {R"({"id":"x","schedule":{"kind":"cron","expr":"nonsense"},"payload":{"message":"m"}})",
            "job 'x': "},
           {R"({"id":"x","schedule":{"kind":"never"},"payload":{"message":"m"}})",
            "'jobs[1].schedule.kind'"},
           {R"({"id":"x","payload":{"message":"m"}})", "'jobs[1].schedule'"},
       }) {
    const auto done = take(
        R"({"jobs":[{"id":"a","schedule":{"kind":"every","everyMs":60000},"payload":{"message":"m"}},)" +
        std::string(job) + "]}");
    ASSERT_FALSE(done);
    EXPECT_TRUE(done.error().message.contains(words)) << done.error();
  }
  EXPECT_FALSE(take("[]"));
  EXPECT_EQ(jobs(), 0);
}

}  // namespace
}  // namespace rouse
