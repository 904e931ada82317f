#include <exception>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "lifecycle/engine/engine.h"

namespace rouse {
namespace {

constexpr std::size_t kToldBytes = 80;
constexpr std::size_t kEchoBytes = 1'000;

// A step that acts in the world, with all it touches: it may outlive the wait for it.
struct Errand {
  Errand(std::shared_ptr<const Workflow> of, const WorkflowStep& what, SharedEvent about,
         SessionVariables now, LifecycleHands with)
      : workflow(std::move(of)),
        step(what),
        event(std::move(about)),
        variables(std::move(now)),
        hands(std::move(with)),
        scope(*event, variables, hands) {}
  Errand(const Errand&) = delete;  // its scope looks at its other parts
  Errand& operator=(const Errand&) = delete;

  std::shared_ptr<const Workflow> workflow;
  const WorkflowStep& step;
  SharedEvent event;
  SessionVariables variables;
  LifecycleHands hands;
  LifecycleScope scope;
  ActionEnd end;
  Completer<Result<void>> waiting;
  std::stop_source over = {};

  void settle(Result<void> result) {
    over.request_stop();
    if (waiting) std::exchange(waiting, {})(std::move(result));
  }
};

Task<Result<void>> guarded(const ActionKind& action, ActionCall& call) {
  try {
    co_return co_await action.run(call);
  } catch (const std::exception& thrown) {
    co_return fail(Errc::kInternal, fmt::format("a bug: {}", thrown.what()));
  }
}

Task<void> do_errand(std::shared_ptr<Errand> errand) {
  ActionCall call{*errand->event, errand->step.arguments, errand->variables,
                  errand->scope,  errand->hands,          errand->end};
  Result<void> result = co_await guarded(*errand->step.action, call);
  errand->settle(std::move(result));
}

Task<void> watch_errand(Clock& clock, std::shared_ptr<Errand> errand) {
  if (!co_await clock.wait_for(kActionDeadline, errand->over.get_token())) co_return;
  errand->settle(
      fail(Errc::kTimeout, fmt::format("it took longer than {}", to_words(kActionDeadline))));
}

// Runs the steps of one trigger.
class Runner {
 public:
  Runner(std::shared_ptr<const Workflow> workflow, SharedEvent event, SessionVariables& variables,
         LifecycleHands& hands, RunOptions options)
      : workflow_(std::move(workflow)),
        event_(std::move(event)),
        variables_(variables),
        hands_(hands),
        options_(options),
        scope_(*event_, variables_, hands_) {}

  Task<WorkflowRun> run() {
    const std::vector<WorkflowStep>* steps = workflow_->steps(event_->trigger);
    if (steps == nullptr) co_return std::move(out_);
    for (const WorkflowStep& step : *steps) {
      StepTrace trace{.step = &step};
      if (step.when && scope_.lacks(step.when->uses())) co_await scope_.gather(step.when->uses());
      if (applies(step, trace)) {
        ActionEnd end;
        Result<void> done;
        ActionCall call{*event_, step.arguments, variables_, scope_, hands_, end};
        if (step.action->has_nothing_to_do != nullptr && step.action->has_nothing_to_do(call)) {
          done = {};
        } else if (step.action->pure || options_.clock == nullptr) {
          done = co_await guarded(*step.action, call);
        } else {
          done = co_await send(step, end);
        }
        settle(step, done, end, trace);
      }
      if (options_.trace != nullptr) options_.trace->push_back(std::move(trace));
      if (!out_.answer.allowed || out_.force_allow) break;
    }
    co_return std::move(out_);
  }

 private:
  // Is it to be run? If not, the trace says why.
  bool applies(const WorkflowStep& step, StepTrace& trace) {
    if (step.when) {
      const auto holds =
          step.when->holds(scope_, options_.trace != nullptr ? &trace.when : nullptr);
      trace.holds = holds && *holds;
      if (!holds) undecided(step, holds.error(), trace);
      if (holds && !*holds) trace.outcome = "skipped";
      if (!trace.holds) return false;
    }
    if (!options_.dry || step.action->pure) return true;
    trace.outcome = "not run";
    trace.detail = "it acts in the world, and this is a dry run";
    return false;
  }

