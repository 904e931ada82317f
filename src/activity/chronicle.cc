#include "activity/chronicle.h"

#include <algorithm>
#include <map>
#include <set>
#include <stop_token>

#include <fmt/format.h>

#include "activity/activity.h"
#include "activity/chunk.h"
#include "store/values.h"

namespace rouse {
namespace {

// Messages a page, while it is looked for work: so few that a turn of somebody else, which needs
// the processor now, doesn't wait for one (ADR 25).
constexpr std::int64_t kScanned = 256;
constexpr std::size_t kMessagesAtOnce = 200;  // of a conversation
constexpr std::size_t kMostChunks = 16;       // a write
constexpr std::int64_t kStopSteps = 40;       // of kStopStep
constexpr Millis kStopStep = millis(50);
constexpr std::string_view kIsolatedChannel = "isolated:";
constexpr std::string_view kJoined = "joined ";  // as TurnLedger writes it
constexpr std::string_view kRunId = "run:";      // as AutomationDesk names the messages of runs
constexpr int kMostDoublings = 6;                // of the pause between tries

// What was said is looked at this much later, all that came until then at once.
constexpr Millis kLookAfter = seconds(1);

constexpr std::string_view kStanding =
    "SELECT position, (SELECT COALESCE(MAX(position), 0) FROM messages) FROM index_cursors "
    "WHERE name = 'activity'";
// The conversations of a page: the first message of each, when the last one came that is no run's
// (none: all are), and how far the page goes.
constexpr std::string_view kScan =
    "SELECT conversation_id, MIN(position), MIN(seq), MAX(talked_ms), MAX(position), COUNT(*) FROM "
    "(SELECT m.conversation_id, m.position, m.seq, CASE WHEN EXISTS (SELECT 1 FROM runs r "
    "WHERE r.turn_id = m.turn_id) THEN NULL ELSE m.created_ms END AS talked_ms FROM messages m "
    "WHERE m.position > $1 ORDER BY m.position LIMIT $2) AS page GROUP BY conversation_id";
constexpr std::string_view kConversation =
    "SELECT c.workspace_id, c.session_key, c.project_key, a.through_seq, "
    "(SELECT COUNT(*) FROM turns t WHERE t.conversation_id = $1 AND t.state = 'running') "
    "FROM conversations c LEFT JOIN activity_cursors a ON a.conversation_id = c.conversation_id "
    "WHERE c.conversation_id = $1";
constexpr std::string_view kRunOfTurn =
    "SELECT run_id, job_id, state FROM runs WHERE turn_id = $1 ORDER BY number DESC LIMIT 1";
// Both fail for a conversation that is deleted, and when somebody else was faster.
constexpr std::string_view kFirstCursor =
    "INSERT INTO activity_cursors (conversation_id, through_seq) SELECT conversation_id, "
    "CAST($2 AS BIGINT) FROM conversations WHERE conversation_id = $1";
constexpr std::string_view kMoveCursor =
    "UPDATE activity_cursors SET through_seq = $2 WHERE conversation_id = $1 AND through_seq = $3 "
    "AND EXISTS (SELECT 1 FROM conversations c WHERE c.conversation_id = $1)";
// Never past the newest message there is: a start gives the positions of deleted ones out again.
constexpr std::string_view kMovePosition =
    "UPDATE index_cursors SET position = (SELECT CASE WHEN COALESCE(MAX(position), 0) < $1 "
    "THEN COALESCE(MAX(position), 0) ELSE $1 END FROM messages) WHERE name = 'activity'";

// What is known of a conversation with something to tell.
struct PendingWork {
  std::int64_t first = 0;      // position of its first message that is not told
  std::int64_t first_seq = 0;  // its number
  MonoTime due;
  MonoTime latest;   // however little rest there is
  int failures = 0;  // in a row
};

struct WorkPlace {
  WorkspaceId workspace;
  std::optional<std::string> project;
  std::optional<std::int64_t> cursor;  // none: nothing was told yet
  std::int64_t told = 0;               // up to this message
  bool by_rules = false;               // a model was asked already, and its words were lost
};

struct DetailsOfWork {
  std::string by;
  std::int64_t turns = 0;
  std::optional<std::string> automation, status;
  std::optional<bool> untrusted;
};
auto shape(const DetailsOfWork*) {
  return fields(field("by", &DetailsOfWork::by, ""), field("turns", &DetailsOfWork::turns, ""),
                field("automation", &DetailsOfWork::automation, ""),
                field("status", &DetailsOfWork::status, ""),
                field("untrusted", &DetailsOfWork::untrusted, ""));
}

// Turns of kind automation that only carry words into a conversation (a notification, what an
// isolated run said, a word about a missed one) are no work: told as such, each alert of a
// heartbeat would be news to the next beat.
bool repeats_words(const Turn& turn) {
  return turn.kind == TurnKind::kAutomation && turn.message_id &&
         !turn.message_id->starts_with(kRunId);
}

Millis pause_after(int failures) {
  const Millis pause = kChronicleRetry * (std::int64_t{1} << std::min(failures, kMostDoublings));
  return std::min(pause, kChronicleLongestRetry);
}

bool is_final(const Error& error) {
  return error.is(StoreErrc::kClosed) || error.is(StoreErrc::kFenced);
}

}  // namespace

struct Chronicle::State {
  Parts parts;
  Millis idle = kActivityIdle;
  bool working = false, stopped = false;
  bool added = false;                    // since it was last looked
  std::optional<MonoTime> look_at = {};  // because of that
  std::int64_t seen = 0;                 // up to this position messages were looked at
  std::int64_t stored = 0;               // the durable cursor
  std::stop_source wake = {};
  std::map<ConversationId, PendingWork> pending = {};
  std::set<std::pair<MonoTime, ConversationId>> by_due = {};
  std::map<std::int64_t, ConversationId> by_first = {};

