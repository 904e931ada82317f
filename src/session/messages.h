// The transcript: messages are appended and never changed. Each has a gap-free number within its
// conversation (seq, from 1) and one session it belongs to; history is read across sessions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "session/content.h"
#include "store/database.h"

namespace rouse {

struct Message {
  std::int64_t position = 0;  // among all messages of the store: the order in which they came
  ConversationId conversation;
  std::int64_t seq = 0;
  SessionId session;
  std::optional<TurnId> turn;
  std::string role;    // user, assistant, tool, system
  std::string source;  // the channel, or what else put it here: "automation", "session_open" …
  Content content;
  WallTime created;
  // What made it, if nobody said it: a JSON object, for whoever shows the transcript.
  std::optional<std::string> meta = {};
};

// A message never changes, so whoever needs it shares it.
using MessagePtr = std::shared_ptr<const Message>;
using Transcript = std::vector<MessagePtr>;

class Messages {
 public:
  explicit Messages(Database& database) : database_(database) {}

  static Statement append(const Message& message);
  Result<std::int64_t> last_seq(const ConversationId& conversation);

  Result<std::optional<Message>> at(const ConversationId& conversation, std::int64_t seq);

  // Pages end at the limit or at about kPageBytes, whatever comes first. Numbers have no gap, so
  // the seq of the last one tells whether there is more; an empty page is the end.
  static constexpr std::size_t kPageBytes = 1 << 20;

  // The newest messages before a seq (nullopt: from the end), newest first.
  Task<Result<std::vector<Message>>> before(ConversationId conversation,
                                            std::optional<std::int64_t> seq, std::size_t limit);
  // The same at once, for a prompt: newest first, at most `limit` and about kTailBytes.
  static constexpr std::size_t kTailBytes = 512 * 1024;
  Result<std::vector<Message>> tail(const ConversationId& conversation,
                                    std::optional<std::int64_t> before, std::size_t limit);
  // The oldest after a seq, oldest first.
  Task<Result<std::vector<Message>>> after(ConversationId conversation, std::int64_t seq,
                                           std::size_t limit);

 private:
  Database& database_;
};

}  // namespace rouse
