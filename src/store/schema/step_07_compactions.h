// Compaction: a view over history that stays as it is.
#pragma once

#include <string_view>

namespace rouse::schema_steps {

inline constexpr std::string_view kCompactions = R"sql(
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

}  // namespace rouse::schema_steps
