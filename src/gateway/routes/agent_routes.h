// Agents over the API: list, read, save, delete the named profiles of a workspace.
#pragma once

#include "gateway/route.h"
#include "session/agents.h"
#include "session/workspaces.h"

namespace rouse {

struct AgentView {
  std::string name, instructions, model, tools;
};
inline auto shape(const AgentView*) {
  return fields(
      field("name", &AgentView::name, "What it is called"),
      field("instructions", &AgentView::instructions, "How it should act"),
      field("model", &AgentView::model, "Which model; empty is the usual one"),
      field("tools", &AgentView::tools,
            "Which tools it may use, as text: {\"allow\": […], \"deny\": […]}; {} is every one"));
}
struct AgentList {
  std::vector<AgentView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const AgentList*) {
  return fields(field("items", &AgentList::items, "One page, in order of their names"),
                field("next_cursor", &AgentList::next_cursor, "Null on the last page").or_null());
}
struct AgentEdit {
  std::optional<std::string> instructions, model, tools;
};
inline auto shape(const AgentEdit*) {
  return fields(
      field("instructions", &AgentEdit::instructions, "How it should act")
          .length(0, kInstructionBytes),
      field("model", &AgentEdit::model, "Which model; empty is the usual one").length(0, 200),
      field("tools", &AgentEdit::tools,
            "Which tools it may use, as text: {\"allow\": […], \"deny\": […]}; {} is every one")
          .length(0, kToolPolicyBytes));
}

class AgentRoutes {
 public:
  AgentRoutes(Agents& agents, Workspaces& workspaces) : agents_(agents), workspaces_(workspaces) {}
  void add_to(RouteTable& table);

 private:
  Result<AgentView> get(Call& call);
  Task<Result<AgentView>> put(Call& call, AgentEdit wanted);
  Task<Result<OkBody>> remove(Call& call);
  Task<Result<AgentList>> list(Call& call);

  Agents& agents_;
  Workspaces& workspaces_;
};

}  // namespace rouse
