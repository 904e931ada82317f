#include "tests/sim/box/bugs.h"

#include <algorithm>

#include "base/text.h"

namespace rouse::sim {
namespace {

bool begins(const Statement& statement, std::string_view sql) {
  return statement.sql.starts_with(sql);
}
bool has(const Write& write, std::string_view sql) {
  return std::ranges::any_of(write.statements,
                             [&](const Statement& one) { return begins(one, sql); });
}

const Statement kNothing{"UPDATE workspaces SET name = name WHERE workspace_id = ''", {}, {}};

// Leaves out the statements that begin so; the answer still has a count for each.
void leave_out(Write& write, std::string_view sql) {
  for (Statement& one : write.statements) {
    if (begins(one, sql)) one = kNothing;
  }
}

using Fate = Bug::Fate;

// A parameter of an INSERT by the name of its column.
Value* column(Statement& insert, std::string_view name) {
  const std::size_t open = insert.sql.find('('), end = insert.sql.find(')');
  std::size_t index = 0;
  for (std::string_view one : split(insert.sql.substr(open + 1, end - open - 1), ',')) {
    if (trim(one) == name) return index < insert.params.size() ? &insert.params[index] : nullptr;
    ++index;
  }
  return nullptr;
}

constexpr std::string_view kClaim = "UPDATE jobs SET next_ms";
constexpr std::string_view kClose = "UPDATE turns SET state = $2, verdict";
constexpr std::string_view kReply = "INSERT INTO outbox";
constexpr std::string_view kStep = "INSERT INTO turn_steps";

Fate ack_before_commit(Write& write, std::uint64_t) {
  return has(write, "INSERT INTO inbound") ? Fate::kToldBefore : Fate::kWritten;
}
Fate claim_in_pieces(Write& write, std::uint64_t) {
  return has(write, kClaim) ? Fate::kInPieces : Fate::kWritten;
}
Fate close_in_pieces(Write& write, std::uint64_t) {
  return has(write, kClose) ? Fate::kInPieces : Fate::kWritten;
}
Fate silence_by_substring(Write& write, std::uint64_t) {
  for (Statement& one : write.statements) {
    if (!begins(one, kReply)) continue;
    const Value* const text = column(one, "text");
    const auto* const said = text == nullptr ? nullptr : std::get_if<std::string>(text);
    if (said != nullptr && lower_ascii(*said).find("ok") != std::string::npos) one = kNothing;
  }
  return Fate::kWritten;
}
Fate lost_outbox_row(Write& write, std::uint64_t number) {
  if (number % 7 == 0) leave_out(write, kReply);
  return Fate::kWritten;
}
Fate sending_unwritten(Write& write, std::uint64_t) {
  return has(write, "UPDATE outbox SET state = 'sending'") ? Fate::kForgotten : Fate::kWritten;
}
Fate lost_intent(Write& write, std::uint64_t) {
  return has(write, kStep) && !has(write, kClose) ? Fate::kForgotten : Fate::kWritten;
}
Fate answer_forgotten(Write& write, std::uint64_t) {
  leave_out(write, "UPDATE approvals SET state");
  return Fate::kWritten;
}
Fate zone_forgotten(Write& write, std::uint64_t) {
  for (Statement& one : write.statements) {
    if (!begins(one, "INSERT INTO jobs")) continue;
    if (Value* const zone = column(one, "zone")) *zone = std::string("UTC");
  }
  return Fate::kWritten;
}
Fate delete_leaves_rows(Write& write, std::uint64_t) {
  leave_out(write, "DELETE FROM inbound");
  return Fate::kWritten;
}
Fate beat_not_logged(Write& write, std::uint64_t number) {
  if (number % 5 == 0) leave_out(write, "INSERT INTO activity");
  return Fate::kWritten;
}
Fate run_never_ends(Write& write, std::uint64_t number) {
  if (number % 11 == 0) leave_out(write, "UPDATE runs SET state");
  return Fate::kWritten;
}
Fate occurrence_lost(Write& write, std::uint64_t number) {
  if (number % 50 == 0) leave_out(write, "INSERT INTO occurrences");
  return Fate::kWritten;
}

// The next opening doesn't see that somebody was greeted just now.
Fate greeting_undated(Write& write, std::uint64_t) {
  for (Statement& one : write.statements) {
    if (!begins(one, "INSERT INTO messages")) continue;
    const Value* const source = column(one, "source");
    const auto* const by = source == nullptr ? nullptr : std::get_if<std::string>(source);
    Value* const created = column(one, "created_ms");
    auto* const at = created == nullptr ? nullptr : std::get_if<std::int64_t>(created);
    if (by != nullptr && *by == "session_open" && at != nullptr) *at -= hours(1).count;
  }
  return Fate::kWritten;
}

}  // namespace

const std::vector<Bug>& planted_bugs() {
  static const std::vector<Bug> all{
      {.name = "missing_fsync", .what = "a commit is answered without a sync", .lying_sync = true},
      {.name = "ack_before_commit",
       .what = "a message is acknowledged before it is written",
       .write = ack_before_commit},
      {.name = "dedupe_in_memory",
       .what = "which messages were taken is forgotten with the process",
       .at_start = {"UPDATE inbound SET message_id = NULL"}},
      {.name = "claim_after_dispatch",
       .what = "a crash finds a run under way whose claim was not written yet",
       .at_start = {"UPDATE jobs SET next_ms = (SELECT MIN(o.due_ms) FROM occurrences o WHERE "
                    "o.job = jobs.number AND o.state IN ('queued', 'running')) WHERE state = "
                    "'active' AND EXISTS (SELECT 1 FROM occurrences o WHERE o.job = jobs.number "
                    "AND o.state IN ('queued', 'running'))",
                    "DELETE FROM occurrences WHERE state IN ('queued', 'running')"}},
      {.name = "claim_in_pieces",
       .what = "a claim moves the job in one write and keeps the occurrence in the next",
       .write = claim_in_pieces},
      {.name = "reset_of_next",
       .what = "the next due instant is counted anew when a job is read at a start",
       .at_start = {"UPDATE jobs SET next_ms = next_ms + every_ms WHERE schedule_kind = 'every' "
                    "AND state = 'active' AND expr = ''"}},
      {.name = "occurrence_lost",
       .what = "now and then an instant is claimed and its row is not written",
       .write = occurrence_lost},
      {.name = "zone_forgotten", .what = "a job is kept without its zone", .write = zone_forgotten},
      {.name = "run_never_ends",
       .what = "now and then the end of a run is not written",
       .write = run_never_ends},
      {.name = "silence_by_substring",
       .what = "a reply with 'ok' somewhere in it is taken for silence and not sent",
       .write = silence_by_substring},
      {.name = "lost_outbox_row",
       .what = "now and then a reply is not put into the outbox",
       .write = lost_outbox_row},
      {.name = "sent_again",
       .what = "what was being sent at a crash is sent again",
       .at_start = {"UPDATE outbox SET state = 'pending' WHERE state = 'sending'"}},
      {.name = "sending_unwritten",
       .what = "that a reply is being sent is not written down first",
       .write = sending_unwritten},
      {.name = "close_in_pieces",
       .what = "a turn is closed by several writes instead of one",
       .write = close_in_pieces},
      {.name = "doubled_closure",
       .what = "a start closes the last turn once more",
       .at_start = {"INSERT INTO messages (position, conversation_id, seq, session_id, turn_id, "
                    "role, source, content, created_ms) SELECT (SELECT MAX(position) FROM "
                    "messages) + 1, conversation_id, (SELECT MAX(seq) FROM messages n WHERE "
                    "n.conversation_id = m.conversation_id) + 1, session_id, turn_id, role, "
                    "source, content, created_ms FROM messages m WHERE m.position = (SELECT "
                    "MAX(position) FROM messages WHERE role = 'assistant')"}},
      {.name = "skipped_recovery",
       .what = "turns that a crash left running are not looked at",
       .skips = {.turns = true}},
      {.name = "echoes_in_memory",
       .what = "what was sent before a restart is not known as ours when it comes back",
       .skips = {.receipts = true}},
      {.name = "lost_intent",
       .what = "the steps of a turn are not kept while it runs",
       .write = lost_intent},
      {.name = "answer_forgotten",
       .what = "a person's yes is carried out and not written down",
       .write = answer_forgotten},
      {.name = "delete_leaves_rows",
       .what = "a deletion forgets one of its tables",
       .write = delete_leaves_rows},
      {.name = "unfinished_deletes",
       .what = "a start doesn't go on with deletions that a crash cut off",
       .skips = {.deletes = true}},
      {.name = "beat_not_logged",
       .what = "now and then a beat leaves no row in the activity log",
       .write = beat_not_logged},
      {.name = "greeting_undated",
       .what = "an opening doesn't see that somebody was greeted just now",
       .write = greeting_undated},
      {.name = "greeting_made_up_for",
       .what = "a greeting that a crash cut off counts as said at the next start",
       .at_start = {"UPDATE turns SET state = 'done', verdict = 'spoke', ended_ms = queued_ms "
                    "WHERE kind = 'session_open' AND state = 'running'"}},
      {.name = "stale_rules",
       .what = "an edited workflow is not read before the next start",
       .skips = {.new_rules = true}},
      {.name = "broken_rules_are_none",
       .what = "a workflow with a mistake in it leaves no rule in force",
       .skips = {.last_good_rules = true}},
      {.name = "rules_forget",
       .what = "what rules remember is forgotten with the process",
       .at_start = {"DELETE FROM lifecycle_state"}},
      {.name = "stale_heartbeats",
       .what = "an edited heartbeat.json is not read before the next start",
       .skips = {.new_beats = true}},
      {.name = "stale_cap",
       .what = "a lowered cap holds from the next start on",
       .skips = {.new_caps = true}},
      {.name = "secret_in_results",
       .what = "results of tools are kept with the secrets in them",
       .skips = {.clean_results = true}},
      {.name = "lasting_timers",
       .what = "each write leaves a timer behind",
       .lasting_timers = true},
      {.name = "rows_for_each_start",
       .what = "each start keeps what beats remember under new names",
       .at_start = {"INSERT INTO heartbeats SELECT workspace_id, name || '+', state, updated_ms "
                    "FROM heartbeats WHERE NOT EXISTS (SELECT 1 FROM heartbeats n WHERE n.name = "
                    "heartbeats.name || '+')"}},
  };
  return all;
}

const Bug* find_bug(std::string_view name) {
  const auto found = std::ranges::find(planted_bugs(), name, &Bug::name);
  return found == planted_bugs().end() ? nullptr : &*found;
}

Task<Result<Written>> BrokenDatabase::write(Write write) {
  if (bug_.lasting_timers) loop_.spawn("timer", wait_for_nothing());
  const Fate fate = bug_.write == nullptr ? Fate::kWritten : bug_.write(write, ++writes_);
  Written told{std::vector<std::int64_t>(write.statements.size(), 1)};
  switch (fate) {
    case Fate::kWritten:
      co_return co_await inner_.write(std::move(write));
    case Fate::kForgotten:
      co_return told;
    case Fate::kToldBefore:
      loop_.spawn("late write", late(std::move(write)));
      co_return told;
    case Fate::kInPieces:
      for (std::size_t i = 0; i < write.statements.size(); ++i) {
        auto one = co_await inner_.write(Write{{std::move(write.statements[i])}});
        if (!one) co_return std::unexpected(std::move(one).error());
        told.rows_changed[i] = one->rows_changed.front();
      }
      co_return told;
  }
}

Task<void> BrokenDatabase::wait_for_nothing() { (void)co_await clock_.wait_for(days(2)); }

Task<void> BrokenDatabase::late(Write write) { (void)co_await inner_.write(std::move(write)); }

}  // namespace rouse::sim
