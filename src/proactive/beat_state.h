// What a beat must know of those before it: how far it has read, what it found, what it has told,
// and what the day has cost. One small JSON a heartbeat, written with the beat's row, so that a
// process that dies leaves both or neither.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "proactive/checks.h"
#include "store/database.h"

namespace rouse {

// A day in the heartbeat's zone.
struct BeatDay {
  std::string day = {};  // "2026-11-15"
  std::int64_t beats = 0, calls = 0, tokens_in = 0, tokens_out = 0, cost_micros = 0;
  std::int64_t dearest_micros = 0;  // the dearest call: what the next one may cost
  std::int64_t unpriced = 0;        // calls whose price nobody knows
  friend bool operator==(const BeatDay&, const BeatDay&) = default;
};
inline auto shape(const BeatDay*) {
  return fields(field("day", &BeatDay::day, ""), field("beats", &BeatDay::beats, ""),
                field("calls", &BeatDay::calls, ""), field("tokens_in", &BeatDay::tokens_in, ""),
                field("tokens_out", &BeatDay::tokens_out, ""),
                field("cost_micros", &BeatDay::cost_micros, ""),
                field("dearest_micros", &BeatDay::dearest_micros, ""),
                field("unpriced", &BeatDay::unpriced, ""));
}

struct BeatState {
  std::int64_t seen = 0;                // the newest activity row it has read
  std::string orders = {};              // the hash of its standing orders
  std::vector<SeenFinding> found = {};  // by the last beat
  std::vector<SeenFinding> told = {};   // told, or judged by a model: not again within kAlertRest
  std::vector<SaidAlert> said = {};
  BeatDay today = {};
  std::string notice_day = {};  // of the last word about a spent budget
  std::string last_error = {};  // of the model, until it answers again

  [[nodiscard]] bool is_new() const { return orders.empty(); }
  // Not told before, or less bad then.
  [[nodiscard]] bool is_fresh(const Finding& finding) const;
  [[nodiscard]] bool was_said(const std::string& fingerprint) const;
  void note_told(const Finding& finding, WallTime now);
  void note_said(const std::string& fingerprint, const std::string& text, WallTime now);
  // What is older than kAlertRest may be said again, and what was told in the future, before the
  // clock was set back, too. Another day begins at nothing, but a call is as dear as it was.
  void move_to(WallTime now, const std::string& day);
};

// The same words in other clothes are the same alert: case, marks and blanks don't count.
std::string alert_fingerprint(std::string_view text);

// A heartbeat that never beat has an empty one. A row that can't be read is taken for that, too:
// losing it costs a repeated word, and never a beat.
Result<BeatState> read_beat_state(Database& database, const WorkspaceId& workspace,
                                  const std::string& name);
Statement write_beat_state(const WorkspaceId& workspace, const std::string& name,
                           const BeatState& state, WallTime now);
// Those of a workspace, and of one heartbeat that is no more.
Statement forget_beat_states(const WorkspaceId& workspace);

}  // namespace rouse
