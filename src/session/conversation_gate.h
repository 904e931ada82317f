// One at a time through a conversation: whatever reads a conversation's state, decides and commits
// holds its pass from the read to the commit. Others wait in the order they came (SE-8); different
// conversations don't meet. A pass is memory only: a process that dies leaves nothing locked
// (SE-9).
//
// Behind the gate lies what is known of the conversations worked on lately (live_conversations.h).
// Whoever passes may use it, and says at the end whether it is still true: a pass that doesn't say
// keeps() takes it along, so code that knows nothing of it is right.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/ids.h"
#include "base/task.h"
#include "session/live_conversations.h"
#include "session/session_key.h"

namespace rouse {

class ConversationGate {
 public:
  class Pass;

  // Waits for its turn. Costs a hash lookup when nobody is there.
  Task<Pass> enter(WorkspaceId workspace, SessionKey key);
  [[nodiscard]] std::size_t held() const { return state_->lines.size(); }
  // What is committed, for whoever only reads.
  LiveConversations& live() { return state_->live; }

 private:
  struct State {
    std::unordered_map<std::string, std::deque<Completer<bool>>> lines;  // who waits, by name
    LiveConversations live;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();  // a pass may outlive the house
};

class ConversationGate::Pass {
 public:
  Pass(std::shared_ptr<State> state, std::string name)
      : state_(std::move(state)), name_(std::move(name)) {}
  Pass(Pass&&) noexcept = default;
  Pass& operator=(Pass&&) = delete;
  ~Pass();

  // What is known of the conversation, or null.
  [[nodiscard]] LiveConversation* live() const { return state_->live.find(name_); }
  // Nothing was written, or what was is told here.
  void keeps() { keeps_ = true; }
  void keeps(LiveConversation live) {
    state_->live.put(name_, std::move(live));
    keeps_ = true;
  }

 private:
  std::shared_ptr<State> state_;
  std::string name_;
  bool keeps_ = false;
};

}  // namespace rouse