  using Ptr = std::shared_ptr<State>;
  static void begin(const Ptr& state, Millis after);
  static Task<void> work(Ptr state, Millis after);
  static Task<Result<void>> look(Ptr state);
  static Task<Result<void>> tell_due(Ptr state);
  static Task<Result<void>> tell(Ptr state, ConversationId id, PendingWork work);
  static Task<Result<bool>> tell_some(Ptr state, ConversationId id, WorkPlace& place);
  static Task<Result<bool>> read_chunks(Ptr state, ConversationId id, std::int64_t after,
                                        std::vector<WorkChunk>& chunks);
  static Task<Activity> row_of(Ptr state, ConversationId id, WorkPlace place, WorkChunk chunk);

  void note(const Row& said);
  void put(const ConversationId& id, PendingWork work);
  void drop(const ConversationId& id);
  void put_off(const ConversationId& id, PendingWork work, Millis by);
  Result<std::optional<WorkPlace>> place_of(const ConversationId& id, const PendingWork& work,
                                            bool& busy);
  Result<std::optional<WorkTurn>> turn_of(const Message& message);
  [[nodiscard]] std::int64_t told_upto() const;
  [[nodiscard]] std::optional<MonoTime> next() const;
};

// --- what is to be done --------------------------------------------------------------------------

void Chronicle::State::put(const ConversationId& id, PendingWork work) {
  by_due.insert({work.due, id});
  by_first.emplace(work.first, id);
  pending.emplace(id, work);
}

void Chronicle::State::drop(const ConversationId& id) {
  const auto found = pending.find(id);
  if (found == pending.end()) return;
  by_due.erase({found->second.due, id});
  by_first.erase(found->second.first);
  pending.erase(found);
}

void Chronicle::State::put_off(const ConversationId& id, PendingWork work, Millis by) {
  work.due = parts.clock.mono_now() + by;
  put(id, work);
}

// What was found of a conversation: it is due when it has rested. A run of an automation is whole
// when it is said; it is told at once, unless there is talk around it that goes on.
void Chronicle::State::note(const Row& said) {
  const auto id = ConversationId::parse(said.text(0));
  if (!id) return;
  const auto talked = integer_or_null(said, 3);
  const Millis rest = talked ? WallTime{*talked} + idle - parts.clock.wall_now() : Millis{0};
  const MonoTime now = parts.clock.mono_now();
  PendingWork work{said.integer(1), said.integer(2), now + std::clamp(rest, Millis{0}, idle),
                   now + std::max(idle, kActivityLongestUnrest)};
  if (const auto known = pending.find(*id); known != pending.end()) {
    work.first = known->second.first;
    work.first_seq = known->second.first_seq;
    work.latest = known->second.latest;
    work.due = std::max(std::min(work.due, work.latest), known->second.due);
    work.failures = known->second.failures;
    drop(*id);
  }
  put(*id, work);
}

std::int64_t Chronicle::State::told_upto() const {
  return by_first.empty() ? seen : by_first.begin()->first - 1;
}

std::optional<MonoTime> Chronicle::State::next() const {
  if (by_due.empty()) return std::nullopt;
  return by_due.begin()->first;
}

// With as many conversations as are kept in mind, the rest is found later.
Task<Result<void>> Chronicle::State::look(Ptr state) {
  state->added = false;
  state->look_at.reset();
  while (!state->stopped && state->pending.size() < kPendingConversations) {
    CO_TRY(const Rows rows,
           co_await state->parts.database.read_page({kScan, {state->seen, kScanned}}));
    std::int64_t messages = 0;
    for (const Row& row : rows) {
      state->note(row);
      state->seen = std::max(state->seen, row.integer(4));
      messages += row.integer(5);
    }
    if (messages < kScanned) break;
  }
  co_return Result<void>{};
}

// --- one conversation ----------------------------------------------------------------------------

// None: it is deleted, or it tells of itself elsewhere.
Result<std::optional<WorkPlace>> Chronicle::State::place_of(const ConversationId& id,
                                                            const PendingWork& work, bool& busy) {
  TRY(const Rows rows, parts.database.read({kConversation, {id.str()}}));
  if (rows.empty() || rows[0].text(1).starts_with(kIsolatedChannel)) {
    return std::optional<WorkPlace>();
  }
  WorkPlace out;
  TRY(out.workspace, WorkspaceId::parse(rows[0].text(0)));
  out.project = text_or_null(rows[0], 2);
  out.cursor = integer_or_null(rows[0], 3);
  out.told = out.cursor.value_or(work.first_seq - 1);
  out.by_rules = work.failures > 0;
  busy = rows[0].integer(4) > 0;
  return std::optional(std::move(out));
}

// A message that was heard by a turn that ran belongs to that one's work.
Result<std::optional<WorkTurn>> Chronicle::State::turn_of(const Message& message) {
  if (!message.turn) return std::optional<WorkTurn>();
  TRY(auto turn, parts.kernel.turns().get(*message.turn));
  if (!turn) return std::optional<WorkTurn>();
  if (turn->reason && turn->reason->starts_with(kJoined)) {
    TRY(const TurnId ran, TurnId::parse(turn->reason->substr(kJoined.size())));
    TRY(auto other, parts.kernel.turns().get(ran));
    if (other) turn = std::move(other);
  }
  return std::optional(WorkTurn{turn->id, turn->kind, repeats_words(*turn)});
}

// True: that was all there is.
Task<Result<bool>> Chronicle::State::read_chunks(Ptr state, ConversationId id, std::int64_t after,
                                                 std::vector<WorkChunk>& chunks) {
  while (chunks.size() <= kMostChunks) {
    CO_TRY(const auto messages,
           co_await state->parts.kernel.messages().after(id, after, kMessagesAtOnce));
    if (messages.empty()) co_return true;
    for (const Message& message : messages) {
      CO_TRY(const auto turn, state->turn_of(message));
      add_to_chunks(chunks, message, turn);
    }
    for (WorkChunk& chunk : chunks) keep_tail(chunk.said, kPunchlineCharacters);
    after = messages.back().seq;
  }
  co_return false;
}

Task<Activity> Chronicle::State::row_of(Ptr state, ConversationId id, WorkPlace place,
                                        WorkChunk chunk) {
  Activity row;
  row.at = chunk.at;
  row.type = chunk.type;
  row.project = std::move(place.project);
  row.session = chunk.session;
  row.workspace = place.workspace;
  row.conversation = std::move(id);
  row.turn = chunk.turn;
  DetailsOfWork details;
  details.turns = chunk.turns;
  if (chunk.untrusted) details.untrusted = true;
  if (chunk.is_run && chunk.turn) {
    const auto runs = state->parts.database.read({kRunOfTurn, {chunk.turn->str()}});
    if (runs && !runs->empty()) {
      row.run = runs->front().text(0);
      details.automation = runs->front().text(1);
      details.status = runs->front().text(2);
    }
  }
  SummaryInput input;
  input.exchanges = std::move(chunk.said);
  input.turn_count = chunk.turns;
  input.workspace = std::move(place.workspace);
  Summary words;
  if (place.by_rules) {
    words.text = template_summary(SummaryProfile::kPunchline, input);
  } else {
    words =
        co_await state->parts.summariser.summarise(SummaryProfile::kPunchline, std::move(input));
  }
  row.summary = words.text;
  details.by = words.by_model ? "model" : "rules";
  row.details = encode_json(details);
  co_return row;
}

// One write: what was read of it. True: there is more.
Task<Result<bool>> Chronicle::State::tell_some(Ptr state, ConversationId id, WorkPlace& place) {
  std::vector<WorkChunk> chunks;
  CO_TRY(const bool all, co_await read_chunks(state, id, place.told, chunks));
  if (!all) chunks.pop_back();  // it may go on
  if (chunks.empty()) co_return false;
  const std::int64_t told = chunks.back().last_seq;
  Write write;
  if (place.cursor) {
    write.statements.push_back({kMoveCursor, {id.str(), told, *place.cursor}, 1});
  } else {
    write.statements.push_back({kFirstCursor, {id.str(), told}, 1});
  }
  for (WorkChunk& chunk : chunks) {
    if (chunk.is_empty() || chunk.repeats) continue;
    const Activity row = co_await row_of(state, id, place, std::move(chunk));
    if (state->stopped) co_return fail(Errc::kCancelled, "the chronicle was stopped");
    std::ranges::move(log_activity(row, state->parts.clock.wall_now()),
                      std::back_inserter(write.statements));
  }
  const bool has_rows = write.statements.size() > 1;
  const std::int64_t upto = all ? state->told_upto() : state->stored;
  write.statements.push_back({kMovePosition, {upto}, 1});
  CO_TRY_VOID(co_await state->parts.database.write(std::move(write)));
  state->stored = upto;
  place.cursor = told;
  place.told = told;
  if (has_rows) state->parts.events.committed(place.workspace);
  co_return !all;
}

Task<Result<void>> Chronicle::State::tell(Ptr state, ConversationId id, PendingWork work) {
  bool busy = false;
  CO_TRY(auto place, state->place_of(id, work, busy));
  if (!place) co_return Result<void>{};
  if (busy) {  // its end brings messages; until then it is not at rest
    state->put_off(id, work, state->idle);
    co_return Result<void>{};
  }
  bool more = true;
  while (more) {
    CO_TRY(more, co_await tell_some(state, id, *place));
  }
  co_return Result<void>{};
}

// --- the work ------------------------------------------------------------------------------------

Task<Result<void>> Chronicle::State::tell_due(Ptr state) {
  while (!state->stopped) {
    const auto due = state->next();
    if (!due || *due > state->parts.clock.mono_now()) break;
    const ConversationId id = state->by_due.begin()->second;
    PendingWork work = state->pending.at(id);
    state->drop(id);
    auto told = co_await tell(state, id, work);
    if (told || state->stopped) continue;
    if (is_final(told.error())) co_return told;
    // One that can't be read stays untold; it must not keep the cursor back for ever.
    const bool broken = told.error().is(StoreErrc::kCorrupt);
    state->parts.log.warn(broken ? "activity.unreadable" : "activity.put_off",
                          {{"conversation", id.str()}, {"message", told.error().message}});
    const Millis pause = pause_after(work.failures++);
    if (!broken) state->put_off(id, work, pause);
  }
  co_return Result<void>{};
}

Task<void> Chronicle::State::work(Ptr state, Millis after) {
  MonoTime until = state->parts.clock.mono_now() + after;
  while (!state->stopped) {
    state->wake = std::stop_source();
    const MonoTime at = std::min(until, state->look_at.value_or(until));
    co_await state->parts.clock.wait_until(at, state->wake.get_token());
    if (state->stopped) break;
    if (state->parts.clock.mono_now() < at) continue;  // something was said meanwhile
    auto done = co_await look(state);
    if (done) done = co_await tell_due(state);
    if (!done && is_final(done.error())) break;
    const auto next = state->next();
    until = next.value_or(state->parts.clock.mono_now() + state->idle);
    if (!done) {
      state->parts.log.warn("activity.failed", {{"message", done.error().message}});
      until = state->parts.clock.mono_now() + kChronicleRetry;
    } else if (!next && !state->added) {
      break;
    }
  }
  // What was only looked past (deleted or isolated conversations) need not be seen again.
  if (!state->stopped && state->pending.empty() && state->stored < state->seen) {
    const std::int64_t upto = state->seen;
    if (co_await state->parts.database.write(one(kMovePosition, {upto}, 1))) state->stored = upto;
  }
  state->working = false;
  if (state->added && !state->stopped) begin(state, kLookAfter);
}

void Chronicle::State::begin(const Ptr& state, Millis after) {
  if (!std::exchange(state->working, true)) {
    state->parts.loop.spawn("chronicle", work(state, after));
  }
}

Chronicle::Chronicle(Parts parts) : state_(new State{parts}) {}

Chronicle::~Chronicle() {
  state_->stopped = true;
  state_->wake.request_stop();
}

void Chronicle::configure(Millis idle) { state_->idle = idle; }

Result<void> Chronicle::start() {
  TRY(const Rows rows, state_->parts.database.read({kStanding, {}}));
  if (rows.empty()) return fail(StoreErrc::kCorrupt, "the cursor of the activity log is missing");
  state_->seen = state_->stored = rows[0].integer(0);
  if (rows[0].integer(1) > state_->seen) State::begin(state_, Millis{0});
  return {};
}

void Chronicle::messages_were_added() {
  if (state_->stopped) return;
  state_->added = true;
  if (!state_->look_at) {
    state_->look_at = state_->parts.clock.mono_now() + kLookAfter;
    state_->wake.request_stop();
  }
  State::begin(state_, kLookAfter);
}

Task<void> Chronicle::stop() {
  const State::Ptr state = state_;
  state->stopped = true;
  state->wake.request_stop();
  for (std::int64_t i = 0; i < kStopSteps && state->working; ++i) {
    co_await state->parts.clock.wait_for(kStopStep);
  }
}

}  // namespace rouse
