// Fewer pages that every turn writes.
//
// - Turns of a session are asked for only by the story of that session and are among those of its
//   conversation, which have an index of their own.
// - Events and firings are only looked for by their key: they stand in its order themselves.
#pragma once

#include <string_view>

namespace rouse::schema_steps {

inline constexpr std::string_view kLeanTurns = R"sql(
DROP INDEX idx_turns_session;
CREATE CLUSTERED TABLE lean_events (
  workspace_id    TEXT NOT NULL,
  seq             BIGINT NOT NULL,
  type            TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  session_id      TEXT NOT NULL,
  turn_id         TEXT NOT NULL,
  first_seq       BIGINT,
  last_seq        BIGINT,
  body            TEXT NOT NULL,
  created_ms      BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, seq)
);
INSERT INTO lean_events SELECT workspace_id, seq, type, conversation_id, session_id, turn_id,
  first_seq, last_seq, body, created_ms FROM events;
DROP TABLE events;
ALTER TABLE lean_events RENAME TO events;
CREATE CLUSTERED TABLE lean_firings (
  conversation_id TEXT NOT NULL,
  number          BIGINT NOT NULL,
  workspace_id    TEXT NOT NULL,
  session_id      TEXT NOT NULL,
  turn_id         TEXT NOT NULL,
  firings         TEXT NOT NULL,
  created_ms      BIGINT NOT NULL,
  PRIMARY KEY (conversation_id, number)
);
INSERT INTO lean_firings SELECT conversation_id, number, workspace_id, session_id, turn_id,
  firings, created_ms FROM lifecycle_firings;
DROP TABLE lifecycle_firings;
ALTER TABLE lean_firings RENAME TO lifecycle_firings
)sql";

}  // namespace rouse::schema_steps
