// What a conversation's list shows, and what its reader chose: pinned, seen up to, which model. The
// log of activity is written more than it is asked: of the indexes that begin with a project, only
// heartbeats need their own.
#pragma once

#include <string_view>

namespace rouse::schema_steps {

inline constexpr std::string_view kReading = R"sql(
DROP INDEX idx_activity_project_type;
CREATE INDEX idx_activity_heartbeats ON activity (project, ts DESC) WHERE type = 'heartbeat';
ALTER TABLE conversations ADD COLUMN pinned_ms BIGINT;
CREATE INDEX idx_conversations_pinned ON conversations (workspace_id, last_active_ms, conversation_id)
  WHERE pinned_ms IS NOT NULL;
ALTER TABLE conversations ADD COLUMN model TEXT;
ALTER TABLE conversations ADD COLUMN seen_seq BIGINT NOT NULL DEFAULT 0
)sql";

}  // namespace rouse::schema_steps
