// The invariants of who speaks first, of rules and their memory, and of what may not grow.
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "lifecycle/engine/firing.h"
#include "session/event_log.h"
#include "session/notification/notification.h"
#include "tests/sim/box/invariants.h"
#include "tests/sim/box/plan.h"
#include "tests/sim/box/reading.h"

namespace rouse::sim {
namespace {

// Between two looks of whoever prunes.
constexpr std::int64_t kUnpruned = 4 * kCommitsToPrune;

std::int64_t number_after(const std::string& text, std::string_view name) {
  const std::size_t at = text.find(name);
  return at == std::string::npos ? 0 : std::atoll(text.c_str() + at + name.size());
}

}  // namespace

// At most one greeting for each opening, none that a crash cut off, none within five minutes of the
// last word that was there when it was asked for; and what somebody heard is there.
void check_openings(Database& database, Outside& outside) {
  for (const std::string& turn : outside.given_up) {
    none(database, outside, "12: a greeting that a crash cut off is never made up for",
         "SELECT turn_id, verdict FROM turns WHERE turn_id = $1 AND verdict = 'spoke'", {turn});
  }
  for (const Greeted& one : outside.greeted) {
    if (one.in_deleted) continue;
    const Rows rows = read_rows(database, outside,
                                "SELECT COUNT(*) FROM messages WHERE turn_id = $1 AND role = "
                                "'assistant' AND content LIKE '%\"text\"%'",
                                {one.turn});
    if (!rows.empty() && rows.front().integer(0) == 1) continue;
    outside.broke("12: a greeting that somebody heard is there, once",
                  fmt::format("p{}, {}: {}", one.who, one.turn, one.words));
  }
  for (const auto& [who, times] : outside.opened) {
    none(database, outside, "12: each opening is greeted once at most",
         "SELECT c.session_key, COUNT(*) FROM turns t JOIN conversations c ON c.conversation_id = "
         "t.conversation_id WHERE t.kind = 'session_open' AND c.session_key = $1 GROUP BY "
         "c.session_key HAVING COUNT(*) > $2",
         {fmt::format("api:p{}", who), times});
  }
  none(database, outside, "12: nobody is greeted within five minutes of the last word",
       "SELECT t.turn_id, t.queued_ms - p.created_ms FROM turns t JOIN messages p ON "
       "p.conversation_id = t.conversation_id AND p.seq = t.first_seq - 1 WHERE t.kind = "
       "'session_open' AND t.verdict = 'spoke' AND t.queued_ms - p.created_ms < 300000");
}

// What rules remember of a session is what its transcript shows. A greeting that said nothing has
// done what it did all the same, and so has a call whose result the disk refused.
void check_rules(Database& database, Outside& outside) {
  if (outside.papers.uncounted || deletes_under_way(database, outside)) return;
  const bool refused = outside.counts.of("a sync fails") + outside.counts.of("a write fails") +
                           outside.counts.of("disk full") + outside.counts.of("fenced") >
                       0;
  std::map<std::string, std::int64_t, std::less<>> done;
  for (const Row& row : read_rows(database, outside,
                                  "SELECT session_id, COUNT(*) FROM messages WHERE role = 'tool' "
                                  "AND content LIKE '%change done%' GROUP BY session_id")) {
    done[row.text(0)] = row.integer(1);
  }
  for (const Row& row : read_rows(
           database, outside,
           "SELECT s.session_id, COALESCE(l.variables, ''), (SELECT COUNT(*) FROM turns t WHERE "
           "t.session_id = s.session_id AND t.kind = 'session_open') FROM sessions s LEFT JOIN "
           "lifecycle_state l ON l.session_id = s.session_id WHERE NOT EXISTS (SELECT 1 FROM turns "
           "t WHERE t.session_id = s.session_id AND t.state IN ('queued', 'running'))")) {
    const std::int64_t counted = number_after(row.text(1), "\"changes\":");
    const auto found = done.find(row.text(0));
    const std::int64_t shown = found == done.end() ? 0 : found->second;
    if (counted == shown || (counted > shown && (refused || row.integer(2) > 0))) continue;
    outside.broke("11: what rules remember is what was done",
                  fmt::format("{}: {} counted, {} shown", row.text(0), counted, shown));
  }
}

// Rows that are bounded by what is configured, however long the world lives.
void check_bounds(Database& database, Outside& outside) {
  const char* const bounded = "8: what is bounded does not grow with time";
  none(database, outside, bounded,
       "SELECT 'events', workspace_id, COUNT(*) FROM events GROUP BY workspace_id HAVING COUNT(*) "
       "> $1",
       {kEventsKept + kUnpruned});
  none(database, outside, bounded,
       "SELECT 'notifications', workspace_id, COUNT(*) FROM notifications GROUP BY workspace_id "
       "HAVING COUNT(*) > $1",
       {kNotificationsKept});
  none(database, outside, bounded,
       "SELECT 'firings', conversation_id, COUNT(*) FROM lifecycle_firings GROUP BY "
       "conversation_id HAVING COUNT(*) > $1",
       {kFiringsKept});
  none(database, outside, bounded,
       "SELECT 'heartbeats', COUNT(*) FROM heartbeats HAVING COUNT(*) > $1",
       {static_cast<std::int64_t>(outside.papers.beats.size())});
}

}  // namespace rouse::sim
