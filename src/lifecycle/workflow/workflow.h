// A workflow: rules of a session's life, in a YAML file that a person can read.
//
//   name: headless-lifecycle
//   description: "…"
//   type: lifecycle
//   sources: [claude_sdk]           # whose sessions; absent: everybody's
//   settings: {priority: 10}        # lower goes first
//   variables: {stop_attempts: 0}   # per session, with what they are before somebody sets them
//   triggers:
//     on_before_tool:
//       - action: block_tools
//         when: "variables.get('enforce')"
//         rules: [...]
//
// Loaded strictly: a name that nobody knows (key, trigger, action, argument, variable, function) or
// a broken expression is a problem with its file and line and the nearest name that is known. A
// file with a problem is not loaded at all.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "lifecycle/workflow/action.h"
#include "lifecycle/workflow/trigger.h"

namespace rouse {

inline constexpr std::size_t kWorkflowBytes = 256 * 1024;
inline constexpr std::size_t kWorkflowSteps = 500;
inline constexpr std::size_t kWorkflowVariables = 200;

struct WorkflowStep {
  const ActionKind* action = nullptr;
  ActionArguments arguments;
  std::optional<Expression> when = {};
  int line = 0;
};

struct Workflow {
  std::string name, description;
  std::string file;  // "workflows/headless-lifecycle.yaml", for messages
  std::vector<std::string> sources = {};
  std::int64_t priority = 100;
  boost::json::object variables = {};
  std::map<Trigger, std::vector<WorkflowStep>> triggers = {};

  [[nodiscard]] bool is_for(std::string_view source) const;
  [[nodiscard]] const std::vector<WorkflowStep>* steps(Trigger trigger) const;
};

struct WorkflowProblem {
  std::string file;
  int line = 1, column = 1;
  std::string message;
  [[nodiscard]] std::string str() const;  // "workflows/x.yaml:12:5: …"
};

struct LoadedWorkflow {
  std::optional<Workflow> workflow;       // none if there is a problem
  std::vector<WorkflowProblem> problems;  // at most 20
};

LoadedWorkflow load_workflow(std::string_view file, std::string_view text);

}  // namespace rouse
