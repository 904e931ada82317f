// Automations: what shall happen (jobs), what became of each due instant (occurrences; old ones
// folded by day), and the record of each execution (runs). A message may carry what made it.
#pragma once

#include <string_view>

namespace rouse::schema_steps {

inline constexpr std::string_view kAutomations = R"sql(
ALTER TABLE messages ADD COLUMN meta TEXT;
ALTER TABLE inbound ADD COLUMN meta TEXT;
CREATE TABLE jobs (
  number          BIGINT PRIMARY KEY,
  workspace_id    TEXT NOT NULL,
  job_id          TEXT NOT NULL,
  name            TEXT NOT NULL,
  message         TEXT NOT NULL,
  kind            TEXT NOT NULL,
  session_key     TEXT NOT NULL,
  schedule_kind   TEXT NOT NULL,
  at_ms           BIGINT NOT NULL,
  every_ms        BIGINT NOT NULL,
  anchor_ms       BIGINT NOT NULL,
  expr            TEXT NOT NULL,
  zone            TEXT NOT NULL,
  state           TEXT NOT NULL,
  state_by        TEXT NOT NULL,
  state_reason    TEXT NOT NULL,
  state_ms        BIGINT NOT NULL,
  next_ms         BIGINT,
  catch_up        TEXT NOT NULL,
  catch_up_max    BIGINT NOT NULL,
  window_ms       BIGINT NOT NULL,
  timeout_ms      BIGINT NOT NULL,
  failures        BIGINT NOT NULL,
  backoff_ms      BIGINT,
  extra           TEXT NOT NULL,
  provenance      TEXT NOT NULL,
  source          TEXT NOT NULL,
  made_key        TEXT,
  conversation_id TEXT,
  turn_id         TEXT,
  created_ms      BIGINT NOT NULL,
  updated_ms      BIGINT NOT NULL,
  last_status     TEXT,
  last_reason     TEXT,
  last_due_ms     BIGINT
);
CREATE UNIQUE INDEX idx_jobs_id ON jobs (workspace_id, job_id);
CREATE UNIQUE INDEX idx_jobs_key ON jobs (workspace_id, made_key) WHERE made_key IS NOT NULL;
CREATE INDEX idx_jobs_due ON jobs (next_ms, number) WHERE next_ms IS NOT NULL;
CREATE INDEX idx_jobs_session ON jobs (workspace_id, session_key, number) WHERE state <> 'removed';
CREATE INDEX idx_jobs_workspace ON jobs (workspace_id, number) WHERE state <> 'removed';
CREATE INDEX idx_jobs_source ON jobs (source, workspace_id, number)
  WHERE source IN ('file', 'agent', 'system') AND state <> 'removed';
CREATE TABLE occurrences (
  job        BIGINT NOT NULL,
  due_ms     BIGINT NOT NULL,
  last_ms    BIGINT NOT NULL,
  count      BIGINT NOT NULL,
  state      TEXT NOT NULL,
  reason     TEXT NOT NULL,
  epoch      BIGINT NOT NULL,
  attempt    BIGINT NOT NULL,
  ready_ms   BIGINT NOT NULL,
  claimed_ms BIGINT NOT NULL,
  ended_ms   BIGINT,
  PRIMARY KEY (job, due_ms)
);
CREATE INDEX idx_occurrences_ready ON occurrences (ready_ms, due_ms, job) WHERE state = 'claimed';
CREATE INDEX idx_occurrences_open ON occurrences (job, due_ms) WHERE ended_ms IS NULL;
CREATE TABLE occurrence_days (
  job      BIGINT NOT NULL,
  day_ms   BIGINT NOT NULL,
  state    TEXT NOT NULL,
  count    BIGINT NOT NULL,
  first_ms BIGINT NOT NULL,
  last_ms  BIGINT NOT NULL,
  PRIMARY KEY (job, day_ms, state)
);
CREATE TABLE runs (
  number          BIGINT PRIMARY KEY,
  run_id          TEXT NOT NULL,
  workspace_id    TEXT NOT NULL,
  job             BIGINT NOT NULL,
  job_id          TEXT NOT NULL,
  job_name        TEXT NOT NULL,
  due_ms          BIGINT NOT NULL,
  attempt         BIGINT NOT NULL,
  kind            TEXT NOT NULL,
  state           TEXT NOT NULL,
  reason          TEXT NOT NULL,
  session_key     TEXT NOT NULL,
  prompt_id       TEXT NOT NULL,
  prompt_version  BIGINT NOT NULL,
  prompt_sha256   TEXT NOT NULL,
  variables       TEXT NOT NULL,
  prompt          TEXT NOT NULL,
  turn_id         TEXT,
  conversation_id TEXT,
  session_id      TEXT,
  answer          TEXT NOT NULL,
  routed          TEXT NOT NULL,
  error           TEXT NOT NULL,
  model           TEXT NOT NULL,
  tokens_in       BIGINT NOT NULL,
  tokens_out      BIGINT NOT NULL,
  cost_micros     BIGINT,
  queued_ms       BIGINT NOT NULL,
  ended_ms        BIGINT,
  late            BIGINT NOT NULL
);
CREATE UNIQUE INDEX idx_runs_id ON runs (workspace_id, run_id);
CREATE INDEX idx_runs_job ON runs (job, number);
CREATE INDEX idx_runs_workspace ON runs (workspace_id, number);
CREATE INDEX idx_runs_turn ON runs (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX idx_runs_unrouted ON runs (number) WHERE routed = 'pending';
CREATE TABLE server_starts (
  started_ms BIGINT PRIMARY KEY,
  ended_ms   BIGINT
)
)sql";

}  // namespace rouse::schema_steps
