#include "agent/agent_loop.h"

#include <iterator>

#include <fmt/format.h>

#include "agent/compaction/compaction_book.h"
#include "agent/compaction/handoff.h"
#include "agent/failure_words.h"
#include "agent/notify_lines.h"
#include "base/fault.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kShownResultBytes = 2 * 1024;  // of a result, in the live events

PromptBlock text_block(std::string text) {
  PromptBlock block;
  block.text = std::move(text);
  return block;
}

Content words(std::string text) { return text_content(std::move(text), kFromAgent); }

// One run of the loop: its state, and a function for each thing it does.
class AgentRun final : public ModelStream {
 public:
  AgentRun(LoopInput& input, std::shared_ptr<Model> model, ToolRegistry& tools, TurnHooks& hooks,
           LoopHouse& house, std::stop_token stop)
      : in_(input),
        model_(std::move(model)),
        tools_(tools),
        hooks_(hooks),
        house_(house),
        stop_(std::move(stop)),
        past_(in_.request.messages.size()) {}

  Task<LoopResult> run() {
    const HookAnswer first = co_await hooks_.before_agent(in_.turn, in_.message);
    if (!first.allowed) co_return failed("blocked", words(first.reason), first.reason);
    before_agent_ = first.inject;
    inject(before_agent_);
    if (auto more = co_await resume(); !more) co_return kept_failed(more.error());
    for (std::int64_t i = 0; i < in_.limits.model_calls; ++i) {
      if (auto done = co_await step()) co_return std::move(*done);
    }
    co_return failed("too_many_steps",
                     words(fmt::format("I stopped after {} steps without coming to an end. Ask me "
                                       "to go on, or for less at a time.",
                                       in_.limits.model_calls)),
                     "the bound of model calls was reached");
  }

  // What arrives is shown as it comes; it counts only when the answer is whole.
  void text(std::size_t block, std::string_view delta) override {
    if (streamed_.size() <= block) {
      streamed_.resize(block + 1);
      filters_.resize(block + 1);
    }
    show(block, filters_[block].add(delta));
  }
  void expect_quiet(Millis length) override { house_.expect_quiet(length); }
  void asked_to_wait(Millis length) override { result_.retry_after = length; }
  void again() override {
    ++attempt_;
    shown_blocks_ = 0;
    streamed_.clear();
    filters_.clear();
    house_.publish(event_of(TurnEvent::Kind::kAgain));
  }

 private:
  TurnEvent event_of(TurnEvent::Kind kind) const {
    TurnEvent event;
    event.kind = kind;
    event.turn = in_.turn;
    event.attempt = attempt_;
    return event;
  }

  void show(std::size_t block, std::string text) {
    if (text.empty()) return house_.expect_quiet(Millis{0});  // a sign of life all the same
    TurnEvent event = event_of(TurnEvent::Kind::kText);
    event.block = shown_blocks_ + block;
    event.offset = streamed_[block].size();
    streamed_[block] += text;
    event.text = std::move(text);
    house_.publish(std::move(event));
  }

