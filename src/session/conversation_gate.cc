#include "session/conversation_gate.h"

namespace rouse {

Task<ConversationGate::Pass> ConversationGate::enter(WorkspaceId workspace, SessionKey key) {
  std::string name = workspace.str() + "\n" + key.str();
  const auto state = state_;
  const auto [line, first] = state->lines.try_emplace(name);
  if (!first) {
    co_await complete_later<bool>(
        [waiting = &line->second](Completer<bool> done) { waiting->push_back(std::move(done)); });
  }
  co_return Pass(state, std::move(name));
}

ConversationGate::Pass::~Pass() {
  if (!state_) return;  // moved from, or the gate is gone
  if (!keeps_) state_->live.forget(name_);
  const auto line = state_->lines.find(name_);
  if (line->second.empty()) {
    state_->lines.erase(line);
    return;
  }
  auto next = std::move(line->second.front());
  line->second.pop_front();
  next(true);
}

}  // namespace rouse
