#include "proactive/beat_state.h"

#include <algorithm>

#include "base/text.h"
#include "session/silence.h"

namespace rouse {
namespace {

constexpr std::size_t kToldKept = 200;
constexpr std::size_t kSaidKept = 50;
constexpr std::size_t kSaidBytes = 200;  // of an alert, for the next prompt
constexpr Millis kRest = hours(24);
constexpr Millis kClockSlack = minutes(5);  // a clock is set back a little all the time

constexpr std::string_view kRead =
    "SELECT state FROM heartbeats WHERE workspace_id = $1 AND name = $2";
constexpr std::string_view kWrite =
    "INSERT INTO heartbeats (workspace_id, name, state, updated_ms) VALUES ($1, $2, $3, $4) "
    "ON CONFLICT (workspace_id, name) DO UPDATE SET state = excluded.state, "
    "updated_ms = excluded.updated_ms";
constexpr std::string_view kForget = "DELETE FROM heartbeats WHERE workspace_id = $1";

}  // namespace

static auto shape(const BeatState*) {
  return fields(field("seen", &BeatState::seen, ""), field("orders", &BeatState::orders, ""),
                field("found", &BeatState::found, ""), field("told", &BeatState::told, ""),
                field("said", &BeatState::said, ""), field("today", &BeatState::today, ""),
                field("notice_day", &BeatState::notice_day, ""),
                field("last_error", &BeatState::last_error, ""));
}

std::string alert_fingerprint(std::string_view text) {
  return to_hex(sha256(bare_letters(text))).substr(0, 16);
}

bool BeatState::is_fresh(const Finding& finding) const {
  return std::ranges::none_of(told, [&](const SeenFinding& one) {
    return one.key == finding.key && one.severity >= finding.severity;
  });
}

bool BeatState::was_said(const std::string& fingerprint) const {
  return std::ranges::find(said, fingerprint, &SaidAlert::fingerprint) != said.end();
}

void BeatState::note_told(const Finding& finding, WallTime now) {
  std::erase_if(told, [&](const SeenFinding& one) { return one.key == finding.key; });
  told.push_back({finding.key, finding.severity, now.unix_ms});
  if (told.size() > kToldKept) told.erase(told.begin());
}

void BeatState::note_said(const std::string& fingerprint, const std::string& text, WallTime now) {
  std::erase_if(said, [&](const SaidAlert& one) { return one.fingerprint == fingerprint; });
  said.push_back({fingerprint, std::string(utf8_prefix(text, kSaidBytes)), now.unix_ms});
  if (said.size() > kSaidKept) said.erase(said.begin());
}

void BeatState::move_to(WallTime now, const std::string& day) {
  const std::int64_t oldest = (now - kRest).unix_ms;
  const std::int64_t newest = (now + kClockSlack).unix_ms;
  const auto is_over = [&](const auto& one) { return one.at_ms <= oldest || one.at_ms > newest; };
  std::erase_if(told, is_over);
  std::erase_if(said, is_over);
  if (today.day != day) today = BeatDay{.day = day, .dearest_micros = today.dearest_micros};
}

Result<BeatState> read_beat_state(Database& database, const WorkspaceId& workspace,
                                  const std::string& name) {
  TRY(const Rows rows, database.read({kRead, {workspace.str(), name}}));
  if (rows.empty()) return BeatState{};
  auto state = decode_json<BeatState>(rows.front().text(0));
  return state ? std::move(*state) : BeatState{};
}

Statement write_beat_state(const WorkspaceId& workspace, const std::string& name,
                           const BeatState& state, WallTime now) {
  return {kWrite, {workspace.str(), name, encode_json(state), now.unix_ms}, {}};
}

Statement forget_beat_states(const WorkspaceId& workspace) {
  return {kForget, {workspace.str()}, {}};
}

}  // namespace rouse
