// An action at work: the event, its arguments, the session's variables, the values that expressions
// and templates see, and what came of it.
#pragma once

#include <optional>
#include <string>

#include "lifecycle/engine/event.h"
#include "lifecycle/engine/hands.h"
#include "lifecycle/engine/scope.h"
#include "lifecycle/engine/variables.h"
#include "lifecycle/workflow/action.h"

namespace rouse {

struct ActionEnd {
  std::optional<std::string> block = {};  // why the call, or the end of the turn, is refused
  std::string inject = {};                // what the model is told
  bool force_allow = false;               // no later rule may refuse this
  std::string detail = {};  // one line for the trace: "unlocked_tools = ['files:read']"
};

struct ActionCall {
  const LifecycleEvent& event;
  const ActionArguments& arguments;
  SessionVariables& variables;
  LifecycleScope& scope;
  LifecycleHands& hands;
  ActionEnd& end;
};

// Sets a variable and says so in the trace, if it changed anything.
void set_variable(ActionCall& call, std::string_view name, boost::json::value value);

// Gathers what the template needs (scope.h) and renders it.
Task<Result<std::string>> render(ActionCall& call, const TextTemplate& words);

}  // namespace rouse
