// The event of a dry run, as its author describes it in --data: who calls which tool with what,
// what was said, what the project and the claimed task are. A key that nobody knows is an error
// with the nearest one that is known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "lifecycle/engine/event.h"

namespace rouse::cli {

struct GivenProject {
  std::optional<std::string> path;
  std::optional<bool> git;
  std::optional<std::vector<std::string>> dirty_files;
};
inline auto shape(const GivenProject*) {
  return fields(field("path", &GivenProject::path, "Its folder"),
                field("git", &GivenProject::git, "Is it a repository?"),
                field("dirty_files", &GivenProject::dirty_files, "Changed since the last commit"));
}

struct GivenTask {
  std::optional<std::int64_t> number;
  std::optional<std::string> title, state;
  std::optional<std::vector<std::string>> commits;
};
inline auto shape(const GivenTask*) {
  return fields(field("number", &GivenTask::number, "#7").range(1, 1'000'000'000),
                field("title", &GivenTask::title, "What is to be done"),
                field("state", &GivenTask::state, "How far it is")
                    .one_of({"open", "claimed", "done", "closed"}),
                field("commits", &GivenTask::commits, "Those it names"));
}

struct GivenTurn {
  std::optional<std::string> kind, transport;
  std::optional<bool> tainted;
};
inline auto shape(const GivenTurn*) {
  return fields(field("kind", &GivenTurn::kind, "user, automation, session_open …"),
                field("transport", &GivenTurn::transport, "The channel"),
                field("tainted", &GivenTurn::tainted, "Untrusted words came into it"));
}

struct GivenEvent {
  std::optional<std::string> tool_name, tool_class;
  std::optional<boost::json::value> tool_input;
  std::optional<std::string> tool_result;
  std::optional<bool> tool_failed;
  std::optional<std::string> prompt, answer, reason;
  std::optional<GivenProject> project;
  std::optional<GivenTask> task;
  std::optional<GivenTurn> turn;
};
inline auto shape(const GivenEvent*) {
  return fields(field("tool_name", &GivenEvent::tool_name, "Which tool"),
                field("tool_class", &GivenEvent::tool_class, "What it touches")
                    .one_of({"read", "edit", "shell", "ask", "plan", "task", "network"}),
                field("tool_input", &GivenEvent::tool_input, "Its arguments"),
                field("tool_result", &GivenEvent::tool_result, "What it answered"),
                field("tool_failed", &GivenEvent::tool_failed, "Whether it failed"),
                field("prompt", &GivenEvent::prompt, "What was said"),
                field("answer", &GivenEvent::answer, "What the model means to end with"),
                field("reason", &GivenEvent::reason, "Why the session was closed"),
                field("project", &GivenEvent::project, "The conversation's project"),
                field("task", &GivenEvent::task, "The claimed task"),
                field("turn", &GivenEvent::turn, "What kind of turn it is"));
}

Result<GivenEvent> read_given_event(std::string_view json);

// The class of rouse's own tools, and of the names that coding agents have for such; "": unknown.
std::string_view class_of_tool(std::string_view name);

Result<LifecycleEvent> event_of(const GivenEvent& given, Trigger trigger, std::string source);

}  // namespace rouse::cli
