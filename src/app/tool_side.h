// What an agent works with: memory, tasks, skills, files, pages, the shell, and the doors through
// which a person looks after them. Part of the wiring: concrete classes are named here, nothing is
// decided here. Adding a tool is one file beside its domain and one line in tool_side.cc.
#pragma once

#include <stop_token>
#include <string>

#include "agent/agent_house.h"
#include "agent/compaction/asked_compaction.h"
#include "agent/memory/memory_book.h"
#include "agent/memory/memory_prompt.h"
#include "agent/memory/memory_recall.h"
#include "agent/prompt/person_files.h"
#include "agent/task/task_book.h"
#include "app/config.h"
#include "gateway/routes/approval_routes.h"
#include "gateway/routes/compaction_routes.h"
#include "gateway/routes/memory_routes.h"
#include "gateway/routes/skill_routes.h"
#include "gateway/routes/task_routes.h"
#include "net/http_client.h"
#include "session/projects.h"
#include "store/text_index.h"
#include "store/word_index.h"
#include "tool/fetch/http_fetch.h"
#include "tool/mcp/mcp_servers.h"
#include "tool/shell/shell_tool.h"

namespace rouse {

class ToolSide {
 public:
  struct Parts {
    Loop& loop;
    Clock& clock;
    Random& random;
    Database& database;
    SessionKernel& kernel;
    Workspaces& workspaces;
    Projects& projects;
    const TextIndex& text_index;
    const WordIndex& word_index;
    BlockingPool& pool;
    const Log& log;
    const Redactor& redactor;
    std::string data_dir;
  };
  ToolSide(Parts parts, AgentHouse& house, PersonFiles& files, ClientOptions client);

  // Before waiting turns go on: the shell is tried, and what waited too long for a yes expires.
  Task<Result<void>> start();
  void stop();
  // When no turn runs any more: the MCP servers end in good order.
  Task<void> close();

  void apply(const Config& config, std::vector<McpServerSettings> mcp_servers);
  AskedCompaction& compaction() { return compaction_; }
  MemoryBook& memory() { return memory_; }
  MemoryRecall& recall() { return recall_; }
  TaskBook& tasks() { return tasks_; }
  McpServers& mcp_servers() { return mcp_; }
  void add_routes(RouteTable& table);

 private:
  void add_tools(PersonFiles& files);
  Task<Result<void>> forget(WorkspaceId workspace);
  Task<void> try_shell_soon();
  Task<void> try_shell();
  std::unique_ptr<McpTransport> connect_mcp(const McpServerSettings::Place& place);

  Parts parts_;
  AgentHouse& house_;
  std::unique_ptr<HttpClient> http_;  // its own: a stranger's slow names hold up no model
  std::unique_ptr<HttpClient> mcp_http_;
  McpServers mcp_;
  MemoryBook memory_;
  MemoryRecall recall_;
  MemoryPrompt memory_prompt_;
  TaskBook tasks_;
  AskedCompaction compaction_;
  HttpFetch* fetch_ = nullptr;  // the registry's
  ShellTool* shell_ = nullptr;  // the registry's
  bool started_ = false;
  std::stop_source stopping_;
  ShellSettings tried_;
  PolicySettings policy_;
  ApprovalRoutes approval_routes_;
  MemoryRoutes memory_routes_;
  TaskRoutes task_routes_;
  SkillRoutes skill_routes_;
  CompactionRoutes compaction_routes_;
};

}  // namespace rouse
