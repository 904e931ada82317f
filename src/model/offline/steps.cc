#include "model/offline/steps.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "model/offline/phrase.h"

namespace rouse::offline {
namespace {

constexpr std::size_t kFailureBytes = 400;

// Only how a result begins says it: a page may well speak of approvals.
constexpr std::string_view kNeedsApproval = "needs approval";
constexpr std::string_view kError = "Error: ";

std::string approval_id(std::string_view text) {
  const std::string_view rest = trim(text.substr(kNeedsApproval.size()));
  std::size_t end = 0;
  while (end < rest.size() && (is_word_char(rest[end]) || rest[end] == '-')) ++end;
  return std::string(rest.starts_with("apr_") ? rest.substr(0, end) : "");
}

// What waits, for whoever has to decide.
std::string waiting_words(const ToolOutcome& outcome) {
  const auto with = [&](std::string_view verb, std::string_view argument, char quote) {
    return fmt::format("{} {}{}{}", verb, quote, argument_of(outcome, argument), quote);
  };
  if (outcome.tool == "shell") return with("Running", "command", '`');
  if (outcome.tool == "write_file") return with("Writing the file", "path", '"');
  if (outcome.tool == "read_file") return with("Reading the file", "path", '"');
  if (outcome.tool == "http_fetch") return with("Fetching", "url", '"');
  if (outcome.tool == "save_memory") return "Keeping that in my memory";
  if (outcome.tool == "update_instructions") return "Changing my instructions";
  if (outcome.tool == "tasks") return "Changing your tasks";
  if (outcome.tool == "cron") return "Changing your schedule";
  if (outcome.tool == "notify") return "The notification";
  return fmt::format("Using the tool {}", outcome.tool);
}

std::string waits_for_approval(const ToolOutcome& outcome) {
  const std::string id = approval_id(trim(outcome.text));
  return fmt::format(
      "{} needs your approval first; nothing is done until then. Approve it in the app{}, or reply "
      "yes.",
      waiting_words(outcome),
      id.empty() ? "" : fmt::format(", with `rouse approvals approve {}`", id));
}

}  // namespace

Step say(std::string text) { return {{}, std::move(text)}; }
Step call(const ToolUse& use) { return {{use.block()}, ""}; }

std::string first_line(std::string_view text) {
  const std::string_view line = trim(trim(text).substr(0, trim(text).find('\n')));
  return std::string(utf8_prefix(line, kFailureBytes));
}

std::string sentence(std::string text) {
  if (!text.empty() && !std::string_view(".!?").contains(text.back())) text += '.';
  return text;
}

std::string argument_of(const ToolOutcome& outcome, std::string_view name) {
  const auto arguments = parse_json(outcome.arguments);
  if (!arguments || !arguments->is_object()) return "";
  const boost::json::value* found = arguments->get_object().if_contains(name);
  if (found == nullptr || !found->is_string()) return "";
  return first_line(std::string_view(found->get_string()));
}

std::string trouble_with(const ToolOutcome& outcome) {
  if (trim(outcome.text).starts_with(kNeedsApproval)) return waits_for_approval(outcome);
  if (!outcome.failed) return "";
  std::string_view text = trim(outcome.text);
  if (text.starts_with(kError)) text.remove_prefix(kError.size());
  return sentence("That did not work: " + first_line(text));
}

std::string not_yet(std::string_view what) {
  return fmt::format("I can't {} yet: this rouse doesn't have it. Your message is kept.", what);
}

std::string_view order_of(std::string_view message) {
  message = trim(message);
  if (!message.starts_with('[')) return message;
  const std::size_t end = message.find(']');
  if (end == std::string_view::npos) return message;
  const std::string_view rest = trim(message.substr(end + 1));
  return rest.empty() ? message : rest;
}

bool says_nothing(std::string_view result) {
  const Phrase text{result};
  return text.empty() || text.is({"[]", "{}", "none", "(none)"}) ||
         text.starts({"no", "nothing", "there are no", "there is nothing", "there is no"});
}

}  // namespace rouse::offline
