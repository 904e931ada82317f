#include "tests/sim/automation_life.h"

#include <algorithm>

#include <fmt/format.h>

#include "store/sqlite/connection.h"

namespace rouse::sim {
namespace {

constexpr std::size_t kMany = 1'000'000;

Rows read(Database& database, std::string_view sql, std::vector<Value> params = {}) {
  auto rows = database.read({sql, std::move(params), kMany});
  EXPECT_TRUE(rows) << rows.error();
  return rows ? std::move(*rows) : Rows{};
}

// Everything the ledger and the jobs say, for "nothing was changed".
std::string everything(Database& database) {
  std::string out;
  for (const Row& row : read(database,
                             "SELECT job, due_ms, last_ms, count, state, attempt, ready_ms "
                             "FROM occurrences ORDER BY job, due_ms")) {
    out += fmt::format("{} {} {} {} {} {} {}\n", row.integer(0), row.integer(1), row.integer(2),
                       row.integer(3), row.text(4), row.integer(5), row.integer(6));
  }
  for (const Row& row : read(database,
                             "SELECT number, state, COALESCE(next_ms, 0), updated_ms FROM jobs "
                             "ORDER BY number")) {
    out +=
        fmt::format("{} {} {} {}\n", row.integer(0), row.text(1), row.integer(2), row.integer(3));
  }
  for (const Row& row : read(database,
                             "SELECT COUNT(*) FROM runs UNION ALL "
                             "SELECT COUNT(*) FROM messages")) {
    out += fmt::format("{}\n", row.integer(0));
  }
  return out;
}

}  // namespace

// --- what must be covered ------------------------------------------------------------------------

void DueBook::began(std::int64_t job, const Schedule& schedule, WallTime from) {
  jobs_[job] = {{schedule, from, {}, {}}};
}

void DueBook::changed(std::int64_t job, const Schedule& schedule, WallTime from) {
  Epoch& before = jobs_.at(job).back();
  before.until = from;
  std::erase_if(before.dues, [&](std::int64_t due) { return due > from.unix_ms; });
  jobs_.at(job).push_back({schedule, from, {}, {}});
}

std::int64_t DueBook::instants() const {
  std::int64_t all = 0;
  for (const auto& [job, epochs] : jobs_) {
    for (const Epoch& epoch : epochs) all += static_cast<std::int64_t>(epoch.dues.size());
  }
  return all;
}

void DueBook::extend(Epoch& epoch, WallTime until) {
  if (epoch.until) until = std::min(until, *epoch.until);
  WallTime at = epoch.dues.empty() ? epoch.from : WallTime{epoch.dues.back()};
  for (auto due = next_due(epoch.schedule, at); due && *due <= until;
       due = next_due(epoch.schedule, *due)) {
    epoch.dues.push_back(due->unix_ms);
  }
}

void DueBook::check_job(Database& database, std::int64_t job, std::vector<Epoch>& epochs) {
  const Rows rows =
      read(database,
           "SELECT due_ms, last_ms, count FROM occurrences WHERE job = $1 ORDER BY due_ms", {job});
  const Rows folded =
      read(database, "SELECT COALESCE(SUM(count), 0) FROM occurrence_days WHERE job = $1", {job});
  const Rows found =
      read(database, "SELECT state, next_ms, state_ms FROM jobs WHERE number = $1", {job});
  ASSERT_EQ(found.size(), 1U) << "job " << job << " is lost";
  const std::int64_t recorded = rows.empty() ? 0 : rows.back().integer(1);
  // Up to where the job stands.
  WallTime until{std::max(recorded, found[0].integer(2))};
  if (found[0].text(0) == "active") {
    until = found[0].is_null(1) ? WallTime{recorded} : WallTime{found[0].integer(1)} - millis(1);
  }
  if (found[0].text(0) == "done") until = {recorded};
  std::vector<std::int64_t> dues;
  for (Epoch& epoch : epochs) {
    extend(epoch, until);
    dues.insert(dues.end(), epoch.dues.begin(), epoch.dues.end());
  }
  std::int64_t covered = folded.front().integer(0);
  std::int64_t behind = std::numeric_limits<std::int64_t>::min();
  for (const Row& row : rows) {
    const std::int64_t first = row.integer(0), last = row.integer(1);
    EXPECT_GT(first, behind) << "job " << job << " has overlapping rows at "
                             << to_iso(WallTime{first});
    behind = last;
    const auto from = std::ranges::lower_bound(dues, first);
    const auto to = std::ranges::upper_bound(dues, last);
    EXPECT_EQ(to - from, row.integer(2))
        << "job " << job << ", the row from " << to_iso(WallTime{first}) << " to "
        << to_iso(WallTime{last});
    covered += row.integer(2);
  }
  EXPECT_EQ(covered, static_cast<std::int64_t>(dues.size()))
      << "job " << job << " (" << found[0].text(0) << ", " << schedule_words(epochs.back().schedule)
      << ") until " << to_iso(until);
}

void DueBook::check_coverage(Database& database, const std::string& when) {
  SCOPED_TRACE(when);
  for (auto& [job, epochs] : jobs_) check_job(database, job, epochs);
}

void expect_runs_match_targets(Database& database, const std::string& when) {
  SCOPED_TRACE(when);
  const Rows rows = read(
      database,
      "SELECT o.job, o.due_ms, o.state, o.attempt, COUNT(r.number), COUNT(DISTINCT r.attempt), "
      "COALESCE(MAX(r.attempt), 0) FROM occurrences o "
      "LEFT JOIN runs r ON r.job = o.job AND r.due_ms = o.due_ms GROUP BY o.job, o.due_ms");
  for (const Row& row : rows) {
    const std::string& state = row.text(2);
    const std::int64_t attempt = row.integer(3), runs = row.integer(4);
    const std::string where =
        fmt::format("job {} at {}: {} after {} tries has {} runs", row.integer(0),
                    to_iso(WallTime{row.integer(1)}), state, attempt, runs);
    EXPECT_EQ(runs, row.integer(5)) << where;
    EXPECT_LE(row.integer(6), attempt) << where;
    const bool may_lack_one =
        state == kClaimed || state == kSkipped || state == kMissed || state == kRunError;
    EXPECT_GE(runs, may_lack_one ? attempt - 1 : attempt) << where;
    if (state == kClaimed) EXPECT_LT(runs, attempt) << where;
  }
  // A message of a job's for each turn of a job's that began, and each by a run of its own.
  const Rows said = read(database,
                         "SELECT (SELECT COUNT(*) FROM messages WHERE role = 'user' AND meta IS "
                         "NOT NULL), (SELECT COUNT(DISTINCT meta) FROM messages WHERE role = "
                         "'user' AND meta IS NOT NULL), (SELECT COUNT(*) FROM turns WHERE kind = "
                         "'automation' AND first_seq IS NOT NULL)");
  EXPECT_EQ(said[0].integer(0), said[0].integer(1)) << "a run is in a transcript twice";
  EXPECT_EQ(said[0].integer(0), said[0].integer(2)) << "trigger messages and turns";
  EXPECT_TRUE(read(database,
                   "SELECT r.number FROM runs r JOIN turns t ON t.turn_id = r.turn_id "
                   "WHERE (r.ended_ms IS NULL) <> (t.ended_ms IS NULL)")
                  .empty())
      << "a run and its turn end together";
}

void expect_nothing_open(Database& database, const std::string& when) {
  EXPECT_EQ(read(database, "SELECT COUNT(*) FROM occurrences WHERE ended_ms IS NULL")[0].integer(0),
            0)
      << when;
  EXPECT_EQ(read(database, "SELECT COUNT(*) FROM runs WHERE ended_ms IS NULL")[0].integer(0), 0)
      << when;
  EXPECT_EQ(
      read(database, "SELECT COUNT(*) FROM turns WHERE state IN ('queued', 'running')")[0].integer(
          0),
      0)
      << when;
}

// --- the life ------------------------------------------------------------------------------------

AutomationLife::AutomationLife(std::uint64_t seed, WallTime begins) : random_(seed) {
  begin(begins);
}

AutomationLife::~AutomationLife() { end_house(); }

ScriptedAnswer AutomationLife::answer() {
  const std::uint64_t dice = kind_model_ ? 99 : random_.below(100);
  if (dice < 3) return ScriptedAnswer::hangs_until_cancelled();
  if (dice < 6) return ScriptedAnswer::fails(ModelErrc::kOverloaded);
  if (dice < 8) return ScriptedAnswer::fails(ModelErrc::kContextFull);
  if (dice < 9) return ScriptedAnswer::fails(ModelErrc::kUnauthorized);
  if (dice < 11) return ScriptedAnswer();
  if (dice < 16)
    return ScriptedAnswer::calls_tool(fmt::format("c{}", random_.next_u64()), "change");
  return ScriptedAnswer::says("done");
}

void AutomationLife::begin(std::optional<WallTime> at) {
  world_ = std::make_unique<World>(random_.next_u64(), &disk_);
  if (at) world_->clock().step_wall(*at - world_->clock().wall_now());
  auto opened = world_->open_store();
  ASSERT_TRUE(opened) << opened.error();
  database_ = *opened;
  model_ = std::make_shared<ScriptedModel>();
  model_->otherwise = [this](const ModelRequest&) { return answer(); };
  house_ = std::make_unique<ScheduleHouseForTests>(*world_, *database_, model_, outside_);
  house_->scheduler.configure({.keep_over = days(36'500)});  // every instant is counted at the end
  const auto started = world_->run(house_->start());
  ASSERT_TRUE(started) << started.error();
  ++lives_;
  settle_what_was_cut_off();
}

// What nobody was told the end of has happened, or it hasn't; from now on that is known.
void AutomationLife::settle_what_was_cut_off() {
  for (const auto& [key, schedule] : making_) {
    const Rows found =
        read(*database_, "SELECT number, created_ms FROM jobs WHERE made_key = $1", {key});
    if (!found.empty()) dues_.began(found[0].integer(0), schedule, {found[0].integer(1)});
  }
  making_.clear();
  if (changing_) {
    const auto job = house_->book.get(changing_->job);
    ASSERT_TRUE(job) << job.error();
    if (job->schedule == changing_->schedule) {
      dues_.changed(changing_->job, changing_->schedule, changing_->from);
    }
  }
  changing_.reset();
}

void AutomationLife::end_house() {
  house_->scheduler.stop();
  world_->settle();
  world_->run(house_->stop());
  world_->run_for(seconds(1));  // whatever is going on ends, well or not
  house_.reset();
}

void AutomationLife::restart(Millis down) {
  end_house();
  const WallTime at = now() + down;
  world_->close_store();
  world_.reset();
  begin(at);
}

void AutomationLife::kill(sqlite::Unsynced unsynced, Millis down) {
  if (alive()) disk_.kill_now();
  end_house();
  const WallTime at = now() + down;
  world_.reset();
  disk_.power_cycle(unsynced, random_.next_u64());
  begin(at);
}

void AutomationLife::die_soon() {
  disk_.kill_at(disk_.changes() + 1 + static_cast<std::int64_t>(random_.below(60)));
}

void AutomationLife::die_and_come_back(Millis down) {
  const sqlite::Unsynced all[] = {sqlite::Unsynced::kKeepAll, sqlite::Unsynced::kKeepNone,
                                  sqlite::Unsynced::kKeepSome};
  kill(all[random_.below(3)], down);
}

// CR-19: the owner before may be slow, not dead. What it still writes is refused.
void AutomationLife::hand_over() {
  {
    auto other = sqlite::Connection::open("/data/rouse.db", sqlite::Access::kReadWrite,
                                          {.vfs = world_->vfs()});
    ASSERT_TRUE(other) << other.error();
    ASSERT_TRUE(other->exec("UPDATE rouse_store SET epoch = epoch + 1"));
  }
  const std::string before = everything(*database_);
  const auto late = world_->run(
      database_->write(Write{{{"UPDATE jobs SET name = 'by the one before'", {}, {}}}}));
  EXPECT_FALSE(late);
  if (!late && late.error().is(StoreErrc::kFenced)) ++fenced_;
  world_->run_for(hours(3));
  EXPECT_EQ(everything(*database_), before) << "an owner that was replaced wrote something";
  end_house();
  const WallTime at = now();
  world_.reset();
  begin(at);
}

void AutomationLife::wait(Millis length) {
  world_->run_for(length);
  model_->requests.clear();
}

// --- people --------------------------------------------------------------------------------------

WallTime AutomationLife::recorded(std::int64_t job) {
  const Rows rows =
      read(*database_, "SELECT COALESCE(MAX(last_ms), 0) FROM occurrences WHERE job = $1", {job});
  return {rows.front().integer(0)};
}

std::optional<Job> AutomationLife::some_job() {
  const Rows rows = read(*database_, "SELECT number FROM jobs WHERE state <> 'removed'");
  if (rows.empty()) return std::nullopt;
  auto job = house_->book.get(rows[random_.below(rows.size())].integer(0));
  EXPECT_TRUE(job) << job.error();
  return *job;
}

void AutomationLife::make_job(JobWish wish) {
  wish.key = fmt::format("key {}", ++made_);
  making_[*wish.key] = wish.schedule;
  if (wish.schedule.kind == ScheduleKind::kEvery) {
    wish.schedule.anchor = now();
    making_[*wish.key].anchor = now();
  }
  const auto made = world_->run(house_->book.create(wish));
  if (!made) {
    EXPECT_FALSE(alive()) << made.error();
    return;
  }
  dues_.began(made->job.number, made->job.schedule, made->job.created);
  making_.erase(*wish.key);
}

void AutomationLife::edit_some_job(const Schedule& schedule) {
  const auto job = some_job();
  if (!job || job->state == JobState::kDone || job->state == JobState::kQuarantined) return;
  JobEdit edit;
  edit.schedule = schedule;
  if (schedule.kind == ScheduleKind::kEvery) edit.schedule->anchor = now();
  changing_ = Wanted{job->number, *edit.schedule, std::max(now(), recorded(job->number))};
  const auto edited = world_->run(house_->book.edit(job->workspace, job->id, edit, "api"));
  if (edited) dues_.changed(job->number, edited->schedule, changing_->from);
  if (edited || alive()) changing_.reset();
  if (!edited && alive()) EXPECT_EQ(edited.error().kind, Kind::kConflict) << edited.error();
}

void AutomationLife::pause_some_job() {
  const auto job = some_job();
  if (job) (void)world_->run(house_->book.pause(job->workspace, job->id, "api", "enough"));
}

void AutomationLife::resume_some_job() {
  const auto job = some_job();
  if (job) (void)world_->run(house_->book.resume(job->workspace, job->id, "api"));
}

void AutomationLife::resume_all_jobs() {
  for (const Row& row : read(*database_, "SELECT number FROM jobs WHERE state = 'paused'")) {
    const auto job = house_->book.get(row.integer(0));
    const auto back = world_->run(house_->book.resume(job->workspace, job->id, "api"));
    EXPECT_TRUE(back || !alive()) << back.error();
  }
}

void AutomationLife::remove_some_job() {
  const auto job = some_job();
  if (job) (void)world_->run(house_->book.remove(job->workspace, job->id, "api"));
}

void AutomationLife::chat(int peer) {
  auto message = chat_from(fmt::format("p{}", peer), fmt::format("thought {}", ++said_),
                           fmt::format("m{}", said_));
  const auto taken = world_->run(house_->runner().submit(std::move(message)));
  EXPECT_TRUE(taken || !alive()) << taken.error();
}

void AutomationLife::check(const std::string& when) {
  dues_.check_coverage(*database_, when);
  expect_runs_match_targets(*database_, when);
}

}  // namespace rouse::sim
