// Conversations as a list shows them: each with its newest session, how much was said and what was
// said last, read with one query a page and not one a row.
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
  std::int64_t automations = 0;  // that belong to it and are not over
  // The newest words that are for a person: not a tool's, not what called for a turn by itself.
  std::string last_message;  // in one line, kPreviewCharacters at most; "" if there are none
  std::optional<WallTime> last_message_at;
};

inline constexpr std::size_t kPreviewCharacters = 140;
// The beginning of a message as it is stored (or of the beginning of one), in one line.
std::string preview_of(std::string_view stored_content);

// Where a page ended: the last one on it. As text it is a cursor that clients hand back.
struct ConversationPlace {
  WallTime last_active;
  std::string id;

  [[nodiscard]] std::string str() const;
  static Result<ConversationPlace> parse(std::string_view cursor);
};

enum class Listed : std::uint8_t { kAll, kPinned };

class ConversationOverviews {
 public:
  explicit ConversationOverviews(Database& database) : database_(database) {}

  Result<ConversationOverview> of(const Conversation& conversation);
  // Most recently active first.
  Task<Result<std::vector<ConversationOverview>>> list(WorkspaceId workspace,
                                                       std::optional<ConversationPlace> after,
                                                       std::size_t limit,
                                                       Listed which = Listed::kAll);

 private:
  Database& database_;
};

}  // namespace rouse
