// What happened, in a sentence or two: the seed's six columns first, so that its selects work on
// our file, then ours. A conversation's cursor says up to which message its work is in the log. The
// people who are told about it, and the browsers that asked to be.
#pragma once

#include <string_view>

namespace rouse::schema_steps {

inline constexpr std::string_view kActivity = R"sql(
CREATE TABLE activity (
  id              BIGINT PRIMARY KEY,
  ts              BIGINT NOT NULL,
  type            TEXT NOT NULL,
  project         TEXT,
  session         TEXT,
  summary         TEXT NOT NULL,
  workspace_id    TEXT NOT NULL,
  conversation_id TEXT,
  turn_id         TEXT,
  run_id          TEXT,
  job             BIGINT,
  due_ms          BIGINT,
  details         TEXT NOT NULL
);
CREATE INDEX idx_ts ON activity (ts DESC);
CREATE INDEX idx_type_ts ON activity (type, ts DESC);
CREATE INDEX idx_project_ts ON activity (project, ts DESC);
CREATE INDEX idx_activity_project_type ON activity (project, type, ts DESC);
CREATE INDEX idx_activity_workspace ON activity (workspace_id, ts, id);
CREATE INDEX idx_activity_type ON activity (workspace_id, type, ts, id);
CREATE INDEX idx_activity_project ON activity (workspace_id, project, ts, id);
CREATE INDEX idx_activity_conversation ON activity (conversation_id, ts, id)
  WHERE conversation_id IS NOT NULL;
CREATE INDEX idx_activity_job ON activity (job, id) WHERE job IS NOT NULL;
CREATE INDEX idx_runs_failed ON runs (workspace_id, ended_ms) WHERE state IN ('error', 'timeout');
CREATE TABLE activity_cursors (
  conversation_id TEXT PRIMARY KEY,
  through_seq     BIGINT NOT NULL
);
INSERT INTO index_cursors (name, position, forgotten)
  SELECT 'activity', COALESCE(MAX(position), 0), 0 FROM messages;
CREATE TABLE notifications (
  number          BIGINT PRIMARY KEY,
  workspace_id    TEXT NOT NULL,
  kind            TEXT NOT NULL,
  subject         TEXT NOT NULL,
  text            TEXT NOT NULL,
  fingerprint     TEXT NOT NULL,
  conversation_id TEXT,
  turn_id         TEXT,
  run_id          TEXT,
  untrusted       BIGINT NOT NULL,
  created_ms      BIGINT NOT NULL,
  read_ms         BIGINT
);
CREATE INDEX idx_notifications_workspace ON notifications (workspace_id, number);
CREATE INDEX idx_notifications_unread ON notifications (workspace_id, number)
  WHERE read_ms IS NULL;
CREATE TABLE push_subscriptions (
  subscription_id TEXT PRIMARY KEY,
  workspace_id    TEXT NOT NULL,
  token_id        TEXT NOT NULL,
  endpoint        TEXT NOT NULL UNIQUE,
  p256dh          TEXT NOT NULL,
  auth            TEXT NOT NULL,
  name            TEXT NOT NULL,
  created_ms      BIGINT NOT NULL,
  worked_ms       BIGINT
);
CREATE INDEX idx_push_subscriptions_workspace ON push_subscriptions (workspace_id, subscription_id);
CREATE TABLE heartbeats (
  workspace_id TEXT NOT NULL,
  name         TEXT NOT NULL,
  state        TEXT NOT NULL,
  updated_ms   BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, name)
)
)sql";

}  // namespace rouse::schema_steps
