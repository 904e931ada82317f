// The activity log: what happened, in one or two sentences a row. The punchline, not the
// conversation (S2-02). Its first six columns and three of its indexes are the seed's, so the
// seed's selects work on our file; a row is appended and never changed.
//
// A row goes into the write of what it tells about, so it is there exactly if that happened. With
// it goes an event of type "activity", by which pages and `--follow` see it at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "store/database.h"

namespace rouse {

enum class ActivityType : std::uint8_t { kMessage, kHeartbeat, kScheduled, kBackground, kSystem };
std::string_view activity_type_name(ActivityType type);  // "message" …
std::optional<ActivityType> parse_activity_type(std::string_view name);

inline constexpr std::size_t kActivityBytes = 1'000;  // of a summary; longer ones are cut

struct Activity {
  std::int64_t id = 0;  // given by the store; newer is higher
  WallTime at;
  ActivityType type = ActivityType::kSystem;
  std::optional<std::string> project = {};  // its key; whoever shows it knows the alias (S2-06)
  std::optional<SessionId> session = {};
  std::string summary;
  WorkspaceId workspace;
  std::optional<ConversationId> conversation = {};
  std::optional<TurnId> turn = {};      // the last one of the work
  std::optional<std::string> run = {};  // the run it tells about
  // Of a heartbeat: its job and the instant it was due.
  std::optional<std::int64_t> job = {};
  std::optional<WallTime> due = {};
  // What else there is to say, a small JSON object: who did it and why, verdict, tokens, cost.
  std::string details = "{}";
};

// The row and its event, for the write of what it tells about; EventLog::committed() afterwards.
// `now` is for what is told later than it happened: the time of the event.
std::vector<Statement> log_activity(const Activity& row, std::optional<WallTime> now = {});

}  // namespace rouse
