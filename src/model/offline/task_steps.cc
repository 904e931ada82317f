#include "model/offline/task_steps.h"

#include <charconv>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse::offline {
namespace {

// "7", "#7", "number 7"
std::optional<std::int64_t> number_in(std::string_view subject) {
  Phrase phrase{subject};
  phrase.eat({"number", "task"});
  std::string text = phrase.text();
  if (text.starts_with('#')) text.erase(0, 1);
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

ToolUse& name_task(ToolUse& use, const Intent& intent) {
  const auto number = number_in(intent.subject);
  if (intent.wish != Wish::kAddTask && number && use.takes("number")) {
    return use.number({"number"}, *number);
  }
  return use.text({"title", "task", "text", "name", "content", "id"}, intent.subject);
}

// "task #7 is done: buy milk" says it better than the person's words did.
std::string named(const Intent& intent, const ToolOutcome& done) {
  const std::string line = first_line(done.text);
  const std::size_t colon = line.find(": ");
  if (!line.starts_with("task #") || colon == std::string::npos) return intent.subject;
  return fmt::format("{} ({})", line.substr(colon + 2), line.substr(5, line.find(' ', 5) - 5));
}

Step told(const Intent& intent, const ToolOutcome& done) {
  const std::string task = named(intent, done);
  switch (intent.wish) {
    case Wish::kAddTask:
      return say(fmt::format("Added to your tasks: {}.", task));
    case Wish::kClaimTask:
      return say(fmt::format("I've taken this task: {}.", task));
    case Wish::kCloseTask:
      return say(fmt::format("Closed: {}.", task));
    default:
      return say(fmt::format("Done: {}. Well done!", task));
  }
}

}  // namespace

Step change_task(const Intent& intent, const Scene& scene) {
  if (intent.subject.empty()) {
    return say("What should I add? Say for example \"add a task: buy milk\".");
  }
  if (const ToolOutcome* done = scene.outcome_of("tasks")) {
    if (std::string trouble = trouble_with(*done); !trouble.empty()) return say(std::move(trouble));
    return told(intent, *done);
  }
  const PromptTool* tool = scene.offered("tasks");
  if (tool == nullptr) return say(not_yet("keep tasks"));
  ToolUse use(*tool);
  switch (intent.wish) {
    case Wish::kAddTask:
      use.choice("action", {"add", "create", "new"});
      break;
    case Wish::kClaimTask:
      use.choice("action", {"claim"});
      break;
    case Wish::kCloseTask:
      use.choice("action", {"close"});
      use.text({"reason"}, intent.text.empty() ? "the user asked for it" : intent.text);
      break;
    default:
      use.choice("action", {"done", "complete", "finish", "close"});
  }
  return call(name_task(use, intent));
}

}  // namespace rouse::offline
