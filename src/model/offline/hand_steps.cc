#include "model/offline/hand_steps.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "model/offline/talk.h"

namespace rouse::offline {
namespace {

constexpr std::size_t kShownBytes = 2000;    // of a file or an output
constexpr std::size_t kSkillBytes = 8000;    // the person's own words
constexpr std::size_t kSentenceBytes = 400;  // of a page

std::string bounded(std::string_view text, std::size_t most) {
  text = trim(text);
  if (text.size() <= most) return std::string(text);
  return fmt::format("{}\n… ({} bytes in all)", utf8_prefix(text, most), text.size());
}

std::string fenced(std::string_view text) {
  return fmt::format("```\n{}\n```", bounded(text, kShownBytes));
}

// The page without the line the tool wrote above it.
std::string_view page_of(std::string_view text) {
  text = trim(text);
  const std::size_t end = text.find('\n');
  return text.starts_with("HTTP ") && end != std::string_view::npos ? trim(text.substr(end)) : text;
}

std::string first_sentences(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, 4 * kSentenceBytes)) {
    const bool blank = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : c;
  }
  if (line.size() <= kSentenceBytes) return std::string(trim(line));
  const std::string_view start = utf8_prefix(line, kSentenceBytes);
  const std::size_t end = start.rfind(". ");
  if (end == std::string_view::npos) return std::string(start) + "…";
  return std::string(start.substr(0, end + 1));
}

std::string page_told(std::string_view url, std::string_view text) {
  const std::string start = first_sentences(page_of(text));
  if (start.empty()) return fmt::format("{} is empty.", url);
  return fmt::format("{} begins like this: \"{}\"", url, start);
}

struct HandTool {
  Wish wish;
  std::string_view tool;
};
constexpr HandTool kHandTools[] = {{Wish::kInstruct, "update_instructions"},
                                   {Wish::kLoadSkill, "load_skill"},
                                   {Wish::kListFiles, "list_files"},
                                   {Wish::kReadFile, "read_file"},
                                   {Wish::kWriteFile, "write_file"},
                                   {Wish::kFetch, "http_fetch"},
                                   {Wish::kShell, "shell"},
                                   {Wish::kNotify, "notify"}};

std::string_view tool_for(Wish wish) {
  return std::ranges::find(kHandTools, wish, &HandTool::wish)->tool;
}

Step list_skills(const Scene& scene) {
  if (!scene.offers("load_skill")) return say(cannot_understand(scene));
  std::string names;
  for (const std::string_view line : split(scene.section("Skills"), '\n')) {
    if (line.starts_with("- ")) names += fmt::format("\n{}", line);
    if (line.starts_with("### ")) names += fmt::format("\n- {} (always used)", line.substr(4));
  }
  if (names.empty()) {
    return say("I have no skills yet. Write one into skills/NAME/SKILL.md in the data folder.");
  }
  return say("These are my skills:" + names);
}

// The tool replaces them all, so what is there goes along.
Step instruct(const Intent& intent, const Scene& scene, const PromptTool& tool) {
  std::string all = scene.section("Instructions");
  if (all.contains("(Instructions truncated")) {
    return say("Your instructions are longer than what I see of them. Change them in the app.");
  }
  if (!all.empty()) all += '\n';
  return call(ToolUse(tool).text({"instructions", "text"}, all + intent.subject));
}

Step call_for(const Intent& intent, const Scene& scene, const PromptTool& tool) {
  ToolUse use(tool);
  switch (intent.wish) {
    case Wish::kInstruct:
      return instruct(intent, scene, tool);
    case Wish::kLoadSkill:
      return call(use.text({"name", "skill"}, intent.subject));
    case Wish::kListFiles:
      return call(intent.subject.empty() ? use : use.text({"path", "folder"}, intent.subject));
    case Wish::kReadFile:
      return call(use.text({"path", "file"}, intent.subject));
    case Wish::kWriteFile:
      return call(
          use.text({"path", "file"}, intent.subject).text({"text", "content"}, intent.text));
    case Wish::kFetch:
      return call(use.text({"url"}, intent.subject));
    case Wish::kShell:
      return call(use.text({"command"}, intent.subject));
    default:
      return call(use.text({"text", "message"}, intent.subject));
  }
}

