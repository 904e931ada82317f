#include "agent/turn_stage.h"

namespace rouse {

TurnStage::Subscription TurnStage::watch(std::string topic, Listener listener) {
  const std::uint64_t number = ears_->next++;
  ears_->by_number.emplace(
      number, std::pair(std::move(topic), std::make_shared<Listener>(std::move(listener))));
  return {ears_, number};
}

TurnStage::Subscription TurnStage::watch_workspace(const WorkspaceId& workspace,
                                                   Listener listener) {
  return watch(workspace.str(), std::move(listener));
}

TurnStage::Subscription TurnStage::watch_turn(const TurnId& turn, Listener listener) {
  return watch(turn.str(), std::move(listener));
}

std::vector<TurnSnapshot> TurnStage::snapshots(const WorkspaceId& workspace) const {
  std::vector<TurnSnapshot> out;
  for (const auto& [id, snapshot] : running_) {
    if (snapshot.turn.workspace == workspace) out.push_back(snapshot);
  }
  return out;
}

const TurnSnapshot* TurnStage::snapshot(const TurnId& turn) const {
  const auto found = running_.find(turn.str());
  return found == running_.end() ? nullptr : &found->second;
}

namespace {

void note_text(TurnSnapshot& snapshot, const TurnEvent& event) {
  if (snapshot.blocks.size() <= event.block) snapshot.blocks.resize(event.block + 1);
  snapshot.blocks[event.block] += event.text;
}

void note_result(TurnSnapshot& snapshot, const TurnEvent& event) {
  for (auto& call : snapshot.calls) {
    if (call.call_id != event.call_id) continue;
    call.done = true;
    call.failed = event.failed;
  }
}

void note(TurnSnapshot& snapshot, const TurnEvent& event) {
  switch (event.kind) {
    case TurnEvent::Kind::kText:
      return note_text(snapshot, event);
    case TurnEvent::Kind::kAgain:
      snapshot.attempt = event.attempt;
      snapshot.blocks.clear();
      return;
    case TurnEvent::Kind::kToolCall:
      snapshot.calls.push_back({event.call_id, event.tool});
      return;
    case TurnEvent::Kind::kToolResult:
      return note_result(snapshot, event);
    default:
      return;
  }
}

}  // namespace

void TurnStage::publish(TurnEvent event) {
  const std::string& id = event.turn.turn.str();
  if (event.kind == TurnEvent::Kind::kEnded) {
    running_.erase(id);
  } else {
    auto [at, made] = running_.try_emplace(id);
    if (made) at->second.turn = event.turn;
    if (made) at->second.attempt = event.attempt;
    note(at->second, event);
  }
  if (ears_->by_number.empty()) return;
  // A listener may end subscriptions, its own too, while it is called.
  std::vector<std::shared_ptr<Listener>> called;
  for (const auto& [number, ear] : ears_->by_number) {
    if (ear.first == id || ear.first == event.turn.workspace.str()) called.push_back(ear.second);
  }
  for (const auto& listener : called) (*listener)(event);
}

}  // namespace rouse
