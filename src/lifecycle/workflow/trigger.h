// The moments of an agent's life that a workflow can speak of.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rouse {

enum class Trigger : std::uint8_t {
  kSessionStart,  // the resolver opened a session of a source that has such moments
  kBeforeAgent,   // somebody spoke, or something else called for a turn
  kBeforeTool,    // the model wants to call a tool
  kAfterTool,     // the call has a result
  kPreCompact,    // the past is about to be folded into a summary
  kStop,          // the model means to end its turn
  kSessionEnd,    // the session was closed
};

struct TriggerInfo {
  Trigger trigger;
  std::string_view name;
  std::string_view alias;  // another name of it, or ""
  std::string_view help;
  bool can_block;
};

inline constexpr std::array<TriggerInfo, 7> kTriggers{{
    {Trigger::kSessionStart, "on_session_start", "",
     "A session was opened by the resolver. Not for source claude_sdk, which has no such moment.",
     false},
    {Trigger::kBeforeAgent, "on_before_agent", "on_prompt_submit",
     "Before the model is asked the first time in a turn: a person's message, an automation, a "
     "greeting, a wake-up, a turn that goes on after a restart.",
     false},
    {Trigger::kBeforeTool, "on_before_tool", "on_tool_call",
     "Before a tool is called, and before anybody is asked to approve it.", true},
    {Trigger::kAfterTool, "on_after_tool", "on_tool_result", "After a tool was called.", false},
    {Trigger::kPreCompact, "on_pre_compact", "",
     "Before the past of a conversation is folded into a summary.", false},
    {Trigger::kStop, "on_stop", "", "When the model means to end its turn.", true},
    {Trigger::kSessionEnd, "on_session_end", "", "A session was closed. Not for source claude_sdk.",
     false},
}};

inline const TriggerInfo& trigger_info(Trigger trigger) {
  return kTriggers[static_cast<std::size_t>(trigger)];
}
inline std::string_view trigger_name(Trigger trigger) { return trigger_info(trigger).name; }

// By its name or its other name.
inline std::optional<Trigger> parse_trigger(std::string_view word) {
  for (const TriggerInfo& info : kTriggers) {
    if (word == info.name || (!info.alias.empty() && word == info.alias)) return info.trigger;
  }
  return std::nullopt;
}

}  // namespace rouse
