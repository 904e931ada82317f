#include "gateway/live/page_desk.h"

#include "base/text.h"

namespace rouse {
namespace {

bool says_clear(const PageAsk& ask) {
  if (!ask.message || !ask.message->is_string() || !conversation_named(ask)) return false;
  const auto& text = ask.message->get_string();
  return is_clear_command({text.data(), text.size()});
}

Error nameless() {
  return Error(Errc::kInvalid,
               "'conversation_id' is missing: name the chat; a name of your own begins a new one");
}

std::string cleared_text(const PageAsk& ask, const Cleared& cleared) {
  ClearedFrame out;
  out.conversation_id = conversation_named(ask).value_or("");
  out.client_message_id = ask.client_message_id;
  if (cleared.conversation) out.cleared = cleared.conversation->str();
  if (cleared.closed) out.closed_session_id = cleared.closed->str();
  out.cancelled = cleared.cancelled;
  return encode_json(out);
}

std::string compacted_text(const PageAsk& ask, std::string words) {
  CompactedFrame out;
  out.conversation_id = conversation_named(ask).value_or("");
  out.client_message_id = ask.client_message_id;
  out.message = std::move(words);
  return encode_json(out);
}

std::string accepted_text(const PageAsk& ask, const Resolved& resolved) {
  AcceptedFrame out;
  out.client_message_id = ask.client_message_id;
  if (resolved.turn) out.turn_id = resolved.turn->str();
  out.conversation_id = resolved.session.conversation.str();
  out.session_id = resolved.session.id.str();
  if (resolved.redelivered) out.redelivered = true;
  return encode_json(out);
}

}  // namespace

Task<void> PageDesk::chat(WorkspaceId workspace, PageAsk ask, std::shared_ptr<WebSocket> socket) {
  if (says_clear(ask)) {
    clear(workspace, std::move(ask), std::move(socket));
    co_return;
  }
  auto taken = co_await take(std::move(workspace), ask);
  socket->send(taken ? live_frame(std::move(*taken)) : error_frame(taken.error(), ask));
}

Task<Result<std::string>> PageDesk::take(WorkspaceId workspace, PageAsk ask) {
  const auto name = conversation_named(ask);
  if (!name) co_return fail(nameless());
  if (!ask.message) co_return fail(Errc::kInvalid, "'message' is missing");
  Said said{.workspace = std::move(workspace),
            .session_id = *name,
            .message = std::move(*ask.message),
            .agent_name = ask.agent_name,
            .client_message_id = ask.client_message_id,
            .transport = "websocket"};
  CO_TRY(const ChatDoor::Taken taken, co_await parts_.door->take(std::move(said)));
  if (taken.cleared) co_return cleared_text(ask, {});
  if (taken.compacted) co_return compacted_text(ask, *taken.compacted);
  co_return accepted_text(ask, taken.submitted.resolved);
}

void PageDesk::cancel(const WorkspaceId& workspace, PageAsk ask,
                      std::shared_ptr<WebSocket> socket) {
  parts_.loop->spawn("cancel", run_cancel(workspace, std::move(ask), std::move(socket)));
}

Task<void> PageDesk::run_cancel(WorkspaceId workspace, PageAsk ask,
                                std::shared_ptr<WebSocket> socket) {
  const auto done = co_await cancel_turn(std::move(workspace), ask.turn_id.value_or(""));
  socket->send(done ? live_frame(encode_json(*done)) : error_frame(done.error(), ask));
}

Task<Result<CancelledFrame>> PageDesk::cancel_turn(WorkspaceId workspace, std::string turn) {
  CO_TRY(const TurnId id, TurnId::parse(turn));
  CO_TRY(const Turn found, parts_.ledger->get(id));
  if (found.workspace != workspace) {
    co_return fail(TurnErrc::kNotFound, fmt::format("there is no turn {}", id.str()));
  }
  CO_TRY(const Turn after, co_await parts_.runner->cancel(id));
  co_return CancelledFrame{"cancelled", id.str(), after.state, after.verdict};
}

// Without a name there is nothing to clear, and nobody to tell (S4-22).
void PageDesk::clear(const WorkspaceId& workspace, PageAsk ask, std::shared_ptr<WebSocket> socket) {
  if (!conversation_named(ask)) return;
  parts_.loop->spawn("clear", run_clear(workspace, std::move(ask), std::move(socket)));
}

Task<void> PageDesk::run_clear(WorkspaceId workspace, PageAsk ask,
                               std::shared_ptr<WebSocket> socket) {
  auto cleared = co_await parts_.runner->clear(std::move(workspace), *conversation_named(ask));
  // What isn't there is clear already (S4-C10).
  if (!cleared && cleared.error().is(ConversationErrc::kNotFound)) cleared = Cleared{};
  socket->send(cleared ? live_frame(cleared_text(ask, *cleared))
                       : error_frame(cleared.error(), ask));
}

}  // namespace rouse
