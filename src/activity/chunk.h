// The work of a conversation, cut into chunks by what caused it: turns of one cause that follow one
// another are one, and each run of an automation is one of its own (U15). Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "activity/activity.h"
#include "session/messages.h"
#include "session/summary/summariser.h"
#include "session/turn_queue.h"

namespace rouse {

ActivityType type_of(TurnKind kind);

// Whose message it is: none for one that belongs to no turn.
struct WorkTurn {
  TurnId id;
  TurnKind kind = TurnKind::kUser;
  bool repeats = false;  // only says what has its row elsewhere
};

struct WorkChunk {
  ActivityType type = ActivityType::kMessage;
  std::vector<TurnText> said;  // a turn each, the newest last
  std::int64_t turns = 0;
  std::optional<TurnId> turn = {};  // the last one
  SessionId session;
  WallTime at;                // of its last message
  std::int64_t last_seq = 0;  // of its last message
  bool is_run = false;        // of an automation
  bool repeats = false;       // see WorkTurn
  bool untrusted = false;     // foreign words are among what was said
  [[nodiscard]] bool is_empty() const;
};

// Adds the next message of the transcript.
void add_to_chunks(std::vector<WorkChunk>& chunks, const Message& message,
                   const std::optional<WorkTurn>& turn);

// Only the last characters of all that was said stay.
void keep_tail(std::vector<TurnText>& said, std::size_t characters);

}  // namespace rouse
