// What is known of the conversations that were worked on a moment ago: the rows that the next
// message and its turn would have to read again. Each is exactly what was committed, or it isn't
// here. It lives behind the gate (conversation_gate.h): whoever passes it to write either leaves
// what is true after the commit, or what was known is forgotten. Losing all of it costs a few
// reads.
//
// Bounded twice: in the number of conversations, and in the bytes of the transcripts' ends they
// keep. Over the second bound the end of the transcript that was not used for the longest time
// goes, over the first a conversation without one.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "session/conversation.h"
#include "session/inbound.h"
#include "session/messages.h"
#include "session/turn_queue.h"

namespace rouse {

inline constexpr std::size_t kLiveConversations = 2'048;
// Enough for 64 busy ones (of 0.9 KB a short message): with one more than fits, each would push out
// the one that is needed next.
inline constexpr std::size_t kLiveTailBytes = 12 << 20;  // of all of them together
inline constexpr std::size_t kLiveTailBytesOfOne = 256 << 10;
inline constexpr std::size_t kLiveTailMessages = 192;  // a prompt takes 120 (history.messages)
inline constexpr std::size_t kLiveWaiting = 32;        // with more that wait, the store is asked

struct TakenTurn {
  Turn turn;
  InboundRow message;
};

// What somebody made of a tail, to save the work next time; it goes with the tail, but not when
// messages are added.
struct MadeOfTail {
  virtual ~MadeOfTail() = default;
};

struct LiveConversation {
  Conversation conversation;
  Session session;  // the newest one, active or closed
  std::int64_t last_seq = 0;
  std::optional<TakenTurn> running = {};
  std::vector<TakenTurn> waiting = {};  // all of them, in the order in which they go
  Transcript tail = {};                 // the newest messages without a gap, oldest first; or none
  std::shared_ptr<MadeOfTail> made_of_tail = {};

  [[nodiscard]] const TakenTurn* find(const TurnId& turn) const;
  // Does the tail hold the newest `count` messages, or all there are?
  [[nodiscard]] bool knows_newest(std::size_t count) const;
};

class LiveConversations {
 public:
  // Good until the next call that is not const.
  LiveConversation* find(const std::string& name);
  LiveConversation* find(const ConversationId& id);
  LiveConversation* find_by_alias(const WorkspaceId& workspace, const std::string& alias);

  void put(const std::string& name, LiveConversation live);
  void forget(const std::string& name);
  void forget(const ConversationId& id);
  void forget_alias(const WorkspaceId& workspace, const std::string& alias);
  void learn_alias(const ConversationId& id, const std::string& alias);
  // The end of its transcript as it was read just now: oldest first, up to last_seq.
  void learn_tail(const ConversationId& id, const Transcript& tail);
  // Messages were appended by a commit; live->last_seq is set by this.
  void append(LiveConversation& live, const Transcript& added);

  [[nodiscard]] std::vector<ConversationId> ids() const;
  [[nodiscard]] std::size_t size() const { return by_name_.size(); }
  [[nodiscard]] std::size_t tail_bytes() const { return tail_bytes_; }

 private:
  struct Entry {
    std::string name;
    LiveConversation live;
    std::size_t tail_bytes = 0;
    std::vector<std::string> aliases = {};  // keys of by_alias_
  };
  using Entries = std::list<Entry>;  // the one used last first
  using Place = Entries::iterator;
  Entries& list_of(Place place) { return place->tail_bytes > 0 ? with_tail_ : without_tail_; }
  LiveConversation* touch(Place place);
  void drop(Place place);
  void drop_tail(Place place);
  void set_tail(Place place, const Transcript& tail);
  void add_to_tail(Place place, const Transcript& added);
  void keep_bounds();

  Entries with_tail_, without_tail_;
  std::unordered_map<std::string, Place> by_name_;
  std::unordered_map<std::string, Place> by_id_;
  std::unordered_map<std::string, Place> by_alias_;  // workspace, newline, alias
  std::size_t tail_bytes_ = 0;
};

}  // namespace rouse
