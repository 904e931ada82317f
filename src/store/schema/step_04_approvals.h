// Hands: calls that wait for a person's word, and what people have allowed for longer.
#pragma once

#include <string_view>

namespace rouse::schema_steps {

inline constexpr std::string_view kApprovals = R"sql(
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

}  // namespace rouse::schema_steps
