// The conversation kernel. `sessions` carries the seed's nine columns with their types first (times
// as ISO text), then ours; its key is a number, by which a message finds the row in one step. What
// only a conversation's own ledger needs is chained, not indexed: each inbound row names the one
// before it, so a message costs an append and not a page of an index.
#pragma once

#include <string_view>

namespace rouse::schema_steps {

inline constexpr std::string_view kSessions = R"sql(
CREATE TABLE peers (
  channel      TEXT NOT NULL,
  peer         TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  created_ms   BIGINT NOT NULL,
  PRIMARY KEY (channel, peer)
);
CREATE INDEX idx_peers_workspace ON peers (workspace_id);
CREATE TABLE projects (
  workspace_id TEXT NOT NULL,
  project_key  TEXT NOT NULL,
  alias        TEXT NOT NULL,
  path         TEXT NOT NULL,
  created_ms   BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, project_key)
);
CREATE TABLE agents (
  workspace_id TEXT NOT NULL,
  name         TEXT NOT NULL,
  instructions TEXT NOT NULL,
  model        TEXT NOT NULL,
  tools        TEXT NOT NULL,
  created_ms   BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, name)
);
CREATE TABLE conversations (
  conversation_id TEXT PRIMARY KEY,
  workspace_id    TEXT NOT NULL,
  session_key     TEXT NOT NULL,
  title           TEXT NOT NULL,
  project_key     TEXT,
  agent_name      TEXT,
  last_active_ms  BIGINT NOT NULL,
  created_ms      BIGINT NOT NULL
);
CREATE UNIQUE INDEX idx_conversations_key ON conversations (workspace_id, session_key);
CREATE INDEX idx_conversations_recent
  ON conversations (workspace_id, last_active_ms, conversation_id);
CREATE TABLE aliases (
  workspace_id    TEXT NOT NULL,
  external_id     TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  created_ms      BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, external_id)
);
CREATE INDEX idx_aliases_conversation ON aliases (conversation_id);
CREATE TABLE sessions (
  session_id      TEXT NOT NULL UNIQUE,
  workspace_id    TEXT NOT NULL,
  channel         TEXT NOT NULL DEFAULT 'whatsapp',
  remote_jid      TEXT NOT NULL,
  status          TEXT NOT NULL DEFAULT 'active',
  turn_count      BIGINT NOT NULL DEFAULT 0,
  context_summary TEXT NOT NULL DEFAULT '',
  created_at      TEXT NOT NULL,
  last_message_at TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  epoch           BIGINT NOT NULL,
  opened_reason   TEXT NOT NULL,
  opened_by       BIGINT PRIMARY KEY,
  close_reason    TEXT,
  closed_ms       BIGINT,
  last_user_ms    BIGINT,
  last_inbound    BIGINT
);
CREATE INDEX idx_sessions_lookup ON sessions (workspace_id, channel, remote_jid, status);
CREATE UNIQUE INDEX idx_sessions_epoch ON sessions (conversation_id, epoch);
CREATE UNIQUE INDEX idx_sessions_active ON sessions (conversation_id) WHERE status = 'active';
CREATE INDEX idx_sessions_newest ON sessions (workspace_id, opened_by);
CREATE TABLE messages (
  position        BIGINT PRIMARY KEY,
  conversation_id TEXT NOT NULL,
  seq             BIGINT NOT NULL,
  session_id      TEXT NOT NULL,
  turn_id         TEXT,
  role            TEXT NOT NULL,
  source          TEXT NOT NULL,
  content         TEXT NOT NULL,
  created_ms      BIGINT NOT NULL
);
CREATE UNIQUE INDEX idx_messages_seq ON messages (conversation_id, seq);
CREATE TABLE blobs (
  workspace_id TEXT NOT NULL,
  hash         TEXT NOT NULL,
  media_type   TEXT NOT NULL,
  size         BIGINT NOT NULL,
  created_ms   BIGINT NOT NULL,
  bytes        BYTEA NOT NULL,
  PRIMARY KEY (workspace_id, hash)
);
CREATE INDEX idx_blobs_created ON blobs (created_ms);
CREATE TABLE blob_uses (
  workspace_id    TEXT NOT NULL,
  hash            TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  PRIMARY KEY (workspace_id, hash, conversation_id)
);
CREATE INDEX idx_blob_uses_conversation ON blob_uses (conversation_id);
CREATE TABLE inbound (
  number          BIGINT PRIMARY KEY,
  previous        BIGINT,
  workspace_id    TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  session_id      TEXT NOT NULL,
  channel         TEXT NOT NULL,
  account         TEXT NOT NULL,
  message_id      TEXT,
  content         TEXT,
  decision        TEXT NOT NULL,
  reason          TEXT NOT NULL,
  facts           TEXT NOT NULL,
  turn_id         TEXT,
  received_ms     BIGINT NOT NULL
);
CREATE UNIQUE INDEX idx_inbound_message ON inbound (workspace_id, channel, account, message_id)
  WHERE message_id IS NOT NULL;
CREATE TABLE turns (
  number          BIGINT PRIMARY KEY,
  turn_id         TEXT NOT NULL UNIQUE,
  workspace_id    TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  session_id      TEXT NOT NULL,
  kind            TEXT NOT NULL,
  lane            BIGINT NOT NULL,
  state           TEXT NOT NULL,
  attempts        BIGINT NOT NULL,
  inbound_number  BIGINT,
  message_id      TEXT,
  first_seq       BIGINT,
  action_type     TEXT,
  verdict         TEXT,
  queued_ms       BIGINT NOT NULL,
  started_ms      BIGINT,
  ended_ms        BIGINT
);
CREATE INDEX idx_turns_session ON turns (session_id, number);
CREATE INDEX idx_turns_waiting ON turns (conversation_id, lane, number) WHERE state = 'queued';
CREATE INDEX idx_turns_message ON turns (conversation_id, message_id)
  WHERE message_id IS NOT NULL;
CREATE UNIQUE INDEX idx_turns_running ON turns (conversation_id) WHERE state = 'running';
CREATE TABLE tombstones (
  conversation_id TEXT PRIMARY KEY,
  workspace_id    TEXT NOT NULL,
  session_key     TEXT NOT NULL,
  sessions        BIGINT NOT NULL,
  messages        BIGINT NOT NULL,
  inbound_left    BIGINT,
  deleted_ms      BIGINT NOT NULL,
  finished_ms     BIGINT
);
CREATE INDEX idx_tombstones_key ON tombstones (workspace_id, session_key);
CREATE INDEX idx_tombstones_unfinished ON tombstones (conversation_id) WHERE finished_ms IS NULL;
CREATE TEXT INDEX message_text;
CREATE TABLE index_cursors (
  name      TEXT PRIMARY KEY,
  position  BIGINT NOT NULL,
  forgotten BIGINT NOT NULL
);
INSERT INTO index_cursors (name, position, forgotten) VALUES ('messages', 0, 0)
)sql";

}  // namespace rouse::schema_steps
