#include "session/agents.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "session/projects.h"

namespace rouse {

static auto shape(const ToolChoice*) {
  return fields(field("allow", &ToolChoice::allow, "All it may use"),
                field("deny", &ToolChoice::deny, "What it may not use"));
}

namespace {

constexpr std::size_t kModelBytes = 200;

constexpr std::string_view kByName =
    "SELECT name, instructions, model, tools FROM agents WHERE workspace_id = $1 AND name = $2";
constexpr std::string_view kAfter =
    "SELECT name, instructions, model, tools FROM agents WHERE workspace_id = $1 AND name > $2 "
    "ORDER BY name LIMIT $3";
// Nothing is inserted beyond the bound; what is there already can always be changed.
constexpr std::string_view kPut =
    "INSERT INTO agents (workspace_id, name, instructions, model, tools, created_ms) "
    "SELECT $1, $2, $3, $4, $5, $6 WHERE (SELECT COUNT(*) FROM agents WHERE workspace_id = $1 "
    "AND name <> $2) < $7 "
    "ON CONFLICT (workspace_id, name) DO UPDATE SET instructions = excluded.instructions, "
    "model = excluded.model, tools = excluded.tools";
constexpr std::string_view kRemove = "DELETE FROM agents WHERE workspace_id = $1 AND name = $2";

Agent from_row(const Row& row) { return {row.text(0), row.text(1), row.text(2), row.text(3)}; }

Error not_found(std::string_view name) {
  return Error(AgentErrc::kNotFound, fmt::format("there is no agent {}", utf8_prefix(name, 80)));
}

Result<void> check_size(std::string_view field, std::string_view text, std::size_t most) {
  if (text.size() > most) {
    return fail(Errc::kInvalid, fmt::format("'{}' must be at most {} bytes", field, most));
  }
  if (text.find('\0') != std::string_view::npos) {
    return fail(Errc::kInvalid, fmt::format("'{}' must not contain a NUL character", field));
  }
  return {};
}

}  // namespace

ErrorInfo error_info(AgentErrc) { return {Kind::kNotFound, "agent_not_found"}; }

Result<void> check_agent(const Agent& agent) {
  TRY_VOID(check_short_name("name", agent.name));
  TRY_VOID(check_size("instructions", agent.instructions, kInstructionBytes));
  TRY_VOID(check_size("model", agent.model, kModelBytes));
  TRY_VOID(check_size("tools", agent.tools, kToolPolicyBytes));
  TRY_VOID(parse_tool_choice(agent.tools));
  return {};
}

bool ToolChoice::lets(const std::string& tool) const {
  const auto names = [&](const std::optional<std::vector<std::string>>& list) {
    return list && std::ranges::find(*list, tool) != list->end();
  };
  return (!allow || names(allow)) && !names(deny);
}

Result<ToolChoice> parse_tool_choice(std::string_view json) {
  const auto value = parse_json(json);
  if (!value) return fail(wrap("'tools' must be JSON", value.error()));
  if (!value->is_object()) {
    return fail(Errc::kInvalid, R"('tools' must be a JSON object, like {"allow":["read_file"]})");
  }
  for (const auto& one : value->get_object()) {
    if (one.key() == "allow" || one.key() == "deny") continue;
    return fail(Errc::kInvalid, fmt::format("'tools' knows 'allow' and 'deny', not '{}'",
                                            utf8_prefix(std::string_view(one.key()), 80)));
  }
  auto choice = decode_json<ToolChoice>(json);
  if (!choice) return fail(wrap("'tools'", choice.error()));
  return choice;
}

Result<Agent> Agents::get(const WorkspaceId& workspace, const std::string& name) {
  TRY(const Rows rows, database_.read({kByName, {workspace.str(), name}}));
  if (rows.empty()) return fail(not_found(name));
  return from_row(rows.front());
}

Task<Result<Agent>> Agents::put(WorkspaceId workspace, Agent agent) {
  CO_TRY_VOID(check_agent(agent));
  const auto written = co_await database_.write(
      one(kPut,
          {workspace.str(), agent.name, agent.instructions, agent.model, agent.tools,
           clock_.wall_now().unix_ms, static_cast<std::int64_t>(kAgentsPerWorkspace)},
          1));
  if (!written && written.error().is(StoreErrc::kConflict)) {
    co_return fail(
        Errc::kTooLarge,
        fmt::format("a workspace has at most {} agents; delete one first", kAgentsPerWorkspace));
  }
  if (!written) co_return std::unexpected(written.error());
  co_return agent;
}

Task<Result<void>> Agents::remove(WorkspaceId workspace, std::string name) {
  CO_TRY(const Written written, co_await database_.write(one(kRemove, {workspace.str(), name})));
  if (written.rows_changed.front() == 0) co_return fail(not_found(name));
  co_return Result<void>{};
}

Task<Result<std::vector<Agent>>> Agents::list(WorkspaceId workspace, std::string after,
                                              std::size_t limit) {
  CO_TRY(
      const Rows rows,
      co_await database_.read_page(
          {kAfter, {workspace.str(), std::move(after), static_cast<std::int64_t>(limit)}, limit}));
  std::vector<Agent> out;
  for (const Row& row : rows) out.push_back(from_row(row));
  co_return out;
}

}  // namespace rouse
