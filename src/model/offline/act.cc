#include "model/offline/act.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/arithmetic.h"
#include "base/local_time.h"
#include "base/text.h"
#include "model/offline/hand_steps.h"
#include "model/offline/memory_steps.h"
#include "model/offline/phrase.h"
#include "model/offline/schedule_steps.h"
#include "model/offline/steps.h"
#include "model/offline/talk.h"
#include "model/offline/task_steps.h"
#include "model/offline/tool_use.h"

namespace rouse::offline {
namespace {

// --- sums and time -------------------------------------------------------------------------------

Step sum(const Intent& intent, const Scene& scene) {
  if (const ToolOutcome* done = scene.outcome_of("calculate"))
    return say(sentence(first_line(done->text)));
  if (const PromptTool* tool = scene.offered("calculate")) {
    return call(ToolUse(*tool).text({"expression", "input"}, intent.subject));
  }
  return say(answer_sum(intent.subject).value_or(intent.subject + ": I can't calculate that"));
}

std::string time_words(const Scene& scene, std::string_view zone) {
  const LocalTime now = local_time(scene.facts().now, zone);
  return fmt::format("{}, {} ({})", date_words(now), clock_words(now), zone_words(zone, now));
}

// "Sunday, 15 November 2026, 04:40 (…)" without its clock.
std::string day_part(std::string_view text) {
  const std::size_t bracket = text.rfind(" (");
  const std::size_t comma = text.rfind(", ", bracket);
  return std::string(text.substr(0, comma));
}

Step time_or_date(const Intent& intent, const Scene& scene) {
  const auto reply = [&](const std::string& text) {
    if (intent.wish == Wish::kTime) return say("It is " + text + ".");
    const std::string where =
        intent.subject.empty() ? "Today is " : "In " + intent.subject + " it is ";
    return say(where + day_part(text) + ".");
  };
  const auto unknown_place = [&] {
    return say(
        fmt::format("I don't know the time in {}. Try a larger city, or a zone such as "
                    "Europe/Berlin.",
                    intent.subject));
  };
  if (const ToolOutcome* done = scene.outcome_of("current_time")) {
    return done->failed ? unknown_place() : reply(first_line(done->text));
  }
  if (const PromptTool* tool = scene.offered("current_time")) {
    ToolUse use(*tool);
    if (!intent.subject.empty()) use.text({"zone", "timezone", "tz", "place"}, intent.subject);
    return call(use);
  }
  if (intent.subject.empty()) return reply(time_words(scene, scene.facts().zone));
  const auto zone = zone_of_place(intent.subject);
  return zone ? reply(time_words(scene, *zone)) : unknown_place();
}

Step date(const Intent& intent, const Scene& scene) {
  const bool tomorrow = intent.subject == "tomorrow";
  if (!tomorrow && intent.subject != "yesterday") return time_or_date(intent, scene);
  const PromptFacts& facts = scene.facts();
  const WallTime noon = at_local_clock(facts.now, facts.zone, tomorrow ? 1 : -1, 12, 0);
  return say(fmt::format("{} {}.", tomorrow ? "Tomorrow is" : "Yesterday was",
                         date_words(local_time(noon, facts.zone))));
}

// --- lists ---------------------------------------------------------------------------------------

Step list_of(std::string_view tool_name, const Scene& scene, std::string_view heading,
             std::string_view none, std::string_view ability) {
  if (const ToolOutcome* done = scene.outcome_of(tool_name)) {
    if (std::string trouble = trouble_with(*done); !trouble.empty()) return say(std::move(trouble));
    if (says_nothing(done->text)) return say(std::string(none));
    return say(fmt::format("{}\n{}", heading, trim(done->text)));
  }
  const PromptTool* tool = scene.offered(tool_name);
  if (tool == nullptr) return say(not_yet(ability));
  return call(ToolUse(*tool).choice("action", {"list", "show", "all"}));
}

// --- what happened -------------------------------------------------------------------------------

Step activity(const Scene& scene) {
  const PromptTool* tool = scene.offered("activity");
  if (tool == nullptr || scene.outcome_of("activity") != nullptr) {
    return list_of("activity", scene, "This is what happened:", "Nothing happened that I know of.",
                   "tell what happened");
  }
  const PromptFacts& facts = scene.facts();
  ToolUse use(*tool);
  use.choice("action", {"list", "show", "recent"});
  use.text({"since", "from", "after"}, to_iso(at_local_clock(facts.now, facts.zone, 0, 0, 0)));
  return call(use);
}

Step why_not(const Intent& intent, const Scene& scene) {
  for (const std::string_view name : {"why", "activity"}) {
    if (const ToolOutcome* done = scene.outcome_of(name)) {
      if (std::string trouble = trouble_with(*done); !trouble.empty())
        return say(std::move(trouble));
      if (says_nothing(done->text)) {
        return say(fmt::format("I have no record of {}.", quoted(intent.subject)));
      }
      return say(fmt::format("This is what I know about it:\n{}", trim(done->text)));
    }
  }
  for (const std::string_view name : {"why", "activity"}) {
    const PromptTool* tool = scene.offered(name);
    if (tool == nullptr) continue;
    ToolUse use(*tool);
    use.choice("action", {"list", "search", "show"});
    return call(use.text({"subject", "query", "about", "job", "name", "text"}, intent.subject));
  }
  return say("I can't look into that yet. Your message is kept.");
}

// "2026-11-15 04:40, user: …" is a line for a model; a person is "you".
std::string for_person(std::string_view lines) {
  std::string out;
  for (const std::string_view line : split(trim(lines), '\n')) {
    std::string mine(line);
    for (const auto& [from, to] : {std::pair{", user: ", ", you: "}, {", assistant: ", ", me: "}}) {
      const std::size_t at = mine.find(from);
      if (at == std::string::npos || at > 20) continue;  // only right behind the date
      mine.replace(at, std::string_view(from).size(), to);
    }
    out += (out.empty() ? "- " : "\n- ") + mine;
  }
  return out;
}

Step search(const Intent& intent, const Scene& scene) {
  if (const ToolOutcome* done = scene.outcome_of("search_conversations")) {
    if (std::string trouble = trouble_with(*done); !trouble.empty()) return say(std::move(trouble));
    if (says_nothing(done->text)) {
      return say(
          fmt::format("I found nothing about {} in our conversations.", quoted(intent.subject)));
    }
    return say("This is what I found:\n" + for_person(done->text));
  }
  const PromptTool* tool = scene.offered("search_conversations");
  if (tool == nullptr) return say(not_yet("search our conversations"));
  return call(ToolUse(*tool).text({"query", "text", "q"}, intent.subject));
}

}  // namespace

Intent intent_of(const Scene& scene) {
  Intent intent = understand(scene.message());
  const std::string asked = scene.assistant_said_last();
  if (asked.empty()) return intent;
  // "Remind me again in 10 minutes", when it has just been said.
  if (intent.wish == Wish::kSchedule && asked.starts_with(kReminder) &&
      Phrase{intent.subject}.is({"", "again", "it", "that", "it again", "that again"})) {
    intent.subject = first_line(std::string_view(asked).substr(kReminder.size()));
    return intent;
  }
  if (intent.wish == Wish::kBareWhen || intent.wish == Wish::kUnknown) {
    Intent before = understand(scene.person_said_last());
    const bool open = before.wish == Wish::kSchedule;
    if (open && intent.wish == Wish::kBareWhen && !before.when) {
      before.when = intent.when;
      return before;
    }
    if (open && asked.ends_with(kWhatQuestion) && before.subject.empty()) {
      before.subject = scene.message();
      return before;
    }
  }
  const bool may_be_name = intent.wish == Wish::kUnknown || intent.wish == Wish::kTellSelf;
  if (may_be_name && asks_for_name(asked)) intent.learned = learned_in_answer(scene.message());
  if (!intent.learned.empty()) intent.wish = Wish::kTellSelf;
  return intent;
}

Step act(const Intent& intent, const Scene& scene) {
  switch (intent.wish) {
    case Wish::kTellSelf:
      return tell_self(intent, scene);
    case Wish::kRemember:
      return remember(intent, scene);
    case Wish::kAskName:
      return ask_name(scene);
    case Wish::kAskKnown:
      return ask_known(intent, scene);
    case Wish::kAddTask:
    case Wish::kFinishTask:
    case Wish::kClaimTask:
    case Wish::kCloseTask:
      return change_task(intent, scene);
    case Wish::kListTasks:
      return list_of("tasks", scene, "Your tasks:", "You have no open tasks.", "keep tasks");
    case Wish::kSum:
      return sum(intent, scene);
    case Wish::kTime:
      return time_or_date(intent, scene);
    case Wish::kDate:
      return date(intent, scene);
    case Wish::kSchedule:
      return add_schedule(intent, scene);
    case Wish::kBareWhen:
      return say(scene.offers("cron") ? std::string(kWhatQuestion) : cannot_understand(scene));
    case Wish::kListSchedule:
      return list_schedule(scene);
    case Wish::kChangeSchedule:
      return change_schedule(intent, scene);
    case Wish::kActivity:
      return activity(scene);
    case Wish::kWhyNot:
      return why_not(intent, scene);
    case Wish::kSearch:
      return search(intent, scene);
    case Wish::kInstruct:
    case Wish::kListSkills:
    case Wish::kLoadSkill:
    case Wish::kListFiles:
    case Wish::kReadFile:
    case Wish::kWriteFile:
    case Wish::kFetch:
    case Wish::kShell:
    case Wish::kNotify:
      return use_hands(intent, scene);
    default:
      return say(small_reply(intent, scene));
  }
}

}  // namespace rouse::offline
