// What the assistant does next, and the words that all kinds of steps share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/offline/scene.h"
#include "model/offline/tool_use.h"

namespace rouse::offline {

struct Step {
  std::vector<PromptBlock> calls;  // without ids; if there are any, the text is not said
  std::string text;
};
Step say(std::string text);
Step call(const ToolUse& use);

std::string first_line(std::string_view text);
std::string sentence(std::string text);  // ends with a full stop
std::string argument_of(const ToolOutcome& outcome, std::string_view name);  // "" if it has none
std::string trouble_with(const ToolOutcome& outcome);                        // "" if there is none
std::string not_yet(std::string_view what);  // "I can't keep tasks yet …"

// What somebody ordered, without what rouse wrote before it ("[Scheduled: …]").
std::string_view order_of(std::string_view message);

// A result that holds nothing to tell: "", "[]", "no tasks".
bool says_nothing(std::string_view result);

}  // namespace rouse::offline
