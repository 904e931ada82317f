// What the server itself needs: workspaces, tokens, and browsers that are signed in.
#pragma once

#include <string_view>

namespace rouse::schema_steps {

inline constexpr std::string_view kFoundation = R"sql(
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

}  // namespace rouse::schema_steps
