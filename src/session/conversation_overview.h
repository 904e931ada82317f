// Conversations as a list shows them: each with its newest session and how much was said, read with
// one query a page and not one a row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/conversation.h"

namespace rouse {

struct ConversationOverview {
  Conversation conversation;
  std::int64_t messages = 0;  // the last seq: they are numbered without a gap
  SessionId session;          // the newest
  std::string session_status;
  std::int64_t session_turns = 0;
  std::int64_t session_epoch = 0;
};

// Where a page ended: the last one on it. As text it is a cursor that clients hand back.
struct ConversationPlace {
  WallTime last_active;
  std::string id;

  [[nodiscard]] std::string str() const;
  static Result<ConversationPlace> parse(std::string_view cursor);
};

class ConversationOverviews {
 public:
  explicit ConversationOverviews(Database& database) : database_(database) {}

  Result<ConversationOverview> of(const Conversation& conversation);
  // Most recently active first.
  Task<Result<std::vector<ConversationOverview>>> list(WorkspaceId workspace,
                                                       std::optional<ConversationPlace> after,
                                                       std::size_t limit);

 private:
  Database& database_;
};

}  // namespace rouse
