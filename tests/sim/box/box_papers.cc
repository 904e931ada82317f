// People who open the app, and people who edit what the server reads.
#include <fmt/format.h>

#include "tests/sim/box/box.h"

namespace rouse::sim {
namespace {

constexpr Millis kTooSoon = minutes(4);  // it is silent for five
constexpr std::int64_t kDearestCall = 1'000;

}  // namespace

std::int64_t Box::clock_changes() const {
  return outside_.counts.of("clock set back") + outside_.counts.of("clock set on");
}

// --- the agent speaks first ----------------------------------------------------------------------

void Box::open_app(int who) {
  ++outside_.opened[who];
  ++opening_;
  world_->loop().spawn("open", opening(who));
}

Task<void> Box::opening(int who) {
  const std::int64_t began_ms = now_ms(), life = lives_;
  const int edits = outside_.papers.edits;
  InboundMessage where = chat_from(fmt::format("p{}", who), "");
  where.content.clear();
  const SessionOpened opened = co_await house_->opens.open(std::move(where));
  if (life == lives_) --opening_;
  outside_.mix(static_cast<std::uint64_t>(who) << 1 ^ static_cast<std::uint64_t>(opened.silent));
  const auto said = opened.turn
                        ? database_->read({"SELECT role, content FROM messages WHERE turn_id = $1 "
                                           "AND source = 'session_open' ORDER BY position",
                                           {opened.turn->str()}})
                        : Result<Rows>(Rows{});
  if (opened.silent) {
    outside_.counts.hit("opening: " + (opened.reason.empty() ? "silent" : opened.reason));
    if (said && !said->empty() && alive()) {
      outside_.broke("12: whoever is told of silence finds no greeting", opened.turn->str());
    }
    co_return;
  }
  outside_.counts.hit("greeted");
  const auto before = heard_.find(who);
  if (before != heard_.end() && before->second.clock_changes == clock_changes() &&
      began_ms - before->second.at_ms < kTooSoon.count) {
    outside_.broke("12: nobody is greeted again at once", fmt::format("p{}", who));
  }
  if (outside_.papers.greeting == Greeting::kOff && edits == outside_.papers.edits) {
    outside_.broke("12: nobody is greeted when that is switched off", fmt::format("p{}", who));
  }
  if (shows_silence_token(opened.response) || opened.response.contains("SILENT")) {
    outside_.broke("12: no greeting shows a token", opened.response);
  }
  heard_[who] = {now_ms(), clock_changes()};
  outside_.greeted.push_back({opened.turn ? opened.turn->str() : "", opened.response, who});
}

// --- edits ---------------------------------------------------------------------------------------

void Box::edit_rules(std::uint64_t dice) {
  Papers& papers = outside_.papers;
  const int edition = ++papers.edits;
  papers.workflow_broken = dice % 4 == 0;
  const Rules rules = some_rules(edition, dice >> 8);
  papers.workflow = papers.workflow_broken ? broken_yaml(dice >> 8) : to_yaml(rules);
  outside_.counts.hit(papers.workflow_broken ? "workflow broken" : "workflow edited");
  const auto problems = house_->read_workflow();
  if (papers.workflow_broken == problems.empty() && (bug_ == nullptr || !bug_->skips.new_rules)) {
    outside_.broke("11: a broken file is said to be so, and no other",
                   problems.empty() ? papers.workflow : problems.front().str());
  }
  if (!papers.workflow_broken) papers.rules = rules;
}

// A start has only what it can read.
void Box::read_papers() {
  Papers& papers = outside_.papers;
  opening_ = 0;  // whoever waited has gone
  if (papers.workflow_broken) {
    outside_.counts.hit("started with a broken workflow");
    papers.rules = Rules{.edition = papers.rules.edition};
    papers.uncounted = true;
  }
  const auto cut_off = database_->read(
      {"SELECT turn_id FROM turns WHERE kind = 'session_open' AND state IN ('queued', 'running')",
       {}});
  if (!cut_off) return;
  for (const Row& row : *cut_off) outside_.given_up.insert(row.text(0));
}

void Box::edit_beats(std::uint64_t dice) {
  Papers& papers = outside_.papers;
  ++papers.edits;
  const bool broken = dice % 4 == 0;
  outside_.counts.hit(broken ? "heartbeat.json broken" : "heartbeat.json edited");
  check_fresh("before an edit");
  if (!broken) papers.beats = changed_beats(papers.beats, dice >> 8);
  papers.files["heartbeat.json"] = broken ? broken_json(dice >> 8) : to_json(papers.beats);
  papers.beats_since = wall();
  const auto recorded = recorded_beats();
  const auto times = beat_times_;
  const auto problem = finish(house_->read_beats(), minutes(2));
  if (!alive()) return;
  if (!problem) return outside_.broke("11: an edit comes to its end", "heartbeat.json");
  settle_beats(recorded);
  if (broken && (problem->empty() || times != beat_times_)) {
    outside_.broke("11: a broken file changes nothing, and says so", *problem);
  }
  if (broken || disk_trouble_ms_ >= 0) return;
  for (const StandardBeat& beat : papers.beats) {
    const auto job = house_->book().get(Workspaces::default_id(), heartbeat_job_id(beat.name));
    if (!problem->empty() || !job || job->schedule.every != minutes(beat.every_minutes)) {
      outside_.broke("11: an edited file is in force",
                     fmt::format("heartbeat {}: {}", beat.name, *problem));
    }
  }
}

// Up to where the ledger knows the beats' instants.
std::map<std::int64_t, std::int64_t> Box::recorded_beats() {
  std::map<std::int64_t, std::int64_t> out;
  const auto rows = database_->read(
      {"SELECT j.number, (SELECT COALESCE(MAX(o.last_ms), 0) FROM occurrences o WHERE o.job = "
       "j.number) FROM jobs j WHERE j.kind = 'system'",
       {}});
  if (!rows) return out;
  for (const Row& row : *rows) out[row.integer(0)] = row.integer(1);
  return out;
}

// A beat whose times changed is due by the new ones from there on.
void Box::settle_beats(const std::map<std::int64_t, std::int64_t>& recorded) {
  for (const auto& [number, until] : recorded) {
    const auto job = house_->book().get(number);
    if (!job) continue;
    const auto known = beat_times_.find(number);
    if (known != beat_times_.end() && known->second != job->schedule) {
      dues_.changed(number, job->schedule, std::max(job->schedule.anchor, WallTime{until}));
    }
    beat_times_[number] = job->schedule;
  }
}

// A cap is lowered or raised, or people are greeted in another way. What was spent stays spent.
void Box::edit_config(std::uint64_t dice) {
  Papers& papers = outside_.papers;
  ++papers.edits;
  outside_.counts.hit("configuration edited");
  constexpr std::array kWays{Greeting::kModel, Greeting::kStatic, Greeting::kOff};
  constexpr std::array<std::int64_t, 4> kCaps{15'000, 30'000, 60'000, 120'000};
  if (dice % 2 == 0) {
    papers.greeting = kWays[(dice >> 8) % kWays.size()];
    return house_->read_config();
  }
  const auto open = database_->read(
      {"SELECT (SELECT COUNT(*) FROM turn_steps) + (SELECT COUNT(*) FROM turns WHERE state = "
       "'running') + 4",
       {}});
  const auto spent = database_->read({"SELECT owner, day, micros FROM spend WHERE day <> ''", {}});
  if (!open || !spent) return;
  papers.under_way = open->front().integer(0) * kDearestCall;
  papers.spent.clear();
  for (const Row& row : *spent) papers.spent[row.text(0) + row.text(1)] = row.integer(2);
  papers.cap = kCaps[(dice >> 8) % kCaps.size()];
  house_->read_config();
}

}  // namespace rouse::sim
