#include "schedule/story/automation_story.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "schedule/story/automation_words.h"

namespace rouse {
namespace {

constexpr std::size_t kErrorShown = 300;
constexpr std::string_view kBusy = "busy", kScheduler = "scheduler";

bool has_run(std::string_view state) { return state != kSkipped && state != kMissed; }

std::string code_of(std::string_view state) { return has_run(state) ? "ran" : std::string(state); }

bool covers(const Occurrence& occurrence, WallTime time) {
  return occurrence.due <= time && time <= occurrence.last;
}

// Was it still at work, or waiting to be, at this time?
bool was_at_work(const Occurrence& occurrence, WallTime time) {
  if (!occurrence.ended) return true;
  return has_run(occurrence.state) && time <= *occurrence.ended;
}

bool is_due_at(const Job& job, WallTime time) {
  return next_due(job.schedule, time - millis(1)) == time;
}

std::string error_words(const std::optional<Run>& run) {
  if (!run || run->error.empty()) return {};
  return fmt::format(": {}", utf8_prefix(run->error, kErrorShown));
}

}  // namespace

std::string AutomationStory::when(const Job& job, WallTime time) const {
  return due_words(time, job.schedule.zone, clock_.wall_now());
}

Result<AutomationAnswer> AutomationStory::tell(const Job& job, std::optional<WallTime> asked) {
  auto out = asked ? at(job, *asked) : now(job);
  if (out) out->at = asked.value_or(clock_.wall_now());
  return out;
}

// What the ledger says of the instant comes first: it was written when it happened.
Result<AutomationAnswer> AutomationStory::at(const Job& job, WallTime asked) {
  if (asked < job.created) {
    return AutomationAnswer{.code = "not_yet",
                            .text = fmt::format("It was only made on {}.", when(job, job.created)),
                            .since = job.created};
  }
  const WallTime present = clock_.wall_now();
  if (asked.unix_ms % 1000 == 0) {  // who names a second means all of it
    TRY(const auto within, ledger_.at(job.number, asked + millis(999)));
    if (within && within->due >= asked && within->due <= present) {
      return of_occurrence(job, *within);
    }
  }
  TRY(const auto found, ledger_.at(job.number, asked));
  if (found && asked <= present && (covers(*found, asked) || was_at_work(*found, asked))) {
    return of_occurrence(job, *found);
  }
  if (job.state != JobState::kActive && asked >= job.state_since) return by_state(job);
  TRY(auto from_day, folded(job, asked));
  if (from_day) return std::move(*from_day);
  if (job.next && *job.next <= asked && asked <= present) return unclaimed(job);
  return not_due(job, asked, found);
}

Result<AutomationAnswer> AutomationStory::now(const Job& job) {
  TRY(const auto open, ledger_.open_of(job.number));
  TRY(const auto newest, ledger_.newest(job.number));
  const WallTime present = clock_.wall_now();
  AutomationAnswer out;
  if (open) {
    TRY(out, of_occurrence(job, *open));
  } else if (job.state != JobState::kActive) {
    out = by_state(job);
  } else if (job.next && *job.next <= present) {
    out = unclaimed(job);
  } else {
    out = not_due(job, present, newest);
  }
  out.next = job.next;
  std::string about = fmt::format("{} ({}): ", job.name, schedule_words(job.schedule));
  out.text.insert(0, about);
  if (!open && newest && out.code != "not_due") {
    TRY(const AutomationAnswer last, of_occurrence(job, *newest));
    out.text += " Before that: " + last.text;
  }
  if (job.failures > 1) out.text += fmt::format(" It failed {} times in a row.", job.failures);
  if (job.backoff_until && *job.backoff_until > present) {
    out.text += fmt::format(" It is not tried before {}.", when(job, *job.backoff_until));
  }
  return out;
}

Result<AutomationAnswer> AutomationStory::of_occurrence(const Job& job, const Occurrence& o) {
  AutomationAnswer out{.code = code_of(o.state),
                       .reason = o.reason,
                       .status = o.state,
                       .scheduled_for = o.due,
                       .count = o.count};
  if (o.is_range()) {
    out.until = o.last;
    out.text = fmt::format("The {} occurrences from {} to {} were {}{}.", o.count, when(job, o.due),
                           when(job, o.last), o.state, words::because(o.reason));
    return out;
  }
  TRY(const auto run, ledger_.newest_run(job.number, o.due));
  if (run) {
    out.run = run->id;
    out.turn = run->turn;
    out.conversation = run->conversation;
  }
  if (!o.ended) {
    TRY_VOID(add_open(out, job, o, run));
    return out;
  }
  out.text = fmt::format("The occurrence of {} {}", when(job, o.due), words::how_it_went(o.state));
  const std::string error = has_run(o.state) ? error_words(run) : std::string();
  out.text += error.empty() ? words::because(o.reason) : error;
  if (!out.text.ends_with('.')) out.text += '.';
  if (run) out.text += fmt::format(" Its run is {}.", run->id);
  if (run && run->late) out.text += fmt::format(" It began late, at {}.", when(job, run->queued));
  return out;
}

Result<void> AutomationStory::add_open(AutomationAnswer& out, const Job& job, const Occurrence& o,
                                       const std::optional<Run>& run) {
  const std::string due = fmt::format("It is due since {}", when(job, o.due));
  if (o.state == kClaimed && o.ready > clock_.wall_now()) {
    out.code = "deferred";
    out.until = o.ready;
    out.text = fmt::format("{} and put off until {}{}.", due, when(job, o.ready),
                           words::because(o.reason));
    return {};
  }
  out.code = "queued";
  out.text = due + " and goes as soon as there is room.";
  if (o.state == kClaimed || !run || !run->turn) return {};
  TRY(const auto turn, turns_.get(*run->turn));
  if (turn && turn->state == "queued") {
    TRY(const auto other, turns_.running(turn->conversation));
    if (!other) return {};
    out.code = "deferred";
    out.reason = kBusy;
    out.waits_for = other->id;
    out.text = fmt::format("{} and waits in {} for the turn {} to end.", due, run->session_key,
                           other->id.str());
    return {};
  }
  out.code = "running";
  out.text = fmt::format("It runs: the run {} of {}.", run->id, when(job, o.due));
  return {};
}

AutomationAnswer AutomationStory::by_state(const Job& job) const {
  AutomationAnswer out{.code = std::string(job_state_name(job.state)),
                       .reason = job.state_reason,
                       .by = job.state_by,
                       .since = job.state_since};
  out.text = fmt::format("It is {} since {}", words::state_words(job), when(job, job.state_since));
  if (!job.state_reason.empty()) out.text += ": " + words::how_it_went(job.state_reason);
  out.text += '.';
  if (job.state == JobState::kPaused) {
    out.text += fmt::format(" It goes on after `rouse automations resume {}`.", job.id);
  }
  return out;
}

// Due, and nothing is recorded yet: the scheduler is about to, or may not.
AutomationAnswer AutomationStory::unclaimed(const Job& job) const {
  AutomationAnswer out{.code = "deferred",
                       .reason = std::string(kScheduler),
                       .status = "due",
                       .scheduled_for = job.next,
                       .count = 1};
  const std::string& held = book_.settings().held;
  out.text = fmt::format("It is due since {}, and {}.", when(job, *job.next),
                         held.empty() ? "the scheduler takes it next" : held);
  if (!held.empty()) out.reason = "held";
  return out;
}

// The single records of that day are gone; its sums are not.
Result<std::optional<AutomationAnswer>> AutomationStory::folded(const Job& job, WallTime asked) {
  TRY(auto sums, ledger_.folded_at(job.number, asked));
  std::erase_if(sums, [&](const FoldedDay& one) { return asked < one.first; });
  if (sums.empty()) return std::optional<AutomationAnswer>();
  std::ranges::sort(sums, std::ranges::greater{}, &FoldedDay::count);
  AutomationAnswer out{.code = code_of(sums.front().state),
                       .status = sums.front().state,
                       .scheduled_for = sums.front().first,
                       .until = sums.front().last,
                       .count = sums.front().count,
                       .folded = true};
  for (const FoldedDay& one : sums) {
    out.text += fmt::format("{}{} {} ({} to {})", out.text.empty() ? "" : ", ", one.count,
                            one.state, when(job, one.first), when(job, one.last));
  }
  out.text = fmt::format("Of that time only sums are kept: {}.", out.text);
  return std::optional(std::move(out));
}

AutomationAnswer AutomationStory::not_due(const Job& job, WallTime asked,
                                          const std::optional<Occurrence>& before) const {
  const WallTime present = clock_.wall_now();
  AutomationAnswer out{.code = "not_due", .next = next_due(job.schedule, asked)};
  if (before) out.previous = before->last;
  if (asked > present && is_due_at(job, asked)) {
    out.next = asked;
    out.text = fmt::format("It will be due then, at {}.", when(job, asked));
    return out;
  }
  if (asked < present && is_due_at(job, asked)) {
    out.text = fmt::format(
        "Its schedule of today would have been due then, but was not in force yet; it was last "
        "changed on {}.",
        when(job, job.updated));
  } else {
    out.text = asked == present ? "It is not due now." : "It was not due then.";
    if (asked > present) out.text = "It will not be due then.";
  }
  if (out.next) out.text += fmt::format(" The next is {}.", when(job, *out.next));
  if (before) {
    out.text += fmt::format(" The one before, {}, {}{}.", when(job, before->last),
                            words::how_it_went(before->state), words::because(before->reason));
  }
  return out;
}

}  // namespace rouse
