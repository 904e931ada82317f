#include "session/search/message_index.h"

#include <algorithm>
#include <stop_token>

#include "base/fault.h"
#include "session/search/fresh_messages.h"
#include "session/search/searchable_text.h"

namespace rouse {
namespace {

constexpr std::string_view kStanding =
    "SELECT position, forgotten, (SELECT COALESCE(MAX(position), 0) FROM messages), "
    "(SELECT MIN(m.position) FROM messages m WHERE m.position > index_cursors.position) "
    "FROM index_cursors WHERE name = 'messages'";
constexpr std::string_view kSizes =
    "SELECT position, length(content) FROM messages WHERE position > $1 "
    "ORDER BY position LIMIT $2";
constexpr std::string_view kMessages =
    "SELECT m.position, c.workspace_id, m.conversation_id, m.content FROM messages m "
    "JOIN conversations c ON c.conversation_id = m.conversation_id "
    "WHERE m.position > $1 AND m.position <= $2 ORDER BY m.position";
constexpr std::string_view kMove =
    "UPDATE index_cursors SET position = $3 "
    "WHERE name = 'messages' AND position = $1 AND forgotten = $2";
constexpr std::string_view kStepBack =
    "UPDATE index_cursors SET forgotten = forgotten + CASE WHEN EXISTS (SELECT 1 FROM messages m "
    "WHERE m.conversation_id = $1 AND m.seq BETWEEN $2 AND $3 "
    "AND m.position > index_cursors.position) THEN 1 ELSE 0 END, position = COALESCE("
    "(SELECT m.position FROM messages m WHERE m.position <= index_cursors.position AND NOT "
    "(m.conversation_id = $1 AND m.seq BETWEEN $2 AND $3) ORDER BY m.position DESC LIMIT 1), 0) "
    "WHERE name = 'messages'";

constexpr int kConflictsInARow = 32;

struct Standing {
  std::int64_t cursor = 0;
  std::int64_t forgotten = 0;
  std::int64_t newest = 0;
  std::int64_t next = 0;  // the first one that is not indexed, if there is one
  [[nodiscard]] bool done() const { return newest <= cursor; }
};

Result<Standing> read_standing(Database& database) {
  TRY(const Rows rows, database.read({kStanding, {}}));
  if (rows.empty()) return fail(StoreErrc::kCorrupt, "the cursor of the message index is missing");
  const Row& row = rows[0];
  Standing out{.cursor = row.integer(0), .forgotten = row.integer(1), .newest = row.integer(2)};
  if (!out.done()) out.next = row.integer(3);
  return out;
}

// What one write does. Its first statement moves the cursor, or nothing of it happens.
struct Batch {
  const TextIndex& index;
  std::vector<Statement> statements{1};
  std::size_t bytes = 0;
  std::int64_t end = 0;  // the last position that is done with it
};

// Every few messages whatever is ready goes first.
bool is_others_turn(std::size_t done) { return done % kIndexDecodedAtOnce == 0; }
Task<bool> give_way() {
  return complete_later<bool>([](Completer<bool> go_on) { go_on(true); });
}

void add_to(Batch& batch, TextDocument document, const Content& content) {
  document.text = searchable_text(content);
  if (document.text.empty()) return;
  batch.bytes += document.text.size();
  batch.statements.push_back(batch.index.add(std::move(document)));
}

// The position up to which the next write goes: the bounds hold for all of it, or it is one
// message.
std::int64_t end_of_batch(const Rows& sizes, std::int64_t cursor) {
  std::int64_t end = cursor;
  std::int64_t characters = 0;
  for (const Row& row : sizes) {
    characters += row.integer(1);
    if (end != cursor && characters > std::int64_t{kIndexBatchCharacters}) break;
    end = row.integer(0);
  }
  return end;
}

// A message that can't be read is skipped: its damage shows where it is read, and must not keep
// all later ones out of the index.
Task<Result<Batch>> stored_batch(Database& database, Batch batch, std::int64_t cursor) {
  CO_TRY(const Rows rows, co_await database.read_page({kMessages, {cursor, batch.end}}));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (is_others_turn(i + 1)) co_await give_way();
    const Row& row = rows[i];
    auto content = decode_content(row.text(3));
    if (content) add_to(batch, {row.integer(0), row.text(1), row.text(2), {}}, *content);
  }
  co_return batch;
}

Write write_of(Batch batch, const Standing& from) {
  batch.statements.front() = {kMove, {from.cursor, from.forgotten, batch.end}, 1};
  if (batch.bytes > 0) batch.statements.push_back(batch.index.tidy(batch.bytes));
  return Write{std::move(batch.statements)};
}

bool is_final(const Error& error) {
  return error.is(StoreErrc::kClosed) || error.is(StoreErrc::kFenced);
}

}  // namespace

