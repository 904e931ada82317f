#include "lifecycle/engine/scope.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "lifecycle/expression/expression_problem.h"

namespace rouse {
namespace {

constexpr std::array<ScopeName, 18> kValues{{
    {"variables", "The session's variables: variables.get('plan_mode')"},
    {"event", "The trigger's name: 'on_before_tool'"},
    {"source",
     "Whose session it is: 'claude_sdk' for the web app, the terminal and programs, the "
     "channel's name for a bridge, such as 'whatsapp'"},
    {"prompt", "What was said (on_before_agent)"},
    {"tool_name", "The tool's name, or '' (on_before_tool, on_after_tool)"},
    {"tool_class", "read, edit, shell, ask, plan, task, network or ''"},
    {"tool_input", "The tool's arguments"},
    {"mcp_server", "The server of call_tool, get_tool_schema and list_tools, or ''"},
    {"mcp_tool", "The tool of call_tool and get_tool_schema, or ''"},
    {"mcp_arguments", "The arguments inside of call_tool"},
    {"tool_result", "What the tool answered (on_after_tool)"},
    {"tool_failed", "Whether it failed (on_after_tool)"},
    {"answer", "What the model means to end with (on_stop)"},
    {"reason", "Why the session was closed (on_session_end)"},
    {"session", "id, conversation_id, title (None until there is one), turns"},
    {"project",
     "key, path and git (whether it is a repository); key and path are None without a project"},
    {"turn", "id, kind ('user', 'automation', 'session_open' …), transport, tainted"},
    {"task", "The task that was claimed in this session: number, title, state, commits; or None"},
}};

constexpr std::array<ScopeName, 7> kFunctions{{
    {"is_discovery_tool(tool)",
     "Is it one that only looks around (list_tools, get_tool_schema, "
     "search_tools, list_skills …)?"},
    {"is_plan_file(path)", "Is it a plan: a Markdown file in a folder called plans or .plans?"},
    {"is_server_listed(server)", "Were the tools of this MCP server listed in this session?"},
    {"is_tool_unlocked(server, tool)", "Was the schema of this MCP tool read in this session?"},
    {"session_has_dirty_files()",
     "Are there uncommitted changes that were not there at the "
     "beginning of the session?"},
    {"task_has_commits()",
     "Is there a commit for the claimed task: one that it names, or one that "
     "this call brings?"},
    {"tool_is(name)", "Does the name mean this tool, as in block_tools: tool_is('Edit')?"},
}};

// What may be called before its schema was read.
constexpr std::array<std::string_view, 8> kDiscovery{
    "list_mcp_servers", "list_tools",  "get_tool_schema", "search_tools",
    "recommend_tools",  "list_skills", "get_skill",       "search_skills"};

std::string_view bare(std::string_view with_arguments) {
  return with_arguments.substr(0, with_arguments.find('('));
}

bool is_plan_file(std::string_view path) {
  return path.ends_with(".md") &&
         (path.find("/plans/") != path.npos || path.starts_with("plans/") ||
          path.find("/.plans/") != path.npos || path.starts_with(".plans/"));
}

std::string_view text_of(const boost::json::value& value) {
  return value.is_string() ? std::string_view(value.as_string()) : std::string_view();
}

Result<const boost::json::value*> found(const Result<boost::json::value>& fact) {
  if (!fact) return fail(fact.error());
  return &*fact;
}

}  // namespace

std::span<const ScopeName> scope_values() { return kValues; }
std::span<const ScopeName> scope_functions() { return kFunctions; }

ExpressionVocabulary scope_vocabulary(const boost::json::object& variables,
                                      std::span<const std::string_view> extra) {
  ExpressionVocabulary out;
  for (const ScopeName& one : kValues) out.names.push_back(one.name);
  out.names.insert(out.names.end(), extra.begin(), extra.end());
  for (const ScopeName& one : kFunctions) out.functions.push_back(bare(one.name));
  std::vector<std::string_view> names;
  for (const auto& one : variables) names.push_back(one.key());
  out.keys.emplace_back("variables", std::move(names));
  return out;
}

void LifecycleScope::lend(std::string_view name, boost::json::value value) {
  known_.insert_or_assign(std::string(name), std::move(value));
}

bool LifecycleScope::has_to_ask_for(const ExpressionUse& use) const {
  return use.function && use.name == "session_has_dirty_files" && !known_.contains(use.name);
}

bool LifecycleScope::lacks(const std::vector<ExpressionUse>& uses) const {
  return std::ranges::any_of(uses, [&](const ExpressionUse& use) { return has_to_ask_for(use); });
}

Task<void> LifecycleScope::gather(const std::vector<ExpressionUse>& uses) {
  for (const ExpressionUse& use : uses) {
    if (!has_to_ask_for(use)) continue;
    Fact fact = co_await dirty_files();
    known_.insert_or_assign(use.name, std::move(fact));
  }
}

Task<LifecycleScope::Fact> LifecycleScope::dirty_files() {
  if (event_.turn.project_folder.empty()) co_return Fact(false);
  CO_TRY(GitView * git, need(hands_.git, "git"));
  if (!git->is_repository(event_.turn.project_folder)) co_return Fact(false);
  CO_TRY(const auto now, co_await git->dirty_files(event_.turn.project_folder));
  co_return Fact(std::ranges::any_of(
      now, [&](const std::string& path) { return !variables_.has("baseline_dirty_files", path); }));
}

Result<const boost::json::value*> LifecycleScope::find(std::string_view name) {
  if (name == "variables") return &variables_.value();
  const auto known = known_.find(name);
  if (known != known_.end()) return found(known->second);
  if (std::ranges::find(kValues, name, &ScopeName::name) == kValues.end()) return nullptr;
  return found(known_.emplace(std::string(name), value_of(name)).first->second);
}

Result<const boost::json::value*> LifecycleScope::find_part(std::string_view name,
                                                            std::string_view key) {
  struct Part {
    std::string_view name, key, both;
    Fact (LifecycleScope::*value)() const;
  };
  static constexpr std::array<Part, 3> kParts{{
      {"session", "turns", "session.turns", &LifecycleScope::session_turns},
      {"project", "git", "project.git", &LifecycleScope::project_git},
      {"turn", "kind", "turn.kind", &LifecycleScope::turn_kind},
  }};
  for (const Part& part : kParts) {
    if (part.name != name || part.key != key) continue;
    auto known = known_.find(part.both);
    if (known == known_.end()) {
      known = known_.emplace(std::string(part.both), (this->*part.value)()).first;
    }
    return found(known->second);
  }
  return nullptr;
}

LifecycleScope::Fact LifecycleScope::value_of(std::string_view name) const {
  if (name == "event") return boost::json::value(trigger_name(event_.trigger));
  if (name == "source") return boost::json::value(event_.source);
  if (name == "prompt") return boost::json::value(event_.prompt);
  if (name == "tool_name") return boost::json::value(event_.tool);
  if (name == "tool_class") return boost::json::value(event_.tool_class);
  if (name == "tool_input") return boost::json::value(event_.tool_input);
  if (name == "mcp_server") return boost::json::value(event_.mcp_server);
  if (name == "mcp_tool") return boost::json::value(event_.mcp_tool);
  if (name == "mcp_arguments") return boost::json::value(event_.mcp_arguments);
  if (name == "tool_result") return boost::json::value(event_.tool_result);
  if (name == "tool_failed") return boost::json::value(event_.tool_failed);
  if (name == "answer") return boost::json::value(event_.answer);
  if (name == "reason") return boost::json::value(event_.reason);
  if (name == "session") return session();
  if (name == "project") return project();
  if (name == "task") return task();
  return boost::json::value{{"id", event_.turn.turn.str()},
                            {"kind", event_.turn.kind},
                            {"transport", event_.turn.transport},
                            {"tainted", event_.turn.tainted}};
}

LifecycleScope::Fact LifecycleScope::turn_kind() const {
  return boost::json::value(event_.turn.kind);
}

// The conversation of the event, if it is known without a read.
const LiveConversation* LifecycleScope::live() const {
  const LiveConversation* known = hands_.kernel->live(event_.turn.conversation);
  if (known == nullptr || known->conversation.workspace != event_.turn.workspace) return nullptr;
  return known;
}

Result<Conversation> LifecycleScope::conversation() const {
  if (const auto* known = live()) return known->conversation;
  return hands_.kernel->conversations().get(event_.turn.workspace, event_.turn.conversation);
}

LifecycleScope::Fact LifecycleScope::session() const {
  boost::json::object out{{"id", event_.turn.session.str()},
                          {"conversation_id", event_.turn.conversation.str()},
                          {"title", nullptr},
                          {"turns", 0}};
  if (hands_.kernel != nullptr) {
    TRY(const auto now, conversation());
    if (!now.title.empty()) out["title"] = now.title;
    TRY(out["turns"], session_turns());
  }
  return out;
}

LifecycleScope::Fact LifecycleScope::session_turns() const {
  if (hands_.kernel == nullptr) return boost::json::value(0);
  if (const auto* known = live(); known != nullptr && known->session.id == event_.turn.session) {
    return boost::json::value(known->session.turn_count);
  }
  TRY(const auto now, hands_.kernel->sessions().get(event_.turn.session));
  return boost::json::value(now.turn_count);
}

LifecycleScope::Fact LifecycleScope::project() const {
  const std::string& folder = event_.turn.project_folder;
  boost::json::object out{{"key", nullptr}, {"path", nullptr}, {"git", false}};
  if (folder.empty()) return out;
  if (hands_.kernel != nullptr) {
    TRY(const auto now, conversation());
    if (now.project) out["key"] = *now.project;
  }
  out["path"] = folder;
  TRY(out["git"], project_git());
  return out;
}

LifecycleScope::Fact LifecycleScope::project_git() const {
  const std::string& folder = event_.turn.project_folder;
  return boost::json::value(!folder.empty() && hands_.git != nullptr &&
                            hands_.git->is_repository(folder));
}

LifecycleScope::Fact LifecycleScope::task() const {
  const std::int64_t number = variables_.number("claimed_task");
  if (number == 0) return boost::json::value(nullptr);
  TRY(TaskBook * tasks, need(hands_.tasks, "the list of tasks"));
  const auto item = tasks->get(event_.turn.workspace, number);
  if (!item) {
    if (item.error().is(TaskErrc::kNotFound)) return boost::json::value(nullptr);
    return fail(item.error());
  }
  boost::json::array commits;
  for (const std::string& one : item->commits) commits.emplace_back(one);
  return boost::json::value{{"number", item->number},
                            {"title", item->title},
                            {"state", item->state},
                            {"commits", std::move(commits)}};
}

LifecycleScope::Fact LifecycleScope::task_has_commits() const {
  if (const auto* given = event_.tool_input.if_contains("commits");
      given != nullptr && given->is_array() && !given->as_array().empty()) {
    return boost::json::value(true);
  }
  TRY(const boost::json::value now, task());
  return boost::json::value(now.is_object() && !now.at("commits").as_array().empty());
}

Result<boost::json::value> LifecycleScope::call(
    std::string_view function, std::span<const boost::json::value* const> arguments) {
  const auto first = arguments.empty() ? std::string_view() : text_of(*arguments[0]);
  if (function == "is_discovery_tool") {
    return boost::json::value(std::ranges::find(kDiscovery, first) != kDiscovery.end());
  }
  if (function == "is_plan_file") return boost::json::value(is_plan_file(first));
  if (function == "is_server_listed") {
    return boost::json::value(variables_.has("listed_servers", first));
  }
  if (function == "is_tool_unlocked") {
    const auto tool = arguments.size() > 1 ? text_of(*arguments[1]) : std::string_view();
    return boost::json::value(variables_.has("unlocked_tools", fmt::format("{}:{}", first, tool)));
  }
  if (function == "tool_is") return boost::json::value(names_this_tool(first, event_));
  if (function == "task_has_commits") return task_has_commits();
  if (const auto known = known_.find(function); known != known_.end()) return known->second;
  return fail(ExpressionErrc::kHost, fmt::format("{}() was not asked for in time", function));
}

std::vector<std::string_view> LifecycleScope::names() const {
  std::vector<std::string_view> out;
  for (const ScopeName& one : kValues) out.push_back(one.name);
  return out;
}

}  // namespace rouse
