// The rows of a conversation that is deleted for everybody already (conversation_delete.h). They go
// in writes bounded by the bytes they free (delete_pages.h), which let turns through in between.
// Each can be repeated: whoever stops in the middle begins again, with the tombstone as it is then.
// One caller at a time for a conversation.
#pragma once

#include <optional>

#include "base/clock.h"
#include "session/search/message_index.h"
#include "session/session_key.h"

namespace rouse {

struct DeletedRows {
  std::int64_t conversations = 0, messages = 0, sessions = 0, turns = 0, inbound = 0, files = 0;
  DeletedRows& operator+=(const DeletedRows& other);
};

struct Tombstone {
  ConversationId id;
  WorkspaceId workspace;
  SessionKey key;
  std::optional<std::int64_t> inbound_left;  // where the chain of inbound rows goes on
};

class ConversationRows {
 public:
  ConversationRows(Database& database, Clock& clock, const MessageIndexer& index)
      : database_(database), clock_(clock), index_(index) {}

  // All that is left of it, then the tombstone is finished.
  Task<Result<DeletedRows>> remove(Tombstone tombstone);

 private:
  Task<Result<std::int64_t>> delete_inbound(Tombstone tombstone);
  Task<Result<std::int64_t>> delete_messages(ConversationId id);
  Task<Result<std::int64_t>> delete_files(Tombstone tombstone);

  Database& database_;
  Clock& clock_;
  const MessageIndexer& index_;
};

}  // namespace rouse
