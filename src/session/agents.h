// Agents: named profiles a conversation can be answered by. Each has instructions, a model (empty:
// the usual one) and a choice of tools, kept as the JSON text it was given:
// {"allow": ["read_file"], "deny": ["shell"]}. A choice only ever takes tools away. Nothing here
// runs anything.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "store/database.h"

namespace rouse {

enum class AgentErrc : std::uint8_t { kNotFound };  // "agent_not_found"
ErrorInfo error_info(AgentErrc code);

inline constexpr std::size_t kAgentsPerWorkspace = 200;
inline constexpr std::size_t kInstructionBytes = 65'536;
inline constexpr std::size_t kToolPolicyBytes = 16'384;

struct Agent {
  std::string name;
  std::string instructions;
  std::string model;
  std::string tools = "{}";  // a JSON object
  friend bool operator==(const Agent&, const Agent&) = default;
};
Result<void> check_agent(const Agent& agent);

// Which tools an agent may use.
struct ToolChoice {
  std::optional<std::vector<std::string>> allow = {};  // none: every one
  std::optional<std::vector<std::string>> deny = {};
  [[nodiscard]] bool lets(const std::string& tool) const;
};
Result<ToolChoice> parse_tool_choice(std::string_view json);

class Agents {
 public:
  Agents(Database& database, Clock& clock) : database_(database), clock_(clock) {}

  Result<Agent> get(const WorkspaceId& workspace, const std::string& name);
  Task<Result<Agent>> put(WorkspaceId workspace, Agent agent);  // makes it or replaces it
  Task<Result<void>> remove(WorkspaceId workspace, std::string name);
  // In order of their names, after the given one.
  Task<Result<std::vector<Agent>>> list(WorkspaceId workspace, std::string after,
                                        std::size_t limit);

 private:
  Database& database_;
  Clock& clock_;
};

}  // namespace rouse
