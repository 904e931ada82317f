// Deletes a conversation for good: what was said, its search entries, its sessions, turns, inbound
// rows, aliases, and the files nobody else uses. A tombstone stays, so that the next message from
// there is known to follow a deleted conversation.
//
// The first write is the deletion for everybody else: the tombstone comes, the conversation goes,
// its session is closed and its queued turns are dropped. From then on no list, name or search
// finds it. The rest is cleaning, in bounded writes that let turns through in between, under the
// conversation's gate; each can be repeated. A tombstone without finished_ms says that rows are
// left: after a crash the next start goes on where it stopped (finish_deletes), and so does
// whoever asks again.
//
// Copies of the store are not touched: the answer names the backups that may still hold it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/blobs.h"
#include "session/remove/backup_shelf.h"
#include "session/search/message_index.h"
#include "session/session_kernel.h"

namespace rouse {

// Who may object to a deletion: automations that are bound to the conversation, for example.
class ConversationGuard {
 public:
  virtual ~ConversationGuard() = default;
  virtual Result<void> may_delete(const Conversation& conversation) = 0;
};

struct DeletedRows {
  std::int64_t conversations = 0, messages = 0, sessions = 0, turns = 0, inbound = 0, files = 0;
  DeletedRows& operator+=(const DeletedRows& other);
};

struct Deletion {
  ConversationId conversation;
  DeletedRows rows;
  std::vector<BackupFile> backups;  // that may still hold it
};

class ConversationDelete {
 public:
  ConversationDelete(Database& database, Clock& clock, SessionKernel& kernel,
                     const MessageIndexer& index, BackupShelf& shelf)
      : database_(database), clock_(clock), kernel_(kernel), index_(index), shelf_(shelf) {}

  void add_guard(ConversationGuard& guard) { guards_.push_back(&guard); }

  // By any of its names. Fails with kBusy while a turn runs, with what a guard says, or kNotFound.
  Task<Result<Deletion>> remove(WorkspaceId workspace, std::string name);

  // Every conversation of a workspace, one after the other; stops at the first that can't be.
  Task<Result<DeletedRows>> remove_all(WorkspaceId workspace);

  // What an earlier life of the process left half done. Called at each start, in the background.
  Task<Result<void>> finish_deletes();

  [[nodiscard]] Task<Result<std::vector<BackupFile>>> backups_since(WallTime time) {
    return shelf_.since(time);
  }

 private:
  struct Tombstone {
    ConversationId id;
    WorkspaceId workspace;
    SessionKey key;
    std::optional<std::int64_t> inbound_left;  // where the chain of inbound rows goes on
  };
  Task<Result<DeletedRows>> remove_found(Conversation conversation);
  Write hide(const Conversation& conversation, const std::optional<Session>& latest,
             std::int64_t last_seq);
  Task<Result<DeletedRows>> clean(Tombstone tombstone);
  Task<Result<DeletedRows>> clean_at_its_turn(Tombstone tombstone);
  Task<Result<std::int64_t>> delete_messages(ConversationId id);
  Task<Result<std::int64_t>> delete_inbound(Tombstone tombstone);
  Result<std::optional<Tombstone>> unfinished(const Query& query);

  Database& database_;
  Clock& clock_;
  SessionKernel& kernel_;
  const MessageIndexer& index_;
  BackupShelf& shelf_;
  std::vector<ConversationGuard*> guards_;
};

// For a person: that it is gone, and where it is not.
std::string deletion_message(std::string_view what, const std::vector<BackupFile>& backups);

}  // namespace rouse
