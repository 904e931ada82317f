// The seed's kernel API for bridges: which session does a message belong to, what was said, close
// it, list them. Shapes, status codes and error names are a contract (S1-26 to S1-32, S1-C7).
#pragma once

#include "base/log.h"
#include "gateway/route.h"
#include "session/session_kernel.h"

namespace rouse {

struct ResolveRequest {
  std::string workspace_id;
  std::optional<std::string> channel;
  std::string remote_jid, user_message;
  std::optional<std::string> message_id;
};
inline auto shape(const ResolveRequest*) {
  return fields(
      field("workspace_id", &ResolveRequest::workspace_id, "Whose message it is").length(1, 80),
      field("channel", &ResolveRequest::channel, "How it came; default whatsapp").length(1, 32),
      field("remote_jid", &ResolveRequest::remote_jid, "Who sent it").length(1, 256),
      field("user_message", &ResolveRequest::user_message, "What they said")
          .length(1, limits::kJsonBodyBytes),
      field("message_id", &ResolveRequest::message_id,
            "The bridge's id of the message; a redelivery gets the first answer again")
          .length(1, 256));
}

struct SessionView {  // the seed's nine columns
  std::string session_id, workspace_id, channel, remote_jid, status;
  std::int64_t turn_count = 0;
  std::optional<std::string> context_summary;  // left out of lists
  std::string created_at, last_message_at;
};
inline auto shape(const SessionView*) {
  return fields(
      field("session_id", &SessionView::session_id, "Its id"),
      field("workspace_id", &SessionView::workspace_id, "Whose it is"),
      field("channel", &SessionView::channel, "How its messages come"),
      field("remote_jid", &SessionView::remote_jid, "Who is on the other end"),
      field("status", &SessionView::status, "active or closed").one_of({"active", "closed"}),
      field("turn_count", &SessionView::turn_count, "Turns so far"),
      field("context_summary", &SessionView::context_summary,
            "Five lines: GOAL, ENTITIES, DECISIONS, PENDING, TURNS; empty before the first turn"),
      field("created_at", &SessionView::created_at, "When it was opened"),
      field("last_message_at", &SessionView::last_message_at, "The last visible turn"));
}
SessionView view_of(const Session& session);

struct ResolveAnswer {
  bool ok = true;
  std::string session_id, decision, reason;
  SessionView session;
};
inline auto shape(const ResolveAnswer*) {
  return fields(field("ok", &ResolveAnswer::ok, "Always true"),
                field("session_id", &ResolveAnswer::session_id, "Where the message belongs"),
                field("decision", &ResolveAnswer::decision, "Whether it opened this session")
                    .one_of({"new", "continue"}),
                field("reason", &ResolveAnswer::reason, "Why")
                    .one_of({"first_message", "within_timeout", "no_session", "session_closed",
                             "timeout", "explicit_reset", "topic_drift"}),
                field("session", &ResolveAnswer::session, "The session as it is now"));
}

struct SessionAnswer {
  bool ok = true;
  SessionView session;
};
inline auto shape(const SessionAnswer*) {
  return fields(field("ok", &SessionAnswer::ok, "Always true"),
                field("session", &SessionAnswer::session, "The session"));
}

struct SessionPatch {
  std::string workspace_id, user_message, assistant_response;
  std::optional<std::string> action_type, message_id;
};
inline auto shape(const SessionPatch*) {
  return fields(
      field("workspace_id", &SessionPatch::workspace_id, "Whose session it is").length(1, 80),
      field("user_message", &SessionPatch::user_message, "What the person said"),
      field("assistant_response", &SessionPatch::assistant_response, "What was answered"),
      field("action_type", &SessionPatch::action_type, "What kind of thing was done").length(0, 80),
      field("message_id", &SessionPatch::message_id,
            "The id given to resolve; a retry is then recorded once")
          .length(1, 256));
}
struct PatchAnswer {
  bool ok = true;
  std::string session_id, context_summary;
};
inline auto shape(const PatchAnswer*) {
  return fields(field("ok", &PatchAnswer::ok, "Always true"),
                field("session_id", &PatchAnswer::session_id, "The session"),
                field("context_summary", &PatchAnswer::context_summary, "As it is now"));
}

struct CloseRequest {
  std::optional<std::string> workspace_id;
};
inline auto shape(const CloseRequest*) {
  return fields(field("workspace_id", &CloseRequest::workspace_id, "Whose session it is"));
}
struct CloseAnswer {
  bool ok = true;
  std::string session_id;
};
inline auto shape(const CloseAnswer*) {
  return fields(field("ok", &CloseAnswer::ok, "Always true"),
                field("session_id", &CloseAnswer::session_id, "The session, closed now"));
}

struct SessionList {
  bool ok = true;
  std::vector<SessionView> sessions;
};
inline auto shape(const SessionList*) {
  return fields(field("ok", &SessionList::ok, "Always true"),
                field("sessions", &SessionList::sessions, "Newest first"));
}

class KernelRoutes {
 public:
  KernelRoutes(SessionKernel& kernel, Workspaces& workspaces, Log& log)
      : kernel_(kernel), workspaces_(workspaces), log_(log) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<ResolveAnswer>> resolve(Call& call, ResolveRequest request);
  Result<SessionAnswer> get(Call& call);
  Task<Result<PatchAnswer>> patch(Call& call, SessionPatch patch);
  Task<Result<CloseAnswer>> close(Call& call);
  Task<Result<SessionList>> list(Call& call);
  // The session of the path, if the caller (and the workspace they named) may see it.
  Result<Session> session_of(Call& call, const std::optional<std::string>& workspace);
  void log_resolved(const Resolved& resolved) const;

  SessionKernel& kernel_;
  Workspaces& workspaces_;
  Log& log_;
};

}  // namespace rouse
