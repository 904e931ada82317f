#include "agent/session_clearing.h"
#include "lifecycle/actions/all_actions.h"

namespace rouse::actions {
namespace {

// A model's better words follow the plain ones, and the turn does not wait for them.
Task<void> improve(Database& database, Summariser& summariser, SessionId session,
                   SummaryProfile profile, SummaryInput said) {
  const Summary better = co_await summariser.summarise(profile, std::move(said));
  if (!better.by_model) co_return;
  (void)co_await database.write(Write{{SessionTable::set_close_summary(session, better.text)}});
}

Task<Result<void>> run(ActionCall& call) {
  CO_TRY(SessionKernel * kernel, need(call.hands.kernel, "the conversation"));
  CO_TRY(Database * database, need(call.hands.database, "the store"));
  CO_TRY(const Session session, kernel->sessions().get(call.event.turn.session));
  CO_TRY(SummaryInput said, said_in(*kernel, session));
  if (said.exchanges.empty()) co_return Result<void>{};
  const SummaryProfile profile =
      call.arguments.text("mode") == "compact" ? SummaryProfile::kCompact : SummaryProfile::kClear;
  CO_TRY_VOID(co_await database->write(
      Write{{SessionTable::set_close_summary(session.id, template_summary(profile, said))}}));
  call.end.detail = "summary written";
  Summariser* summariser = call.hands.summariser;
  if (summariser != nullptr && summariser->has_model() && call.hands.loop != nullptr) {
    call.hands.loop->spawn("workflow summary",
                           improve(*database, *summariser, session.id, profile, std::move(said)));
  }
  co_return Result<void>{};
}

}  // namespace

ActionKind generate_summary() {
  return {.name = "generate_summary",
          .help =
              "Writes down what the session was about, where the summary of a cleared session "
              "is kept: by plain rules at once, in a model's words a moment later.",
          .arguments = {{"mode",
                         ArgumentKind::kText,
                         true,
                         "clear: a few lines for people; compact: sections for whoever goes on.",
                         {"clear", "compact"}}},
          .pure = false,
          .run = run};
}

}  // namespace rouse::actions
