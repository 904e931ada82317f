#include "gateway/routes/approval_routes.h"

#include "gateway/routes/asked_workspace.h"

namespace rouse {
namespace {

constexpr std::string_view kTag = "approvals";

ApprovalDetail view_of(Approval a) {
  ApprovalDetail out{.approval_id = a.id.str(),
                     .conversation_id = a.conversation.str(),
                     .session_id = a.session.str(),
                     .turn_id = a.turn.str(),
                     .tool = std::move(a.tool),
                     .arguments = std::move(a.arguments),
                     .agent = std::move(a.agent),
                     .project_folder = std::move(a.project_folder),
                     .summary = std::move(a.summary),
                     .state = std::move(a.state),
                     .reason = a.reason,
                     .why = why_asked(a.reason, a.tainted),
                     .tainted = a.tainted,
                     .scope = std::move(a.scope),
                     .decided_by = {},
                     .note = std::move(a.note),
                     .created_at = to_iso(a.created),
                     .expires_at = to_iso(a.expires),
                     .decided_at = {}};
  if (a.decided_by) out.decided_by = decided_through(a);
  if (a.decided) out.decided_at = to_iso(*a.decided);
  return out;
}

PermissionView view_of(Permission p) {
  PermissionView out{.permission_id = p.id.str(),
                     .tool = std::move(p.tool),
                     .covers = std::move(p.covers),
                     .approval_id = p.approval.str(),
                     .conversation_id = {},
                     .created_at = to_iso(p.created)};
  if (p.conversation) out.conversation_id = p.conversation->str();
  return out;
}

Error bad_cursor() {
  return Error(Errc::kInvalid, "'cursor' must be the next_cursor of the page before");
}

// A browser has a cookie, a program a token; ours says its name.
std::string door_of(const Call& call) {
  if (!call.head.header("Authorization")) return "web";
  return call.head.header("User-Agent").value_or("").starts_with("rouse/") ? "cli" : "api";
}

RouteInfo about(std::string method, std::string pattern, std::string summary) {
  return {.method = std::move(method),
          .pattern = std::move(pattern),
          .summary = std::move(summary),
          .tag = std::string(kTag),
          .query = {workspace_parameter()}};
}

RouteInfo listing(std::string pattern, std::string summary) {
  RouteInfo out = about("GET", std::move(pattern), std::move(summary));
  out.query.push_back({"limit", "How many, 1 to 200; default 50"});
  out.query.push_back({"cursor", "next_cursor of the page before"});
  return out;
}

}  // namespace

void ApprovalRoutes::add_to(RouteTable& table) {
  RouteInfo all =
      listing("/api/approvals", "Calls that wait for a person's word, and those that did");
  all.query.push_back({"state", "pending, approved, denied, expired or withdrawn; else all"});
  all.query.push_back({"conversation_id", "Only of this conversation"});
  table.add(answer<ApprovalList>(std::move(all), [this](Call& call) { return list(call); }));
  table.add(answer<ApprovalDetail>(about("GET", "/api/approvals/{id}", "One of them"),
                                   [this](Call& call) { return get(call); }));
  table.add(exchange<ApprovalWord, ApprovalDetail>(
      about("POST", "/api/approvals/{id}", "Answer it; the first answer wins"),
      [this](Call& call, ApprovalWord word) { return decide(call, std::move(word)); }));
  table.add(
      answer<PermissionList>(listing("/api/permissions", "Calls that were allowed for longer"),
                             [this](Call& call) { return permissions(call); }));
  table.add(
      answer<OkBody>(about("DELETE", "/api/permissions/{id}", "Take it back: the call asks again"),
                     [this](Call& call) { return forget(call); }));
}

Task<Result<ApprovalList>> ApprovalRoutes::list(Call& call) {
  ApprovalBook::Wanted wanted;
  CO_TRY(wanted.workspace, asked_workspace(call, workspaces_));
  CO_TRY(const std::size_t limit, call.limit());
  wanted.limit = limit + 1;
  wanted.state = call.query("state");
  if (wanted.state && !ApprovalBook::is_state(*wanted.state)) {
    co_return fail(Errc::kInvalid,
                   "'state' must be one of: pending, approved, denied, expired, withdrawn");
  }
  if (const auto name = call.query("conversation_id")) {
    CO_TRY(const auto conversation, kernel_.conversations().find_by_name(wanted.workspace, *name));
    wanted.conversation = conversation.id;
  }
  if (const auto cursor = call.query("cursor")) {
    auto id = ApprovalId::parse(*cursor);
    if (!id) co_return fail(bad_cursor());
    wanted.before = std::move(*id);
  }
  CO_TRY(auto found, co_await desk_.book().page(std::move(wanted)));
  ApprovalList out;
  const bool more = found.size() > limit;
  if (more) found.pop_back();
  for (Approval& one : found) out.items.push_back(view_of(std::move(one)));
  if (more) out.next_cursor = out.items.back().approval_id;
  co_return out;
}

Result<ApprovalDetail> ApprovalRoutes::get(Call& call) {
  TRY(const auto workspace, asked_workspace(call, workspaces_));
  TRY(const ApprovalId id, ApprovalId::parse(call.parameters[0]));
  TRY(auto found, desk_.get(workspace, id));
  return view_of(std::move(found));
}

Task<Result<ApprovalDetail>> ApprovalRoutes::decide(Call& call, ApprovalWord word) {
  CO_TRY(auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(ApprovalId id, ApprovalId::parse(call.parameters[0]));
  ApprovalAnswer answer{.approved = word.decision == "approve",
                        .scope = word.scope.value_or("once"),
                        .by = door_of(call),
                        .note = word.note.value_or("")};
  if (!answer.approved && word.scope) {
    co_return fail(Errc::kInvalid, "'scope' goes with an approval; a no is for this one call");
  }
  CO_TRY(auto decided,
         co_await desk_.decide(std::move(workspace), std::move(id), std::move(answer)));
  co_return view_of(std::move(decided));
}

Task<Result<PermissionList>> ApprovalRoutes::permissions(Call& call) {
  CO_TRY(auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(const std::size_t limit, call.limit());
  std::optional<PermissionId> before;
  if (const auto cursor = call.query("cursor")) {
    auto id = PermissionId::parse(*cursor);
    if (!id) co_return fail(bad_cursor());
    before = std::move(*id);
  }
  CO_TRY(auto found,
         co_await desk_.book().permissions(std::move(workspace), std::move(before), limit + 1));
  PermissionList out;
  const bool more = found.size() > limit;
  if (more) found.pop_back();
  for (Permission& one : found) out.items.push_back(view_of(std::move(one)));
  if (more) out.next_cursor = out.items.back().permission_id;
  co_return out;
}

Task<Result<OkBody>> ApprovalRoutes::forget(Call& call) {
  CO_TRY(auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(PermissionId id, PermissionId::parse(call.parameters[0]));
  CO_TRY_VOID(co_await desk_.forget(std::move(workspace), std::move(id)));
  co_return OkBody{};
}

}  // namespace rouse
