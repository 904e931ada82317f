#include "store/schema.h"

#include <array>

namespace rouse {
namespace {

constexpr std::string_view kFoundation = R"sql(
CREATE TABLE workspaces (
  workspace_id TEXT PRIMARY KEY,
  kind         TEXT NOT NULL,
  name         TEXT NOT NULL,
  timezone     TEXT,
  locale       TEXT,
  created_ms   BIGINT NOT NULL
);
CREATE TABLE tokens (
  token_id     TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  role         TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  hash         BYTEA NOT NULL,
  created_ms   BIGINT NOT NULL,
  revoked_ms   BIGINT
);
CREATE UNIQUE INDEX idx_tokens_hash ON tokens (hash);
CREATE TABLE browser_sessions (
  hash       BYTEA PRIMARY KEY,
  token_id   TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  expires_ms BIGINT NOT NULL
);
CREATE INDEX idx_browser_sessions_token ON browser_sessions (token_id);
CREATE INDEX idx_browser_sessions_expiry ON browser_sessions (expires_ms)
)sql";

// The conversation kernel. `sessions` carries the seed's nine columns with their types first (times
// as ISO text), then ours; its key is a number, by which a message finds the row in one step. What
// only a conversation's own ledger needs is chained, not indexed: each inbound row names the one
// before it, so a message costs an append and not a page of an index.
constexpr std::string_view kSessions = R"sql(
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

// The turn: its durable steps while it runs, what it cost, what is to be delivered, and the events
// by which a page catches up.
constexpr std::string_view kTurns = R"sql(
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

// Hands: calls that wait for a person's word, and what people have allowed for longer.
constexpr std::string_view kApprovals = R"sql(
CREATE TABLE approvals (
  approval_id     TEXT PRIMARY KEY,
  workspace_id    TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  session_id      TEXT NOT NULL,
  turn_id         TEXT NOT NULL,
  call_id         TEXT NOT NULL,
  tool            TEXT NOT NULL,
  arguments       TEXT NOT NULL,
  agent           TEXT NOT NULL,
  project_folder  TEXT NOT NULL,
  covers          TEXT NOT NULL,
  summary         TEXT NOT NULL,
  reason          TEXT NOT NULL,
  tainted         BIGINT NOT NULL,
  state           TEXT NOT NULL,
  scope           TEXT,
  decided_by      TEXT,
  note            TEXT,
  created_ms      BIGINT NOT NULL,
  expires_ms      BIGINT NOT NULL,
  decided_ms      BIGINT
);
CREATE INDEX idx_approvals_pending ON approvals (expires_ms, approval_id) WHERE state = 'pending';
CREATE INDEX idx_approvals_workspace ON approvals (workspace_id, approval_id);
CREATE INDEX idx_approvals_conversation ON approvals (conversation_id, approval_id);
CREATE INDEX idx_approvals_turn ON approvals (turn_id);
CREATE INDEX idx_approvals_waiting ON approvals (conversation_id, approval_id)
  WHERE state = 'pending';
CREATE INDEX idx_approvals_decided ON approvals (conversation_id, decided_by)
  WHERE decided_by IS NOT NULL;
CREATE TABLE permissions (
  permission_id   TEXT PRIMARY KEY,
  workspace_id    TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  tool            TEXT NOT NULL,
  covers          TEXT NOT NULL,
  approval_id     TEXT NOT NULL,
  created_ms      BIGINT NOT NULL
);
CREATE UNIQUE INDEX idx_permissions_call
  ON permissions (workspace_id, tool, covers, conversation_id)
)sql";

// Memory: what an agent keeps of a person, and how the person wants it to work. A note's place is
// its importance and, below that, a running number: the order in which notes are worth showing. It
// moves when the note is changed. A book counts the notes of one agent.
constexpr std::string_view kMemory = R"sql(
CREATE TABLE memory_books (
  workspace_id TEXT NOT NULL,
  agent        TEXT NOT NULL,
  notes        BIGINT NOT NULL,
  untrusted    BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, agent)
);
CREATE TABLE memory_notes (
  place           BIGINT PRIMARY KEY,
  note_id         TEXT NOT NULL UNIQUE,
  workspace_id    TEXT NOT NULL,
  agent           TEXT NOT NULL,
  text            TEXT NOT NULL,
  fingerprint     TEXT NOT NULL,
  importance      BIGINT NOT NULL,
  provenance      TEXT NOT NULL,
  conversation_id TEXT,
  turn_id         TEXT,
  created_ms      BIGINT NOT NULL,
  updated_ms      BIGINT NOT NULL
);
CREATE UNIQUE INDEX idx_memory_notes_text ON memory_notes (workspace_id, agent, fingerprint);
CREATE INDEX idx_memory_notes_order ON memory_notes (workspace_id, agent, place);
CREATE INDEX idx_memory_notes_trusted ON memory_notes (workspace_id, agent, place)
  WHERE provenance <> 'untrusted';
