// The prompt of a turn: named, versioned sections in a fixed order, what changes least first, so
// that a provider's cache of the beginning hits turn after turn. A prompt is a value: it can be
// shown, measured and compared (`rouse prompt show`) before anything is sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/turn_hooks.h"
#include "base/time.h"
#include "model/model.h"

namespace rouse {

struct PromptSection {
  std::string name;  // "identity", "channel", "memory" …
  std::int64_t version = 1;
  std::string text;
  bool stable = true;     // the same from turn to turn
  std::string note = {};  // what was left out or cut, for a person
};

// What the builder is told; it reads files and nothing else.
struct PromptInput {
  TurnContext turn;
  std::string agent_name, agent_instructions;
  std::string memory = {}, instructions = {};    // filled by the next features; "" = there are none
  bool new_user = false;                         // S0-32, and no history (S0-C5)
  std::optional<WallTime> last_message_at = {};  // for session_open
  std::string bootstrap_context = {};            // S0-C8
  std::string context_summary = {};
  std::string injected = {};  // by hooks before the agent
  WallTime now;
  std::vector<const ToolInfo*> tools;
};

struct Prompt {
  std::vector<PromptSection> sections;
  [[nodiscard]] std::vector<SystemPart> system() const;  // for a ModelRequest
  [[nodiscard]] std::string text() const;
};

class PromptBuilder {
 public:
  virtual ~PromptBuilder() = default;
  virtual Prompt build(const PromptInput& input) = 0;
};

}  // namespace rouse
