#include "schedule/file/schedule_file.h"

#include "schedule/jobs_for_tests.h"

namespace rouse {
namespace {

// As it stands in the seed.
constexpr std::string_view kSeed = R"({"jobs": [
  {"id": "morning-briefing", "cron": "0 8 * * *", "sessionId": "jarvis-main",
   "prompt": "Morning briefing.", "source": "scheduled"},
  {"id": "pr-check", "cron": "0 10,14 * * 1-5", "sessionId": "dev-agent",
   "prompt": "Check for open PRs that need review.", "source": "scheduled"}]})";

class ScheduleFileTest : public JobsTest {
 protected:
  void SetUp() override {
    JobsTest::SetUp();
    file_ = std::make_unique<ScheduleFile>(*book_, house_->kernel, world_.clock());
  }
  ScheduleApplied apply(std::string_view text) {
    auto applied = world_.run(file_->apply(here_, std::string(text)));
    EXPECT_TRUE(applied) << applied.error();
    return applied ? *applied : ScheduleApplied{};
  }
  std::string refused(std::string_view text) {
    const auto applied = world_.run(file_->apply(here_, std::string(text)));
    EXPECT_FALSE(applied);
    return applied ? "" : applied.error().message;
  }
  static std::string one(std::string_view members) {
    return R"({"jobs":[{"id":"a","prompt":"p",)" + std::string(members) + "}]}";
  }
  // What was written, whatever it was.
  std::int64_t changes() { return count("SELECT COUNT(*) FROM events"); }

  std::unique_ptr<ScheduleFile> file_;
};

// S2-34, S2-35, S2-41
TEST_F(ScheduleFileTest, TheSeedsFileBecomesAutomations) {
  const ScheduleApplied applied = apply(kSeed);
  EXPECT_EQ(applied.added, 2);
  EXPECT_TRUE(applied.notices.empty());
  const Job check = job("pr-check");
  EXPECT_EQ(check.name, "pr-check");
  EXPECT_EQ(check.message, "Check for open PRs that need review.");
  EXPECT_EQ(check.kind, JobKind::kBound);
  EXPECT_EQ(check.session_key, "websocket:dev-agent");
  EXPECT_EQ(check.schedule.expr, "0 10,14 * * 1-5");
  EXPECT_EQ(check.schedule.zone, "Europe/Berlin");
  EXPECT_EQ(check.source, "file");
  EXPECT_EQ(check.provenance, "owner");
  EXPECT_EQ(to_iso(*check.next), "2026-11-16T09:00:00.000Z");
}

TEST_F(ScheduleFileTest, TheSameTextTwiceWritesNothing) {
  apply(kSeed);
  const std::string more =
      one(R"("every":"30m","isolated":true,"projectPath":"/tmp/x","gate":"true",)"
          R"("tools":["calculate"],"name":" ","output":{"notify":true})");
  for (const std::string_view text : {kSeed, std::string_view(more)}) {
    apply(text);
    const std::int64_t before = changes();
    world_.run_for(minutes(1));
    const ScheduleApplied again = apply(text);
    EXPECT_FALSE(again.wrote());
    EXPECT_GE(again.unchanged, 1);
    EXPECT_EQ(changes(), before);
  }
}

