#include "agent/turn_stage.h"

#include "base/text.h"

namespace rouse {

TurnStage::Subscription TurnStage::watch(std::string topic, Listener listener) {
  const std::uint64_t number = ears_->next++;
  ears_->by_topic[topic].emplace(number, std::make_shared<Ear>(std::move(listener)));
  return {ears_, std::move(topic), number};
}

void TurnStage::Ears::end(const std::string& topic, std::uint64_t number) {
  const auto of_topic = by_topic.find(topic);
  if (of_topic == by_topic.end()) return;
  const auto found = of_topic->second.find(number);
  if (found == of_topic->second.end()) return;
  // Held until it is out of the maps: what a listener owns may hold subscriptions too.
  const std::shared_ptr<Ear> ear = std::move(found->second);
  ear->listening = false;
  of_topic->second.erase(found);
  if (of_topic->second.empty()) by_topic.erase(of_topic);
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
  const auto ids = running_turns_of_.find(workspace.str());
  if (ids == running_turns_of_.end()) return out;
  for (const std::string& id : ids->second) out.push_back(running_.at(id));
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

// What was called and what came of it is kept of the newest calls: of all of them it might be more
// than anybody wants to look at.
void keep_bounds(TurnSnapshot& snapshot) {
  constexpr std::size_t kBytes = 64 * 1024;
  std::size_t bytes = 0;
  for (auto call = snapshot.calls.rbegin(); call != snapshot.calls.rend(); ++call) {
    bytes += call->arguments.size() + call->text.size();
    if (bytes <= kBytes) continue;
    call->arguments.clear();
    call->text.clear();
  }
}

std::string shown(std::string_view text) {
  constexpr std::size_t kBytes = 4 * 1024;
  return std::string(utf8_prefix(text, kBytes));
}

void note_result(TurnSnapshot& snapshot, const TurnEvent& event) {
  for (auto& call : snapshot.calls) {
    if (call.call_id != event.call_id) continue;
    call.done = true;
    call.failed = event.failed;
    call.text = shown(event.text);
  }
  keep_bounds(snapshot);
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
      snapshot.calls.back().arguments = shown(event.text);
      return keep_bounds(snapshot);
    case TurnEvent::Kind::kToolResult:
      return note_result(snapshot, event);
    default:
      return;
  }
}

}  // namespace

TurnSnapshot& TurnStage::running_turn(const TurnEvent& event) {
  const std::string& id = event.turn.turn.str();
  auto [at, made] = running_.try_emplace(id);
  if (made) {
    at->second.turn = event.turn;
    at->second.attempt = event.attempt;
    running_turns_of_[event.turn.workspace.str()].insert(id);
  }
  return at->second;
}

void TurnStage::end_turn(const std::string& id) {
  const auto turn = running_.find(id);
  if (turn == running_.end()) return;
  const auto ids = running_turns_of_.find(turn->second.turn.workspace.str());
  ids->second.erase(id);
  if (ids->second.empty()) running_turns_of_.erase(ids);
  running_.erase(turn);
}

void TurnStage::publish(TurnEvent event) {
  if (event.kind == TurnEvent::Kind::kEnded) {
    end_turn(event.turn.turn.str());
  } else {
    note(running_turn(event), event);
  }
  std::vector<std::shared_ptr<Ear>> called;
  for (const std::string* topic : {&event.turn.workspace.str(), &event.turn.turn.str()}) {
    const auto ears = ears_->by_topic.find(*topic);
    if (ears == ears_->by_topic.end()) continue;
    for (const auto& [number, ear] : ears->second) called.push_back(ear);
  }
  for (const auto& ear : called) {
    if (ear->listening) ear->listener(event);
  }
}

}  // namespace rouse
