#include "gateway/routes/chat_routes.h"

#include <charconv>
#include <limits>

#include "base/text.h"
#include "gateway/routes/asked_workspace.h"
#include "gateway/routes/chat_stream.h"
#include "gateway/routes/turn_question.h"
#include "net/sse.h"
#include "session/resolver/reset_phrase.h"

namespace rouse {
namespace {

constexpr Millis kKeepalive = seconds(15);
constexpr double kMicros = 1e6;

struct TurnFrame {
  std::string turn_id, session_id, conversation_id;
};
auto shape(const TurnFrame*) {
  return fields(field("turn_id", &TurnFrame::turn_id, ""),
                field("session_id", &TurnFrame::session_id, ""),
                field("conversation_id", &TurnFrame::conversation_id, ""));
}

struct StreamError {
  std::string error, message;
};
auto shape(const StreamError*) {
  return fields(field("error", &StreamError::error, ""),
                field("message", &StreamError::message, ""));
}

ChatAnswer answer_of(std::string session_id, const TurnOutcome& outcome) {
  ChatAnswer out{.session_id = std::move(session_id),
                 .response = outcome.response,
                 .turn_id = outcome.turn.str(),
                 .verdict = outcome.verdict.kind,
                 .reason = outcome.verdict.reason,
                 .conversation_id = outcome.conversation.str(),
                 .kernel_session_id = outcome.session.str(),
                 .pending_approvals = {}};
  for (const PendingApproval& one : outcome.pending_approvals) {
    out.pending_approvals.push_back({one.approval_id, one.tool, one.summary});
  }
  return out;
}

// A command was heard; there is no turn.
ChatAnswer command_answer(std::string session_id, std::string response, std::string reason) {
  ChatAnswer out;
  out.session_id = std::move(session_id);
  out.response = std::move(response);
  out.verdict = "spoke";
  out.reason = std::move(reason);
  return out;
}

std::string done_frame(const ChatAnswer& answer) { return format_sse("done", encode_json(answer)); }

TurnView view_of(const Turn& turn) {
  const auto iso = [](const std::optional<WallTime>& time) {
    return time ? std::optional(to_iso(*time)) : std::nullopt;
  };
  TurnView out{.turn_id = turn.id.str(),
               .conversation_id = turn.conversation.str(),
               .session_id = turn.session.str(),
               .kind = std::string(turn_kind_name(turn.kind)),
               .state = turn.state,
               .verdict = turn.verdict,
               .reason = turn.reason,
               .error = turn.error,
               .model = turn.model,
               .attempts = turn.attempts,
               .tokens_in = turn.tokens_in,
               .tokens_out = turn.tokens_out,
               .cache_read = turn.cache_read,
               .cache_write = turn.cache_write,
               .cost_usd = {},
               .queued_at = to_iso(turn.queued),
               .started_at = iso(turn.started),
               .ended_at = iso(turn.ended),
               .message = {},
               .response = {}};
  if (turn.cost_micros) out.cost_usd = static_cast<double>(*turn.cost_micros) / kMicros;
  return out;
}

}  // namespace

void ChatRoutes::add_to(RouteTable& table) {
  const std::string tag = "chat";
  table.add(exchange<ChatRequest, Response>(
      {.method = "POST",
       .pattern = "/api/chat",
       .summary = "Say something to an agent and get its answer, whole or as it comes",
       .tag = tag,
       .query = {workspace_parameter()}},
      [this](Call& call, ChatRequest request) { return chat(call, std::move(request)); }));
  table.add(answer<TurnList>({.pattern = "/api/turns",
                              .summary = "The turns, newest first",
                              .tag = tag,
                              .query = {{"conversation_id", "Only of this conversation"},
                                        {"limit", "How many, 1 to 200; default 50"},
                                        {"cursor", "next_cursor of the page before"},
                                        workspace_parameter()}},
                             [this](Call& call) { return list(call); }));
  table.add(answer<TurnView>({.pattern = "/api/turns/{id}",
                              .summary = "One turn and what it said",
                              .tag = tag,
                              .query = {workspace_parameter()}},
                             [this](Call& call) { return get(call); }));
  table.add(upload<TurnView>({.method = "POST",
                              .pattern = "/api/turns/{id}/cancel",
                              .summary = "Stop a turn; what it has said is kept",
                              .tag = tag,
                              .query = {workspace_parameter()},
                              .max_body = 4096},
                             [this](Call& call) { return cancel(call); }));
  table.add(upload<ClearAnswer>({.method = "POST",
                                 .pattern = "/api/conversations/{id}/clear",
                                 .summary = "Start fresh: closes the session with a summary",
                                 .tag = tag,
                                 .query = {workspace_parameter()},
                                 .max_body = 4096},
                                [this](Call& call) { return clear(call); }));
}

Task<Result<Response>> ChatRoutes::chat(Call& call, ChatRequest request) {
  CO_TRY(auto workspace, asked_workspace(call, workspaces_));
  Said said{.workspace = std::move(workspace),
            .session_id = request.session_id,
            .message = std::move(request.message),
            .agent_name = std::move(request.agent_name),
            .client_message_id = std::move(request.client_message_id)};
  if (const auto key = call.head.header("Idempotency-Key"); key && !said.client_message_id) {
    if (key->empty() || key->size() > 200) {
      co_return fail(Errc::kInvalid, "Idempotency-Key must have 1 to 200 characters");
    }
    said.client_message_id = std::string(*key);
  }
  CO_TRY(auto taken, co_await door_.take(std::move(said)));
  const bool streams = request.stream.value_or(false);
  if (taken.cleared || taken.compacted) {
    const ChatAnswer answer =
        taken.cleared
            ? command_answer(std::move(request.session_id), std::string(kStartingFresh), "cleared")
            : command_answer(std::move(request.session_id), std::move(*taken.compacted),
                             "compacted");
    if (!streams) co_return json_text(200, encode_json(answer));
    Response response;
    response.headers = {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}};
    response.body = done_frame(answer);
    co_return response;
  }
  if (streams) co_return stream_answer(std::move(request.session_id), std::move(taken.submitted));
  co_return co_await whole_answer(std::move(request.session_id), std::move(taken.submitted));
}

