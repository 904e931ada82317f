// A conversation: what a person calls "the chat". It is found by its session key, lives until it is
// deleted, and is made of sessions. Here are its row and the statements that change it; what a
// person does with conversations (list, search, export, delete) builds on this.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/session.h"
#include "store/database.h"

namespace rouse {

enum class ConversationErrc : std::uint8_t {
  kNotFound,    // "conversation_not_found"
  kBusy,        // "conversation_busy": a turn is running in it
  kAliasTaken,  // "alias_taken": another conversation is called so
};
ErrorInfo error_info(ConversationErrc code);

struct Conversation {
  ConversationId id;
  WorkspaceId workspace;
  SessionKey key;
  std::string title;  // what it began with, until a person names it
  std::optional<std::string> project = {}, agent = {};
  WallTime last_active;  // when its last visible turn ended
  WallTime created;
  // What its reader chose: since when it is pinned, which model answers there (a role or a name;
  // none: the agent's), up to which message it was seen.
  std::optional<WallTime> pinned = {};
  std::optional<std::string> model = {};
  std::int64_t seen_seq = 0;
  friend bool operator==(const Conversation&, const Conversation&) = default;
};

class ConversationTable {
 public:
  explicit ConversationTable(Database& database) : database_(database) {}

  Result<Conversation> get(const WorkspaceId& workspace, const ConversationId& id);  // kNotFound
  Result<std::optional<Conversation>> find(const WorkspaceId& workspace, const SessionKey& key);
  // By whatever a client calls it: conv_…, sess_…, a session key, or an alias.
  Result<Conversation> find_by_name(const WorkspaceId& workspace, std::string_view name);
  // Its external ids, in order; at most limits::kAliases.
  Result<std::vector<std::string>> aliases(const ConversationId& id);
  // Did a conversation with this key exist and was deleted?
  Result<bool> was_deleted(const WorkspaceId& workspace, const SessionKey& key);

  // In the order of their keys, which never changes: for whoever wants every one of them.
  Task<Result<std::vector<Conversation>>> list_by_key(WorkspaceId workspace, std::string after_key,
                                                      std::size_t limit);

  static Statement insert(const Conversation& conversation);
  static Statement set_active(const ConversationId& id, WallTime now);
  // Title, project, agent and what its reader chose, as they are in `after`.
  static Statement set_details(const Conversation& after);
  // External ids are unique in a workspace: the write fails if another conversation has it.
  static Statement add_alias(const Conversation& conversation, std::string external_id,
                             WallTime now);

 private:
  Result<std::optional<Conversation>> first(const Query& query);
  Database& database_;
};

// The beginning of a first message, as a title.
std::string title_from(std::string_view text);

}  // namespace rouse
