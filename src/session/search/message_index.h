// Fills the text index behind the turn: a message is committed first and becomes findable a moment
// later, within two seconds, so that no turn pays for the search.
//
// A durable cursor (index_cursors) says up to which position messages are indexed. It moves in the
// same write that adds the documents, so after a crash at any point no message is missed and none
// is there twice. The write holds only if the cursor is where it was when the messages were read
// and nothing behind it was forgotten since; otherwise it is made again from what is there now.
//
// Work is done only when somebody says that there is some: after the first notice half a second is
// waited for more to come, or until there is enough for a write; then all is indexed in small
// writes with room for turns in between. Whoever says so may hand over the messages, too: then they
// are not read again (fresh_messages.h). An indexer that is told nothing has no timer, no thread
// and nothing in memory.
//
// It relies on one thing: messages are committed in the order of their positions. Whoever appends
// takes the position and hands over the write without waiting in between.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/loop.h"
#include "session/messages.h"
#include "store/text_index.h"

namespace rouse {

// Measured: 32 KB of different texts take the writer 4 to 10 ms, and 940 short messages 3. Larger
// writes let turns wait longer; of smaller ones more meet a turn, and they take longer together.
inline constexpr std::size_t kIndexBatchMessages = 4000;
inline constexpr std::size_t kIndexReadMessages = 1000;  // of those, if they must be read
inline constexpr std::size_t kIndexBatchCharacters = 64 * 1024;
inline constexpr std::size_t kIndexDecodedAtOnce = 8;  // in one round of the loop
inline constexpr std::int64_t kForgetMessages = 32;
inline constexpr std::int64_t kForgetCharacters = 64 * 1024;
inline constexpr Millis kIndexGather = millis(500);
inline constexpr Millis kIndexRetry = seconds(1);  // after a failure; doubled each time, but not
                                                   // when a deletion came between …
inline constexpr Millis kIndexRetryMost = minutes(1);

class MessageIndexer {
 public:
  MessageIndexer(Database& database, const TextIndex& index, Clock& clock, Loop& loop);
  ~MessageIndexer();
  MessageIndexer(const MessageIndexer&) = delete;
  MessageIndexer& operator=(const MessageIndexer&) = delete;

  // Called after a commit that appended messages, with these if they are at hand. Cheap; starts the
  // work if none is under way.
  void messages_were_added(const WorkspaceId& workspace = {}, const Transcript& said = {});

  // Answers when everything committed before the call is indexed. Called at the start, too, in the
  // background: with nothing to do it is one point read. What fails is tried again by itself.
  Task<Result<void>> catch_up();

  // Take messages first_seq to last_seq of a conversation out of the index and let the cursor step
  // back if they were the newest, because a start gives their positions out again. They go into the
  // write that deletes these messages, before the statement that does: kForgetMessages with
  // kForgetCharacters together at most, or one message. A conversation of any length is deleted in
  // writes of
  //
  //   forget(id, first, last, bytes), DELETE FROM messages … seq BETWEEN first AND last
  //
  // where `bytes` is how much text goes, about; the index is kept in shape accordingly. Messages
  // that are not indexed yet, or not there, are no trouble.
  [[nodiscard]] std::vector<Statement> forget(const ConversationId& conversation,
                                              std::int64_t first_seq, std::int64_t last_seq,
                                              std::size_t bytes = kForgetCharacters) const;

  // No work begins after this; a write that is with the store already is left to it. Called before
  // the store is closed.
  void stop();

  // Why the last try failed, if it did: for health.
  [[nodiscard]] const std::optional<Error>& problem() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the work under way, which may outlive this
};

}  // namespace rouse