TEST_F(ScheduleFileTest, ChangesWhatChangedAndRemovesWhatIsGone) {
  apply(kSeed);
  const WallTime next = *job("morning-briefing").next;
  const ScheduleApplied applied = apply(R"({"jobs": [
    {"id": "morning-briefing", "cron": "0 8 * * *", "sessionId": "jarvis-main", "prompt": "Short.",
     "name": "Briefing", "timeout": "2m"},
    {"id": "new", "at": "2026-11-16T09:00", "sessionId": "jarvis-main", "prompt": "Once."}]})");
  EXPECT_EQ(applied.added, 1);
  EXPECT_EQ(applied.changed, 1);
  EXPECT_EQ(applied.removed, 1);
  EXPECT_EQ(job("morning-briefing").message, "Short.");
  EXPECT_EQ(job("morning-briefing").name, "Briefing");
  EXPECT_EQ(job("morning-briefing").timeout, minutes(2));
  EXPECT_EQ(job("morning-briefing").next, next);
  EXPECT_EQ(job("pr-check").state, JobState::kRemoved);
  EXPECT_EQ(job("pr-check").state_by, "file");
  EXPECT_EQ(to_iso(job("new").schedule.at), "2026-11-16T08:00:00.000Z");
  // What was said once has its default again, and what was dropped may come back.
  EXPECT_EQ(apply(kSeed).added, 1);
  EXPECT_EQ(job("morning-briefing").timeout, minutes(10));
  EXPECT_EQ(job("pr-check").state, JobState::kActive);
}

TEST_F(ScheduleFileTest, ABrokenEditKeepsTheLastGoodOne) {
  apply(kSeed);
  const std::int64_t before = changes();
  for (const auto& [text, words] : {
           std::pair{std::string(R"({"jobs": [)"), ""},
           {"", ""},
           {"[]", "must look like"},
           {R"({"jobs":[{"id":"x"}]})", "'jobs[0].prompt'"},
           {one(R"("cron":"0 8 * * *")"), "job 'a': 'sessionId' is missing"},
           {one(R"("cron":"0 99 * * *","sessionId":"s")"), "job 'a': "},
           {one(R"("cron":"0 8 * * *","sessionId":"s","tz":"Mars/Base")"), "Mars/Base"},
           {one(R"("sessionId":"s")"), "exactly one of 'cron'"},
           {one(R"("cron":7,"sessionId":"s")"), "'jobs[0].cron' must be text"},
           {one(R"("every":"soon","sessionId":"s")"), "'soon' is not a length"},
           {one(R"("every":"1h","sessionId":"s","catchUp":"never")"), "'jobs[0].catchUp'"},
           {one(R"("every":"1h","sessionId":"s","projectPath":"/x")"), "isolated"},
           {R"({"jobs":[{"id":"b c","prompt":"p","every":"1h","sessionId":"s"}]})",
            "'b c' can't be"},
           {R"({"jobs":[{"id":"b","prompt":" ","every":"1h","sessionId":"s"}]})", "job 'b': "},
           {R"({"jobs":[{"id":"b","prompt":"p","every":"1h","sessionId":"s"},)"
            R"({"id":"b","prompt":"p","every":"1h","sessionId":"s"}]})",
            "two jobs have the id 'b'"},
           {R"({"jobs":[],"x":")" + std::string(kScheduleFileBytes, 'x') + "\"}", "at most"},
       }) {
    EXPECT_TRUE(refused(text).contains(words)) << refused(text);
  }
  EXPECT_EQ(changes(), before);
  EXPECT_EQ(jobs(), 2);
}

// U6, S2-39: rouse keeps it, not the file.
TEST_F(ScheduleFileTest, ANextRunInTheFileIsIgnoredWithANotice) {
  const ScheduleApplied applied = apply(
      one(R"("cron":"0 8 * * *","sessionId":"s","nextRunAt":"2020-01-01T00:00:00Z","promt":"x")"));
  ASSERT_EQ(applied.notices.size(), 2U);
  EXPECT_TRUE(applied.notices[0].contains("'nextRunAt' is ignored")) << applied.notices[0];
  EXPECT_TRUE(applied.notices[1].contains("did you mean 'prompt'?")) << applied.notices[1];
  EXPECT_EQ(to_iso(*job("a").next), "2026-11-16T07:00:00.000Z");
}

