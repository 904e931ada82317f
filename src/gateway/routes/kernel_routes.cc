#include "gateway/routes/kernel_routes.h"

#include "base/text.h"

namespace rouse {
namespace {

// The workspace a caller named. Whatever is not the name of one is not found; another one than
// their own is a mismatch for everybody but an admin.
Result<WorkspaceId> named_workspace(const Principal& principal, std::string_view name) {
  const auto id = WorkspaceId::parse(name);
  if (!id) {
    return fail(WorkspaceErrc::kNotFound,
                fmt::format("there is no workspace {}", utf8_prefix(name, 80)));
  }
  if (*id != principal.workspace && !principal.is_admin()) {
    return fail(SessionErrc::kWorkspaceMismatch, fmt::format("this token belongs to {}, not to {}",
                                                             principal.workspace.str(), id->str()));
  }
  return *id;
}

}  // namespace

SessionView view_of(const Session& s) {
  return {.session_id = s.id.str(),
          .workspace_id = s.workspace.str(),
          .channel = s.key.channel,
          .remote_jid = s.key.peer,
          .status = std::string(s.status()),
          .turn_count = s.turn_count,
          .context_summary = s.context_summary,
          .created_at = to_iso(s.created),
          .last_message_at = to_iso(s.last_message)};
}

void KernelRoutes::add_to(RouteTable& table) {
  table.add(exchange<ResolveRequest, ResolveAnswer>(  // S1-26
      {.method = "POST",
       .pattern = "/kernel/sessions/resolve",
       .summary = "Find or open the session a message belongs to",
       .tag = "kernel"},
      [this](Call& call, ResolveRequest request) { return resolve(call, std::move(request)); }));
  table.add(answer<SessionAnswer>(  // S1-27
      {.pattern = "/kernel/sessions/{id}",
       .summary = "One session",
       .tag = "kernel",
       .query = {{"workspace_id", "Whose it must be; optional"}}},
      [this](Call& call) { return get(call); }));
  table.add(exchange<SessionPatch, PatchAnswer>(  // S1-28
      {.method = "PATCH",
       .pattern = "/kernel/sessions/{id}",
       .summary = "Record a turn: counts it and renews the summary",
       .tag = "kernel"},
      [this](Call& call, SessionPatch change) { return patch(call, std::move(change)); }));
  table.add(upload<CloseAnswer>(  // S1-29: {"workspace_id":"…"} or no body at all
      {.method = "POST",
       .pattern = "/kernel/sessions/{id}/close",
       .summary = "Close a session; the next message opens a new one",
       .tag = "kernel",
       .max_body = 4096},
      [this](Call& call) { return close(call); }));
  table.add(answer<SessionList>(  // S1-30
      {.pattern = "/kernel/sessions",
       .summary = "The sessions of a workspace, newest first",
       .tag = "kernel",
       .query = {{"workspace_id", "Whose sessions"},
                 {"limit", "How many, 1 to 200; default 50"},
                 {"before", "The last session_id of the page before"}}},
      [this](Call& call) { return list(call); }));
}

Task<Result<ResolveAnswer>> KernelRoutes::resolve(Call& call, ResolveRequest request) {
  CO_TRY(auto workspace, named_workspace(call.principal, request.workspace_id));
  CO_TRY(auto key, SessionKey::make(request.channel.value_or("whatsapp"), request.remote_jid));
  const std::string_view from = provenance(key);
  InboundMessage message{.workspace = std::move(workspace),
                         .key = std::move(key),
                         .account = std::move(request.remote_jid),
                         .message_id = std::move(request.message_id),
                         .content = text_content(std::move(request.user_message), from)};
  CO_TRY(Resolved resolved, co_await kernel_.resolve(std::move(message)));
  log_resolved(resolved);
  co_return ResolveAnswer{.session_id = resolved.session.id.str(),
                          .decision = std::move(resolved.decision),
                          .reason = std::move(resolved.reason),
                          .session = view_of(resolved.session)};
}

// S1-41. What goes on is only for those who watch closely: it would be a line a message.
void KernelRoutes::log_resolved(const Resolved& resolved) const {
  if (resolved.redelivered) return;
  const auto level = resolved.decision == "new" ? LogLevel::kInfo : LogLevel::kDebug;
  if (!log_.enabled(level)) return;
  const LogField session{"session", resolved.session.id.str()};
  const LogField decision{"decision", resolved.decision}, reason{"reason", resolved.reason};
  if (level == LogLevel::kInfo) {
    log_.info("session resolved", {session, decision, reason});
  } else {
    log_.debug("session resolved", {session, decision, reason});
  }
}

Result<Session> KernelRoutes::session_of(Call& call, const std::optional<std::string>& workspace) {
  const std::string& name = call.parameters.at(0);
  const auto id = SessionId::parse(name);
  if (!id) {
    return fail(SessionErrc::kNotFound,
                fmt::format("there is no session {}", utf8_prefix(name, 80)));
  }
  TRY(auto session, kernel_.get(*id));
  if (workspace) {
    TRY(const auto named, named_workspace(call.principal, *workspace));
    if (named != session.workspace) {
      return fail(
          SessionErrc::kWorkspaceMismatch,
          fmt::format("session {} does not belong to workspace {}", id->str(), named.str()));
    }
  }
  if (session.workspace != call.principal.workspace && !call.principal.is_admin()) {
    return fail(SessionErrc::kWorkspaceMismatch, "this session belongs to another workspace");
  }
  return session;
}

Result<SessionAnswer> KernelRoutes::get(Call& call) {
  TRY(const Session session, session_of(call, call.query("workspace_id")));
  return SessionAnswer{.session = view_of(session)};
}

Task<Result<PatchAnswer>> KernelRoutes::patch(Call& call, SessionPatch patch) {
  CO_TRY(Session session, session_of(call, patch.workspace_id));
  CO_TRY(session,
         co_await kernel_.record_turn({.session = session.id,
                                       .workspace = session.workspace,
                                       .user_message = std::move(patch.user_message),
                                       .assistant_response = std::move(patch.assistant_response),
                                       .action_type = std::move(patch.action_type),
                                       .message_id = std::move(patch.message_id)}));
  co_return PatchAnswer{.session_id = session.id.str(),
                        .context_summary = std::move(session.context_summary)};
}

Task<Result<CloseAnswer>> KernelRoutes::close(Call& call) {
  CloseRequest request;
  if (!trim(call.body).empty()) {
    CO_TRY(request, decode_json<CloseRequest>(call.body));
  }
  CO_TRY(const Session session, session_of(call, request.workspace_id));
  CO_TRY_VOID(co_await kernel_.close(session.id, std::string(kClosedByApi)));
  co_return CloseAnswer{.session_id = session.id.str()};
}

Task<Result<SessionList>> KernelRoutes::list(Call& call) {
  const auto name = call.query("workspace_id");
  if (!name) co_return fail(Errc::kInvalid, "say whose sessions: ?workspace_id=ws_…");
  CO_TRY(const auto workspace, named_workspace(call.principal, *name));
  CO_TRY_VOID(workspaces_.get(workspace));
  CO_TRY(const std::size_t limit, call.limit());
  std::optional<std::int64_t> before;
  if (const auto last = call.query("before")) {
    CO_TRY(const auto id, SessionId::parse(*last));
    CO_TRY(const Session session, kernel_.get(id));
    if (session.workspace != workspace) {
      co_return fail(SessionErrc::kNotFound, fmt::format("there is no session {}", id.str()));
    }
    before = session.opened_by;
  }
  CO_TRY(const auto found, co_await kernel_.sessions().list(workspace, before, limit));
  SessionList out;
  for (const Session& session : found) {
    out.sessions.push_back(view_of(session));
    out.sessions.back().context_summary.reset();
  }
  co_return out;
}

}  // namespace rouse
