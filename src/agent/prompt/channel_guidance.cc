#include "agent/prompt/channel_guidance.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace rouse {
namespace {

struct Guidance {
  std::string_view name, text;
};

constexpr std::array<Guidance, 10> kChannelGuidance = {{
    {"web",
     "You are talking in a chat window that shows Markdown. Be brief; use lists and code blocks "
     "where they help."},
    {"telegram",
     "You are talking on Telegram. Keep it short, with simple formatting. A message has at most "
     "4096 characters."},
    {"whatsapp",
     "You are talking on WhatsApp. Write short plain text, as one writes on a phone: no Markdown, "
     "no tables, no headings."},
    {"terminal",
     "You are talking in a terminal. Write plain text in short lines; use code blocks only for "
     "code."},
    {"api", "A program sent this message and reads the answer. Answer just what was asked."},
    {"session_open",
     "The user has opened the app and there is no user message. You speak first, if there is "
     "anything to say."},
    {"heartbeat",
     "This is a heartbeat: nobody wrote, you are looking around on your own. Use tools to check "
     "what may need attention. If nothing does, answer with exactly HEARTBEAT_OK and nothing else; "
     "otherwise say in one or two sentences what does."},
    {"heartbeat_wake",
     "You woke up on your own, because something in this conversation needs attention. Nobody is "
     "waiting for an answer: say what it is and what you did, in a few sentences."},
    {"scheduled",
     "A schedule started this turn; the user may not be there and will read your answer as a "
     "notification. Do the task, then say what came of it. Don't ask follow-up questions."},
    {"approval",
     "The user has decided about a call you had to ask for; the newest message says how. Go on "
     "from there and say what came of it."},
}};

const Guidance* find(std::string_view name) {
  const auto* at = std::ranges::find(kChannelGuidance, name, &Guidance::name);
  return at == kChannelGuidance.end() ? nullptr : at;
}

// The entry for what called for a turn; "" for a person's message, where the transport says it all.
std::string_view occasion(std::string_view turn_kind) {
  if (turn_kind == "automation" || turn_kind == "isolated") return "scheduled";
  const bool listed = turn_kind == "session_open" || turn_kind == "heartbeat" ||
                      turn_kind == "heartbeat_wake" || turn_kind == "approval";
  return listed ? turn_kind : "";
}

}  // namespace

std::string_view channel_guidance(std::string_view name) {
  const Guidance* known = find(name);
  return known != nullptr ? known->text : kChannelGuidance.front().text;
}

std::string guidance_for(std::string_view turn_kind, std::string_view transport) {
  const std::string_view called_by = occasion(turn_kind);
  // The answer of a heartbeat goes to the log, whatever the transport.
  if (called_by == "heartbeat") return std::string(channel_guidance(called_by));
  const bool is_occasion = occasion(transport) == transport || transport == "scheduled";
  const std::string_view how = channel_guidance(is_occasion ? "web" : transport);
  if (called_by.empty()) return std::string(how);
  return fmt::format("{}\n{}", channel_guidance(called_by), how);
}

}  // namespace rouse