CREATE WORD INDEX memory_words;
CREATE TABLE instructions (
  workspace_id TEXT NOT NULL,
  agent        TEXT NOT NULL,
  text         TEXT NOT NULL,
  previous     TEXT NOT NULL,
  provenance   TEXT NOT NULL,
  updated_ms   BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, agent)
)
)sql";

// What is to be done.
constexpr std::string_view kTasks = R"sql(
CREATE TABLE tasks (
  workspace_id    TEXT NOT NULL,
  number          BIGINT NOT NULL,
  task_id         TEXT NOT NULL UNIQUE,
  title           TEXT NOT NULL,
  detail          TEXT NOT NULL,
  state           TEXT NOT NULL,
  claimed_by      TEXT,
  reason          TEXT,
  commits         TEXT NOT NULL,
  project         TEXT,
  provenance      TEXT NOT NULL,
  conversation_id TEXT,
  turn_id         TEXT,
  created_ms      BIGINT NOT NULL,
  updated_ms      BIGINT NOT NULL,
  ended_ms        BIGINT,
  PRIMARY KEY (workspace_id, number)
);
CREATE INDEX idx_tasks_state ON tasks (workspace_id, state, number)
)sql";

// Compaction: a view over history that stays as it is.
constexpr std::string_view kCompactions = R"sql(
CREATE TABLE compactions (
  conversation_id TEXT NOT NULL,
  through_seq     BIGINT NOT NULL,
  from_seq        BIGINT NOT NULL,
  session_id      TEXT NOT NULL,
  epoch           BIGINT NOT NULL,
  turn_id         TEXT,
  reason          TEXT NOT NULL,
  summary         TEXT NOT NULL,
  by_model        BIGINT NOT NULL,
  untrusted       BIGINT NOT NULL,
  tainted         BIGINT NOT NULL,
  tokens_before   BIGINT NOT NULL,
  tokens_after    BIGINT NOT NULL,
  created_ms      BIGINT NOT NULL,
  PRIMARY KEY (conversation_id, through_seq)
)
)sql";

// Automations: what shall happen (jobs), what became of each due instant (occurrences; old ones
// folded by day), and the record of each execution (runs). A message may carry what made it.
constexpr std::string_view kAutomations = R"sql(
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

// What happened, in a sentence or two: the seed's six columns first, so that its selects work on
// our file, then ours. A conversation's cursor says up to which message its work is in the log. The
// people who are told about it, and the browsers that asked to be.
constexpr std::string_view kActivity = R"sql(
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

// The log of activity is written more than it is asked: of the indexes that begin with a project,
// only heartbeats need their own.
// What a conversation's list shows, and what its reader chose: pinned, seen up to, which model.
constexpr std::string_view kReading = R"sql(
DROP INDEX idx_activity_project_type;
CREATE INDEX idx_activity_heartbeats ON activity (project, ts DESC) WHERE type = 'heartbeat';
ALTER TABLE conversations ADD COLUMN pinned_ms BIGINT;
CREATE INDEX idx_conversations_pinned ON conversations (workspace_id, last_active_ms, conversation_id)
  WHERE pinned_ms IS NOT NULL;
ALTER TABLE conversations ADD COLUMN model TEXT;
ALTER TABLE conversations ADD COLUMN seen_seq BIGINT NOT NULL DEFAULT 0
)sql";

// What workflows remember of a session, and what each of them did.
constexpr std::string_view kLifecycle = R"sql(
CREATE TABLE lifecycle_state (
  session_id      TEXT PRIMARY KEY,
  workspace_id    TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  variables       TEXT NOT NULL,
  updated_ms      BIGINT NOT NULL
);
CREATE INDEX idx_lifecycle_state_conversation ON lifecycle_state (conversation_id);
CREATE TABLE lifecycle_firings (
  conversation_id TEXT NOT NULL,
  number          BIGINT NOT NULL,
  workspace_id    TEXT NOT NULL,
  session_id      TEXT NOT NULL,
  turn_id         TEXT NOT NULL,
  firings         TEXT NOT NULL,
  created_ms      BIGINT NOT NULL,
  PRIMARY KEY (conversation_id, number)
)
)sql";

constexpr std::array kSteps{Migration{1, "foundation", kFoundation},
                            Migration{2, "sessions", kSessions},
                            Migration{3, "turns", kTurns},
                            Migration{4, "approvals", kApprovals},
                            Migration{5, "memory", kMemory},
                            Migration{6, "tasks", kTasks},
                            Migration{7, "compactions", kCompactions},
                            Migration{8, "automations", kAutomations},
                            Migration{9, "activity", kActivity},
                            Migration{10, "reading", kReading},
                            Migration{11, "lifecycle", kLifecycle}};

}  // namespace

std::span<const Migration> schema() { return kSteps; }

}  // namespace rouse