Task<Result<Response>> ChatRoutes::whole_answer(std::string session_id, Submitted submitted) {
  if (!submitted.resolved.turn) {
    co_return fail(Errc::kConflict,
                   "this message was taken before, by somebody who did not ask "
                   "for an answer; send it with another id");
  }
  CO_TRY(const TurnOutcome outcome, co_await runner_.wait(*submitted.resolved.turn, {}));
  co_return json_text(200, encode_json(answer_of(std::move(session_id), outcome)));
}

Response ChatRoutes::stream_answer(std::string session_id, Submitted submitted) {
  Response response;
  response.headers = {{"Content-Type", "text/event-stream"},
                      {"Cache-Control", "no-store"},
                      {"X-Accel-Buffering", "no"}};
  response.stream = [this, session_id = std::move(session_id),
                     submitted = std::move(submitted)](ResponseStream& out) mutable {
    return stream(out, std::move(session_id), std::move(submitted));
  };
  return response;
}

Task<void> ChatRoutes::stream(ResponseStream& out, std::string session_id, Submitted submitted) {
  const Resolved& resolved = submitted.resolved;
  if (!resolved.turn) co_return;
  const TurnId turn = *resolved.turn;
  auto pipe = std::make_shared<EventPipe>();
  const auto watching = stage_.watch_turn(turn, [pipe](const TurnEvent& event) {
    pipe->push(sse_frame(event));
    if (event.kind == TurnEvent::Kind::kEnded) pipe->end();
  });
  std::string first = format_sse(
      "turn", encode_json(TurnFrame{turn.str(), session_id, resolved.session.conversation.str()}));
  if (const TurnSnapshot* snapshot = stage_.snapshot(turn)) first += sse_frames(*snapshot);
  if (!co_await out.write(std::move(first))) co_return;
  if (const auto now = ledger_.get(turn); now && now->over()) pipe->end();
  while (auto frames = co_await pipe->next(clock_, kKeepalive, out.stop())) {
    if (!co_await out.write(frames->empty() ? std::string(kSseKeepalive) : std::move(*frames))) {
      co_return;
    }
  }
  if (out.stop().stop_requested() || pipe->overrun()) co_return;
  const auto outcome = co_await runner_.wait(turn, out.stop());
  (void)co_await out.write(
      outcome ? done_frame(answer_of(std::move(session_id), *outcome))
              : format_sse("error", encode_json(StreamError{std::string(outcome.error().name),
                                                            outcome.error().message})));
}

Result<Turn> ChatRoutes::turn_of(const Call& call) {
  TRY(const auto workspace, asked_workspace(call, workspaces_));
  const std::string& name = call.parameters.at(0);
  const auto id = TurnId::parse(name);
  if (id) {
    TRY(auto turn, ledger_.get(*id));
    if (turn.workspace == workspace) return turn;
  }
  return fail(TurnErrc::kNotFound, fmt::format("there is no turn {}", utf8_prefix(name, 80)));
}

Result<TurnView> ChatRoutes::get(Call& call) {
  TRY(const Turn turn, turn_of(call));
  TurnView out = view_of(turn);
  if (turn.over()) {
    TRY(out.response, ledger_.response_of(turn));
  }
  const auto asked = question_of(kernel_, ledger_, turn);
  if (asked && *asked) {
    out.message = utf8_prefix(readable_text((*asked)->content), kShownQuestionBytes);
  }
  return out;
}

Task<Result<TurnView>> ChatRoutes::cancel(Call& call) {
  CO_TRY(Turn turn, turn_of(call));
  CO_TRY(turn, co_await runner_.cancel(turn.id));
  TurnView out = view_of(turn);
  CO_TRY(out.response, ledger_.response_of(turn));
  co_return out;
}

Task<Result<TurnList>> ChatRoutes::list(Call& call) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(const std::size_t limit, call.limit());
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  if (const auto cursor = call.query("cursor")) {
    const char* end = cursor->data() + cursor->size();
    const auto [at, ec] = std::from_chars(cursor->data(), end, before);
    if (ec != std::errc() || at != end) {
      co_return fail(Errc::kInvalid, "'cursor' must be the next_cursor of a page");
    }
  }
  std::optional<Conversation> conversation;
  if (const auto name = call.query("conversation_id")) {
    CO_TRY(conversation, kernel_.conversations().find_by_name(workspace, *name));
  }
  auto found = conversation
                   ? co_await kernel_.turns().of_conversation(conversation->id, before, limit + 1)
                   : co_await kernel_.turns().of_workspace(workspace, before, limit + 1);
  if (!found) co_return std::unexpected(std::move(found).error());
  TurnList out;
  if (found->size() > limit) {
    found->pop_back();
    out.next_cursor = std::to_string(found->back().number);
  }
  for (const Turn& turn : *found) out.items.push_back(view_of(turn));
  co_return out;
}

Task<Result<ClearAnswer>> ChatRoutes::clear(Call& call) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  const std::string name = call.parameters.at(0);
  CO_TRY_VOID(co_await runner_.clear(workspace, name));
  co_return ClearAnswer{.conversation_id = name, .message = std::string(kStartingFresh)};
}

}  // namespace rouse
