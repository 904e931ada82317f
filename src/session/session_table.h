// The rows of `sessions`: reading them, and the statements that change them. Statements are values
// for somebody's write; nothing here decides anything.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/session.h"
#include "store/database.h"

namespace rouse {

class SessionTable {
 public:
  explicit SessionTable(Database& database) : database_(database) {}

  Result<Session> get(const SessionId& id);  // kNotFound
  Result<std::optional<Session>> find_active(const WorkspaceId& workspace, const SessionKey& key);
  Result<std::optional<Session>> latest_of(const ConversationId& conversation);

  // The newest epoch, from the first one on and before the second, that ended at a hard boundary
  // (explicit reset, cleared); 0: none.
  Result<std::int64_t> last_hard_boundary(const ConversationId& conversation,
                                          std::int64_t from_epoch, std::int64_t before_epoch);
  // Newest first; `before` is `opened_by` of the last one on the page before.
  Task<Result<std::vector<Session>>> list(WorkspaceId workspace, std::optional<std::int64_t> before,
                                          std::size_t limit);
  // In their order, from the given epoch on.
  Task<Result<std::vector<Session>>> of_conversation(ConversationId conversation,
                                                     std::int64_t from_epoch, std::size_t limit);

  static Statement insert(const Session& session);
  // Fails the write if the session is no longer active.
  static Statement close(const SessionId& id, std::string_view reason, WallTime now);
  // What is left of a session that was cleared; its own line of summary stays as it was.
  static Statement set_close_summary(const SessionId& id, std::string summary);
  // A message of a person arrived (its inbound number), or an automation's (no person).
  static Statement touch(const Session& after);
  // A turn ended: turn count, times and summary as in `after`.
  static Statement record_turn(const Session& after);
  static Statement set_summary(const SessionId& id, std::string summary, std::int64_t turn_count);

 private:
  Result<std::optional<Session>> first(const Query& query);
  Database& database_;
};

}  // namespace rouse
