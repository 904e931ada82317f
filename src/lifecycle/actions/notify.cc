#include <fmt/format.h>

#include "base/text.h"
#include "lifecycle/actions/all_actions.h"
#include "session/turn_queue.h"

namespace rouse::actions {
namespace {

Task<Result<void>> run(ActionCall& call) {
  CO_TRY(Notifications * notifications, need(call.hands.notifications, "the notifications"));
  CO_TRY(const std::string text, co_await render(call, *call.arguments.words("text")));
  std::string subject;
  if (const TextTemplate* words = call.arguments.words("subject")) {
    CO_TRY(subject, co_await render(call, *words));
  }
  if (trim(text).empty()) co_return Result<void>{};
  if (call.arguments.flag("urgent", false)) subject = "Urgent: " + subject;
  const TurnContext& turn = call.event.turn;
  Notification told{.workspace = turn.workspace,
                    .kind = "agent",
                    .subject = std::string(trim(utf8_prefix(trim(subject), kSubjectBytes))),
                    .text = std::string(trim(utf8_prefix(trim(text), kNotificationBytes))),
                    .turn = turn.turn,
                    .untrusted = turn.tainted};
  // An isolated run's conversation goes with its end, and takes what names it along.
  if (turn.kind != turn_kind_name(TurnKind::kIsolated)) told.conversation = turn.conversation;
  CO_TRY_VOID(co_await notifications->send(std::move(told)));
  call.end.detail = "notified";
  co_return Result<void>{};
}

}  // namespace

ActionKind notify() {
  return {.name = "notify",
          .help =
              "Tells the person something outside of the conversation: on every open page and "
              "at the places they named for notifications.",
          .arguments = {{"text", ArgumentKind::kTemplate, true,
                         "What is said. If it comes out blank, nothing is."},
                        {"subject", ArgumentKind::kTemplate, false, "A line above it."},
                        {"urgent", ArgumentKind::kFlag, false,
                         "Whether the subject begins with the word 'Urgent'."}},
          .pure = false,
          .run = run};
}

}  // namespace rouse::actions
