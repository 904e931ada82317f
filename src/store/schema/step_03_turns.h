// The turn: its durable steps while it runs, what it cost, what is to be delivered, and the events
// by which a page catches up.
#pragma once

#include <string_view>

namespace rouse::schema_steps {

inline constexpr std::string_view kTurns = R"sql(
ALTER TABLE turns ADD COLUMN reason TEXT;
ALTER TABLE turns ADD COLUMN error TEXT;
ALTER TABLE turns ADD COLUMN model TEXT;
ALTER TABLE turns ADD COLUMN tokens_in BIGINT;
ALTER TABLE turns ADD COLUMN tokens_out BIGINT;
ALTER TABLE turns ADD COLUMN cache_read BIGINT;
ALTER TABLE turns ADD COLUMN cache_write BIGINT;
ALTER TABLE turns ADD COLUMN cost_micros BIGINT;
ALTER TABLE turns ADD COLUMN history_from BIGINT;
ALTER TABLE turns ADD COLUMN last_seq BIGINT;
ALTER TABLE sessions ADD COLUMN close_summary TEXT;
ALTER TABLE inbound ADD COLUMN peer TEXT;
CREATE INDEX idx_turns_conversation ON turns (conversation_id, number);
CREATE INDEX idx_turns_workspace ON turns (workspace_id, number);
CREATE TABLE turn_steps (
  turn_id    TEXT NOT NULL,
  step       BIGINT NOT NULL,
  kind       TEXT NOT NULL,
  content    TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (turn_id, step)
);
CREATE TABLE events (
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
CREATE TABLE outbox (
  outbox_id       TEXT PRIMARY KEY,
  workspace_id    TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  turn_id         TEXT NOT NULL,
  channel         TEXT NOT NULL,
  peer            TEXT NOT NULL,
  account         TEXT NOT NULL,
  text            TEXT NOT NULL,
  state           TEXT NOT NULL,
  attempts        BIGINT NOT NULL,
  receipt         TEXT,
  error           TEXT,
  created_ms      BIGINT NOT NULL,
  next_ms         BIGINT NOT NULL,
  ended_ms        BIGINT,
  head            BIGINT NOT NULL
);
CREATE INDEX idx_outbox_due ON outbox (next_ms, outbox_id) WHERE state = 'pending' AND head = 1;
CREATE INDEX idx_outbox_sending ON outbox (outbox_id) WHERE state = 'sending';
CREATE INDEX idx_outbox_turn ON outbox (turn_id);
CREATE INDEX idx_outbox_workspace ON outbox (workspace_id, outbox_id);
CREATE INDEX idx_outbox_open ON outbox (conversation_id, outbox_id)
  WHERE state IN ('pending', 'sending');
CREATE INDEX idx_outbox_conversation ON outbox (conversation_id);
CREATE TABLE spend (
  owner         TEXT NOT NULL,
  day           TEXT NOT NULL,
  turns         BIGINT NOT NULL,
  tokens_in     BIGINT NOT NULL,
  tokens_out    BIGINT NOT NULL,
  cache_read    BIGINT NOT NULL,
  cache_write   BIGINT NOT NULL,
  micros        BIGINT NOT NULL,
  price_unknown BIGINT NOT NULL,
  noticed_ms    BIGINT,
  PRIMARY KEY (owner, day)
)
)sql";

}  // namespace rouse::schema_steps
