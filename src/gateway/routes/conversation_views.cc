#include "gateway/routes/conversation_views.h"

#include <algorithm>

#include "lifecycle/engine/event.h"

namespace rouse {
namespace {

// Marks of a release that knows others are left out.
void add_marks(MessageView& view, std::string_view meta) {
  auto marks = decode_json<MessageMarks>(meta);
  if (!marks) return;
  view.automation_turn = marks->automation_turn;
  view.automation_id = std::move(marks->automation_id);
  view.automation_name = std::move(marks->automation_name);
  view.automation_run_id = std::move(marks->automation_run_id);
  view.automation_prompt_ref = std::move(marks->automation_prompt_ref);
  view.origin = std::move(marks->source);
  view.scheduled_for = std::move(marks->scheduled_for);
}

}  // namespace

ConversationView view_of(const ConversationOverview& overview) {
  const Conversation& c = overview.conversation;
  return {.conversation_id = c.id.str(),
          .session_key = c.key.str(),
          .source = source_of(c.key.channel),
          .title = c.title,
          .project = c.project,
          .agent = c.agent,
          .created_at = to_iso(c.created),
          .last_active_at = to_iso(c.last_active),
          .message_count = overview.messages,
          .last_seq = overview.messages,
          .seen_seq = c.seen_seq,
          .automation_count = overview.automations,
          .pinned = c.pinned.has_value(),
          .model = c.model,
          .last_message =
              overview.last_message.empty() ? std::nullopt : std::optional(overview.last_message),
          .last_message_at = overview.last_message_at
                                 ? std::optional(to_iso(*overview.last_message_at))
                                 : std::nullopt,
          .session = {overview.session.str(), overview.session_status, overview.session_turns},
          .aliases = {},
          .sessions = {}};
}

SessionEntry entry_of(const Session& s) {
  return {.session_id = s.id.str(),
          .epoch = s.epoch,
          .status = std::string(s.status()),
          .lifecycle_status = std::string(s.lifecycle_status()),
          .opened_reason = s.opened_reason,
          .close_reason = s.close_reason,
          .created_at = to_iso(s.created),
          .closed_at = s.closed ? std::optional(to_iso(*s.closed)) : std::nullopt,
          .last_message_at = to_iso(s.last_message),
          .turn_count = s.turn_count,
          .context_summary = s.context_summary,
          .close_summary = s.close_summary};
}

MessageView view_of(Message message) {
  MessageView out{.seq = message.seq,
                  .session_id = message.session.str(),
                  .turn_id = message.turn ? std::optional(message.turn->str()) : std::nullopt,
                  .role = std::move(message.role),
                  .source = std::move(message.source),
                  .content = std::move(message.content),
                  .created_at = to_iso(message.created)};
  if (message.meta) add_marks(out, *message.meta);
  return out;
}

void add_turn(MessageView& message, const std::vector<Turn>& turns) {
  if (!message.turn_id) return;
  const auto turn =
      std::ranges::find(turns, *message.turn_id, [](const Turn& one) { return one.id.str(); });
  if (turn == turns.end()) return;
  message.turn_kind = turn_kind_name(turn->kind);
  if (turn->last_seq != message.seq || turn->verdict.value_or("spoke") == "spoke") return;
  message.verdict = turn->verdict;
  message.reason = turn->reason;
}

std::vector<BackupEntry> entries_of(const std::vector<BackupFile>& backups) {
  std::vector<BackupEntry> out;
  for (const BackupFile& one : backups) out.push_back({one.file, one.bytes});
  return out;
}

}  // namespace rouse
