// Workspaces over the API: the kernel's way of making one, and a person's own.
#pragma once

#include <functional>

#include "base/log.h"
#include "gateway/live_hub.h"
#include "gateway/route.h"
#include "gateway/routes/conversation_views.h"
#include "gateway/token_book.h"
#include "session/workspaces.h"

namespace rouse {

struct NewWorkspace {
  std::optional<std::string> type, name;
};
inline auto shape(const NewWorkspace*) {
  return fields(field("type", &NewWorkspace::type, "What it is for, in a word").length(1, 64),
                field("name", &NewWorkspace::name, "What you call it").length(1, 200));
}
struct MadeWorkspace {
  bool ok = true;
  std::string workspace_id;
};
inline auto shape(const MadeWorkspace*) {
  return fields(field("ok", &MadeWorkspace::ok, "Always true"),
                field("workspace_id", &MadeWorkspace::workspace_id, "The new workspace"));
}
struct WorkspaceView {
  std::string workspace_id, type, name, created_at;
  std::optional<std::string> timezone, locale;
};
inline auto shape(const WorkspaceView*) {
  return fields(field("workspace_id", &WorkspaceView::workspace_id, "Its id"),
                field("type", &WorkspaceView::type, "What it is for, in a word"),
                field("name", &WorkspaceView::name, "What you call it"),
                field("created_at", &WorkspaceView::created_at, "When it was made"),
                field("timezone", &WorkspaceView::timezone, "IANA name, if known"),
                field("locale", &WorkspaceView::locale, "Language tag, if known"));
}
struct WorkspaceList {
  std::vector<WorkspaceView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const WorkspaceList*) {
  return fields(
      field("items", &WorkspaceList::items, "One page, in order of their ids"),
      field("next_cursor", &WorkspaceList::next_cursor, "Null on the last page").or_null());
}
struct WorkspaceEdit {
  std::optional<std::string> name, timezone, locale;
};
inline auto shape(const WorkspaceEdit*) {
  return fields(
      field("name", &WorkspaceEdit::name, "What you call it").length(1, 200),
      field("timezone", &WorkspaceEdit::timezone, "IANA name like Europe/Berlin").length(1, 64),
      field("locale", &WorkspaceEdit::locale, "Language tag like de-DE").length(1, 35));
}

struct WorkspaceCounts {
  std::int64_t conversations = 0, messages = 0, sessions = 0, turns = 0, inbound = 0, files = 0,
               tokens = 0;
};
inline auto shape(const WorkspaceCounts*) {
  return fields(field("conversations", &WorkspaceCounts::conversations, "Conversations"),
                field("messages", &WorkspaceCounts::messages, "Messages"),
                field("sessions", &WorkspaceCounts::sessions, "Sessions"),
                field("turns", &WorkspaceCounts::turns, "Turns"),
                field("inbound", &WorkspaceCounts::inbound, "Rows of the inbound ledger"),
                field("files", &WorkspaceCounts::files, "Files"),
                field("tokens", &WorkspaceCounts::tokens, "Tokens that worked until now"));
}
struct DeletedWorkspace {
  bool ok = true;
  std::string workspace_id;
  WorkspaceCounts deleted;
  std::vector<BackupEntry> backups;
  std::string message;
};
inline auto shape(const DeletedWorkspace*) {
  return fields(field("ok", &DeletedWorkspace::ok, "Always true"),
                field("workspace_id", &DeletedWorkspace::workspace_id, "What is gone"),
                field("deleted", &DeletedWorkspace::deleted, "How much was deleted"),
                field("backups", &DeletedWorkspace::backups, "Backups that may still hold it"),
                field("message", &DeletedWorkspace::message, "The same for people"));
}

class WorkspaceRoutes {
 public:
  WorkspaceRoutes(Workspaces& workspaces, ConversationDelete& removal, TokenBook& tokens,
                  LiveHub& hub, const Log& log)
      : workspaces_(workspaces), removal_(removal), tokens_(tokens), hub_(hub), log_(log) {}
  void add_to(RouteTable& table);
  // What must go before its conversations do.
  void before_deleting(std::function<Task<Result<void>>(WorkspaceId)> forget) {
    before_deleting_ = std::move(forget);
  }
  // What follows from its zone is made anew.
  void after_editing(std::function<void()> told) { after_editing_ = std::move(told); }

 private:
  Task<Result<MadeWorkspace>> create(NewWorkspace wanted);
  Task<Result<WorkspaceList>> list(Call& call);
  Task<Result<WorkspaceView>> edit(Call& call, WorkspaceEdit change);
  Task<Result<DeletedWorkspace>> remove(Call& call);
  Task<Result<WorkspaceCounts>> empty_and_remove(WorkspaceId id);

  Workspaces& workspaces_;
  ConversationDelete& removal_;
  TokenBook& tokens_;
  LiveHub& hub_;
  const Log& log_;
  std::function<Task<Result<void>>(WorkspaceId)> before_deleting_;
  std::function<void()> after_editing_;
};

}  // namespace rouse
