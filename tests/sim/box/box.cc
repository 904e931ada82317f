#include "tests/sim/box/box.h"

#include <fmt/format.h>

#include "tests/sim/box/canaries.h"

namespace rouse::sim {
namespace {

constexpr std::size_t kEventsBetweenChecks = 60;
// Of 20 people, 50 jobs and 4 heartbeats; a hundred was never reached.
constexpr std::size_t kMostTimers = 250;
constexpr std::int64_t kLongestLog = sqlite::StoreLimits{}.wal_truncate_bytes;

Millis length_of(std::uint64_t dice) {
  return dice % 4 == 0 ? hours(1 + static_cast<std::int64_t>(dice % 40))
                       : seconds(static_cast<std::int64_t>(dice % 1200));
}

}  // namespace

void Box::act(const Event& event) {
  const int who = static_cast<int>(event.who % kPeople);
  outside_.mix(static_cast<std::uint64_t>(event.what) << 56 ^
               static_cast<std::uint64_t>(disk_.changes()) << 40 ^
               static_cast<std::uint64_t>(wall().unix_ms));
  switch (event.what) {
    case Do::kChat:
      return write_letter(who, fmt::format("do thing {}", event.dice % 1000), true, false);
    case Do::kBurst: {
      const std::size_t first = outside_.letters.size();
      for (int i = 0; i < 3; ++i) write_letter(who, "and another", true, true);
      for (std::size_t i = first + 3; i-- > first;) deliver(i);
      outside_.counts.hit("messages out of order");
      return;
    }
    case Do::kAgain:
      if (!outside_.letters.empty()) {
        const std::size_t near = std::min<std::size_t>(outside_.letters.size(), 30);
        deliver(outside_.letters.size() - 1 - event.dice % near);
      }
      return;
    case Do::kLost:
      outside_.counts.hit("bridge loses a message");
      return write_letter(who, "can you hear me", true, true);
    case Do::kEcho:
      return echo(event.dice);
    case Do::kReset:
      outside_.counts.hit("reset phrase");
      return write_letter(who, "new task: find the key", true, false);
    case Do::kClear:
      return clear(who);
    case Do::kDelete:
      return remove_conversation(who);
    case Do::kCancel:
      return cancel_turns();
    case Do::kDecide:
      return decide(event.dice);
    case Do::kBeatNow:
      world_->loop().spawn("beat",
                           beating(standard_beats()[event.dice % standard_beats().size()].name));
      return;
    case Do::kMendKey:
      return house_->life.heartbeat.configuration_changed();
    case Do::kOpenApp:
      for (std::uint64_t tabs = event.dice % 4 == 0 ? 2 : 1; tabs > 0; --tabs) {
        open_app(who % kFirstPhone);
      }
      return;
    case Do::kEditRules:
      return edit_rules(event.dice);
    case Do::kEditBeats:
      return edit_beats(event.dice);
    case Do::kEditConfig:
      return edit_config(event.dice);
    case Do::kMakeJob:
    case Do::kEditJob:
    case Do::kPauseJob:
    case Do::kResumeJob:
    case Do::kRemoveJob:
      return act_on_jobs(event);
    default:
      return act_on_world(event);
  }
}

void Box::act_on_jobs(const Event& event) {
  if (event.what == Do::kMakeJob) {
    JobWish wish = some_job(event.dice, wall());
    wish.key = fmt::format("key {}", event.dice);
    making_[*wish.key] = wish.schedule;
    world_->loop().spawn("make job", making_job(std::move(wish)));
    return;
  }
  const auto job = job_by(event.dice >> 8);
  if (!job) return;
  if (event.what != Do::kEditJob) {
    world_->loop().spawn("change job", changing_job(*job, event.what));
    return;
  }
  if (changing_ || job->state == JobState::kDone || job->state == JobState::kQuarantined) return;
  JobEdit edit;
  edit.schedule = some_schedule(event.dice, wall());
  const auto recorded = database_->read(
      {"SELECT COALESCE(MAX(last_ms), 0) FROM occurrences WHERE job = $1", {job->number}});
  if (!recorded) return;
  changing_ =
      Change{job->number, *edit.schedule, std::max(wall(), WallTime{recorded->front().integer(0)})};
  const auto edited = finish(editing_job(*job, std::move(edit)), minutes(2));
  if (!edited && alive()) outside_.broke("8: an edit comes to its end", job->id);
}

void Box::act_on_world(const Event& event) {
  const Millis length = length_of(event.dice);
  switch (event.what) {
    case Do::kStepClock: {
      const bool back = (event.dice >> 8) % 2 == 0;
      outside_.counts.hit(back ? "clock set back" : "clock set on");
      const Millis by = minutes(static_cast<std::int64_t>(event.dice % 150));
      world_->clock().step_wall(back ? Millis{-by.count} : by);
      return;
    }
    case Do::kSuspend:
      outside_.counts.hit("machine sleeps");
      world_->clock().suspend(length);
      base_ms_ += length.count;
      return;
    case Do::kRestart:
      outside_.counts.hit("restart");
      restart(length);
      return check_life("after a restart");
    case Do::kKill:
      die(length, event.dice >> 8);
      return check_life("after a kill");
    case Do::kDieSoon:
      disk_.kill_at(disk_.changes() + 1 + static_cast<std::int64_t>(event.dice % 80));
      return;
    case Do::kHandOver:
      hand_over();
      return check_life("after a hand-over");
    case Do::kFailWrite:
      outside_.counts.hit("a write fails");
      disk_.fail_at(disk_.changes() + 1 + static_cast<std::int64_t>(event.dice % 20));
      disk_trouble_ms_ = awake_ms();
      return;
    case Do::kFailSync:
      outside_.counts.hit("a sync fails");
      disk_.fail_next_sync();
      disk_trouble_ms_ = awake_ms();
      return;
    case Do::kDiskFull:
      outside_.counts.hit("disk full");
      disk_.set_quota(disk_.bytes_used());
      full_until_ms_ = now_ms() + seconds(static_cast<std::int64_t>(event.dice % 3000)).count;
      disk_trouble_ms_ = awake_ms();
      return;
    case Do::kSlowDisk:
      outside_.counts.hit("slow disk");
      world_->set_longest_disk_delay(millis(static_cast<std::int64_t>(event.dice % 4000)));
      slow_until_ms_ = now_ms() + minutes(20).count;
      return;
    default:
      return;
  }
}

// --- what must hold ------------------------------------------------------------------------------

// After each event: what costs nothing, and the rows that are new.
void Box::check_fresh(const std::string& when) {
  const StoreHealth health = database_->health();
  if (health.wal_bytes > kLongestLog) {
    outside_.broke("8: the log of the store is bounded", fmt::format("{}", health.wal_bytes));
  }
  if (world_->clock().waiting() > kMostTimers) {
    outside_.broke("8: timers are bounded", fmt::format("{}", world_->clock().waiting()));
  }
  if (checked_at_ == disk_.changes() || !alive()) return;
  checked_at_ = disk_.changes();
  check_fresh_rows(*database_, outside_, seen_);
  check_spend(*database_, outside_);
  check_tools(outside_);
  if (outside_.failure) outside_.failure->words += " (" + when + ")";
}

// A new life that died at once is followed by another.
void Box::check_life(const std::string& when) {
  revive_if_dead();
  run_until(now_ms() + seconds(5).count);
  if (outside_.failure) return;
  check_all(when);
  const auto running = database_->read({"SELECT COUNT(*) FROM turns WHERE state = 'running'", {}});
  if (running && disk_trouble_ms_ < 0 &&
      running->front().integer(0) > static_cast<std::int64_t>(house_->runner().running())) {
    outside_.broke("7: what runs has a living owner five seconds after a start",
                   fmt::format("{} turns run, {} are known ({})", running->front().integer(0),
                               house_->runner().running(), when));
  }
}

void Box::check_all(const std::string& when) {
  if (outside_.failure) return;
  check_fresh(when);
  check_openings(*database_, outside_);
  check_conversations(*database_, outside_);
  check_letters(*database_, outside_);
  check_automations(*database_, outside_, dues_);
  check_deliveries(*database_, outside_);
  check_sinks(*database_, outside_);
  check_beats(*database_, outside_);
  check_deleted(*database_, outside_);
  check_rules(*database_, outside_);
  check_bounds(*database_, outside_);
  if (outside_.failure) outside_.failure->words += " (" + when + ")";
}

// The store as it lies on the disk, whatever table or free page it is in.
void Box::check_secrets() {
  for (const char* const file : {"/data/rouse.db", "/data/rouse.db-wal"}) {
    const auto bytes = disk_.content(file);
    if (bytes && shows_canary(*bytes)) outside_.broke("10: no secret is in the store", file);
    if (bytes && (bytes->contains(kReturnedTrigger) || bytes->contains(kFirstSessionTrigger))) {
      outside_.broke("12: what the agent is told at an opening is nowhere", file);
    }
  }
}

// Nothing goes wrong any more: everything that was accepted must come to its end.
void Box::come_to_rest() {
  outside_.kind = true;
  disk_.set_quota(std::nullopt);
  disk_.kill_at(0);
  disk_.fail_at(0);
  world_->set_longest_disk_delay(millis(5));
  run_until(now_ms() + minutes(1).count);
  restart(minutes(1));
  disk_trouble_ms_ = -1;
  house_->life.heartbeat.configuration_changed();
  world_->loop().spawn("tidy", house_->opens.start());
  for (int i = 0; i < 20 && !outside_.failure; ++i) {
    repeat_letters();
    run_until(now_ms() + minutes(3).count);
  }
  run_until(now_ms() + hours(8).count);  // what may be tried again has been
  constexpr std::string_view kOpen =
      "SELECT (SELECT COUNT(*) FROM occurrences WHERE ended_ms IS NULL) + (SELECT COUNT(*) FROM "
      "turns WHERE state IN ('queued', 'running')) + (SELECT COUNT(*) FROM outbox WHERE state IN "
      "('pending', 'sending'))";
  for (int i = 0; i < 60 && !outside_.failure; ++i) {
    const auto open = database_->read({kOpen, {}});
    if (open && open->front().integer(0) == 0) break;  // the one that is under way ends soon
    run_until(now_ms() + seconds(31).count);
  }
  if (outside_.failure) return;
  if (opening_ > 0) {
    outside_.broke("liveness: whoever opened the app was answered", fmt::format("{}", opening_));
  }
  check_all("at the end");
  check_at_rest(*database_, outside_);
  check_secrets();
  if (outside_.failure) return;
  const std::uint64_t once = everything_that_stays(*database_);
  outside_.mix(once);
  const int restarts = plan_.seed % 4 == 0 ? 2 : 0;  // one seed in four speaks for all
  for (int i = 0; i < restarts && !outside_.failure; ++i) {
    restart(millis(0));
    if (!outside_.failure && everything_that_stays(*database_) != once) {
      outside_.broke("9: a restart at rest changes nothing", fmt::format("restart {}", i + 1));
    }
  }
}

Outcome Box::live() {
  std::size_t done = 0;
  for (const Event& event : plan_.events) {
    if (outside_.failure) break;
    if (full_until_ms_ > 0 && event.at_ms > full_until_ms_) {
      run_until(full_until_ms_);
      disk_.set_quota(std::nullopt);
      full_until_ms_ = 0;
    }
    run_until(event.at_ms);
    if (outside_.failure) break;
    if (slow_until_ms_ > 0 && now_ms() > slow_until_ms_) {
      world_->set_longest_disk_delay(millis(5));
      slow_until_ms_ = 0;
    }
    if (disk_trouble_ms_ >= 0 && full_until_ms_ == 0 &&
        awake_ms() > disk_trouble_ms_ + hours(6).count) {
      disk_trouble_ms_ = -1;
    }
    act(event);
    if (outside_.failure) break;
    world_->settle();
    revive_if_dead();
    if (outside_.failure) break;
    check_fresh("after an event");
    if (++done % kEventsBetweenChecks == 0) check_all("on the way");
    if (done % 16 == 0) repeat_letters();
  }
  if (!outside_.failure) come_to_rest();
  Outcome out;
  out.failure = outside_.failure;
  if (out.failure) {
    out.failure->wall = world_ ? wall() : WallTime{};
    out.failure->at_ms = world_ ? now_ms() : base_ms_;
  }
  out.digest = outside_.digest;
  out.lived_ms = now_ms();
  out.lives = lives_;
  outside_.counts.hit("lives", lives_);
  out.counts = outside_.counts;
  return out;
}

Outcome play(const Plan& plan) {
  Box box(plan);
  return box.live();
}

}  // namespace rouse::sim
