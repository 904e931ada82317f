#include "model/offline/memory_steps.h"

#include <fmt/format.h>

#include "base/text.h"
#include "model/offline/phrase.h"
#include "model/offline/steps.h"
#include "model/offline/tool_use.h"

namespace rouse::offline {
namespace {

PromptBlock saving(const PromptTool& tool, std::string_view content) {
  return ToolUse(tool).text({"content", "text", "fact", "memory", "note"}, content).block();
}

std::string first_trouble(const Scene& scene) {
  for (const ToolOutcome& outcome : scene.outcomes()) {
    if (std::string trouble = trouble_with(outcome); !trouble.empty()) return trouble;
  }
  return "";
}

// The name in a memory: "The user's name is Ada."
std::string name_in(std::string_view text) {
  constexpr std::string_view kMark = "name is ";
  const std::size_t at = text.find(kMark);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = text.substr(at + kMark.size());
  return std::string(trim(rest.substr(0, rest.find_first_of(".,;\n\""))));
}

// "- The user likes tea. [note_…]": the id is for a model that wants to forget it.
std::string without_ids(std::string_view lines) {
  std::string out;
  for (std::string_view line : split(trim(lines), '\n')) {
    if (line.ends_with(']')) line = trim(line.substr(0, line.rfind(" [note_")));
    out += fmt::format("{}{}", out.empty() ? "" : "\n", line);
  }
  return out;
}

}  // namespace

Step tell_self(const Intent& intent, const Scene& scene) {
  const Learned& learned = intent.learned;
  const PromptTool* tool = scene.offered("save_memory");
  if (tool != nullptr && scene.outcomes().empty()) {
    Step step;
    if (!learned.name.empty()) {
      step.calls.push_back(saving(*tool, fmt::format("The user's name is {}.", learned.name)));
    }
    for (const PersonFact& fact : learned.facts)
      step.calls.push_back(saving(*tool, fact.for_memory));
    return step;
  }
  std::string text =
      learned.name.empty() ? "Noted" : fmt::format("Nice to meet you, {}!", learned.name);
  for (std::size_t i = 0; i < learned.facts.size(); ++i) {
    const bool first = i == 0;
    const std::string& fact = learned.facts[i].said_back;
    if (learned.name.empty()) {
      text += (first ? ": " : ", and ") + fact;
    } else {
      text += first ? " And " + fact : ", and " + fact;
    }
  }
  if (!learned.facts.empty()) text += '.';
  if (std::string trouble = first_trouble(scene); !trouble.empty())
    return say(text + " " + trouble);
  return say(text + (tool != nullptr ? " I'll remember that."
                                     : " I'll remember that in this conversation."));
}

Step remember(const Intent& intent, const Scene& scene) {
  if (intent.subject.empty())
    return say("What should I remember? Say for example \"remember that my car is in lot 5\".");
  const PromptTool* tool = scene.offered("save_memory");
  if (tool != nullptr && scene.outcomes().empty()) {
    return {{saving(*tool, "The user said: " + intent.subject)}, ""};
  }
  if (std::string trouble = first_trouble(scene); !trouble.empty()) return say(std::move(trouble));
  const std::string noted = to_second_person(intent.subject);
  if (tool != nullptr) return say(fmt::format("I'll remember that: {}.", noted));
  return say(fmt::format("Noted: {}. I can't keep things beyond this conversation yet.", noted));
}

Step ask_name(const Scene& scene) {
  std::string name = scene.known().name;
  const ToolOutcome* found = scene.outcome_of("search_memory");
  const PromptTool* tool = scene.offered("search_memory");
  if (name.empty() && found == nullptr && tool != nullptr) {
    return call(ToolUse(*tool).text({"query", "text", "q"}, "name"));
  }
  if (name.empty() && found != nullptr && !found->failed) name = name_in(found->text);
  if (name.empty()) return say(fmt::format("I don't know your name yet. {}?", kNameQuestion));
  return say(fmt::format("Your name is {}.", name));
}

Step ask_known(const Intent& intent, const Scene& scene) {
  const ToolOutcome* found = scene.outcome_of("search_memory");
  const PromptTool* tool = scene.offered("search_memory");
  if (found == nullptr && tool != nullptr) {
    return call(ToolUse(*tool).text({"query", "text", "q"},
                                    intent.subject.empty() ? "user" : intent.subject));
  }
  std::string text;
  if (found != nullptr && !found->failed && !says_nothing(found->text)) {
    text = fmt::format("This is what I remember:\n{}\n", without_ids(found->text));
  }
  const Known known = scene.known();
  std::string told;
  if (!known.name.empty()) told += fmt::format("- your name is {}\n", known.name);
  for (const std::string& fact : known.facts) told += fmt::format("- {}\n", fact);
  if (!told.empty()) text += "You told me in this conversation:\n" + told;
  if (text.empty())
    return say("I know nothing about you yet. Tell me your name, or what you like.");
  text.pop_back();
  return say(std::move(text));
}

}  // namespace rouse::offline
