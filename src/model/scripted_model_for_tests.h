// A Model for tests of other rooms: plays a list of answers one after the other (text in pieces,
// tool calls, failures, a call that hangs until it is cancelled) and keeps the requests it got.
// Between two pieces the loop goes round, so that others can act in the middle of an answer.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/prompt_past.h"

namespace rouse {

struct ScriptedAnswer {
  std::vector<std::string> void_pieces;  // streamed first, then taken back with again()
  std::vector<std::string> pieces;       // of one text block
  std::string last_words;                // the only ones, if any, in spite of the stop
  std::vector<PromptBlock> calls;
  StopReason stop = StopReason::kEnd;
  ModelUsage usage{.in = 10, .out = 5};
  std::optional<Error> error;  // after what is streamed
  Millis retry_after = {};     // with the error
  bool hangs = false;          // after what is streamed, until the stop

  static ScriptedAnswer says(std::string text) { return says_in_pieces({std::move(text)}); }
  static ScriptedAnswer says_in_pieces(std::vector<std::string> pieces) {
    ScriptedAnswer out;
    out.pieces = std::move(pieces);
    return out;
  }
  static ScriptedAnswer calls_tool(std::string id, std::string tool, std::string arguments = "{}") {
    return ScriptedAnswer().and_calls(std::move(id), std::move(tool), std::move(arguments));
  }
  static ScriptedAnswer fails(ModelErrc code, std::string message = "as the script says") {
    ScriptedAnswer out;
    out.error = Error(code, std::move(message));
    return out;
  }
  static ScriptedAnswer hangs_until_cancelled(std::vector<std::string> said_before = {}) {
    ScriptedAnswer out = says_in_pieces(std::move(said_before));
    out.hangs = true;
    return out;
  }

  // Its last words were under way when it was told to stop.
  static ScriptedAnswer says_after_the_stop(std::string text) {
    ScriptedAnswer out;
    out.last_words = std::move(text);
    out.hangs = true;
    return out;
  }

  ScriptedAnswer and_calls(std::string id, std::string tool, std::string arguments = "{}") && {
    PromptBlock call;
    call.kind = BlockKind::kToolCall;
    call.call_id = std::move(id);
    call.tool = std::move(tool);
    call.arguments = std::move(arguments);
    calls.push_back(std::move(call));
    stop = StopReason::kToolUse;
    return std::move(*this);
  }
  ScriptedAnswer ending(StopReason reason) && {
    stop = reason;
    return std::move(*this);
  }
  ScriptedAnswer using_tokens(ModelUsage used) && {
    usage = used;
    return std::move(*this);
  }
  ScriptedAnswer after_a_void_try(std::vector<std::string> taken_back) && {
    void_pieces = std::move(taken_back);
    return std::move(*this);
  }
};

class ScriptedModel final : public Model {
 public:
  explicit ScriptedModel(std::vector<ScriptedAnswer> script = {})
      : script_(std::make_move_iterator(script.begin()), std::make_move_iterator(script.end())) {
    described.provider = "scripted";
    described.name = "test";
  }

  ModelInfo described;
  std::vector<ModelRequest> requests;  // with all their messages
  std::size_t with_past = 0;           // how many of them came with a PromptPast
  // Answers when the script is over; without it that is a failure.
  std::function<ScriptedAnswer(const ModelRequest&)> otherwise;

  void then(ScriptedAnswer answer) { script_.push_back(std::move(answer)); }
  [[nodiscard]] std::size_t left() const { return script_.size(); }
  [[nodiscard]] std::size_t running() const { return running_; }

  [[nodiscard]] const ModelInfo& info() const override { return described; }

  Task<Result<ModelAnswer>> answer(const ModelRequest& request, ModelStream& stream,
                                   std::stop_token stop) override {
    ++running_;
    if (request.past) ++with_past;
    const ModelRequest whole = without_past(request);
    const ScriptedAnswer next = take_next(whole);
    requests.push_back(whole);
    auto result = co_await play(next, stream, std::move(stop));
    --running_;
    co_return result;
  }

 private:
  ScriptedAnswer take_next(const ModelRequest& request) {
    if (script_.empty()) {
      return otherwise ? otherwise(request)
                       : ScriptedAnswer::fails(ModelErrc::kBroken, "the test's script is over");
    }
    ScriptedAnswer next = std::move(script_.front());
    script_.pop_front();
    return next;
  }

  Task<Result<ModelAnswer>> play(const ScriptedAnswer& script, ModelStream& stream,
                                 std::stop_token stop) {
    ModelAnswer out;
    for (const std::string& piece : script.void_pieces) {
      co_await next_round();
      stream.text(0, piece);
    }
    if (!script.void_pieces.empty()) stream.again();
    for (const std::string& piece : script.pieces) {
      co_await next_round();
      if (stop.stop_requested()) co_return fail(ModelErrc::kCancelled, "the call was cancelled");
      if (out.blocks.empty()) out.blocks.emplace_back();
      out.blocks.front().text += piece;
      stream.text(0, piece);
    }
    co_await next_round();
    if (script.hangs) co_await stopped(stop);
    if (!script.last_words.empty()) {
      out.blocks.emplace_back().text = script.last_words;
      stream.text(0, script.last_words);
    } else if (stop.stop_requested()) {
      co_return fail(ModelErrc::kCancelled, "the call was cancelled");
    }
    if (script.retry_after > millis(0)) stream.asked_to_wait(script.retry_after);
    if (script.error) co_return fail(*script.error);
    out.blocks.insert(out.blocks.end(), script.calls.begin(), script.calls.end());
    out.stop = script.stop;
    out.usage = script.usage;
    out.model = described.full_name();
    co_return out;
  }

  static Task<bool> next_round() {
    return complete_later<bool>([](Completer<bool> done) { done(true); });
  }

  static Task<bool> stopped(std::stop_token stop) {
    std::optional<std::stop_callback<std::function<void()>>> on_stop;
    co_return co_await complete_later<bool>([&](Completer<bool> done) {
      auto held = std::make_shared<Completer<bool>>(std::move(done));
      on_stop.emplace(std::move(stop), [held] { (*held)(true); });
    });
  }

  std::deque<ScriptedAnswer> script_;
  std::size_t running_ = 0;
};

}  // namespace rouse
