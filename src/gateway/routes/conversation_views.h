// Conversations as the API shows them. The names of these fields are a contract with the web app,
// the command line and other programs.
#pragma once

#include "base/json.h"
#include "session/conversation_overview.h"
#include "session/remove/conversation_delete.h"

namespace rouse {

struct SessionBrief {
  std::string session_id, status;
  std::int64_t turn_count = 0;
};
inline auto shape(const SessionBrief*) {
  return fields(field("session_id", &SessionBrief::session_id, "Its id"),
                field("status", &SessionBrief::status, "active or closed"),
                field("turn_count", &SessionBrief::turn_count, "Turns so far"));
}

struct SessionEntry {
  std::string session_id;
  std::int64_t epoch = 0;
  std::string status, lifecycle_status, opened_reason;
  std::optional<std::string> close_reason;
  std::string created_at;
  std::optional<std::string> closed_at;
  std::string last_message_at;
  std::int64_t turn_count = 0;
  std::string context_summary;
  std::optional<std::string> close_summary;
};
inline auto shape(const SessionEntry*) {
  return fields(field("session_id", &SessionEntry::session_id, "Its id"),
                field("epoch", &SessionEntry::epoch, "1 for the conversation's first"),
                field("status", &SessionEntry::status, "active or closed"),
                field("lifecycle_status", &SessionEntry::lifecycle_status,
                      "The same as workflows say it: active, completed or paused"),
                field("opened_reason", &SessionEntry::opened_reason, "Why it was opened"),
                field("close_reason", &SessionEntry::close_reason, "Why it ended").or_null(),
                field("created_at", &SessionEntry::created_at, "When it was opened"),
                field("closed_at", &SessionEntry::closed_at, "When it ended").or_null(),
                field("last_message_at", &SessionEntry::last_message_at, "The last visible turn"),
                field("turn_count", &SessionEntry::turn_count, "Turns so far"),
                field("context_summary", &SessionEntry::context_summary, "What it was about"),
                field("close_summary", &SessionEntry::close_summary,
                      "What is worth keeping of it, if it was cleared")
                    .or_null());
}

struct ConversationView {
  std::string conversation_id, session_key, source, title;
  std::optional<std::string> project, agent;
  std::string created_at, last_active_at;
  std::int64_t message_count = 0, last_seq = 0, seen_seq = 0, automation_count = 0;
  bool pinned = false;
  std::optional<std::string> model, last_message, last_message_at;
  SessionBrief session;
  std::optional<std::vector<std::string>> aliases;    // left out of lists
  std::optional<std::vector<SessionEntry>> sessions;  // left out of lists
};
inline auto shape(const ConversationView*) {
  return fields(
      field("conversation_id", &ConversationView::conversation_id, "Its id"),
      field("session_key", &ConversationView::session_key, "Channel and peer"),
      field("source", &ConversationView::source,
            "What kind of client its sessions are of, as workflows say it: claude_sdk, whatsapp …"),
      field("title", &ConversationView::title, "What it began with, or its name"),
      field("project", &ConversationView::project, "The project it belongs to").or_null(),
      field("agent", &ConversationView::agent, "The agent that answers").or_null(),
      field("created_at", &ConversationView::created_at, "When it began"),
      field("last_active_at", &ConversationView::last_active_at, "Its last visible turn"),
      field("message_count", &ConversationView::message_count, "Messages across its sessions"),
      field("last_seq", &ConversationView::last_seq, "The number of the newest message"),
      field("seen_seq", &ConversationView::seen_seq, "Seen up to this message, by any page"),
      field("automation_count", &ConversationView::automation_count,
            "Automations that belong to it"),
      field("pinned", &ConversationView::pinned, "Kept at the top of the list"),
      field("model", &ConversationView::model, "The model that answers; null for the agent's")
          .or_null(),
      field("last_message", &ConversationView::last_message, "What was said last, in one line")
          .or_null(),
      field("last_message_at", &ConversationView::last_message_at, "When that was").or_null(),
      field("session", &ConversationView::session, "The newest session"),
      field("aliases", &ConversationView::aliases, "External ids; not in lists"),
      field("sessions", &ConversationView::sessions, "The newest 50, newest first; not in lists"));
}
ConversationView view_of(const ConversationOverview& overview);
SessionEntry entry_of(const Session& session);

struct ConversationList {
  std::vector<ConversationView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const ConversationList*) {
  return fields(
      field("items", &ConversationList::items, "Most recently active first"),
      field("next_cursor", &ConversationList::next_cursor, "Null on the last page").or_null());
}

struct PromptRefView {
  std::string id;
  std::int64_t version = 1;
  std::string sha256;
};
inline auto shape(const PromptRefView*) {
  return fields(field("id", &PromptRefView::id, "Which prompt"),
                field("version", &PromptRefView::version, "Which version of it"),
                field("sha256", &PromptRefView::sha256, "Of its text"));
}

struct MessageOrigin {
  std::string kind, label;
};
inline auto shape(const MessageOrigin*) {
  return fields(field("kind", &MessageOrigin::kind, "cron: an automation"),
                field("label", &MessageOrigin::label, "What that is called"));
}

// What a message that an automation made carries, as it is stored with it.
struct MessageMarks {
  std::optional<bool> automation_turn = {};
  std::optional<std::string> automation_id = {}, automation_name = {}, automation_run_id = {};
  std::optional<PromptRefView> automation_prompt_ref = {};
  std::optional<MessageOrigin> source = {};
  std::optional<std::string> scheduled_for = {};
};
inline auto shape(const MessageMarks*) {
  return fields(field("_automation_turn", &MessageMarks::automation_turn, ""),
                field("automation_id", &MessageMarks::automation_id, ""),
                field("automation_name", &MessageMarks::automation_name, ""),
                field("automation_run_id", &MessageMarks::automation_run_id, ""),
                field("automation_prompt_ref", &MessageMarks::automation_prompt_ref, ""),
                field("source", &MessageMarks::source, ""),
                field("scheduled_for", &MessageMarks::scheduled_for, ""));
}

struct MessageView {
  std::int64_t seq = 0;
  std::string session_id;
  std::optional<std::string> turn_id;
  std::string role, source;
  Content content;
  std::string created_at;
  std::optional<bool> automation_turn = {};
  std::optional<std::string> automation_id = {}, automation_name = {}, automation_run_id = {};
  std::optional<PromptRefView> automation_prompt_ref = {};
  std::optional<MessageOrigin> origin = {};
  std::optional<std::string> scheduled_for = {};
  std::optional<std::string> turn_kind = {}, verdict = {}, reason = {};
};
inline auto shape(const MessageView*) {
  return fields(field("seq", &MessageView::seq, "Its number in the conversation, from 1"),
                field("session_id", &MessageView::session_id, "The session it belongs to"),
                field("turn_id", &MessageView::turn_id, "The turn it belongs to").or_null(),
                field("role", &MessageView::role, "user, assistant, tool or system"),
                field("source", &MessageView::source, "The channel, or what else put it here"),
                field("content", &MessageView::content, "What was said, in blocks"),
                field("created_at", &MessageView::created_at, "When"),
                field("_automation_turn", &MessageView::automation_turn,
                      "True on the message with which an automation called for a turn"),
                field("automation_id", &MessageView::automation_id, "Which automation"),
                field("automation_name", &MessageView::automation_name, "What it was called then"),
                field("automation_run_id", &MessageView::automation_run_id, "Its run"),
                field("automation_prompt_ref", &MessageView::automation_prompt_ref,
                      "What the agent was told in full stands with the run"),
                field("origin", &MessageView::origin, "What called for an answer, if no person"),
                field("scheduled_for", &MessageView::scheduled_for, "When that was due"),
                field("turn_kind", &MessageView::turn_kind, "user, automation, session_open …"),
                field("verdict", &MessageView::verdict,
                      "On the last message of a turn that did not simply speak: how it ended"),
                field("reason", &MessageView::reason, "And why"));
}
MessageView view_of(Message message);
// What its turn has to say about a message, if it is among these.
void add_turn(MessageView& message, const std::vector<Turn>& turns);

struct MessageList {
  std::vector<MessageView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const MessageList*) {
  return fields(field("items", &MessageList::items, "Newest first; oldest first with ?after="),
                field("next_cursor", &MessageList::next_cursor, "Null on the last page").or_null());
}

struct ConversationEdit {
  std::optional<std::string> title, project, agent, model;
  std::optional<bool> pinned;
  std::optional<std::int64_t> seen_seq;
};
inline auto shape(const ConversationEdit*) {
  return fields(field("title", &ConversationEdit::title, "One line of 1 to 200 characters"),
                field("project", &ConversationEdit::project, "A project's key; null takes it out")
                    .length(1, 128),
                field("agent", &ConversationEdit::agent, "An agent's name; null for the default")
                    .length(1, 128),
                field("model", &ConversationEdit::model,
                      "A role or name of GET /api/models; null for the agent's")
                    .length(1, 128),
                field("pinned", &ConversationEdit::pinned, "Kept at the top of the list"),
                field("seen_seq", &ConversationEdit::seen_seq,
                      "Seen up to this message; it never goes back"));
}

struct NewAlias {
  std::string external_id;
};
inline auto shape(const NewAlias*) {
  return fields(field("external_id", &NewAlias::external_id, "What others call it").length(1, 256));
}

struct BackupEntry {
  std::string file;
  std::int64_t bytes = 0;
};
inline auto shape(const BackupEntry*) {
  return fields(field("file", &BackupEntry::file, "Its name in the folder 'backups'"),
                field("bytes", &BackupEntry::bytes, "Its size"));
}
std::vector<BackupEntry> entries_of(const std::vector<BackupFile>& backups);

struct DeletedCounts {
  std::int64_t messages = 0, sessions = 0, turns = 0, inbound = 0, files = 0;
};
inline auto shape(const DeletedCounts*) {
  return fields(field("messages", &DeletedCounts::messages, "Messages"),
                field("sessions", &DeletedCounts::sessions, "Sessions"),
                field("turns", &DeletedCounts::turns, "Turns"),
                field("inbound", &DeletedCounts::inbound, "Rows of the inbound ledger"),
                field("files", &DeletedCounts::files, "Files nobody else used"));
}
struct BlockingAutomation {
  std::string id, name;
  bool enabled = false;
};
inline auto shape(const BlockingAutomation*) {
  return fields(field("id", &BlockingAutomation::id, "Its id"),
                field("name", &BlockingAutomation::name, "What it is called"),
                field("enabled", &BlockingAutomation::enabled, "Whether it runs when it is due"));
}
// Either it is gone, or automations are bound to it and nothing has happened.
struct DeletedConversation {
  std::optional<bool> ok = {};
  bool deleted = false;
  std::optional<bool> blocked_by_automations = {};
  std::optional<std::vector<BlockingAutomation>> automations = {};
  std::optional<std::string> conversation_id = {};
  std::optional<DeletedCounts> counts = {};
  std::optional<std::vector<BackupEntry>> backups = {};
  std::optional<std::string> message = {};
};
inline auto shape(const DeletedConversation*) {
  return fields(field("ok", &DeletedConversation::ok, "True if it is gone"),
                field("deleted", &DeletedConversation::deleted, "Whether it is gone"),
                field("blocked_by_automations", &DeletedConversation::blocked_by_automations,
                      "True if automations belong to it: ask again with ?delete_automations=true"),
                field("automations", &DeletedConversation::automations,
                      "Those that are in the way, or that went with it"),
                field("conversation_id", &DeletedConversation::conversation_id, "What is gone"),
                field("counts", &DeletedConversation::counts, "How much was deleted"),
                field("backups", &DeletedConversation::backups, "Backups that may still hold it"),
                field("message", &DeletedConversation::message, "The same for people"));
}

}  // namespace rouse
