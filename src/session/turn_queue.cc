#include "session/turn_queue.h"

#include <array>

#include "store/values.h"

namespace rouse {
namespace {

struct KindRow {
  TurnKind kind;
  std::string_view name;
  std::int64_t lane;
};
constexpr std::array<KindRow, 6> kKinds{{{TurnKind::kUser, "user", 0},
                                         {TurnKind::kApproval, "approval", 1},
                                         {TurnKind::kAutomation, "automation", 2},
                                         {TurnKind::kIsolated, "isolated", 2},
                                         {TurnKind::kHeartbeatWake, "heartbeat_wake", 3},
                                         {TurnKind::kSessionOpen, "session_open", 3}}};

const KindRow& row_of(TurnKind kind) {
  for (const KindRow& row : kKinds) {
    if (row.kind == kind) return row;
  }
  std::abort();  // every kind stands in the table
}

#define NEW_TURN_COLUMNS                                                                \
  "number, turn_id, workspace_id, conversation_id, session_id, kind, state, attempts, " \
  "inbound_number, action_type, verdict, queued_ms, started_ms, ended_ms, message_id, first_seq"
#define TURN_COLUMNS                                                                      \
  NEW_TURN_COLUMNS                                                                        \
  ", reason, error, model, tokens_in, tokens_out, cache_read, cache_write, cost_micros, " \
  "history_from, last_seq"

constexpr std::string_view kInsert =
    "INSERT INTO turns (" NEW_TURN_COLUMNS
    ", lane) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
constexpr std::string_view kFinish =
    "UPDATE turns SET state = 'done', verdict = $2, ended_ms = $3 "
    "WHERE turn_id = $1 AND state = 'running'";
constexpr std::string_view kClose =
    "UPDATE turns SET state = $2, verdict = $3, reason = $4, error = $5, model = $6, "
    "tokens_in = $7, tokens_out = $8, cache_read = $9, cache_write = $10, cost_micros = $11, "
    "history_from = $12, first_seq = $13, last_seq = $14, ended_ms = $15 "
    "WHERE turn_id = $1 AND state = $16";
constexpr std::string_view kStart =
    "UPDATE turns SET state = 'running', attempts = attempts + 1, started_ms = $2 "
    "WHERE turn_id = $1 AND state = 'queued'";
constexpr std::string_view kPark =
    "UPDATE turns SET state = 'parked', verdict = 'interrupted', ended_ms = $1 "
    "WHERE state = 'running' AND attempts >= $2";
constexpr std::string_view kRequeue =
    "UPDATE turns SET state = 'queued', started_ms = NULL WHERE state = 'running'";
constexpr std::string_view kById = "SELECT " TURN_COLUMNS " FROM turns WHERE turn_id = $1";
// The pluses keep SQLite from walking all turns in the order of their numbers: those that run are
// few, and in an index of their own.
constexpr std::string_view kLeftRunning =
    "SELECT " TURN_COLUMNS
    " FROM turns WHERE state = 'running' AND +number > $1 ORDER BY +number LIMIT $2";
constexpr std::string_view kQueued =
    "SELECT " TURN_COLUMNS
    " FROM turns WHERE conversation_id = $1 AND state = 'queued' ORDER BY lane, number LIMIT $2";
constexpr std::string_view kWaitingIn =
    "SELECT COUNT(*) FROM turns WHERE conversation_id = $1 AND state = 'queued'";
constexpr std::string_view kOfWorkspace =
    "SELECT " TURN_COLUMNS
    " FROM turns WHERE workspace_id = $1 AND number < $2 ORDER BY number DESC LIMIT $3";
constexpr std::string_view kOfConversation =
    "SELECT " TURN_COLUMNS
    " FROM turns WHERE conversation_id = $1 AND number < $2 ORDER BY number DESC LIMIT $3";
constexpr std::string_view kOfMessages =
    "SELECT " TURN_COLUMNS
    " FROM turns WHERE turn_id IN (SELECT m.turn_id FROM messages m WHERE m.conversation_id = $1 "
    "AND m.seq >= $2 AND m.seq <= $3) LIMIT $4";
constexpr std::string_view kAnswering =
    "SELECT " TURN_COLUMNS
    " FROM turns WHERE conversation_id = $1 AND message_id = $2 ORDER BY number DESC LIMIT 1";
constexpr std::string_view kRunning =
    "SELECT " TURN_COLUMNS " FROM turns WHERE conversation_id = $1 AND state = 'running'";
constexpr std::string_view kNext =
    "SELECT " TURN_COLUMNS
    " FROM turns WHERE conversation_id = $1 AND state = 'queued' ORDER BY lane, number LIMIT 1";
constexpr std::string_view kWaiting =
    "SELECT DISTINCT conversation_id FROM turns WHERE state = 'queued' AND conversation_id > $1 "
    "ORDER BY conversation_id LIMIT $2";

Result<Turn> from_row(const Row& row) {
  Turn out;
  out.number = row.integer(0);
  TRY(out.id, TurnId::parse(row.text(1)));
  TRY(out.workspace, WorkspaceId::parse(row.text(2)));
  TRY(out.conversation, ConversationId::parse(row.text(3)));
  TRY(out.session, SessionId::parse(row.text(4)));
  const auto kind = parse_turn_kind(row.text(5));
  if (!kind) {
    return fail(StoreErrc::kCorrupt, fmt::format("turn {} has kind '{}', which this rouse doesn't "
                                                 "know",
                                                 out.id.str(), row.text(5)));
  }
  out.kind = *kind;
  out.state = row.text(6);
  out.attempts = row.integer(7);
  out.inbound = integer_or_null(row, 8);
  out.action_type = text_or_null(row, 9);
  out.verdict = text_or_null(row, 10);
  out.queued = {row.integer(11)};
  out.started = time_or_null(row, 12);
  out.ended = time_or_null(row, 13);
  out.message_id = text_or_null(row, 14);
  out.first_seq = integer_or_null(row, 15);
  out.reason = text_or_null(row, 16);
  out.error = text_or_null(row, 17);
  out.model = text_or_null(row, 18);
  out.tokens_in = integer_or_null(row, 19).value_or(0);
  out.tokens_out = integer_or_null(row, 20).value_or(0);
  out.cache_read = integer_or_null(row, 21).value_or(0);
  out.cache_write = integer_or_null(row, 22).value_or(0);
  out.cost_micros = integer_or_null(row, 23);
  out.history_from = integer_or_null(row, 24);
  out.last_seq = integer_or_null(row, 25);
  return out;
}

Result<std::vector<Turn>> from_rows(const Rows& rows) {
  std::vector<Turn> out;
  out.reserve(rows.size());
  for (const Row& row : rows) {
    TRY(auto turn, from_row(row));
    out.push_back(std::move(turn));
  }
  return out;
}

}  // namespace

std::string_view turn_kind_name(TurnKind kind) { return row_of(kind).name; }

std::optional<TurnKind> parse_turn_kind(std::string_view name) {
  for (const KindRow& row : kKinds) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

std::int64_t lane_of(TurnKind kind) { return row_of(kind).lane; }

Statement TurnQueue::insert(const Turn& t) {
  return {kInsert,
          {t.number, t.id.str(), t.workspace.str(), t.conversation.str(), t.session.str(),
           std::string(turn_kind_name(t.kind)), t.state, t.attempts, or_null(t.inbound),
           or_null(t.action_type), or_null(t.verdict), t.queued.unix_ms, or_null(t.started),
           or_null(t.ended), or_null(t.message_id), or_null(t.first_seq), lane_of(t.kind)},
          1};
}

Statement TurnQueue::finish(const TurnId& id, std::string_view verdict, WallTime now) {
  return {kFinish, {id.str(), std::string(verdict), now.unix_ms}, 1};
}

Statement TurnQueue::begin(const TurnId& id, WallTime now) {
  return {kStart, {id.str(), now.unix_ms}, 1};
}

Statement TurnQueue::close(const Turn& t, std::string_view found) {
  return {kClose,
          {t.id.str(), t.state, or_null(t.verdict), or_null(t.reason), or_null(t.error),
           or_null(t.model), t.tokens_in, t.tokens_out, t.cache_read, t.cache_write,
           or_null(t.cost_micros), or_null(t.history_from), or_null(t.first_seq),
           or_null(t.last_seq), or_null(t.ended), std::string(found)},
          1};
}

Result<std::optional<Turn>> TurnQueue::get(const TurnId& id) { return first({kById, {id.str()}}); }

Task<Result<std::vector<Turn>>> TurnQueue::page(Query query) {
  CO_TRY(const Rows rows, co_await database_.read_page(std::move(query)));
  co_return from_rows(rows);
}

Result<std::vector<Turn>> TurnQueue::left_running(std::int64_t after, std::size_t limit) {
  TRY(const Rows rows,
      database_.read({kLeftRunning, {after, static_cast<std::int64_t>(limit)}, limit}));
  return from_rows(rows);
}

Result<std::int64_t> TurnQueue::waiting_in(const ConversationId& conversation) {
  TRY(const Rows rows, database_.read({kWaitingIn, {conversation.str()}}));
  return rows.front().integer(0);
}

Result<std::vector<Turn>> TurnQueue::queued(const ConversationId& conversation, std::size_t limit) {
  TRY(const Rows rows,
      database_.read({kQueued, {conversation.str(), static_cast<std::int64_t>(limit)}, limit}));
  return from_rows(rows);
}

Task<Result<std::vector<Turn>>> TurnQueue::of_workspace(WorkspaceId workspace, std::int64_t before,
                                                        std::size_t limit) {
  return page({kOfWorkspace, {workspace.str(), before, static_cast<std::int64_t>(limit)}, limit});
}

Task<Result<std::vector<Turn>>> TurnQueue::of_conversation(ConversationId conversation,
                                                           std::int64_t before, std::size_t limit) {
  return page(
      {kOfConversation, {conversation.str(), before, static_cast<std::int64_t>(limit)}, limit});
}

Result<std::vector<Turn>> TurnQueue::of_messages(const ConversationId& conversation,
                                                 std::int64_t first_seq, std::int64_t last_seq) {
  TRY(const Rows rows,
      database_.read({kOfMessages, {conversation.str(), first_seq, last_seq, kTurnsOfMessages}}));
  return from_rows(rows);
}

Result<std::optional<Turn>> TurnQueue::first(const Query& query) {
  TRY(const Rows rows, database_.read(query));
  if (rows.empty()) return std::optional<Turn>();
  TRY(auto turn, from_row(rows.front()));
  return std::optional(std::move(turn));
}

Result<std::optional<Turn>> TurnQueue::answering(const ConversationId& conversation,
                                                 const std::string& message_id) {
  return first({kAnswering, {conversation.str(), message_id}});
}

Result<std::optional<Turn>> TurnQueue::running(const ConversationId& conversation) {
  return first({kRunning, {conversation.str()}});
}

Result<std::optional<Turn>> TurnQueue::next(const ConversationId& conversation) {
  TRY(const auto busy, running(conversation));
  if (busy) return std::optional<Turn>();
  return first({kNext, {conversation.str()}});
}

Task<Result<void>> TurnQueue::start(TurnId id) {
  CO_TRY_VOID(co_await database_.write(Write{{begin(id, clock_.wall_now())}}));
  co_return Result<void>{};
}

Task<Result<void>> TurnQueue::recover() {
  Write write;
  write.statements.push_back({kPark, {clock_.wall_now().unix_ms, kTurnAttempts}, {}});
  write.statements.push_back({kRequeue, {}, {}});
  CO_TRY_VOID(co_await database_.write(std::move(write)));
  co_return Result<void>{};
}

Task<Result<std::vector<ConversationId>>> TurnQueue::waiting(std::string after, std::size_t limit) {
  CO_TRY(const Rows rows,
         co_await database_.read_page(
             {kWaiting, {std::move(after), static_cast<std::int64_t>(limit)}, limit}));
  std::vector<ConversationId> out;
  for (const Row& row : rows) {
    CO_TRY(auto id, ConversationId::parse(row.text(0)));
    out.push_back(std::move(id));
  }
  co_return out;
}

}  // namespace rouse
