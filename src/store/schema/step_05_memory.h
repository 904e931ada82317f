// Memory: what an agent keeps of a person, and how the person wants it to work. A note's place is
// its importance and, below that, a running number: the order in which notes are worth showing. It
// moves when the note is changed. A book counts the notes of one agent.
#pragma once

#include <string_view>

namespace rouse::schema_steps {

inline constexpr std::string_view kMemory = R"sql(
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

}  // namespace rouse::schema_steps
