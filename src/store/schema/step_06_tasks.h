// What is to be done.
#pragma once

#include <string_view>

namespace rouse::schema_steps {

inline constexpr std::string_view kTasks = R"sql(
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

}  // namespace rouse::schema_steps
