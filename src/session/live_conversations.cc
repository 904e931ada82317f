#include "session/live_conversations.h"

#include <algorithm>
#include <span>
#include <utility>

namespace rouse {
namespace {

// About what a message takes in memory, with what may be made of it; blocks have many members, most
// of them empty.
std::size_t bytes_of(const Message& message) {
  std::size_t out = 400;
  for (const ContentBlock& block : message.content) {
    out += 480 + (block.text ? block.text->size() : 0) +
           (block.arguments ? block.arguments->size() : 0);
  }
  return out;
}

std::size_t bytes_of(std::span<const MessagePtr> messages) {
  std::size_t out = 0;
  for (const MessagePtr& message : messages) out += bytes_of(*message);
  return out;
}

std::string alias_key(const WorkspaceId& workspace, const std::string& alias) {
  return workspace.str() + "\n" + alias;
}

}  // namespace

const TakenTurn* LiveConversation::find(const TurnId& turn) const {
  if (running && running->turn.id == turn) return &*running;
  const auto found =
      std::ranges::find_if(waiting, [&](const TakenTurn& one) { return one.turn.id == turn; });
  return found == waiting.end() ? nullptr : &*found;
}

bool LiveConversation::knows_newest(std::size_t count) const {
  if (last_seq == 0) return true;
  if (tail.empty()) return false;
  return tail.size() >= count || tail.front()->seq == 1;
}

LiveConversation* LiveConversations::touch(Place place) {
  Entries& list = list_of(place);
  list.splice(list.begin(), list, place);
  return &place->live;
}

LiveConversation* LiveConversations::find(const std::string& name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : touch(found->second);
}

LiveConversation* LiveConversations::find(const ConversationId& id) {
  const auto found = by_id_.find(id.str());
  return found == by_id_.end() ? nullptr : touch(found->second);
}

LiveConversation* LiveConversations::find_by_alias(const WorkspaceId& workspace,
                                                   const std::string& alias) {
  const auto found = by_alias_.find(alias_key(workspace, alias));
  return found == by_alias_.end() ? nullptr : touch(found->second);
}

std::vector<ConversationId> LiveConversations::ids() const {
  std::vector<ConversationId> out;
  for (const Entries* list : {&with_tail_, &without_tail_}) {
    for (const Entry& entry : *list) out.push_back(entry.live.conversation.id);
  }
  return out;
}

void LiveConversations::put(const std::string& name, LiveConversation live) {
  forget(name);
  without_tail_.push_front({name, std::move(live)});
  const Place place = without_tail_.begin();
  by_name_[name] = place;
  by_id_[place->live.conversation.id.str()] = place;
  const Transcript tail = std::exchange(place->live.tail, {});
  set_tail(place, tail);
}

void LiveConversations::forget(const std::string& name) {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) drop(found->second);
}

void LiveConversations::forget(const ConversationId& id) {
  const auto found = by_id_.find(id.str());
  if (found != by_id_.end()) drop(found->second);
}

void LiveConversations::forget_alias(const WorkspaceId& workspace, const std::string& alias) {
  const std::string key = alias_key(workspace, alias);
  const auto found = by_alias_.find(key);
  if (found == by_alias_.end()) return;
  std::erase(found->second->aliases, key);
  by_alias_.erase(found);
}

void LiveConversations::drop(Place place) {
  tail_bytes_ -= place->tail_bytes;
  for (const std::string& alias : place->aliases) by_alias_.erase(alias);
  by_id_.erase(place->live.conversation.id.str());
  by_name_.erase(place->name);
  list_of(place).erase(place);
}

void LiveConversations::drop_tail(Place place) {
  without_tail_.splice(without_tail_.begin(), list_of(place), place);
  tail_bytes_ -= place->tail_bytes;
  place->tail_bytes = 0;
  place->live.tail.clear();
  place->live.made_of_tail.reset();
}

void LiveConversations::learn_alias(const ConversationId& id, const std::string& alias) {
  const auto found = by_id_.find(id.str());
  if (found == by_id_.end()) return;
  const std::string key = alias_key(found->second->live.conversation.workspace, alias);
  if (by_alias_.emplace(key, found->second).second) found->second->aliases.push_back(key);
}

void LiveConversations::learn_tail(const ConversationId& id, const Transcript& tail) {
  const auto found = by_id_.find(id.str());
  if (found == by_id_.end()) return;
  const std::int64_t end = tail.empty() ? 0 : tail.back()->seq;
  // A commit whose author was not told yet: what is read is newer than what is known.
  if (end == found->second->live.last_seq) set_tail(found->second, tail);
}

void LiveConversations::append(LiveConversation& live, const Transcript& added) {
  if (added.empty()) return;
  const bool knows_all = live.last_seq == 0 || !live.tail.empty();
  live.last_seq = added.back()->seq;
  const auto found = by_id_.find(live.conversation.id.str());
  if (knows_all && found != by_id_.end()) add_to_tail(found->second, added);
}

void LiveConversations::set_tail(Place place, const Transcript& tail) {
  drop_tail(place);
  add_to_tail(place, tail);
}

// No walk over the whole of it: each turn comes by here.
void LiveConversations::add_to_tail(Place place, const Transcript& added) {
  if (added.empty()) return keep_bounds();
  Transcript& tail = place->live.tail;
  std::size_t bytes = place->tail_bytes + bytes_of(added);
  with_tail_.splice(with_tail_.begin(), list_of(place), place);
  tail.insert(tail.end(), added.begin(), added.end());
  if (tail.size() > kLiveTailMessages) {  // a quarter goes at once: it isn't moved each time
    const std::size_t surplus = tail.size() - kLiveTailMessages * 3 / 4;
    bytes -= bytes_of(std::span(tail).first(surplus));
    tail.erase(tail.begin(), tail.begin() + static_cast<std::ptrdiff_t>(surplus));
  }
  tail_bytes_ += bytes - place->tail_bytes;
  place->tail_bytes = bytes;
  if (bytes > kLiveTailBytesOfOne) drop_tail(place);
  keep_bounds();
}

// No walk: under load each turn comes by here.
void LiveConversations::keep_bounds() {
  while (tail_bytes_ > kLiveTailBytes) drop_tail(std::prev(with_tail_.end()));
  while (size() > kLiveConversations) {
    Entries& list = without_tail_.empty() ? with_tail_ : without_tail_;
    drop(std::prev(list.end()));
  }
}

}  // namespace rouse
