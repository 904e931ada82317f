#include "lifecycle/actions/all_actions.h"

namespace rouse::actions {
namespace {

Task<Result<void>> run(ActionCall& call) {
  if (call.variables.is("memories_extracted")) co_return Result<void>{};
  rouse::set_variable(call, "memories_extracted", true);
  const TextTemplate* words = call.arguments.words("reason");
  if (words != nullptr) {
    CO_TRY(call.end.block, co_await render(call, *words));
  } else {
    call.end.block =
        "Before you end: if something here is worth knowing in later sessions (a decision, a "
        "preference, how something works), save it with save_memory now. If not, say your answer "
        "again.";
  }
  co_return Result<void>{};
}

}  // namespace

ActionKind memory_extraction_gate() {
  return {.name = "memory_extraction_gate",
          .help =
              "Sends the model back once, to save what is worth remembering, and sets "
              "memories_extracted (on_stop). A compaction or a new session asks again.",
          .arguments = {{"reason", ArgumentKind::kTemplate, false,
                         "What the model is told; absent: the usual words."}},
          .run = run,
          .gate = true};
}

}  // namespace rouse::actions
