// Calls that wait for a person's word: see them, answer them, and take back what was allowed for
// longer. A person sees and answers what was asked in their own workspace.
#pragma once

#include "agent/approval_desk.h"
#include "gateway/route.h"
#include "session/workspaces.h"

namespace rouse {

struct ApprovalDetail {
  std::string approval_id, conversation_id, session_id, turn_id, tool, arguments, agent,
      project_folder, summary, state, reason, why;
  bool tainted = false;
  std::optional<std::string> scope, decided_by, note;
  std::string created_at, expires_at;
  std::optional<std::string> decided_at;
};
inline auto shape(const ApprovalDetail*) {
  return fields(
      field("approval_id", &ApprovalDetail::approval_id, "Its id"),
      field("conversation_id", &ApprovalDetail::conversation_id, "Where it was asked"),
      field("session_id", &ApprovalDetail::session_id, "In which session"),
      field("turn_id", &ApprovalDetail::turn_id, "By which turn"),
      field("tool", &ApprovalDetail::tool, "Which tool wants to run"),
      field("arguments", &ApprovalDetail::arguments, "With what, as JSON"),
      field("agent", &ApprovalDetail::agent, "Which agent asks; empty: the default one"),
      field("project_folder", &ApprovalDetail::project_folder, "Where it would run, or empty"),
      field("summary", &ApprovalDetail::summary, "What it wants to do, in a line"),
      field("state", &ApprovalDetail::state, "What became of it")
          .one_of({"pending", "approved", "denied", "expired", "withdrawn"}),
      field("reason", &ApprovalDetail::reason, "Why it is asked: tier, setting or tainted"),
      field("why", &ApprovalDetail::why, "The same for a person"),
      field("tainted", &ApprovalDetail::tainted,
            "Words from outside were read since the person's last message"),
      field("scope", &ApprovalDetail::scope, "once, conversation or always, if approved").or_null(),
      field("decided_by", &ApprovalDetail::decided_by, "web, api, cli, whatsapp, timeout or reset")
          .or_null(),
      field("note", &ApprovalDetail::note, "What was said with it").or_null(),
      field("created_at", &ApprovalDetail::created_at, "When it was asked"),
      field("expires_at", &ApprovalDetail::expires_at, "Until when it can be answered"),
      field("decided_at", &ApprovalDetail::decided_at, "When it was settled").or_null());
}

struct ApprovalList {
  std::vector<ApprovalDetail> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const ApprovalList*) {
  return fields(
      field("items", &ApprovalList::items, "One page, newest first"),
      field("next_cursor", &ApprovalList::next_cursor, "Null on the last page").or_null());
}

struct ApprovalWord {
  std::string decision;
  std::optional<std::string> scope, note;
};
inline auto shape(const ApprovalWord*) {
  return fields(
      field("decision", &ApprovalWord::decision, "May it run?").one_of({"approve", "deny"}),
      field("scope", &ApprovalWord::scope,
            "For how long an approval of this very call counts; default once")
          .one_of({"once", "conversation", "always"}),
      field("note", &ApprovalWord::note, "What the agent is told with it").length(1, 1000));
}

struct PermissionView {
  std::string permission_id, tool, covers, approval_id;
  std::optional<std::string> conversation_id;
  std::string created_at;
};
inline auto shape(const PermissionView*) {
  return fields(
      field("permission_id", &PermissionView::permission_id, "Its id"),
      field("tool", &PermissionView::tool, "Which tool may run"),
      field("covers", &PermissionView::covers, "The very call that may"),
      field("approval_id", &PermissionView::approval_id, "By which answer it was given"),
      field("conversation_id", &PermissionView::conversation_id, "Only there; null: everywhere")
          .or_null(),
      field("created_at", &PermissionView::created_at, "Since when"));
}

struct PermissionList {
  std::vector<PermissionView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const PermissionList*) {
  return fields(
      field("items", &PermissionList::items, "One page, newest first"),
      field("next_cursor", &PermissionList::next_cursor, "Null on the last page").or_null());
}

class ApprovalRoutes {
 public:
  ApprovalRoutes(ApprovalDesk& desk, SessionKernel& kernel, Workspaces& workspaces)
      : desk_(desk), kernel_(kernel), workspaces_(workspaces) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<ApprovalList>> list(Call& call);
  Result<ApprovalDetail> get(Call& call);
  Task<Result<ApprovalDetail>> decide(Call& call, ApprovalWord word);
  Task<Result<PermissionList>> permissions(Call& call);
  Task<Result<OkBody>> forget(Call& call);

  ApprovalDesk& desk_;
  SessionKernel& kernel_;
  Workspaces& workspaces_;
};

}  // namespace rouse