// S2-42
TEST_F(ScheduleFileTest, AnIsolatedJobNeedsNoConversation) {
  apply(R"({"jobs": [{"id": "weekly-review", "cron": "0 18 * * 5", "isolated": true,
    "projectPath": "/tmp/jarvis-weekly", "prompt": "Review this week.", "source": "scheduled",
    "output": {"file": "weekly.md", "sessionId": "main"}, "gate": "test -f x",
    "gateTimeout": "5s"}]})");
  const Job weekly = job("weekly-review");
  EXPECT_EQ(weekly.kind, JobKind::kIsolated);
  EXPECT_EQ(weekly.extra.project_path, "/tmp/jarvis-weekly");
  EXPECT_EQ(weekly.extra.output->file, "weekly.md");
  EXPECT_EQ(weekly.extra.output->session_key, "websocket:main");
  EXPECT_EQ(weekly.extra.gate->timeout_ms, 5'000);
  const std::string bound = R"({"jobs": [{"id": "weekly-review", "cron": "0 18 * * 5",
    "sessionId": "main", "prompt": "Review this week."}]})";
  EXPECT_TRUE(refused(bound).contains("give it another id"));
  apply(R"({"jobs": []})");
  EXPECT_TRUE(refused(bound).contains("give it another id"));
}

TEST_F(ScheduleFileTest, FindsAConversationByAnyOfItsNames) {
  const Conversation chat = talk("whatsapp", "+15550001");
  for (const std::string& name : {chat.id.str(), chat.key.str()}) {
    apply(one(R"("every":"1h","sessionId":")" + name + "\""));
    EXPECT_EQ(job("a").session_key, "whatsapp:+15550001");
  }
  apply(one(R"("every":"1h","sessionId":"telegram:42")"));
  EXPECT_EQ(job("a").session_key, "telegram:42");
  // S3-46
  book_->configure({.default_zone = "Europe/Berlin", .unified = true});
  EXPECT_FALSE(apply(one(R"("every":"1h","sessionId":"telegram:42")")).wrote());
}

TEST_F(ScheduleFileTest, OthersJobsAreLeftAlone) {
  JobWish own{.workspace = here_,
              .id = "a",
              .message = "m",
              .session_key = "websocket:main",
              .schedule = {.expr = "0 8 * * *", .zone = "UTC"}};
  ASSERT_TRUE(world_.run(book_->create(own)));
  EXPECT_TRUE(refused(one(R"("every":"1h","sessionId":"s")")).contains("another automation has"));
  apply(R"({"jobs":[]})");
  EXPECT_EQ(job("a").state, JobState::kActive);
}

TEST_F(ScheduleFileTest, EnabledIsTheFilesWordButAPersonsPauseStays) {
  const std::string off = one(R"("every":"1h","sessionId":"s","enabled":false)");
  const std::string on = one(R"("every":"1h","sessionId":"s")");
  apply(off);
  EXPECT_EQ(job("a").state, JobState::kPaused);
  EXPECT_EQ(apply(on).changed, 1);
  EXPECT_EQ(job("a").state, JobState::kActive);
  EXPECT_EQ(apply(off).changed, 1);
  EXPECT_EQ(job("a").state, JobState::kPaused);
  apply(on);
  ASSERT_TRUE(world_.run(book_->pause(here_, "a", "web", "quiet please")));
  EXPECT_FALSE(apply(on).wrote());
  EXPECT_EQ(job("a").state, JobState::kPaused);
}

TEST_F(ScheduleFileTest, ATimeThatIsOverIsNoFault) {
  const std::string once = one(R"("at":"2026-11-16T09:00","sessionId":"s")");
  apply(once);
  world_.clock().step_wall(days(3));
  EXPECT_FALSE(apply(once).wrote());
  EXPECT_EQ(jobs(), 1);
  const ScheduleApplied late = apply(one(R"("at":"2026-11-16T08:00","sessionId":"s")"));
  ASSERT_EQ(late.notices.size(), 1U);
  EXPECT_TRUE(late.notices[0].contains("is over")) << late.notices[0];
}

}  // namespace
}  // namespace rouse
