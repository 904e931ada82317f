#include "model/offline/steps.h"

#include <fmt/format.h>

#include "base/text.h"
#include "model/offline/phrase.h"

namespace rouse::offline {
namespace {

constexpr std::size_t kFailureBytes = 400;

bool needs_approval(std::string_view text) { return text.contains("needs approval"); }

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

std::string trouble_with(const ToolOutcome& outcome) {
  if (needs_approval(outcome.text)) {
    return "That needs your approval first. I've asked for it; nothing is done until you approve.";
  }
  if (!outcome.failed) return "";
  return sentence("That did not work: " + first_line(outcome.text));
}

std::string not_yet(std::string_view what) {
  return fmt::format("I can't {} yet: this rouse doesn't have it. Your message is kept.", what);
}

bool says_nothing(std::string_view result) {
  const Phrase text{result};
  return text.empty() || text.is({"[]", "{}", "none", "(none)"}) ||
         text.starts({"no", "nothing", "there are no", "there is nothing", "there is no"});
}

}  // namespace rouse::offline
