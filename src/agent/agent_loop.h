// The agent loop: messages in, events out. It asks the model, runs the tools the model calls, and
// goes on until the model is done, a bound is reached or somebody stops it. It knows no channel, no
// HTTP and no SQL; whatever it needs of the world is handed in.
//
// What it promises, on every path:
// - the hooks are called (turn_hooks.h), and what they block doesn't happen;
// - the model's answer and each result are durable before the next step begins, the intent of a
//   call with side effects before it runs;
// - it ends with exactly one result, whose words are for a person.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/approval_desk.h"
#include "agent/spend.h"
#include "agent/turn_hooks.h"
#include "agent/turn_stage.h"
#include "model/model.h"
#include "session/turn_ledger.h"
#include "tool/registry.h"

namespace rouse {

struct LoopLimits {
  std::int64_t model_calls = 24;  // a turn
  std::int64_t tool_calls = 100;  // a turn
  std::int64_t stop_blocks = 3;   // how often a hook may send the model back to work
};

struct LoopInput {
  TurnContext turn;
  std::string message;         // what the person said, for the hooks
  ModelRequest request;        // the prompt up to this turn's message
  bool history_full = false;   // more was said than its share of the window takes
  std::vector<TurnStep> done;  // what an earlier try has kept
  // A person has said yes to this call: it runs as it was asked for, without asking again.
  std::optional<Approval> approved = {};
  LoopLimits limits;
};

// The agent wants its answer to be heard of outside of the conversation (notify_lines.h).
struct AnswerNotice {
  std::string subject;
  bool untrusted = false;  // foreign words may be in it
};

struct LoopResult {
  Verdict verdict;
  Content answer;     // the last message, for the person
  std::string error;  // the whole story, for the record
  TurnSpend spend;
  Millis retry_after = {};  // failed: what the model's provider asked to wait
  std::optional<AnswerNotice> notice = {};
};

// What the loop needs of the house around it.
class LoopHouse {
 public:
  virtual ~LoopHouse() = default;
  // Returns when the turn itself is durable: before that the model may be asked, and nothing be
  // done. After a failure it does not matter how the turn ends; there is nobody to tell.
  virtual Task<Result<void>> begun() = 0;
  // Durable when it answers. An approval that was asked for is there exactly if the steps are.
  virtual Task<Result<void>> keep(std::vector<TurnStep> steps, CallRuling asked) = 0;
  // May the call run (approval_desk.h)?
  virtual Result<CallRuling> rule_on(const Tool& tool, const ToolCall& call,
                                     const TurnContext& turn) = 0;
  virtual void publish(TurnEvent event) = 0;
  // Nothing may be heard for so long, and all is well.
  virtual void expect_quiet(Millis length) = 0;
  // Before a call of the model; held while it is under way.
  virtual Result<SpendBook::Reservation> reserve(const ModelRequest& request,
                                                 const TurnSpend& so_far) = 0;
  // The past is folded into a summary and the prompt built anew, up to this turn's message; none:
  // there was nothing to gain, or the rules forbid it (compaction/).
  virtual Task<std::optional<ModelRequest>> compact(std::string_view reason,
                                                    std::int64_t tokens) = 0;
  // What people said since the last call of the model, if the running turn may see it.
  virtual std::vector<PromptMessage> overheard() = 0;
  // Why the stop was asked for: "cancelled", "deadline" …
  [[nodiscard]] virtual std::string stop_reason() const = 0;
  [[nodiscard]] virtual WallTime now() const = 0;
};

// The input grows while the loop runs and is its caller's to let go of.
Task<LoopResult> run_agent(LoopInput& input, std::shared_ptr<Model> model, ToolRegistry& tools,
                           TurnHooks& hooks, LoopHouse& house, std::stop_token stop);

// Between what is stored and what a model is told.
PromptBlock to_prompt_block(const ContentBlock& block);
ContentBlock to_content_block(const PromptBlock& block);

}  // namespace rouse
