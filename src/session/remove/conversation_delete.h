// Deletes a conversation for good: what was said, its search entries, its sessions, turns, inbound
// rows, aliases, and the files nobody else uses. A tombstone stays, so that the next message from
// there is known to follow a deleted conversation.
//
// The first write is the deletion for everybody else: the tombstone comes, the conversation goes,
// its session is closed and its queued turns are dropped. From then on no list, name or search
// finds it, and its key is free: the next message from there begins a new conversation. The rest is
// cleaning (conversation_rows.h), and a conversation has one cleaner at a time. A tombstone without
// finished_ms says that rows are left. Somebody goes on where it stopped: the next start
// (finish_deletes), whoever asks again by a name that still leads there, whoever deletes the
// workspace, or, after a write that failed, the next deletion that works.
//
// Copies of the store are not touched: the answer names the backups that may still hold it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "session/blobs.h"
#include "session/remove/backup_shelf.h"
#include "session/remove/conversation_rows.h"
#include "session/session_kernel.h"

namespace rouse {

// Who may object to a deletion: automations that are bound to the conversation, for example.
class ConversationGuard {
 public:
  virtual ~ConversationGuard() = default;
  virtual Result<void> may_delete(const Conversation& conversation) = 0;
};

struct Deletion {
  ConversationId conversation;
  DeletedRows rows;
  BackupsLeft backups;  // that may still hold it
};

class ConversationDelete {
 public:
  ConversationDelete(Database& database, Clock& clock, SessionKernel& kernel,
                     const MessageIndexer& index, BackupShelf& shelf)
      : database_(database),
        clock_(clock),
        kernel_(kernel),
        rows_(database, clock, index),
        shelf_(shelf) {}

  // Pages are told that it is gone, in the write that makes it so; null: nobody is.
  void record_events(EventLog* events) { events_ = events; }
  void add_guard(ConversationGuard& guard) { guards_.push_back(&guard); }

  // By any of its names, also to go on with one that failed (by a sess_ id only while that
  // session's row is there). Fails with kBusy while a turn runs, with what a guard says, or
  // kNotFound.
  Task<Result<Deletion>> remove(WorkspaceId workspace, std::string name);

  // Every conversation of a workspace, one after the other, the half deleted first; stops at the
  // first that can't be.
  Task<Result<DeletedRows>> remove_all(WorkspaceId workspace);

  // What an earlier life of the process left half done. Called at each start, in the background.
  Task<Result<void>> finish_deletes();

  // Never fails: what is deleted is deleted, even if nobody can say where copies are.
  Task<BackupsLeft> backups_since(WallTime time);

 private:
  struct Hidden {
    Tombstone tombstone;
    std::int64_t turns = 0;  // that were queued
  };
  Task<Result<DeletedRows>> remove_found(Conversation conversation);
  Task<Result<Hidden>> hide(Conversation conversation);
  Write hiding(const Conversation& conversation, const std::optional<Session>& latest,
               std::int64_t last_seq);
  Task<ConversationGate::Pass> cleaner(WorkspaceId workspace, ConversationId id);
  Task<Result<DeletedRows>> go_on(Tombstone tombstone);  // kNotFound if it is finished
  Task<Result<DeletedRows>> clean(Tombstone tombstone);
  Task<Result<DeletedRows>> finish(std::optional<WorkspaceId> workspace);
  Result<std::optional<Tombstone>> unfinished(const Query& query);
  Result<std::optional<Tombstone>> unfinished_called(const WorkspaceId& workspace,
                                                     const std::string& name);

  Database& database_;
  Clock& clock_;
  SessionKernel& kernel_;
  ConversationRows rows_;
  BackupShelf& shelf_;
  std::vector<ConversationGuard*> guards_;
  EventLog* events_ = nullptr;
  ConversationGate cleaners_;                   // by conversation, not by key: that may be new
  std::map<ConversationId, Tombstone> failed_;  // since this process began, and not done since
};

// For a person: that it is gone, and where it is not.
std::string deletion_message(std::string_view what, const BackupsLeft& backups);

}  // namespace rouse
