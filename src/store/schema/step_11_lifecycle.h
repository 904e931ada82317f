// What workflows remember of a session, and what each of them did.
#pragma once

#include <string_view>

namespace rouse::schema_steps {

inline constexpr std::string_view kLifecycle = R"sql(
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

}  // namespace rouse::schema_steps
