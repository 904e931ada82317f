#include "app/tool_side.h"

#include <filesystem>

#include <fmt/format.h>

#include "agent/memory/memory_tools.h"
#include "agent/notify_tool.h"
#include "agent/skill_tool.h"
#include "agent/task/task_tool.h"
#include "app/tool_settings.h"
#include "session/search/search_tool.h"
#include "tool/calculator.h"
#include "tool/clock_tool.h"
#include "tool/files/file_tools.h"
#include "tool/mcp/http_transport.h"
#include "tool/mcp/mcp_tools.h"
#include "tool/mcp/stdio_transport.h"

namespace rouse {
namespace {

constexpr Millis kProbeDelay = millis(300);

}  // namespace

ToolSide::ToolSide(Parts parts, AgentHouse& house, PersonFiles& files, ClientOptions client)
    : parts_(std::move(parts)),
      house_(house),
      http_(make_http_client(parts_.loop, client)),
      mcp_http_(make_http_client(parts_.loop, std::move(client))),
      mcp_({parts_.loop, parts_.clock, parts_.log, parts_.redactor,
            [this](const McpServerSettings::Place& place) { return connect_mcp(place); }}),
      memory_(parts_.database, parts_.word_index, parts_.clock, parts_.random),
      recall_(parts_.database, parts_.word_index, memory_, parts_.clock),
      memory_prompt_(memory_),
      tasks_(parts_.database, parts_.clock, parts_.random, house.events()),
      compaction_(house.prompts(), parts_.kernel, house.hooks(), house.compactor()),
      approval_routes_(house.approvals(), parts_.kernel, parts_.workspaces),
      memory_routes_(memory_, recall_, parts_.workspaces),
      task_routes_(tasks_, parts_.workspaces),
      skill_routes_(files, parts_.workspaces),
      compaction_routes_(compaction_, house.compactor().book(), parts_.kernel, parts_.workspaces) {
  auto fetch = std::make_unique<HttpFetch>(*http_, parts_.clock, FetchSettings{});
  fetch_ = fetch.get();
  fetch->redact_with(&parts_.redactor);
  house_.tools().add(std::move(fetch));
  auto shell =
      std::make_unique<ShellTool>(parts_.loop, parts_.clock, parts_.data_dir, ShellSettings{});
  shell_ = shell.get();
  house_.tools().add(std::move(shell));
  add_tools(files);
  house_.tools().redact_with(&parts_.redactor);
  house_.prompts().use_memory(&memory_prompt_);
  house_.prompts().use_policy(&policy_);
  house_.prompts().use_projects([this](const WorkspaceId& workspace, const std::string& key) {
    const auto project = parts_.projects.get(workspace, key);
    return project ? project->project.path : std::string();
  });
  parts_.workspaces.also_clear(
      [this](WorkspaceId workspace) { return forget(std::move(workspace)); });
}

// Each tool is one line.
void ToolSide::add_tools(PersonFiles& files) {
  ToolRegistry& tools = house_.tools();
  tools.add(std::make_unique<Calculator>());
  tools.add(std::make_unique<ClockTool>(parts_.clock));
  tools.add(std::make_unique<SearchTool>(parts_.database, parts_.text_index));
  tools.add(std::make_unique<TaskTool>(tasks_));
  tools.add(std::make_unique<NotifyTool>(house_.notifications()));
  tools.add(std::make_unique<SkillTool>(files));
  tools.add(std::make_unique<ReadFileTool>(parts_.pool, parts_.data_dir, &parts_.redactor));
  tools.add(std::make_unique<WriteFileTool>(parts_.pool, parts_.data_dir));
  tools.add(std::make_unique<ListFilesTool>(parts_.pool, parts_.data_dir));
  add_memory_tools(tools, memory_, recall_);
  add_mcp_tools(tools, mcp_);
}

std::unique_ptr<McpTransport> ToolSide::connect_mcp(const McpServerSettings::Place& place) {
  if (place.command.empty()) return std::make_unique<HttpTransport>(*mcp_http_, place);
  return std::make_unique<StdioTransport>(parts_.loop, parts_.clock, place, &parts_.redactor);
}

Task<Result<void>> ToolSide::start() {
  started_ = true;
  parts_.loop.spawn("try shell", try_shell_soon());
  co_return co_await house_.approvals().start();
}

// Not at once: the probe forks, and whoever started the server waits for its first answer.
Task<void> ToolSide::try_shell_soon() {
  if (co_await parts_.clock.wait_for(kProbeDelay, stopping_.get_token())) co_await try_shell();
}

Task<void> ToolSide::try_shell() {
  const auto works = co_await shell_->probe();
  if (!works) parts_.log.warn("shell.not_offered", {{"message", works.error().message}});
}

void ToolSide::stop() {
  stopping_.request_stop();
  house_.approvals().stop();
}

Task<void> ToolSide::close() { return mcp_.stop(); }

void ToolSide::apply(const Config& config, std::vector<McpServerSettings> mcp_servers) {
  mcp_.configure(std::move(mcp_servers));
  policy_ = policy_settings(config);
  for (const auto& [name, setting] : policy_.tools) {
    if (house_.tools().has(name)) continue;
    parts_.log.warn("config.notice",
                    {{"message", "tools.policy names '" + name + "', and there is no such tool"}});
  }
  house_.approvals().configure(
      {.policy = policy_, .expires_after = minutes(config.tools.approval_expires_minutes)});
  fetch_->configure(fetch_settings(config));
  const ShellSettings settings = shell_settings(config);
  shell_->configure(settings);
  if (started_ && settings != tried_) parts_.loop.spawn("try shell", try_shell());
  tried_ = settings;
}

Task<Result<void>> ToolSide::forget(WorkspaceId workspace) {
  // Ids are safe in paths; the person's own files beside this folder are theirs to delete.
  const std::string files = parts_.data_dir + "/workspaces/" + workspace.str() + "/files";
  CO_TRY_VOID(co_await parts_.pool.run<bool>([files]() -> Result<bool> {
    std::error_code failed;
    std::filesystem::remove_all(files, failed);
    if (!failed) return true;
    return fail(Errc::kUnavailable,
                fmt::format("{} could not be deleted: {}", files, failed.message()));
  }));
  CO_TRY_VOID(co_await memory_.forget_workspace(workspace));
  co_return co_await tasks_.clear(std::move(workspace));
}

void ToolSide::add_routes(RouteTable& table) {
  approval_routes_.add_to(table);
  memory_routes_.add_to(table);
  task_routes_.add_to(table);
  skill_routes_.add_to(table);
  compaction_routes_.add_to(table);
}

}  // namespace rouse