  // From here on the lines that are for us are nowhere any more.
  void take_notify_lines(ModelAnswer& answer) {
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      if (std::string rest = filters_[i].end(); !rest.empty()) show(i, std::move(rest));
    }
    for (PromptBlock& block : answer.blocks) {
      if (block.kind != BlockKind::kText) continue;
      if (auto subject = cut_notify_lines(block.text)) {
        result_.notice = AnswerNotice{*std::move(subject), in_.turn.tainted};
      }
    }
    if (!result_.notice) return;
    std::erase_if(answer.blocks, [](const PromptBlock& block) {
      return block.kind == BlockKind::kText && block.text.empty();
    });
  }

  // One answer of the model and what follows from it; a value ends the turn.
  Task<std::optional<LoopResult>> step() {
    for (PromptMessage& said : house_.overheard()) {
      in_.request.messages.push_back(std::move(said));
    }
    if (in_.history_full || near_window(estimate_tokens(in_.request), model_->info())) {
      co_await fold(kCompactWindow);
    }
    streamed_.clear();
    filters_.clear();
    auto reserved = house_.reserve(in_.request, result_.spend);
    if (!reserved) co_return model_failed(reserved.error());
    auto answer = co_await model_->answer(in_.request, *this, stop_);
    if (!answer) {
      count_unanswered(*reserved);
      if (answer.error().is(ModelErrc::kContextFull) && co_await fold(kCompactOverflow)) {
        co_return std::nullopt;  // one more try
      }
      co_return model_failed(answer.error());
    }
    FAULT_POINT("turn.after_answer");
    take_notify_lines(*answer);
    result_.spend.add(model_->info(), answer->usage, answer->model);
    reserved->used(model_->info(), answer->usage);
    TurnEvent usage = event_of(TurnEvent::Kind::kUsage);
    usage.usage = result_.spend.usage;
    house_.publish(std::move(usage));
    if (stop_.stop_requested()) co_return stopped(answer->text());
    if (answer->calls().empty()) co_return co_await finish(std::move(*answer));
    co_return co_await call_tools(std::move(*answer));
  }

  // At most once a turn. What this turn has done so far stays as it is.
  Task<bool> fold(std::string_view reason) {
    const bool tried = reason == kCompactOverflow ? folded_ : std::exchange(looked_, true);
    if (tried || folded_) co_return false;
    auto anew = co_await house_.compact(reason, estimate_tokens(in_.request));
    if (!anew) co_return false;
    folded_ = true;
    const auto own = in_.request.messages.begin() + static_cast<std::ptrdiff_t>(past_);
    std::move(own, in_.request.messages.end(), std::back_inserter(anew->messages));
    past_ = anew->messages.size() - (in_.request.messages.size() - past_);
    in_.request.messages = std::move(anew->messages);
    in_.request.past = std::move(anew->past);
    in_.request.system = std::move(anew->system);
    inject(before_agent_);
    co_return true;
  }

  // A call that broke off after it had begun to answer cost something, too; nobody says how much.
  void count_unanswered(SpendBook::Reservation& reserved) {
    std::size_t bytes = 0;
    for (const std::string& block : streamed_) bytes += block.size();
    if (bytes == 0) return;
    ModelUsage usage;
    usage.in = estimate_tokens(in_.request);
    usage.out = estimate_tokens(bytes);
    usage.estimated = true;
    result_.spend.add(model_->info(), usage, model_->info().full_name());
    reserved.used(model_->info(), usage);
  }

  Task<std::optional<LoopResult>> finish(ModelAnswer answer) {
    const std::string said = answer.text();
    const HookAnswer last = co_await hooks_.stop(in_.turn, said);
    // The offline assistant follows no instructions: to send it back would only repeat it.
    const bool can_go_on = !model_->info().built_in;
    if (!last.allowed && can_go_on && ++stop_blocks_ <= in_.limits.stop_blocks) {
      shown_blocks_ += streamed_.size();
      remember(PromptRole::kAssistant, answer.blocks);
      say_to_model(last.reason);
      co_return std::nullopt;
    }
    co_return ended(answer.stop, said);
  }

  LoopResult ended(StopReason stop, const std::string& said) {
    if (trim(said).empty()) {
      if (result_.notice && !result_.notice->subject.empty()) {
        return done({"spoke", ""}, words(result_.notice->subject));
      }
      if (stop == StopReason::kRefusal) {
        return failed("refusal", words("The model declined to answer this."), "refusal");
      }
      if (in_.turn.kind == "session_open") return done({"silent", "empty"}, {});
      return failed("empty_answer", words("The model gave an empty answer. Please try again."),
                    fmt::format("empty answer, stop reason {}", stop_reason_name(stop)));
    }
    if (stop == StopReason::kMaxTokens) {
      return done({"spoke", "max_tokens"},
                  words(said + "\n\n(The answer was cut at the model's output limit.)"));
    }
    return done({"spoke", ""}, words(said));
  }

  // --- tools -------------------------------------------------------------------------------------

  Task<std::optional<LoopResult>> call_tools(ModelAnswer answer) {
    if (const auto begun = co_await house_.begun(); !begun) co_return kept_failed(begun.error());
    const auto calls = answer.calls();
    tool_calls_ += static_cast<std::int64_t>(calls.size());
    if (tool_calls_ > in_.limits.tool_calls) {
      co_return failed("too_many_tools",
                       words(fmt::format("I stopped: more than {} tool calls in one turn.",
                                         in_.limits.tool_calls)),
                       "the bound of tool calls was reached");
    }
    shown_blocks_ += streamed_.size();
    std::vector<TurnStep> unkept{{"answer", contents(answer.blocks), house_.now()}};
    remember(PromptRole::kAssistant, answer.blocks);
    std::vector<PromptBlock> results;
    for (const PromptBlock* call : calls) {
      if (auto kept = co_await run_call(*call, unkept, results); !kept) {
        co_return kept_failed(kept.error());
      }
      if (stop_.stop_requested()) co_return stopped({});
    }
    remember(PromptRole::kUser, std::move(results));
    inject_after_results();
    co_return std::nullopt;
  }

  // Afterwards everything up to and with the call's result is durable.
  Task<Result<void>> run_call(const PromptBlock& call, std::vector<TurnStep>& unkept,
                              std::vector<PromptBlock>& results) {
    TurnEvent began = event_of(TurnEvent::Kind::kToolCall);
    began.call_id = call.call_id;
    began.tool = call.tool;
    began.text = call.arguments;
    house_.publish(std::move(began));

    ToolResult result = co_await refusal(call);
    CallRuling ruling;
    const bool approved = in_.approved && std::exchange(approval_open_, false);
    if (!result.failed && approved) {
      result.text = why_not_any_more(call);
      result.failed = !result.text.empty();
    } else if (!result.failed) {
      CO_TRY(ruling, house_.rule_on(*tools_.find(call.tool), tool_call(call), in_.turn));
      if (ruling.ruling.kind != PolicyRuling::Kind::kAllow) {
        result = {.text = ruling.ruling.words, .failed = true};
      }
    }
    if (!result.failed) {
      const ToolCall now = approved ? approved_call() : tool_call(call);
      if (tools_.find(call.tool)->changes(now)) {
        unkept.push_back({"intent", {to_content_block(call)}, house_.now()});
        CO_TRY_VOID(co_await house_.keep(std::exchange(unkept, {}), {}));
        FAULT_POINT("turn.after_intent");
      }
      house_.expect_quiet(kToolDeadline);
      result = co_await tools_.run(call.tool, now, stop_);
      FAULT_POINT("turn.after_tool");
      if (result.untrusted) in_.turn.tainted = true;
      const HookAnswer after =
          co_await hooks_.after_tool(in_.turn, call.tool, call.arguments, result);
      if (!after.inject.empty()) injected_ += after.inject + "\n";
    }
    PromptBlock block = text_block(result.text);
    block.kind = BlockKind::kToolResult;
    block.call_id = call.call_id;
    block.tool = call.tool;
    block.failed = result.failed;
    ContentBlock stored = to_content_block(block);
    if (result.untrusted) stored.from = kFromUntrusted;
    unkept.push_back({"result", {std::move(stored)}, house_.now()});
    CO_TRY_VOID(co_await house_.keep(std::exchange(unkept, {}), std::move(ruling)));

    TurnEvent ended = event_of(TurnEvent::Kind::kToolResult);
    ended.call_id = call.call_id;
    ended.tool = call.tool;
    ended.failed = result.failed;
    ended.text = utf8_prefix(result.text, kShownResultBytes);
    house_.publish(std::move(ended));
    results.push_back(std::move(block));
    co_return Result<void>{};
  }

  // A failed result if the call can't run at all, or the rules of the session's life forbid it:
  // those come before anybody is asked (U16).
  Task<ToolResult> refusal(const PromptBlock& call) {
    if (auto fits = tools_.check(call.tool, call.arguments); !fits) {
      co_return ToolResult{.text = fits.error().message, .failed = true};
    }
    if (!may_use(in_.turn, call.tool)) {
      co_return ToolResult{.text = fmt::format("{} is not among the tools this turn was given. Do "
                                               "without it and say so.",
                                               call.tool),
                           .failed = true};
    }
    const HookAnswer before = co_await hooks_.before_tool(in_.turn, call.tool, call.arguments);
    if (!before.inject.empty()) injected_ += before.inject + "\n";
    if (!before.allowed) co_return ToolResult{.text = before.reason, .failed = true};
    co_return ToolResult{};
  }

  // An approved call runs as it was asked for, unless what it means or what is allowed has changed
  // since the person said yes (AP-4).
  [[nodiscard]] std::string why_not_any_more(const PromptBlock& call) {
    const Tool& tool = *tools_.find(call.tool);
    const ToolCall asked = approved_call();
    if (call.arguments != in_.approved->arguments || call.tool != in_.approved->tool ||
        what_runs(tool, asked).covers != in_.approved->covers) {
      return "This is no longer what was approved: settings changed since. It was not run; ask for "
             "it again.";
    }
    const auto ruled = house_.rule_on(tool, asked, in_.turn);
    if (!ruled) return ruled.error().message;  // who can't look it up doesn't run it
    if (ruled->ruling.kind == PolicyRuling::Kind::kDeny) return ruled->ruling.words;
    return {};
  }

  [[nodiscard]] ToolCall approved_call() const {
    ToolCall out = tool_call({});
    out.id = in_.approved->id.str();
    out.arguments = in_.approved->arguments;
    out.tainted = in_.approved->tainted;
    out.agent = in_.approved->agent;
    out.project_folder = in_.approved->project_folder;
    return out;
  }

  [[nodiscard]] ToolCall tool_call(const PromptBlock& call) const {
    return {.id = call.call_id,
            .arguments = call.arguments,
            .workspace = in_.turn.workspace,
            .conversation = in_.turn.conversation,
            .session = in_.turn.session,
            .turn = in_.turn.turn,
            .turn_kind = in_.turn.kind,
            .zone = in_.turn.zone,
            .tainted = in_.turn.tainted,
            .agent = in_.turn.agent,
            .project_folder = in_.turn.project_folder,
            .stranger = in_.turn.stranger};
  }

  // --- going on from what an earlier try has kept
  // --------------------------------------------------

  // Only calls without side effects can lack a result here (turn_ledger.h): they are run again.
  Task<Result<void>> resume() {
    for (std::size_t i = 0; i < in_.done.size(); ++i) {
      if (in_.done[i].kind != "answer") continue;
      const std::vector<PromptBlock> answer = prompt_blocks(in_.done[i].content);
      remember(PromptRole::kAssistant, answer);
      std::vector<PromptBlock> results;
      std::vector<TurnStep> unkept;
      for (const PromptBlock& call : answer) {
        if (call.kind != BlockKind::kToolCall) continue;
        ++tool_calls_;
        if (const ContentBlock* kept = kept_result(i, call.call_id)) {
          if (kept->from == kFromUntrusted) in_.turn.tainted = true;
          results.push_back(to_prompt_block(*kept));
        } else {
          // The call that a yes was given for is the first of its turn, and made here alone.
          approval_open_ = in_.approved && i == 0 && call.call_id == in_.approved->id.str();
          CO_TRY_VOID(co_await run_call(call, unkept, results));
        }
      }
      remember(PromptRole::kUser, std::move(results));
    }
    co_return Result<void>{};
  }

  const ContentBlock* kept_result(std::size_t answer, const std::string& call_id) const {
    for (std::size_t j = answer + 1; j < in_.done.size() && in_.done[j].kind != "answer"; ++j) {
      const ContentBlock& block = in_.done[j].content.front();
      if (in_.done[j].kind == "result" && block.call_id == call_id) return &block;
    }
    return nullptr;
  }

  // --- the prompt as it grows
  // ----------------------------------------------------------------------

  void remember(PromptRole role, std::vector<PromptBlock> blocks) {
    in_.request.messages.push_back({role, std::move(blocks)});
  }
  void say_to_model(const std::string& text) { remember(PromptRole::kUser, {text_block(text)}); }
  void inject(const std::string& text) {
    if (!text.empty()) in_.request.system.push_back({text, false});
  }
  void inject_after_results() {
    if (injected_.empty()) return;
    in_.request.messages.back().blocks.push_back(text_block(std::exchange(injected_, {})));
  }

  static Content contents(const std::vector<PromptBlock>& blocks) {
    Content out;
    for (const PromptBlock& block : blocks) out.push_back(to_content_block(block));
    return out;
  }
  static std::vector<PromptBlock> prompt_blocks(const Content& content) {
    std::vector<PromptBlock> out;
    for (const ContentBlock& block : content) out.push_back(to_prompt_block(block));
    return out;
  }

  // --- the end
  // -------------------------------------------------------------------------------------

  LoopResult done(Verdict verdict, Content answer) {
    result_.verdict = std::move(verdict);
    result_.answer = std::move(answer);
    return std::move(result_);
  }
  LoopResult failed(std::string reason, Content answer, std::string error) {
    result_.error = std::move(error);
    return done({"failed", std::move(reason)}, std::move(answer));
  }
  LoopResult model_failed(const Error& error) {
    if (stop_.stop_requested()) {
      std::string partial;
      for (const std::string& block : streamed_) partial += block;
      return stopped(std::move(partial));
    }
    return failed(std::string(error.name), words(failure_words(error)), error.message);
  }
  // The store refused a step: what happened up to here is what it has.
  LoopResult kept_failed(const Error& error) {
    return failed(std::string(error.name),
                  words("I could not write down what I did, so I stopped. " + error.message),
                  error.message);
  }
  // What was said until then is kept.
  LoopResult stopped(std::string partial) {
    const std::string why = house_.stop_reason();
    const std::string note = stopped_words(why);
    return done({"interrupted", why},
                words(trim(partial).empty() ? note : partial + "\n\n(" + note + ")"));
  }

  LoopInput& in_;
  std::shared_ptr<Model> model_;
  ToolRegistry& tools_;
  TurnHooks& hooks_;
  LoopHouse& house_;
  std::stop_token stop_;
  std::size_t past_;            // messages of the request that come before what this turn did
  bool approval_open_ = false;  // the call under way is the one that was approved
  bool folded_ = false;         // the past was
  bool looked_ = false;         // whether the prompt nears the window
  std::string before_agent_;    // what the hooks added to the instructions
  LoopResult result_;
  std::int64_t attempt_ = 1;
  std::size_t shown_blocks_ = 0;       // of this attempt, before the answer under way
  std::vector<std::string> streamed_;  // of the answer under way, as it was shown
  std::vector<NotifyLineFilter> filters_;
  std::string injected_;
  std::int64_t tool_calls_ = 0;
  std::int64_t stop_blocks_ = 0;
};

}  // namespace

