#include "agent/session_clearing.h"

namespace rouse {
namespace {

constexpr std::size_t kClearedMessages = 200;  // a summary of the last 100 turns (S4-C9)

struct ClearedBody {
  std::string status = "completed";  // as workflows say it (S4-22)
  std::string summary;
};
auto shape(const ClearedBody*) {
  return fields(field("status", &ClearedBody::status, ""),
                field("summary", &ClearedBody::summary, ""));
}

}  // namespace

Task<Result<std::optional<SessionId>>> SessionClearing::close(Session session) {
  CO_TRY(SummaryInput said, said_in(parts_.kernel, session));
  CO_TRY(const bool closed, co_await close_now(session, said));
  if (!closed) co_return std::optional<SessionId>();
  if (parts_.summariser.has_model() && !said.exchanges.empty()) {
    parts_.loop.spawn("clear summary", improve(session.id, std::move(said)));
  }
  co_return std::optional(session.id);
}

Result<SummaryInput> said_in(SessionKernel& kernel, const Session& session) {
  TRY(const auto said, kernel.messages().tail(session.conversation, {}, kClearedMessages));
  SummaryInput input{
      .previous = session.context_summary, .exchanges = {}, .turn_count = session.turn_count};
  input.workspace = session.workspace;
  for (auto message = said.rbegin(); message != said.rend(); ++message) {
    if (message->session != session.id) continue;
    if (message->role == "user") {
      input.exchanges.push_back({readable_text(message->content), {}, {}});
    } else if (message->role == "assistant" && !input.exchanges.empty()) {
      input.exchanges.back().assistant = readable_text(message->content);
    }
  }
  return input;
}

Task<Result<bool>> SessionClearing::close_now(Session session, SummaryInput said) {
  const auto pass = co_await parts_.kernel.gate().enter(session.workspace, session.key);
  CO_TRY(session, parts_.kernel.sessions().get(session.id));
  if (!session.active) co_return false;
  const WallTime now = parts_.clock.wall_now();
  std::string summary = template_summary(SummaryProfile::kClear, said);
  Write write;
  write.statements = {
      SessionTable::set_close_summary(session.id, summary),
      SessionTable::close(session.id, kClosedByClear, now),
      EventLog::append({.workspace = session.workspace,
                        .type = "chat_cleared",
                        .conversation = session.conversation.str(),
                        .session = session.id.str(),
                        .body = encode_json(ClearedBody{.summary = std::move(summary)}),
                        .created = now})};
  CO_TRY_VOID(co_await parts_.database.write(std::move(write)));
  parts_.events.committed(session.workspace);
  parts_.kernel.session_was_closed(session, kClosedByClear);
  co_return true;
}

Task<void> SessionClearing::improve(SessionId session, SummaryInput said) {
  const Summary better =
      co_await parts_.summariser.summarise(SummaryProfile::kClear, std::move(said));
  if (!better.by_model) co_return;
  (void)co_await parts_.database.write(
      Write{{SessionTable::set_close_summary(session, better.text)}});
}

}  // namespace rouse
