// A turn runner that does as the test says: it accepts durably like the real one, and a turn ends
// when the test ends it, or at once.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/turn_runner.h"

namespace rouse {

class ScriptedRunner final : public TurnRunner {
 public:
  explicit ScriptedRunner(SessionKernel& kernel) : kernel_(kernel) {}

  Task<Result<Submitted>> submit(InboundMessage message) override {
    ++submissions;
    if (before_submit) co_await before_submit();
    CO_TRY(Resolved resolved, co_await kernel_.accept(std::move(message)));
    if (!resolved.redelivered) accepted.push_back(resolved);
    if (answers_with && !outcomes_.contains(*resolved.turn)) end(resolved, *answers_with);
    co_return Submitted{std::move(resolved)};
  }

  Task<Result<TurnOutcome>> wait(TurnId turn, std::stop_token stop) override {
    if (const auto over = outcomes_.find(turn); over != outcomes_.end()) co_return over->second;
    std::optional<std::stop_callback<std::function<void()>>> on_stop;
    const std::uint64_t number = next_++;
    co_return co_await complete_later<Result<TurnOutcome>>(
        [&](Completer<Result<TurnOutcome>> done) {
          waiting_.emplace(number, std::pair(turn, std::move(done)));
          on_stop.emplace(stop, [this, number] {
            auto node = waiting_.extract(number);
            if (node) node.mapped().second(fail(Errc::kCancelled, "nobody waits any more"));
          });
        });
  }

  // The turn is over, and those who wait for it are told.
  void end(const Resolved& resolved, const std::string& response) {
    TurnOutcome outcome{.turn = *resolved.turn,
                        .session = resolved.session.id,
                        .conversation = resolved.session.conversation,
                        .response = response,
                        .verdict = {"spoke", ""},
                        .pending_approvals = {}};
    outcomes_.emplace(*resolved.turn, outcome);
    for (auto& [number, one] : std::exchange(waiting_, {})) {
      if (one.first == *resolved.turn) {
        one.second(outcome);
      } else {
        waiting_.emplace(number, std::move(one));
      }
    }
  }
  [[nodiscard]] std::size_t waiters() const { return waiting_.size(); }

  Task<Result<Turn>> cancel(TurnId) override { co_return fail(Errc::kUnsupported, "not here"); }
  Task<Result<Turn>> drop_waiting(TurnId, std::string) override {
    co_return fail(Errc::kUnsupported, "not here");
  }
  Task<Result<Cleared>> clear(WorkspaceId, std::string) override { co_return Cleared{}; }
  [[nodiscard]] bool busy(const ConversationId&) const override { return false; }
  [[nodiscard]] std::size_t running() const override { return 0; }

  std::optional<std::string> answers_with;  // every turn at once
  std::function<Task<void>()> before_submit;
  std::vector<Resolved> accepted;
  int submissions = 0;

 private:
  using Waiting = std::map<std::uint64_t, std::pair<TurnId, Completer<Result<TurnOutcome>>>>;
  SessionKernel& kernel_;
  std::map<TurnId, TurnOutcome> outcomes_;
  Waiting waiting_;
  std::uint64_t next_ = 0;
};

}  // namespace rouse
