// Any bytes as a workflow file: it is refused with its place, or it runs dry through every trigger
// to its end, and what it says is text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/loop.h"
#include "base/text.h"
#include "lifecycle/engine/engine.h"

namespace rouse {
namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

LifecycleEvent small_event(Trigger trigger) {
  LifecycleEvent event{.trigger = trigger, .turn = {}};
  event.turn.kind = "user";
  event.turn.project_folder = "/project";
  event.prompt = "mend the roof";
  event.answer = "done";
  event.reason = "timeout";
  if (trigger != Trigger::kBeforeTool && trigger != Trigger::kAfterTool) return event;
  set_tool(event, "call_tool", "network",
           R"({"server":"files","tool":"read","arguments":"{\"path\":\"a\"}","command":"pip x"})");
  event.tool_result = "{}";
  return event;
}

Task<void> run_dry(std::shared_ptr<const Workflow> workflow, bool* ended) {
  LifecycleHands nothing;
  SessionVariables variables;
  variables.use_defaults(workflow->variables);
  for (const TriggerInfo& info : kTriggers) {
    std::vector<StepTrace> trace;
    const WorkflowRun run = co_await run_workflow(workflow, small_event(info.trigger), variables,
                                                  nothing, {.dry = true, .trace = &trace});
    demand(is_utf8(run.answer.reason) && is_utf8(run.answer.inject));
    demand(run.answer.allowed || info.can_block);
    for (const StepTrace& one : trace) demand(!one.outcome.empty() && is_utf8(one.detail));
  }
  *ended = true;
}

void check_workflow(std::string_view bytes) {
  LoadedWorkflow loaded = load_workflow("workflows/any.yaml", bytes);
  demand(loaded.workflow.has_value() == loaded.problems.empty());
  for (const WorkflowProblem& problem : loaded.problems) {
    demand(problem.line >= 1 && problem.column >= 1 && !problem.message.empty());
    demand(is_utf8(problem.str()));
  }
  if (!loaded.workflow) return;
  bool ended = false;
  Loop loop;
  loop.spawn("dry run",
             run_dry(std::make_shared<const Workflow>(std::move(*loaded.workflow)), &ended));
  loop.run();
  demand(ended);
}

}  // namespace
}  // namespace rouse

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rouse::check_workflow({reinterpret_cast<const char*>(data), size});
  return 0;
}
