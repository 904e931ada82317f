#include "tests/sim/box/fresh.h"

#include <fmt/format.h>

#include "proactive/heartbeat_file.h"
#include "session/messages.h"
#include "tests/sim/box/canaries.h"
#include "tests/sim/box/mind.h"
#include "tests/sim/box/reading.h"

namespace rouse::sim {
namespace {

constexpr Millis kUnderWay = minutes(2);  // a beat that began before an edit

void no_secret(Outside& outside, const char* where, const std::string& text) {
  if (shows_canary(text)) {
    outside.broke(fmt::format("10: no secret is in {}", where), text);
  }
}

// Calls and results of a turn come in pairs, and a refusal is no deed.
void check_calls(Outside& outside, const std::string& content,
                 std::map<std::string, int, std::less<>>& open) {
  const auto blocks = decode_content(content);
  if (!blocks) return outside.broke("2: a message can be read", content);
  for (const ContentBlock& block : *blocks) {
    if (block.type == "tool_call") ++open[*block.call_id];
    if (block.type != "tool_result") continue;
    --open[*block.call_id];
    if (content.contains("Edition") && outside.tools.done.contains(*block.call_id)) {
      outside.broke("11: what a rule refused was not done", *block.call_id);
    }
  }
}

// What an agent says to a person is untouched, tokens and all; what a beat says to an agent shows
// none.
void check_messages(Database& database, Outside& outside, Seen& seen) {
  std::map<std::string, int, std::less<>> open;  // by call
  for (const Row& row :
       read_rows(database, outside,
                 "SELECT position, conversation_id, seq, role, content, source FROM messages WHERE "
                 "position > $1 ORDER BY position",
                 {seen.message})) {
    seen.message = row.integer(0);
    const std::string& content = row.text(4);
    std::int64_t& last = seen.last_seq[row.text(1)];
    if (row.integer(2) != last + 1) {
      outside.broke("2: seq has no gap and no double",
                    fmt::format("{}: {} after {}", row.text(1), row.integer(2), last));
    }
    last = row.integer(2);
    no_secret(outside, "a transcript", content);
    if (row.text(3) == "user") {
      if (shows_silence_token(content)) {
        outside.broke("5: no beat's silence token comes into a conversation", content);
      }
      if (content.contains("(thought ") && !seen.thoughts.insert(row.text(1) + content).second) {
        outside.broke("3: what a person wrote is in a transcript once", content);
      }
      if (content.contains("[SYSTEM: ")) {
        outside.broke("12: what the agent is told at an opening is nowhere", content);
      }
    }
    if (content.contains("\"tool_")) check_calls(outside, content, open);
  }
  for (const auto& [call, left] : open) {
    if (left != 0) outside.broke("2: each tool call has its one result", call);
  }
}

void check_inbound(Database& database, Outside& outside, Seen& seen) {
  for (const Row& row : read_rows(database, outside,
                                  "SELECT number, message_id, COALESCE(turn_id, '') FROM inbound "
                                  "WHERE number > $1 AND message_id IS NOT NULL ORDER BY number",
                                  {seen.inbound})) {
    seen.inbound = row.integer(0);
    if (seen.kept.insert_or_assign(row.text(1), row.text(2)).second) continue;
    none(database, outside, "3: a message id is one message",  // or the first one was deleted
         "SELECT message_id FROM inbound WHERE message_id = $1 GROUP BY message_id HAVING "
         "COUNT(*) > 1",
         {row.text(1)});
  }
  for (const std::size_t which : std::exchange(outside.told, {})) {
    const Letter& letter = outside.letters[which];
    if (letter.in_deleted || seen.kept.contains(letter.id)) continue;
    outside.broke("3: what was acknowledged is there", letter.id);
  }
}

void check_activity(Database& database, Outside& outside, Seen& seen) {
  const bool judged = beats_can_be_judged(outside);
  for (const Row& row :
       read_rows(database, outside,
                 "SELECT a.id, a.ts, a.type, a.summary || ' | ' || a.details, a.due_ms, "
                 "COALESCE(j.job_id, '') FROM activity a LEFT JOIN jobs j ON j.number = a.job "
                 "WHERE a.id > $1 ORDER BY a.id",
                 {seen.activity})) {
    seen.activity = row.integer(0);
    no_secret(outside, "the activity log", row.text(3));
    if (row.text(2) != "heartbeat") continue;
    if (shows_silence_token(row.text(3))) {
      outside.broke("5: no silence token is in the activity log", row.text(3));
    }
    const WallTime at{row.integer(1)};
    if (!judged || row.is_null(4) || at < outside.papers.beats_since + kUnderWay) continue;
    for (const StandardBeat& one : outside.papers.beats) {
      if (row.text(5) != heartbeat_job_id(one.name)) continue;
      if (calendar_allows(one.wanted(), one.zone, at)) continue;
      outside.broke("5: no beat outside of its hours",
                    fmt::format("{} at {}", one.name, to_iso(at)));
    }
  }
}

void check_told(Database& database, Outside& outside, Seen& seen) {
  for (const Row& row :
       read_rows(database, outside,
                 "SELECT number, kind, subject || ' | ' || text FROM notifications WHERE number > "
                 "$1 ORDER BY number",
                 {seen.notification})) {
    seen.notification = row.integer(0);
    no_secret(outside, "a notification", row.text(2));
    if (row.text(1) == "heartbeat" && shows_silence_token(row.text(2))) {
      outside.broke("5: no silence token reaches anybody", row.text(2));
    }
  }
  const std::string home = Workspaces::default_id().str();
  std::int64_t& last = seen.last_event[home];
  for (const Row& row :
       read_rows(database, outside,
                 "SELECT seq, body FROM events WHERE workspace_id = $1 AND seq > $2 ORDER BY seq",
                 {home, last})) {
    if (row.integer(0) != last + 1 && last != 0) {
      outside.broke("2: the events of a workspace have no gap", fmt::format("after {}", last));
    }
    last = row.integer(0);
    no_secret(outside, "an event", row.text(1));
  }
  if (seen.brought == outside.brought.size()) return;
  seen.brought = outside.brought.size();
  for (const Row& row : read_rows(database, outside,
                                  "SELECT outbox_id, state, COALESCE(error, '') FROM outbox WHERE "
                                  "channel = 'whatsapp' AND state <> 'pending'")) {
    no_secret(outside, "the outbox", row.text(2));
    if (row.text(1) == "delivered" && !outside.arrived.contains(row.text(0))) {
      outside.broke("4: what counts as delivered has arrived", row.text(0));
    }
  }
}

}  // namespace

bool beats_can_be_judged(const Outside& outside) {
  for (const char* const set : {"clock set back", "clock set on", "machine sleeps", "disk full"}) {
    if (outside.counts.of(set) > 0) return false;
  }
  return true;
}

void check_fresh_rows(Database& database, Outside& outside, Seen& seen) {
  check_messages(database, outside, seen);
  check_inbound(database, outside, seen);
  check_activity(database, outside, seen);
  check_told(database, outside, seen);
}

}  // namespace rouse::sim
