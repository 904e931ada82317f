#include "session/story/why.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>

#include <fmt/format.h>

#include "session/story/why_words.h"
#include "tool/approval/approval_book.h"
#include "tool/approval/tool_policy.h"

namespace rouse {
namespace {

constexpr std::size_t kWalkRows = 500;  // of the ledger, in one read
constexpr std::size_t kStoryApprovals = 20;

// The chain without what was said: the story needs only the decisions.
constexpr std::string_view kDecisions =
    "WITH RECURSIVE chain (at, steps) AS (SELECT $1, 1 UNION ALL "
    "SELECT i.previous, chain.steps + 1 FROM chain JOIN inbound i ON i.number = chain.at "
    "WHERE i.previous IS NOT NULL AND i.session_id = $2 AND chain.steps < $3) "
    "SELECT i.number, i.previous, i.decision, i.reason, i.facts, i.received_ms "
    "FROM chain JOIN inbound i ON i.number = chain.at WHERE i.session_id = $2 "
    "ORDER BY chain.steps";
constexpr std::string_view kDecision =
    "SELECT decision, reason, facts, received_ms FROM inbound WHERE number = $1";
constexpr std::string_view kTurns =
    "SELECT COUNT(*), MAX(ended_ms), SUM(CASE WHEN state IN ('queued', 'running') THEN 1 ELSE 0 "
    "END) FROM turns WHERE conversation_id = $2 AND session_id = $1";

// Facts of a release that knows more or less than this one don't make a story impossible.
DecisionFacts read_facts(const std::string& json) {
  return decode_json<DecisionFacts>(json).value_or(DecisionFacts{});
}

struct Run {  // of messages that continued the session, told as one
  WallTime from, until;
  std::string reason;
  ContinuedFacts facts;
};

bool same_story(const ContinuedFacts& run, const DecisionFacts& next) {
  const bool same_gate = run.drift.has_value() == next.drift.has_value() &&
                         (!run.drift || run.drift->reason == next.drift->reason);
  return same_gate && run.timeout_ms == next.timeout_ms;
}

std::optional<std::int64_t> longer(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  return a && b ? std::max(a, b) : (a ? a : b);
}

void join(Run& run, const Run& next) {
  run.until = next.until;
  run.facts.messages += next.facts.messages;
  run.facts.longest_pause_ms = longer(run.facts.longest_pause_ms, next.facts.longest_pause_ms);
  if (next.facts.timeout_ms) run.facts.timeout_ms = next.facts.timeout_ms;
  if (next.facts.drift) run.facts.drift = next.facts.drift;
}

// Too many runs to tell: the oldest become one.
void fold_oldest(std::vector<Run>& runs, std::size_t keep) {
  if (runs.size() <= keep) return;
  const std::size_t folded = runs.size() - keep + 1;
  for (std::size_t i = 1; i < folded; ++i) join(runs.front(), runs[i]);
  runs.erase(runs.begin() + 1, runs.begin() + static_cast<std::ptrdiff_t>(folded));
}

StoryEntry entry_of(Run run) {
  run.facts.until = to_iso(run.until);
  return {run.from,
          "continued",
          "continue",
          std::move(run.reason),
          encode_json(run.facts),
          words::continued(run.facts)};
}

StoryEntry earlier(WallTime first_told) {
  return {first_told, "earlier", {}, {}, {}, "What came before this is on the next page."};
}

}  // namespace

std::string day_and_time(WallTime time) {
  using namespace std::chrono;
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const sys_time<milliseconds> point{milliseconds(time.unix_ms)};
  const auto day = floor<std::chrono::days>(point);
  const year_month_day date{day};
  const hh_mm_ss clock{point - day};
  return fmt::format("{} {} {}, {:02}:{:02} UTC", unsigned(date.day()),
                     kMonths.at(unsigned(date.month()) - 1), int(date.year()),
                     clock.hours().count(), clock.minutes().count());
}

Task<Result<Story>> SessionStory::tell(Session session, std::optional<std::int64_t> cursor) {
  Story story;
  const std::int64_t from = cursor.value_or(session.last_inbound.value_or(session.opened_by));
  CO_TRY(const Stretch stretch, co_await walk_back(session.id, from));
  if (cursor && stretch.decisions.empty()) {
    co_return fail(Errc::kInvalid, "'cursor' must be the next_cursor of the page before");
  }
  if (!cursor) {
    CO_TRY(auto opened, co_await opening(session));
    story.entries.push_back(std::move(opened));
    if (stretch.before) story.entries.push_back(earlier(stretch.decisions.front().received));
  }
  story.next_cursor = stretch.before;
  std::vector<Run> runs;
  for (const Decision& one : stretch.decisions) {
    if (one.number == session.opened_by) continue;
    const DecisionFacts facts = read_facts(one.facts);
    Run next{one.received,
             one.received,
             one.reason,
             {1, {}, facts.idle_ms, facts.timeout_ms, facts.drift}};
    if (!runs.empty() && same_story(runs.back().facts, facts)) {
      join(runs.back(), next);
    } else {
      runs.push_back(std::move(next));
    }
  }
  std::vector<StoryEntry> asked;
  if (!cursor) {
    CO_TRY(asked, co_await approvals(session));
  }
  fold_oldest(runs, kStoryEntries - 4 - asked.size());  // beside the opening, the turns, the end
  for (Run& run : runs) story.entries.push_back(entry_of(std::move(run)));
  if (cursor) co_return story;
  std::ranges::move(asked, std::back_inserter(story.entries));
  CO_TRY(auto recorded, co_await turns(session));
  if (recorded) story.entries.push_back(std::move(*recorded));
  CO_TRY(auto end, co_await ending(session));
  story.entries.push_back(std::move(end));
  co_return story;
}

Task<Result<SessionStory::Stretch>> SessionStory::walk_back(SessionId session, std::int64_t from) {
  Stretch out;
  std::optional<std::int64_t> at = from;
  while (at && out.decisions.size() < kStoryDecisions) {
    CO_TRY(
        const Rows rows,
        co_await database_.read_page(
            {kDecisions, {*at, session.str(), static_cast<std::int64_t>(kWalkRows)}, kWalkRows}));
    if (rows.empty()) at.reset();  // the chain goes on in the session before
    for (const Row& row : rows) {
      Decision one{row.integer(0), {}, row.text(2), row.text(3), row.text(4), {row.integer(5)}};
      if (!row.is_null(1)) one.previous = row.integer(1);
      at = one.decision == "new" ? std::nullopt : one.previous;
      out.decisions.push_back(std::move(one));
      if (!at) break;
    }
  }
  out.before = out.decisions.empty() ? std::nullopt : at;
  std::ranges::reverse(out.decisions);
  co_return out;
}

static std::string_view what_came_along(const DecisionFacts& facts, std::string_view ended) {
  if (facts.carried.value_or(false)) return "its summary was carried over";
  return facts.phrase || is_hard_boundary(ended) ? "nothing was carried over"
                                                 : "it had no summary to carry over";
}

Task<Result<StoryEntry>> SessionStory::opening(Session session) {
  CO_TRY(const Rows rows, co_await database_.read_page({kDecision, {session.opened_by}, 1}));
  StoryEntry out{session.created, "opened", "new", session.opened_reason, {}, {}};
  DecisionFacts facts;
  if (!rows.empty()) {
    out.facts = rows.front().text(2);
    facts = read_facts(*out.facts);
  }
  out.sentence = fmt::format("Opened on {} {}.", day_and_time(session.created),
                             words::why_opened(session.opened_reason, facts));
  if (!facts.previous_session) co_return out;
  const std::string ended = facts.previous_close_reason.value_or("");
  out.sentence += fmt::format(" It follows {}, which ended {}; {}.", *facts.previous_session,
                              words::how_it_ended(ended), what_came_along(facts, ended));
  co_return out;
}

Task<Result<std::optional<StoryEntry>>> SessionStory::turns(Session session) {
  CO_TRY(const Rows rows,
         co_await database_.read_page({kTurns, {session.id.str(), session.conversation.str()}, 1}));
  const Row& row = rows.front();
  if (row.integer(0) == 0) co_return std::optional<StoryEntry>();
  const std::int64_t waiting = row.integer(2);
  const std::int64_t done = row.integer(0) - waiting;
  TurnFacts facts{done, waiting > 0 ? std::optional(waiting) : std::nullopt};
  StoryEntry out{session.last_message, "turns", {}, {}, encode_json(facts), {}};
  if (!row.is_null(1)) out.at = {row.integer(1)};
  out.sentence = done == 1 ? "1 turn was recorded" : fmt::format("{} turns were recorded", done);
  if (!row.is_null(1)) out.sentence += fmt::format(", the last on {}", day_and_time(out.at));
  if (waiting > 0) out.sentence += fmt::format("; {} waiting to be answered", waiting);
  out.sentence += '.';
  co_return std::optional(std::move(out));
}

// The newest calls that were not simply run, oldest first: why somebody had to be asked, words from
// outside included, and what came of it.
Task<Result<std::vector<StoryEntry>>> SessionStory::approvals(Session session) {
  std::vector<StoryEntry> out;
  CO_TRY(const auto found,
         co_await ApprovalBook(database_).page({.workspace = session.workspace,
                                                .conversation = session.conversation,
                                                .limit = kStoryApprovals}));
  for (const Approval& one : found) {
    if (one.session != session.id) continue;
    std::string ended = one.state == kApprovalPending ? "It still waits" : "It was " + one.state;
    if (one.decided) ended += " on " + day_and_time(*one.decided);
    out.push_back({one.created,
                   "asked",
                   {},
                   one.reason,
                   {},
                   fmt::format("On {} a yes was needed to {}: {} {}.", day_and_time(one.created),
                               one.summary, why_asked(one.reason, one.tainted), ended)});
  }
  std::ranges::reverse(out);
  co_return out;
}

Task<Result<StoryEntry>> SessionStory::ending(Session session) {
  if (session.active) co_return still_active(session);
  const WallTime at = session.closed.value_or(session.last_message);
  const std::string reason = session.close_reason.value_or("");
  StoryEntry out{at, "closed", {}, session.close_reason, {}, {}};
  out.sentence = fmt::format("Closed on {} {}.", day_and_time(at), words::how_it_ended(reason));
  CO_TRY(const auto next,
         co_await sessions_.of_conversation(session.conversation, session.epoch + 1, 1));
  out.sentence += next.empty() ? " The next message opens a new session."
                               : fmt::format(" It went on in {}.", next.front().id.str());
  co_return out;
}

StoryEntry SessionStory::still_active(const Session& session) const {
  const WallTime now = clock_.wall_now();
  StoryEntry out{now, "active", {}, {}, {}, {}};
  const bool unified = session.key == SessionKey::unified();
  if (!is_bridged(session.key.channel) && !unified) {
    out.sentence =
        "Still active. There is no time limit here: it goes on until it is reset, cleared or "
        "closed.";
    return out;
  }
  const std::string_view message = unified ? "message over a bridge" : "message";
  const Millis idle = now - session.last_message;
  out.sentence =
      idle > timeout_
          ? fmt::format(
                "Still active, but the last message was {} ago and the limit is {}: the "
                "next {} opens a new session.",
                to_words(idle), to_words(timeout_), message)
          : fmt::format("Still active. A {} after {} opens a new session (limit {}).", message,
                        day_and_time(session.last_message + timeout_), to_words(timeout_));
  return out;
}

}  // namespace rouse
