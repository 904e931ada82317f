// What must hold of the conversation tables at any moment, whatever happened before: read straight
// from the rows, with plain SQL, so that no code of the product vouches for itself. Used by the
// property test and the simulator.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "store/database.h"

namespace rouse {

struct Invariant {
  const char* says;
  std::string_view broken;  // gives a row for each place where it doesn't hold
};

inline const std::vector<Invariant>& session_invariants() {
  static const std::vector<Invariant> all{
      {"at most one active session a conversation",
       "SELECT conversation_id FROM sessions WHERE status = 'active' "
       "GROUP BY conversation_id HAVING COUNT(*) > 1"},
      {"turn_count is the number of turns",
       "SELECT s.session_id FROM sessions s WHERE s.turn_count <> "
       "(SELECT COUNT(*) FROM turns t WHERE t.session_id = s.session_id AND t.state = 'done' "
       "AND t.first_seq IS NOT NULL)"},
      {"every message is in one session, of its own conversation",
       "SELECT m.position FROM messages m LEFT JOIN sessions s ON s.session_id = m.session_id "
       "WHERE s.session_id IS NULL OR s.conversation_id <> m.conversation_id"},
      {"seq has no gap and no double",
       "SELECT conversation_id FROM messages GROUP BY conversation_id "
       "HAVING MIN(seq) <> 1 OR MAX(seq) <> COUNT(*) OR COUNT(DISTINCT seq) <> COUNT(*)"},
      {"epochs have no gap, and only the last may be active",
       "SELECT conversation_id FROM sessions GROUP BY conversation_id "
       "HAVING MIN(epoch) <> 1 OR MAX(epoch) <> COUNT(*) "
       "OR MAX(CASE WHEN status = 'active' THEN epoch ELSE 0 END) NOT IN (0, MAX(epoch))"},
      {"a closed session says when and why, an active one doesn't",
       "SELECT session_id FROM sessions WHERE (status = 'closed') <> (close_reason IS NOT NULL) "
       "OR (status = 'closed') <> (closed_ms IS NOT NULL) OR status NOT IN ('active', 'closed')"},
      {"every session belongs to a conversation with its key",
       "SELECT s.session_id FROM sessions s LEFT JOIN conversations c "
       "ON c.conversation_id = s.conversation_id WHERE c.session_key IS NULL "
       "OR c.session_key <> s.channel || ':' || s.remote_jid OR c.workspace_id <> s.workspace_id"},
      // A message that joined the turn before it, or was taken back before its turn began, has no
      // answer of its own. Of one that was dropped before it began (a schedule's) nothing is there.
      {"every turn has what the person said, once and first, and what was answered, last",
       "SELECT t.turn_id FROM turns t LEFT JOIN (SELECT turn_id, COUNT(*) AS n, MIN(seq) AS first, "
       "MAX(seq) AS last, SUM(CASE WHEN role = 'user' THEN 1 ELSE 0 END) AS asked, "
       "MIN(CASE WHEN role = 'user' THEN seq END) AS first_asked, "
       "MAX(CASE WHEN role = 'assistant' THEN seq END) AS last_answered "
       "FROM messages GROUP BY turn_id) m ON m.turn_id = t.turn_id "
       "WHERE t.state IN ('done', 'parked') AND t.kind <> 'session_open' "
       "AND (t.started_ms IS NOT NULL OR t.first_seq IS NOT NULL) AND (m.n IS NULL OR m.asked <> 1 "
       "OR m.first_asked <> m.first OR (t.started_ms IS NOT NULL "
       "AND (m.last_answered IS NULL OR m.last_answered <> m.last)))"},
      {"a greeting stands alone, and is there exactly if it was said",
       "SELECT t.turn_id FROM turns t LEFT JOIN (SELECT turn_id, MAX(seq) AS last, "
       "SUM(CASE WHEN role = 'user' THEN 1 ELSE 0 END) AS asked, "
       "MAX(CASE WHEN role = 'assistant' THEN seq END) AS last_answered "
       "FROM messages GROUP BY turn_id) m ON m.turn_id = t.turn_id "
       "WHERE t.state IN ('done', 'parked') AND t.kind = 'session_open' "
       "AND ((t.verdict = 'spoke') <> (m.last IS NOT NULL) OR m.asked > 0 "
       "OR m.last_answered <> m.last)"},
      {"a turn without steps has two messages",
       "SELECT m.turn_id FROM messages m GROUP BY m.turn_id "
       "HAVING SUM(CASE WHEN m.role = 'tool' THEN 1 ELSE 0 END) = 0 AND COUNT(*) > 2"},
      {"what a turn says of its messages is so",
       "SELECT t.turn_id FROM turns t WHERE t.last_seq IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "
       "messages m WHERE m.conversation_id = t.conversation_id AND m.seq = t.last_seq)"},
      {"steps are kept for turns that are not over",
       "SELECT s.turn_id FROM turn_steps s LEFT JOIN turns t ON t.turn_id = s.turn_id "
       "WHERE t.turn_id IS NULL OR t.state NOT IN ('queued', 'running')"},
      {"the events of a workspace have no gap",
       "SELECT workspace_id FROM events GROUP BY workspace_id "
       "HAVING MAX(seq) - MIN(seq) + 1 <> COUNT(*)"},
      {"a message id is taken once",
       "SELECT message_id FROM inbound WHERE message_id IS NOT NULL "
       "GROUP BY workspace_id, channel, account, message_id HAVING COUNT(*) > 1"},
      {"what is in the transcript is no longer waiting, and the other way round",
       "SELECT i.number FROM inbound i LEFT JOIN (SELECT turn_id FROM messages "
       "WHERE role = 'user' GROUP BY turn_id) m ON m.turn_id = i.turn_id "
       "WHERE i.channel <> 'session_open' AND (i.content IS NULL) <> (m.turn_id IS NOT NULL)"},
      {"the chain reaches every inbound row of a conversation once",
       "WITH RECURSIVE chain (conversation_id, at) AS ("
       "SELECT conversation_id, last_inbound FROM sessions s WHERE epoch = "
       "(SELECT MAX(epoch) FROM sessions l WHERE l.conversation_id = s.conversation_id) "
       "UNION ALL SELECT chain.conversation_id, i.previous FROM chain "
       "JOIN inbound i ON i.number = chain.at WHERE i.previous IS NOT NULL) "
       "SELECT i.number FROM inbound i LEFT JOIN chain ON chain.at = i.number "
       "AND chain.conversation_id = i.conversation_id "
       "GROUP BY i.number HAVING COUNT(chain.at) <> 1"},
      {"an inbound row and its session are of one conversation",
       "SELECT i.number FROM inbound i LEFT JOIN sessions s ON s.session_id = i.session_id "
       "WHERE s.session_id IS NULL OR s.conversation_id <> i.conversation_id"},
      {"each session was opened by one inbound row, which says new",
       "SELECT s.session_id FROM sessions s LEFT JOIN inbound i ON i.number = s.opened_by "
       "WHERE i.number IS NULL OR i.decision <> 'new' OR i.session_id <> s.session_id "
       "OR i.reason <> s.opened_reason"},
      {"a decision 'new' opened a session",
       "SELECT i.number FROM inbound i LEFT JOIN sessions s ON s.opened_by = i.number "
       "WHERE i.decision = 'new' AND s.session_id IS NULL"},
      {"at most one turn of a conversation runs",
       "SELECT conversation_id FROM turns WHERE state = 'running' "
       "GROUP BY conversation_id HAVING COUNT(*) > 1"},
  };
  return all;
}

inline void expect_session_invariants(Database& database, const std::string& when) {
  for (const Invariant& invariant : session_invariants()) {
    const auto rows = database.read({invariant.broken, {}});
    ASSERT_TRUE(rows) << invariant.says << ": " << rows.error();
    EXPECT_TRUE(rows->empty()) << when << ": not true that " << invariant.says << " ("
                               << rows->size() << " places)";
  }
  const auto summaries =
      database.read({"SELECT session_id, turn_count, context_summary FROM sessions", {}, 100'000});
  ASSERT_TRUE(summaries) << summaries.error();
  for (const Row& row : *summaries) {
    const std::string& text = row.text(2);
    EXPECT_LE(text.size(), 1000U) << row.text(0);
    if (row.integer(1) == 0) continue;
    EXPECT_EQ(split(text, '\n').size(), 5U) << text;
    EXPECT_TRUE(text.ends_with("\nTURNS: " + std::to_string(row.integer(1)))) << text;
  }
}

}  // namespace rouse
