// Why is a session the way it is? Its story in plain words, from what the resolver wrote down when
// it decided (the inbound ledger) and nothing else: how it was opened and on which facts, what
// continued it, what the drift gate said, the turns, and how it ended or when the next message
// would end it. A pure read: asking changes nothing.
//
// Messages that continued a session for the same reasons are told as one entry. The ledger is a
// chain that can only be walked backwards, so a very long session is told in pages: each page is
// oldest first, the first page has the opening and the newest part, its cursor leads to the part
// before.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "session/resolver/policy.h"
#include "session/session_table.h"

namespace rouse {

inline constexpr std::size_t kStoryEntries = 200;     // a page at most; the oldest are told as one
inline constexpr std::size_t kStoryDecisions = 5000;  // of the ledger, looked at for one page

struct StoryEntry {
  WallTime at;
  std::string_view what;  // opened, earlier, continued, asked, turns, closed, active
  std::optional<std::string> decision, reason;
  std::optional<std::string> facts;  // JSON: DecisionFacts, ContinuedFacts or TurnFacts
  std::string sentence;
};

struct Story {
  std::vector<StoryEntry> entries;
  std::optional<std::int64_t> next_cursor;  // the inbound number the part before ends with
};

// What several messages that continued the session had in common.
struct ContinuedFacts {
  std::int64_t messages = 0;
  std::string until;  // when the last of them came
  std::optional<std::int64_t> longest_pause_ms, timeout_ms;
  std::optional<DriftFacts> drift;  // of the last one that the gate was asked about
};
inline auto shape(const ContinuedFacts*) {
  return fields(field("messages", &ContinuedFacts::messages, "How many"),
                field("until", &ContinuedFacts::until, "When the last of them came"),
                field("longest_pause_ms", &ContinuedFacts::longest_pause_ms, "Before one of them"),
                field("timeout_ms", &ContinuedFacts::timeout_ms, "The limit, where there is one"),
                field("drift", &ContinuedFacts::drift, "What the drift gate said, the last time"));
}
struct TurnFacts {
  std::int64_t turns = 0;
  std::optional<std::int64_t> waiting;
};
inline auto shape(const TurnFacts*) {
  return fields(field("turns", &TurnFacts::turns, "Recorded so far"),
                field("waiting", &TurnFacts::waiting, "Queued or running now"));
}

class SessionStory {
 public:
  SessionStory(Database& database, Clock& clock)
      : database_(database), clock_(clock), sessions_(database) {}
  void set_timeout(Millis timeout) { timeout_ = timeout; }  // what applies to the next message

  Task<Result<Story>> tell(Session session, std::optional<std::int64_t> cursor);

 private:
  struct Decision {
    std::int64_t number = 0;
    std::optional<std::int64_t> previous;
    std::string decision, reason, facts;
    WallTime received;
  };
  struct Stretch {
    std::vector<Decision> decisions;  // oldest first
    std::optional<std::int64_t> before;
  };
  Task<Result<Stretch>> walk_back(SessionId session, std::int64_t from);
  Task<Result<StoryEntry>> opening(Session session);
  Task<Result<std::optional<StoryEntry>>> turns(Session session);
  Task<Result<std::vector<StoryEntry>>> approvals(Session session);
  Task<Result<StoryEntry>> ending(Session session);
  [[nodiscard]] StoryEntry still_active(const Session& session) const;

  Database& database_;
  Clock& clock_;
  SessionTable sessions_;
  Millis timeout_ = minutes(30);
};

// "15 Nov 2026, 09:12 UTC"
std::string day_and_time(WallTime time);

}  // namespace rouse