  Task<Result<void>> send(const WorkflowStep& step, ActionEnd& end) {
    if (options_.beginning && !step.action->only_looks) {
      CO_TRY_VOID(co_await options_.beginning->durable());
    }
    auto errand = std::make_shared<Errand>(workflow_, step, event_, variables_, hands_);
    const auto executor = co_await boost::asio::this_coro::executor;
    Clock& clock = *options_.clock;
    const Result<void> done =
        co_await complete_later<Result<void>>([&](Completer<Result<void>> waiting) {
          errand->waiting = std::move(waiting);
          boost::asio::co_spawn(executor, do_errand(errand), boost::asio::detached);
          if (!errand->waiting) return;
          boost::asio::co_spawn(executor, watch_errand(clock, errand), boost::asio::detached);
        });
    if (done) variables_ = errand->variables;
    end = errand->end;
    co_return done;
  }

  // A gate whose condition nobody can decide refuses.
  void undecided(const WorkflowStep& step, const Error& why, StepTrace& trace) {
    out_.failed = true;
    trace.outcome = "failed";
    trace.detail = why.message;
    if (step.action->gate && trigger_info(event_->trigger).can_block) {
      out_.answer = HookAnswer::block(fmt::format(
          "The rule in line {} of {} could not be decided ({}), so this is refused. Say so to the "
          "owner instead of trying again.",
          step.line, workflow_->file, why.message));
      trace.outcome = "blocked";
    }
    out_.actions.push_back(
        {std::string(step.action->name), step.line, trace.outcome, trace.detail});
  }

  void settle(const WorkflowStep& step, const Result<void>& done, ActionEnd& end,
              StepTrace& trace) {
    if (!done) return undecided(step, done.error(), trace);
    trace.outcome = "done";
    trace.detail = end.detail;
    if (!end.inject.empty()) {
      if (!out_.answer.inject.empty()) out_.answer.inject += "\n\n";
      out_.answer.inject += end.inject;
      if (trace.detail.empty()) trace.detail = told(end.inject);
    }
    if (end.force_allow) out_.force_allow = true;
    if (end.block && trigger_info(event_->trigger).can_block) {
      out_.answer.allowed = false;
      out_.answer.reason = *end.block;
      trace.outcome = "blocked";
    }
    const bool worth_telling = !trace.detail.empty() || trace.outcome == "blocked";
    if (worth_telling) {
      out_.actions.push_back(
          {std::string(step.action->name), step.line, trace.outcome, trace.detail});
    }
  }

  // What the model was told, for people who look; its beginning where the workflow wants no echo.
  [[nodiscard]] std::string told(std::string_view words) const {
    const bool echo = variables_.is("debug_echo_context");
    const std::string_view shown = utf8_prefix(words, echo ? kEchoBytes : kToldBytes);
    return fmt::format("told the model: {}{}", shown, shown.size() < words.size() ? "…" : "");
  }

  std::shared_ptr<const Workflow> workflow_;
  SharedEvent event_;
  SessionVariables& variables_;
  LifecycleHands& hands_;
  RunOptions options_;
  LifecycleScope scope_;
  WorkflowRun out_;
};

}  // namespace

Task<WorkflowRun> run_workflow(std::shared_ptr<const Workflow> workflow, SharedEvent event,
                               SessionVariables& variables, LifecycleHands& hands,
                               RunOptions options) {
  Runner runner(std::move(workflow), std::move(event), variables, hands, options);
  co_return co_await runner.run();
}

Task<WorkflowRun> run_workflow(std::shared_ptr<const Workflow> workflow, LifecycleEvent event,
                               SessionVariables& variables, LifecycleHands& hands,
                               RunOptions options) {
  return run_workflow(std::move(workflow), std::make_shared<LifecycleEvent>(std::move(event)),
                      variables, hands, options);
}

}  // namespace rouse
