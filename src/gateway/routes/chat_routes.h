// Talking to an agent over HTTP: POST /api/chat with the whole answer or as a stream of events, the
// turns, and /clear. A dropped connection ends nothing: the turn goes on, and the same
// client_message_id finds it again.
#pragma once

#include "gateway/chat_door.h"
#include "gateway/route.h"
#include "session/workspaces.h"

namespace rouse {

struct ChatRequest {
  std::string session_id;
  boost::json::value message;
  std::optional<std::string> agent_name, client_message_id;
  std::optional<bool> stream;
};
inline auto shape(const ChatRequest*) {
  return fields(
      field("session_id", &ChatRequest::session_id,
            "The conversation, by any of its names; a new name begins one")
          .length(1, 200),
      field("message", &ChatRequest::message,
            "Text, or a list of blocks: {type: text, text}, {type: image, hash} or {type: file, "
            "hash, name}, which is text or a PDF"),
      field("agent_name", &ChatRequest::agent_name, "Who answers, in a new conversation")
          .length(1, 128),
      field("client_message_id", &ChatRequest::client_message_id,
            "The same id again is the same turn; so is an Idempotency-Key header")
          .length(1, 200),
      field("stream", &ChatRequest::stream, "True: server-sent events as the answer comes"));
}

struct ApprovalView {
  std::string approval_id, tool, summary;
};
inline auto shape(const ApprovalView*) {
  return fields(field("approval_id", &ApprovalView::approval_id, "Its id"),
                field("tool", &ApprovalView::tool, "Which tool wants to run"),
                field("summary", &ApprovalView::summary, "What it wants to do"));
}

struct ChatAnswer {
  std::string session_id, response, turn_id, verdict, reason, conversation_id, kernel_session_id;
  std::vector<ApprovalView> pending_approvals;
};
inline auto shape(const ChatAnswer*) {
  return fields(
      field("session_id", &ChatAnswer::session_id, "As it was asked for"),
      field("response", &ChatAnswer::response, "What the agent said"),
      field("turn_id", &ChatAnswer::turn_id, "The turn; empty after /clear"),
      field("verdict", &ChatAnswer::verdict, "spoke, silent, failed or interrupted"),
      field("reason", &ChatAnswer::reason, "Why, if it did not simply speak"),
      field("conversation_id", &ChatAnswer::conversation_id, "The conversation's id"),
      field("kernel_session_id", &ChatAnswer::kernel_session_id, "The session's id"),
      field("pending_approvals", &ChatAnswer::pending_approvals, "What waits for a person's yes"));
}

struct TurnView {
  std::string turn_id, conversation_id, session_id, kind, state;
  std::optional<std::string> verdict, reason, error, model;
  std::int64_t attempts = 0, tokens_in = 0, tokens_out = 0, cache_read = 0, cache_write = 0;
  std::optional<double> cost_usd;
  std::string queued_at;
  std::optional<std::string> started_at, ended_at;
  std::optional<std::string> message, response;  // of one that is asked for by its id
};
inline auto shape(const TurnView*) {
  return fields(
      field("turn_id", &TurnView::turn_id, "Its id"),
      field("conversation_id", &TurnView::conversation_id, "The conversation"),
      field("session_id", &TurnView::session_id, "The session"),
      field("kind", &TurnView::kind, "user, approval, automation, heartbeat_wake …"),
      field("state", &TurnView::state, "queued, running, done or parked"),
      field("verdict", &TurnView::verdict, "spoke, silent, failed or interrupted").or_null(),
      field("reason", &TurnView::reason, "Why it ended so").or_null(),
      field("error", &TurnView::error, "The whole story of a failure").or_null(),
      field("model", &TurnView::model, "Which model answered").or_null(),
      field("attempts", &TurnView::attempts, "How often it was begun"),
      field("tokens_in", &TurnView::tokens_in, "Tokens of the prompts"),
      field("tokens_out", &TurnView::tokens_out, "Tokens of the answers"),
      field("cache_read", &TurnView::cache_read, "Tokens the provider had cached"),
      field("cache_write", &TurnView::cache_write, "Tokens the provider cached"),
      field("cost_usd", &TurnView::cost_usd, "What it cost; null if nobody knows the price")
          .or_null(),
      field("queued_at", &TurnView::queued_at, "When it was accepted"),
      field("started_at", &TurnView::started_at, "When it began").or_null(),
      field("ended_at", &TurnView::ended_at, "When it was over").or_null(),
      field("message", &TurnView::message, "What it was asked, 16 KB at most; not in lists"),
      field("response", &TurnView::response, "What was said last; not in lists"));
}

struct TurnList {
  std::vector<TurnView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const TurnList*) {
  return fields(field("items", &TurnList::items, "Newest first"),
                field("next_cursor", &TurnList::next_cursor, "Null on the last page").or_null());
}

struct ClearAnswer {
  bool ok = true;
  std::string type = "chat_cleared";
  std::string conversation_id, message;
};
inline auto shape(const ClearAnswer*) {
  return fields(field("ok", &ClearAnswer::ok, "True"),
                field("type", &ClearAnswer::type, "chat_cleared"),
                field("conversation_id", &ClearAnswer::conversation_id, "As it was asked for"),
                field("message", &ClearAnswer::message, "For a person"));
}

class ChatRoutes {
 public:
  ChatRoutes(ChatDoor& door, TurnRunner& runner, TurnLedger& ledger, TurnStage& stage,
             SessionKernel& kernel, Workspaces& workspaces, Clock& clock)
      : door_(door),
        runner_(runner),
        ledger_(ledger),
        stage_(stage),
        kernel_(kernel),
        workspaces_(workspaces),
        clock_(clock) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<Response>> chat(Call& call, ChatRequest request);
  Task<Result<Response>> whole_answer(std::string session_id, Submitted submitted);
  Response stream_answer(std::string session_id, Submitted submitted);
  Task<void> stream(ResponseStream& out, std::string session_id, Submitted submitted);
  Task<Result<TurnList>> list(Call& call);
  Result<TurnView> get(Call& call);
  Task<Result<TurnView>> cancel(Call& call);
  Task<Result<ClearAnswer>> clear(Call& call);
  Result<Turn> turn_of(const Call& call);

  ChatDoor& door_;
  TurnRunner& runner_;
  TurnLedger& ledger_;
  TurnStage& stage_;
  SessionKernel& kernel_;
  Workspaces& workspaces_;
  Clock& clock_;
};

}  // namespace rouse
