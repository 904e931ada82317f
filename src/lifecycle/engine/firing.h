// What is remembered of workflows: the variables of a session, and each firing of a workflow with
// what it did. `rouse why`, `rouse workflow trace` and the web app tell from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/turn_hooks.h"
#include "base/json.h"
#include "store/database.h"

namespace rouse {

inline constexpr std::int64_t kFiringsKept =
    500;  // at most: writes with firings, of a conversation

struct FiredAction {
  std::string action;
  std::int64_t line = 0;
  std::string outcome;  // done, blocked, failed; what did not apply is left out
  std::string detail;
};
inline auto shape(const FiredAction*) {
  return fields(field("action", &FiredAction::action, "Its name"),
                field("line", &FiredAction::line, "Where it stands in the file"),
                field("outcome", &FiredAction::outcome, "done, blocked or failed"),
                field("detail", &FiredAction::detail, "What it changed or why it failed, or \"\""));
}

struct Firing {
  std::string at;  // ISO
  std::string turn_id;
  std::string event, workflow;
  std::string decision;  // allow, inject, block, error
  std::optional<std::string> reason, tool;
  std::int64_t micros = 0;
  std::vector<FiredAction> actions;
};
inline auto shape(const Firing*) {
  return fields(
      field("at", &Firing::at, "When"), field("turn_id", &Firing::turn_id, "In which turn"),
      field("event", &Firing::event, "The trigger"),
      field("workflow", &Firing::workflow, "Which one fired"),
      field("decision", &Firing::decision,
            "allow, inject (it told the model something), block, or error"),
      field("reason", &Firing::reason, "Why it blocked"),
      field("tool", &Firing::tool, "The tool it was about"),
      field("micros", &Firing::micros, "How long it took, in microseconds"),
      field("actions", &Firing::actions, "What was done; what did not apply is left out"));
}

struct FiringPage {
  std::vector<Firing> firings;  // newest first
  std::optional<std::int64_t> next;
};

class LifecycleRecords {
 public:
  explicit LifecycleRecords(Database& database) : database_(database) {}

  // What was set in a session; an empty object if nothing was.
  Result<std::string> variables_of(const SessionId& session);
  Task<Result<FiringPage>> firings(ConversationId conversation, std::optional<std::int64_t> before,
                                   std::size_t limit);

  static Statement put_variables(const TurnContext& turn, std::string variables, WallTime now);
  // Some firings, in one row; lets go of the oldest.
  static void add_firings(std::vector<Statement>& to, const TurnContext& turn, std::string firings,
                          WallTime now);

 private:
  Database& database_;
};

}  // namespace rouse