std::string told(const Intent& intent, const ToolOutcome& done) {
  switch (intent.wish) {
    case Wish::kInstruct:
      return fmt::format("All right, from now on: {}.", to_second_person(intent.subject));
    case Wish::kLoadSkill:
      return fmt::format("This is the skill {}:\n{}", intent.subject,
                         bounded(done.text, kSkillBytes));
    case Wish::kListFiles:
      if (says_nothing(done.text)) return "There are no files.";
      return "These are the files:\n" + fenced(done.text);
    case Wish::kReadFile:
      return fmt::format("This is in {}:\n{}", intent.subject, fenced(done.text));
    case Wish::kWriteFile:
      return fmt::format("Written to {}.", intent.subject);
    case Wish::kFetch:
      return page_told(intent.subject, done.text);
    case Wish::kShell:
      return fmt::format("I ran `{}`:\n{}", intent.subject, fenced(done.text));
    default:
      return fmt::format("I've shown you a notification: {}.", intent.subject);
  }
}

// A command that ran and failed says how it ended below what it printed: "[exit status 2]".
bool ended_badly(const ToolOutcome& outcome) {
  return outcome.tool == "shell" && outcome.failed && trim(outcome.text).ends_with(']');
}

// --- approvals -----------------------------------------------------------------------------------

struct Decision {
  std::string_view word;  // "Approved", "Denied", "Expired"; "": it is no decision
  std::string what;       // "run `make test`"
};

// "Approved: run `make test`", or "Approved." and below it what the call was about, if words from
// outside may have led to it.
Decision decision_in(std::string_view message) {
  for (const std::string_view word : {"Approved", "Denied", "Expired"}) {
    if (!message.starts_with(word)) continue;
    const std::string_view rest = message.substr(word.size());
    const std::size_t line = rest.find('\n');
    if (rest.starts_with(':')) return {word, first_line(rest.substr(1))};
    if (rest.starts_with('.') && line != std::string_view::npos) {
      return {word, first_line(rest.substr(line))};
    }
    if (rest.starts_with('.')) return {word, "what was asked"};
  }
  return {};
}

std::string came_to(const ToolOutcome& outcome) {
  if (outcome.tool == "http_fetch") return page_told(argument_of(outcome, "url"), outcome.text);
  const std::string_view text = trim(outcome.text);
  if (text.empty()) return "There was no output.";
  if (text.contains('\n')) return "This came of it:\n" + fenced(text);
  return "This came of it: " + quoted(text);
}

}  // namespace

Step use_hands(const Intent& intent, const Scene& scene) {
  if (intent.wish == Wish::kListSkills) return list_skills(scene);
  const std::string_view name = tool_for(intent.wish);
  if (const ToolOutcome* done = scene.outcome_of(name)) {
    if (intent.wish == Wish::kShell && ended_badly(*done)) {
      return say(fmt::format("I ran `{}`, and it failed:\n{}", intent.subject, fenced(done->text)));
    }
    if (std::string trouble = trouble_with(*done); !trouble.empty()) return say(std::move(trouble));
    return say(told(intent, *done));
  }
  const PromptTool* tool = scene.offered(name);
  if (tool == nullptr) return say(cannot_understand(scene));
  return call_for(intent, scene, *tool);
}

Step approval_told(const Scene& scene) {
  const std::string_view message = order_of(scene.message());
  const Decision decision = decision_in(message);
  if (decision.word == "Denied") {
    return say(fmt::format("You said no, so this was not done: {}.", decision.what));
  }
  if (decision.word == "Expired") {
    return say(
        fmt::format("Nobody answered in time, so this was not done: {}. Ask me again if you "
                    "still want it.",
                    decision.what));
  }
  if (decision.word.empty()) {
    return say(message.empty() ? "Thank you, that is settled." : std::string(message));
  }
  const ToolOutcome* outcome = scene.approved_outcome();
  if (outcome == nullptr) return say(fmt::format("You approved this: {}.", decision.what));
  if (ended_badly(*outcome)) {
    return say(fmt::format("You approved this, and it failed: {}.\n{}", decision.what,
                           fenced(outcome->text)));
  }
  if (outcome->failed) {
    return say(sentence(fmt::format("You approved this, but it did not work: {}. {}", decision.what,
                                    first_line(outcome->text))));
  }
  return say(fmt::format("Done, as you approved: {}. {}", decision.what, came_to(*outcome)));
}

}  // namespace rouse::offline
