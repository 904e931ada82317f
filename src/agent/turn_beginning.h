// A turn may be worked on while the message that called for it is still on its way to the disk:
// the prompt is built and the model asked meanwhile (ADR 20). Nothing of that may be seen or felt
// before the message is durable. This is what both sides share: whoever waits for the disk says how
// it came out, once; whoever is about to do what lasts waits for that. The one exception is the end
// of the turn: it may be handed to the store behind the message, with the pass that the message
// holds, and becomes durable after it, with it, or not at all (ADR 22).
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/task.h"
#include "session/conversation_gate.h"

namespace rouse {

class TurnBeginning {
 public:
  // Those who wait. Kept by the one who settles it: if that one goes away, so do they.
  using Waiting = std::vector<Completer<bool>>;
  TurnBeginning(const std::shared_ptr<Waiting>& waiting,
                std::shared_ptr<ConversationGate::Pass> pass)
      : waiting_(waiting), pass_(std::move(pass)) {}

  [[nodiscard]] bool is_settled() const { return outcome_.has_value(); }
  // The message could not be kept: there is no such turn.
  [[nodiscard]] bool never_was() const { return outcome_ && !*outcome_; }

  // To write behind the message; null when it is settled.
  [[nodiscard]] const std::shared_ptr<ConversationGate::Pass>& pass() const { return pass_; }

  // Returns when it is settled. Whoever waits holds on to this object.
  Task<Result<void>> durable() {
    if (!outcome_) {
      co_await complete_later<bool>([this](Completer<bool> done) {
        if (const auto waiting = waiting_.lock()) waiting->push_back(std::move(done));
      });
    }
    co_return *outcome_;
  }

  void settle(Result<void> outcome) {
    outcome_ = std::move(outcome);
    pass_.reset();
    if (const auto waiting = waiting_.lock()) {
      for (auto& done : std::exchange(*waiting, {})) done(true);
    }
  }

 private:
  std::weak_ptr<Waiting> waiting_;
  std::shared_ptr<ConversationGate::Pass> pass_;
  std::optional<Result<void>> outcome_;
};

}  // namespace rouse
