#include "model/offline/schedule_steps.h"

#include <fmt/format.h>

#include "base/local_time.h"
#include "base/text.h"
#include "model/offline/phrase.h"

namespace rouse::offline {
namespace {

constexpr std::string_view kNext = "next: ", kAutomation = "Automation: ";
constexpr std::size_t kNameBytes = 100;
constexpr std::string_view kNoSchedule = "keep reminders or a schedule";

// "Mon 09:00 Europe/Berlin (08:00 UTC)" from the line that says it, or "".
std::string_view next_in(std::string_view result) {
  for (const std::string_view line : split(result, '\n')) {
    if (line.starts_with(kNext)) return trim(line.substr(kNext.size()));
  }
  return {};
}

// "Removed: [1a2b3c4d] tea" names it better than the person's words did.
std::string name_in(std::string_view result, const Intent& intent) {
  const std::string line = first_line(result);
  const std::size_t from = line.find("] ");
  if (from == std::string::npos) return intent.subject;
  const std::string rest = line.substr(from + 2);
  return rest.substr(0, intent.text == "remove" ? std::string::npos : rest.rfind(": "));
}

std::string when_it_comes(const When& when, const Scene& scene, std::string_view next) {
  if (!next.empty()) {
    return fmt::format("{} ({})", when.words, trim(next.substr(0, next.find(" ("))));
  }
  const PromptFacts& facts = scene.facts();
  const LocalTime then = local_time(instant_of(when, facts.now, facts.zone), facts.zone);
  return fmt::format("on {} at {}", date_words(then), clock_words(then));
}

std::string added_words(const Intent& intent, const Scene& scene, std::string_view result) {
  const std::string_view next = next_in(result);
  const std::string_view verb = intent.reminder ? "remind you" : "do this";
  const std::string what = to_second_person(intent.subject);
  if (!intent.when->repeats()) {
    return fmt::format("I'll {} {}: {}.", verb, when_it_comes(*intent.when, scene, next), what);
  }
  std::string text = fmt::format("I'll {} {}: {}.", verb, intent.when->words, what);
  if (!next.empty()) text += fmt::format(" The first time is {}.", next);
  return text;
}

Step call_add(const Intent& intent, const PromptTool& tool, const Scene& scene) {
  const When& when = *intent.when;
  ToolUse use(tool);
  use.choice("action", {"add", "create"});
  use.text({"message", "prompt", "text"},
           intent.reminder ? "Remind the user: " + intent.subject : intent.subject);
  if (intent.reminder && use.takes("name")) {
    use.text({"name"}, utf8_prefix(intent.subject, kNameBytes));
  }
  if (when.every_seconds) {
    use.number({"every_seconds"}, *when.every_seconds);
  } else if (!when.cron.empty()) {
    use.text({"cron", "cron_expr", "expr"}, when.cron);
  } else {
    use.text({"at"}, to_iso(instant_of(when, scene.facts().now, scene.facts().zone)));
  }
  return call(use.text({"tz", "zone", "timezone"}, scene.facts().zone));
}

std::string changed_words(const Intent& intent, std::string_view result) {
  const std::string name = name_in(result, intent);
  if (intent.text == "remove") return fmt::format("Cancelled: {}.", name);
  if (intent.text == "pause") {
    return fmt::format("Paused: {}. Say \"resume the reminder {}\" to go on.", name,
                       intent.subject);
  }
  const std::string_view next = next_in(result);
  return next.empty() ? fmt::format("Resumed: {}.", name)
                      : fmt::format("Resumed: {}. Next: {}.", name, next);
}

}  // namespace

Step add_schedule(const Intent& intent, const Scene& scene) {
  const PromptTool* tool = scene.offered("cron");
  if (tool == nullptr) {
    return say(
        "I can't keep reminders or a schedule yet, so nothing will happen then. Your message "
        "is kept in this conversation.");
  }
  if (intent.subject.empty()) return say(std::string(kWhatQuestion));
  if (!intent.when) {
    return say("When should I remind you? Say for example \"in 20 minutes\" or \"tomorrow at 9\".");
  }
  const ToolOutcome* done = scene.outcome_of("cron");
  if (done == nullptr) return call_add(intent, *tool, scene);
  if (std::string trouble = trouble_with(*done); !trouble.empty()) return say(std::move(trouble));
  return say(added_words(intent, scene, done->text));
}

std::string schedule_lines(std::string_view listed) {
  std::string out;
  for (const std::string_view line : split(trim(listed), '\n')) {
    const std::size_t id = line.starts_with('[') ? line.find("] ") : std::string_view::npos;
    if (id != std::string_view::npos) {
      out += fmt::format("{}- {}", out.empty() ? "" : "\n", line.substr(id + 2));
    } else if (line.starts_with(kNext)) {
      out += fmt::format(", next {}", line.substr(kNext.size()));
    } else if (!line.starts_with("message: ") && !line.starts_with("last: ok")) {
      out += fmt::format("{}{}", out.empty() ? "" : "\n", line);
    }
  }
  return out;
}

Step list_schedule(const Scene& scene) {
  if (const ToolOutcome* done = scene.outcome_of("cron")) {
    if (std::string trouble = trouble_with(*done); !trouble.empty()) return say(std::move(trouble));
    if (says_nothing(done->text)) return say("Nothing is scheduled.");
    return say("This is scheduled:\n" + schedule_lines(done->text));
  }
  const PromptTool* tool = scene.offered("cron");
  if (tool == nullptr) return say(not_yet(kNoSchedule));
  return call(ToolUse(*tool).choice("action", {"list"}));
}

Step change_schedule(const Intent& intent, const Scene& scene) {
  const PromptTool* tool = scene.offered("cron");
  if (tool == nullptr) return say(not_yet(kNoSchedule));
  if (intent.subject.empty()) {
    return say(
        "Which one? Say for example \"cancel the reminder call mum\"; \"what is scheduled?\" lists "
        "them.");
  }
  if (const ToolOutcome* done = scene.outcome_of("cron")) {
    if (std::string trouble = trouble_with(*done); !trouble.empty()) return say(std::move(trouble));
    return say(changed_words(intent, done->text));
  }
  ToolUse use(*tool);
  use.choice("action", {intent.text});
  return call(use.text({"id", "job_id", "name"}, intent.subject));
}

std::string_view scheduled_order(std::string_view message) {
  message = trim(message);
  if (message.starts_with(kAutomation)) return trim(message.substr(kAutomation.size()));
  const std::size_t at = message.find("\nAutomation: ");
  if (at == std::string_view::npos) return order_of(message);
  return trim(message.substr(at + 1 + kAutomation.size()));
}

}  // namespace rouse::offline