struct MessageIndexer::State {
  Database& database;
  const TextIndex& index;
  Clock& clock;
  Loop& loop;

  bool working = false;  // the task below runs
  bool added = false;    // since it last looked
  bool hurry = false;    // somebody waits: don't gather
  bool stopped = false;
  std::stop_source wake{};  // ends the wait under way
  FreshMessages fresh{};
  std::optional<std::int64_t> forgotten{};  // as it was when the fresh ones came
  std::vector<Completer<Result<void>>> waiting{};
  std::optional<Error> problem{};
  Millis retry = kIndexRetry;

  static void start(const std::shared_ptr<State>& state) {
    if (!std::exchange(state->working, true)) state->loop.spawn("message index", work(state));
  }
  static Task<void> work(std::shared_ptr<State> state);
  static Task<Result<void>> index_all(std::shared_ptr<State> state);
  static Task<Result<bool>> index_some(std::shared_ptr<State> state);
  static Task<Result<Batch>> next_batch(const std::shared_ptr<State>& state, const Standing& from,
                                        std::int64_t stored_end);
  static Task<Result<Batch>> fresh_batch(std::shared_ptr<State> state, std::int64_t next);
  void add_fresh(const WorkspaceId& workspace, const Transcript& said);
  [[nodiscard]] bool has_enough() const;
  Task<void> pause(Millis length);
  bool settle(const Result<void>& result);
  void answer(std::vector<Completer<Result<void>>> who, const Result<void>& result);
};

Task<void> MessageIndexer::State::pause(Millis length) {
  if (hurry || stopped || has_enough()) co_return;
  wake = std::stop_source();
  co_await clock.wait_for(length, wake.get_token());
}

Task<void> MessageIndexer::State::work(std::shared_ptr<State> state) {
  co_await state->pause(kIndexGather);
  bool again = true;
  while (again) {
    state->added = state->hurry = false;
    auto waiting = std::exchange(state->waiting, {});
    const auto result = co_await index_all(state);
    again = state->settle(result);
    state->answer(std::move(waiting), result);
    if (again) co_await state->pause(result ? kIndexGather : state->retry);
  }
  state->working = false;
}

Task<Result<void>> MessageIndexer::State::index_all(std::shared_ptr<State> state) {
  for (int conflicts = 0; !state->stopped;) {
    auto more = co_await index_some(state);
    if (more && !*more) co_return Result<void>{};
    const bool conflict = !more && more.error().is(StoreErrc::kConflict);
    if (!more && (!conflict || ++conflicts > kConflictsInARow)) {
      co_return std::unexpected(std::move(more).error());
    }
    if (more) conflicts = 0;
  }
  co_return fail(Errc::kCancelled, "the message index was stopped");
}

// One write's worth. True while there is more. After a stop the store is not touched any more.
Task<Result<bool>> MessageIndexer::State::index_some(std::shared_ptr<State> state) {
  CO_TRY(const Standing from, read_standing(state->database));
  // Some that were not indexed are gone, and they may be among the fresh ones.
  if (state->forgotten != from.forgotten) state->fresh.clear();
  state->forgotten = from.forgotten;
  state->fresh.drop_through(from.cursor);
  if (from.done()) co_return false;
  std::int64_t stored_end = 0;  // what was handed over need not be read
  if (!state->fresh.holds(from.next)) {
    CO_TRY(const Rows sizes, co_await state->database.read_page(
                                 {kSizes, {from.cursor, std::int64_t{kIndexReadMessages}}}));
    if (state->stopped) co_return true;
    stored_end = end_of_batch(sizes, from.cursor);
    if (stored_end == from.cursor) co_return false;
  }
  CO_TRY(Batch batch, co_await next_batch(state, from, stored_end));
  if (state->stopped) co_return true;
  const std::int64_t end = batch.end;
  CO_TRY_VOID(co_await state->database.write(write_of(std::move(batch), from)));
  co_return end < from.newest;
}

