// Workflows over the API, for admins: the files with their state and problems, and what they did in
// a conversation.
#pragma once

#include "base/json.h"
#include "gateway/route.h"
#include "lifecycle/engine/engine.h"

namespace rouse {

struct WorkflowProblemView {
  std::string file;
  std::int64_t line = 1, column = 1;
  std::string message;
};
inline auto shape(const WorkflowProblemView*) {
  return fields(field("file", &WorkflowProblemView::file, "Which"),
                field("line", &WorkflowProblemView::line, "Where, from 1"),
                field("column", &WorkflowProblemView::column, "Where in the line, from 1"),
                field("message", &WorkflowProblemView::message, "What is wrong"));
}

struct WorkflowActionView {
  std::string action;
  std::optional<std::string> when;
  std::int64_t line = 0;
  std::string summary;
};
inline auto shape(const WorkflowActionView*) {
  return fields(field("action", &WorkflowActionView::action, "Its name"),
                field("when", &WorkflowActionView::when, "Only if this holds").or_null(),
                field("line", &WorkflowActionView::line, "Where it stands"),
                field("summary", &WorkflowActionView::summary, "Its arguments in short, or \"\""));
}

struct WorkflowTriggerView {
  std::string event;
  std::vector<WorkflowActionView> actions;
};
inline auto shape(const WorkflowTriggerView*) {
  return fields(field("event", &WorkflowTriggerView::event, "The trigger"),
                field("actions", &WorkflowTriggerView::actions, "In their order"));
}

struct WorkflowView {
  std::string name, file, description, type;
  std::vector<std::string> sources;
  std::int64_t priority = 0;
  std::string state;
  bool shipped = false;
  std::optional<std::string> loaded_at;
  std::vector<WorkflowProblemView> problems;
  std::vector<WorkflowTriggerView> triggers;
  std::optional<std::string> text;
  std::optional<boost::json::value> variables;
};
inline auto shape(const WorkflowView*) {
  return fields(
      field("name", &WorkflowView::name, "Its name"),
      field("file", &WorkflowView::file, "Its file in the data folder"),
      field("description", &WorkflowView::description, "What it says of itself"),
      field("type", &WorkflowView::type, "lifecycle"),
      field("sources", &WorkflowView::sources, "Whose sessions; empty: everybody's"),
      field("priority", &WorkflowView::priority, "Lower goes first"),
      field("state", &WorkflowView::state,
            "active; broken (the file has problems; its last good version is in force if "
            "loaded_at is there); off (an empty file)")
          .one_of({"active", "broken", "off"}),
      field("shipped", &WorkflowView::shipped, "It is rouse's own, not a file of the owner's"),
      field("loaded_at", &WorkflowView::loaded_at, "Since when what is in force is").or_null(),
      field("problems", &WorkflowView::problems, "What is wrong with the file"),
      field("triggers", &WorkflowView::triggers, "Of what is in force"),
      field("text", &WorkflowView::text, "The file; only of a single one"),
      field("variables", &WorkflowView::variables, "With their defaults; only of a single one"));
}

struct WorkflowList {
  std::vector<WorkflowView> workflows;
};
inline auto shape(const WorkflowList*) {
  return fields(field("workflows", &WorkflowList::workflows, "In the order of their files"));
}

struct GateList {
  std::optional<std::string> session_id;
  std::string source;
  boost::json::value variables;
  std::vector<Firing> firings;
  std::optional<std::string> next_cursor;
};
inline auto shape(const GateList*) {
  return fields(field("session_id", &GateList::session_id, "The newest session").or_null(),
                field("source", &GateList::source, "Whose it is: claude_sdk, whatsapp …"),
                field("variables", &GateList::variables, "Of that session, as they are now"),
                field("firings", &GateList::firings, "What workflows did, newest first"),
                field("next_cursor", &GateList::next_cursor, "Null on the last page").or_null());
}

class WorkflowRoutes {
 public:
  WorkflowRoutes(WorkflowBook& book, LifecycleEngine& engine, SessionKernel& kernel,
                 Workspaces& workspaces)
      : book_(book), engine_(engine), kernel_(kernel), workspaces_(workspaces) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<WorkflowList>> list(Call& call);
  Task<Result<WorkflowView>> get(Call& call);
  Task<Result<GateList>> gates(Call& call);

  WorkflowBook& book_;
  LifecycleEngine& engine_;
  SessionKernel& kernel_;
  Workspaces& workspaces_;
};

}  // namespace rouse