Task<LoopResult> run_agent(LoopInput& input, std::shared_ptr<Model> model, ToolRegistry& tools,
                           TurnHooks& hooks, LoopHouse& house, std::stop_token stop) {
  AgentRun run(input, std::move(model), tools, hooks, house, std::move(stop));
  co_return co_await run.run();
}

PromptBlock to_prompt_block(const ContentBlock& block) {
  PromptBlock out;
  if (block.type == kToolCallBlock) {
    out.kind = BlockKind::kToolCall;
    out.arguments = block.arguments.value_or("{}");
  } else if (block.type == kToolResultBlock) {
    out.kind = BlockKind::kToolResult;
    out.failed = block.failed.value_or(false);
  }
  out.text = block.text.value_or("");
  out.call_id = block.call_id.value_or("");
  out.tool = block.tool.value_or("");
  return out;
}

ContentBlock to_content_block(const PromptBlock& block) {
  ContentBlock out;
  out.from = kFromAgent;
  if (block.kind == BlockKind::kText) {
    out.text = block.text;
    return out;
  }
  out.call_id = block.call_id;
  out.tool = block.tool;
  if (block.kind == BlockKind::kToolCall) {
    out.type = "tool_call";
    out.arguments = block.arguments;
  } else {
    out.type = "tool_result";
    out.text = block.text;
    if (block.failed) out.failed = true;
  }
  return out;
}

}  // namespace rouse