Task<Result<Batch>> MessageIndexer::State::next_batch(const std::shared_ptr<State>& state,
                                                      const Standing& from,
                                                      std::int64_t stored_end) {
  if (stored_end == 0) return fresh_batch(state, from.next);
  const FreshMessages& fresh = state->fresh;
  const bool comes_first = fresh.size() > 0 && from.next < fresh.first();
  Batch batch{state->index};
  batch.end = comes_first ? std::min(stored_end, fresh.first() - 1) : stored_end;
  return stored_batch(state->database, std::move(batch), from.cursor);
}

// Each is taken out when its turn has come, a few in a round of the loop. Those of a write that
// fails are read from the store.
Task<Result<Batch>> MessageIndexer::State::fresh_batch(std::shared_ptr<State> state,
                                                       std::int64_t next) {
  SOMETIMES("index.from_memory");
  Batch batch{state->index};
  for (std::size_t taken = 0; taken < kIndexBatchMessages && !state->stopped; ++taken) {
    if (is_others_turn(taken + 1)) co_await give_way();
    const std::size_t room = kIndexBatchCharacters - std::min(batch.bytes, kIndexBatchCharacters);
    const auto one = state->fresh.take(next, taken == 0 ? SIZE_MAX : room);
    if (!one) break;
    const Message& message = *one->message;
    batch.end = next++;
    add_to(batch, {message.position, one->workspace.str(), message.conversation.str(), {}},
           message.content);
  }
  co_return batch;
}

// Where it is not known what was forgotten before they came, they are read from the store.
void MessageIndexer::State::add_fresh(const WorkspaceId& workspace, const Transcript& said) {
  if (!forgotten) return;
  fresh.add(workspace, said);
  if (has_enough()) wake.request_stop();
}

// Nearly a write's worth: what comes until it is read still fits into the same one.
bool MessageIndexer::State::has_enough() const {
  return fresh.size() >= kIndexBatchMessages * 3 / 4 ||
         fresh.bytes() >= kIndexBatchCharacters * 3 / 4;
}

// Remembers how it went; true if the work goes on.
bool MessageIndexer::State::settle(const Result<void>& result) {
  if (result) {
    problem.reset();
    retry = kIndexRetry;
    if (!stopped) return added || !waiting.empty();
  } else if (!stopped && !is_final(result.error())) {
    if (result.error().is(StoreErrc::kConflict)) {
      retry = kIndexRetry;  // the store is well, somebody deletes
    } else if (problem) {
      retry = std::min(retry * 2, kIndexRetryMost);
    }
    problem = result.error();
    return true;
  } else if (!stopped) {
    problem = result.error();
  }
  answer(std::exchange(waiting, {}), fail(Errc::kCancelled, "the message index was stopped"));
  return false;
}

void MessageIndexer::State::answer(std::vector<Completer<Result<void>>> who,
                                   const Result<void>& result) {
  for (auto& done : who) done(result);
}

MessageIndexer::MessageIndexer(Database& database, const TextIndex& index, Clock& clock, Loop& loop)
    : state_(new State{database, index, clock, loop}) {}

MessageIndexer::~MessageIndexer() { stop(); }

void MessageIndexer::messages_were_added(const WorkspaceId& workspace, const Transcript& said) {
  if (state_->stopped) return;
  state_->add_fresh(workspace, said);
  state_->added = true;
  State::start(state_);
}

Task<Result<void>> MessageIndexer::catch_up() {
  return complete_later<Result<void>>([state = state_](Completer<Result<void>> done) {
    if (state->stopped) return done(fail(Errc::kCancelled, "the message index was stopped"));
    state->waiting.push_back(std::move(done));
    state->hurry = true;
    state->wake.request_stop();
    State::start(state);
  });
}

std::vector<Statement> MessageIndexer::forget(const ConversationId& conversation,
                                              std::int64_t first_seq, std::int64_t last_seq,
                                              std::size_t bytes) const {
  const TextIndex& index = state_->index;
  return {index.remove(conversation.str(), first_seq, last_seq),
          {kStepBack, {conversation.str(), first_seq, last_seq}, 1},
          index.tidy(bytes)};
}

void MessageIndexer::stop() {
  state_->stopped = true;
  state_->wake.request_stop();
}

const std::optional<Error>& MessageIndexer::problem() const { return state_->problem; }

}  // namespace rouse
