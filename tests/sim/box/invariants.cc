#include "tests/sim/box/invariants.h"

#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "session/invariants_for_tests.h"
#include "session/messages.h"
#include "tests/sim/box/founding.h"
#include "tests/sim/box/fresh.h"
#include "tests/sim/box/mind.h"
#include "tests/sim/box/plan.h"
#include "tests/sim/box/reading.h"
#include "tests/sim/heartbeat_life.h"

namespace rouse::sim {
namespace {

constexpr std::int64_t kLargestCall = 4'096;  // what is reserved for one, at least
constexpr std::int64_t kOneCall = 2'000;      // what a call under way may add

std::int64_t count(Database& database, Outside& outside, std::string_view sql) {
  const Rows rows = read_rows(database, outside, sql);
  return rows.empty() ? 0 : rows.front().integer(0);
}

}  // namespace

bool deletes_under_way(Database& database, Outside& outside) {
  return count(database, outside, "SELECT COUNT(*) FROM tombstones WHERE finished_ms IS NULL") > 0;
}

// Breaks the invariant for the first row that the query finds.
void none(Database& database, Outside& outside, const char* invariant, std::string_view sql,
          std::vector<Value> params) {
  const Rows rows = read_rows(database, outside, sql, std::move(params));
  if (rows.empty()) return;
  std::string words;
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    const Value& value = rows.front().value(i);
    if (const auto* text = std::get_if<std::string>(&value)) words += *text + " ";
    if (const auto* number = std::get_if<std::int64_t>(&value))
      words += fmt::format("{} ", *number);
  }
  outside.broke(invariant, fmt::format("{}({} places)", words, rows.size()));
}

void watch(Outside& outside, const std::string& invariant, const std::function<void()>& check) {
  testing::TestPartResultArray failures;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    check();
  }
  if (failures.size() > 0) outside.broke(invariant, failures.GetTestPartResult(0).message());
}

void check_conversations(Database& database, Outside& outside) {
  if (deletes_under_way(database, outside)) return;
  for (const Invariant& invariant : session_invariants()) {
    const Rows rows = read_rows(database, outside, invariant.broken);
    if (rows.empty()) continue;
    const Value& value = rows.front().value(0);
    const auto* text = std::get_if<std::string>(&value);
    outside.broke(fmt::format("2: {}", invariant.says),
                  fmt::format("{} ({} places)", text != nullptr ? *text : "", rows.size()));
  }
  none(database, outside, "7: what runs belongs to a turn that is not over",
       "SELECT r.number FROM runs r JOIN turns t ON t.turn_id = r.turn_id "
       "WHERE (r.ended_ms IS NULL) <> (t.ended_ms IS NULL)");
}

void check_letters(Database& database, Outside& outside) {
  std::map<std::string, const Row*> kept;
  const Rows rows =
      read_rows(database, outside,
                "SELECT message_id, COALESCE(turn_id, '') FROM inbound WHERE message_id "
                "IS NOT NULL");
  for (const Row& row : rows) {
    if (!kept.emplace(row.text(0), &row).second) {
      outside.broke("3: a message id is one message", row.text(0));
    }
  }
  for (const Letter& letter : outside.letters) {
    if (!letter.taken || !letter.plain || letter.in_deleted) continue;
    const auto found = kept.find(letter.id);
    if (found == kept.end()) {
      outside.broke("3: what was acknowledged is there", letter.id);
    } else if (letter.turn && !letter.turn->empty() && found->second->text(1) != *letter.turn) {
      outside.broke("3: what was acknowledged is there",
                    fmt::format("{} has another turn than was told", letter.id));
    }
  }
  none(database, outside, "3: what a person wrote is in a transcript once",
       "SELECT conversation_id, content FROM messages WHERE role = 'user' AND content LIKE "
       "'%(thought %.)%' GROUP BY conversation_id, content HAVING COUNT(*) > 1");
}

void check_automations(Database& database, Outside& outside, DueBook& dues) {
  watch(outside, "1: each due instant has exactly one disposition",
        [&] { dues.check_coverage(database, ""); });
  none(database, outside, "1: a disposition is one of those there are",
       "SELECT job, due_ms, state FROM occurrences WHERE state NOT IN ('claimed', 'queued', "
       "'running', 'ok', 'empty', 'error', 'timeout', 'interrupted', 'skipped', 'missed')");
  none(database, outside, "1: a try of an occurrence is one run",
       "SELECT job, due_ms FROM runs GROUP BY job, due_ms, attempt HAVING COUNT(*) > 1");
  none(database, outside, "1: what was executed has its runs",
       "SELECT o.job, o.due_ms, o.state, o.attempt, COUNT(r.number) FROM occurrences o JOIN jobs j "
       "ON j.number = o.job AND j.kind <> 'system' LEFT JOIN runs r ON r.job = o.job AND r.due_ms "
       "= o.due_ms GROUP BY o.job, o.due_ms HAVING COUNT(r.number) > o.attempt OR (o.state = "
       "'ok' AND COUNT(r.number) < o.attempt)");
  none(database, outside, "2: a run writes into the conversation of its job and no other",
       "SELECT r.run_id FROM runs r JOIN jobs j ON j.number = r.job AND j.kind = 'bound' "
       "JOIN messages m ON m.turn_id = r.turn_id JOIN conversations c ON c.conversation_id = "
       "m.conversation_id WHERE c.session_key <> r.session_key");
  none(database, outside, "5: a beat that was carried out is in the log once",
       "SELECT job, due_ms FROM activity WHERE due_ms IS NOT NULL AND job IS NOT NULL GROUP BY "
       "job, due_ms HAVING COUNT(*) > 1");
  // The row of a beat that woke a conversation goes when that is deleted.
  if (outside.counts.of("deletion asked for") > 0) return;
  none(database, outside, "5: a beat that was carried out is in the log",
       "SELECT o.job, o.due_ms FROM occurrences o JOIN jobs j ON j.number = o.job AND j.kind = "
       "'system' LEFT JOIN activity a ON a.job = o.job AND a.due_ms = o.due_ms WHERE o.state IN "
       "('ok', 'empty', 'error', 'timeout') AND a.id IS NULL");
}

void check_deliveries(Database& database, Outside& outside) {
  none(database, outside, "4: what was said to somebody on a phone is in the outbox once",
       "SELECT t.turn_id FROM turns t JOIN inbound i ON i.number = t.inbound_number AND i.channel "
       "= 'whatsapp' LEFT JOIN (SELECT turn_id, COUNT(*) AS n FROM outbox WHERE channel = "
       "'whatsapp' GROUP BY turn_id) o ON o.turn_id = t.turn_id WHERE t.state = 'done' AND t.kind "
       "= 'user' AND t.verdict = 'spoke' AND COALESCE(o.n, 0) <> 1");
  for (const Row& row :
       read_rows(database, outside,
                 "SELECT outbox_id, text FROM outbox WHERE state = 'delivered' AND "
                 "channel = 'whatsapp'")) {
    if (!outside.arrived.contains(row.text(0))) {
      outside.broke("4: what counts as delivered has arrived", row.text(0));
    }
  }
}

void check_sinks(Database& database, Outside& outside) {
  for (const Row& row :
       read_rows(database, outside, "SELECT text FROM outbox WHERE channel <> 'whatsapp'")) {
    if (shows_silence_token(row.text(0))) {
      outside.broke("5: no silence token reaches anybody", row.text(0));
    }
  }
}

// None inside of a turn of the conversation it looks after.
void check_beats(Database& database, Outside& outside) {
  if (!beats_can_be_judged(outside)) return;
  for (const StandardBeat& one : outside.papers.beats) {
    for (const Row& row :
         read_rows(database, outside,
                   "SELECT a.due_ms, t.turn_id FROM activity a JOIN jobs j ON j.number = a.job AND "
                   "j.job_id = $1 JOIN conversations c ON c.session_key = $2 JOIN turns t ON "
                   "t.conversation_id = c.conversation_id AND t.started_ms < a.due_ms - 1000 AND "
                   "(t.ended_ms IS NULL OR t.ended_ms > a.ts) WHERE a.due_ms IS NOT NULL",
                   {heartbeat_job_id(one.name), one.conversation})) {
      outside.broke("5: no beat inside of a turn",
                    fmt::format("{} at {} in {}", one.name, to_iso({row.integer(0)}), row.text(1)));
    }
  }
}

// A cap that was lowered can't take back what was spent before, or was under way.
void check_spend(Database& database, Outside& outside) {
  const Papers& papers = outside.papers;
  for (const Row& row :
       read_rows(database, outside, "SELECT owner, day, micros FROM spend WHERE day <> ''")) {
    const std::int64_t micros = row.integer(2);
    if (micros > papers.cap - kLargestCall) outside.counts.hit("spend cap holds a call");
    const auto before = papers.spent.find(row.text(0) + row.text(1));
    const std::int64_t spent = before == papers.spent.end() ? 0 : before->second;
    if (micros <= std::max(papers.cap, spent + papers.under_way) + kOneCall) continue;
    outside.broke("6: a day's spend stays under its cap",
                  fmt::format("{} on {}: {} of {}", row.text(0), row.text(1), micros, papers.cap));
  }
}

void check_deleted(Database& database, Outside& outside) {
  for (const std::string& id : outside.deleted) {
    for (const std::string_view sql : {"SELECT COUNT(*) FROM messages WHERE conversation_id = $1",
                                       "SELECT COUNT(*) FROM sessions WHERE conversation_id = $1",
                                       "SELECT COUNT(*) FROM turns WHERE conversation_id = $1",
                                       "SELECT COUNT(*) FROM inbound WHERE conversation_id = $1",
                                       "SELECT COUNT(*) FROM outbox WHERE conversation_id = $1"}) {
      const Rows rows = read_rows(database, outside, sql, {id});
      if (!rows.empty() && rows.front().integer(0) > 0) {
        outside.broke("2: what was deleted is gone", fmt::format("{}: {}", id, sql));
      }
    }
  }
}

void check_tools(Outside& outside) {
  for (const auto& [call, times] : outside.tools.done) {
    if (times > 1) outside.broke("2: a tool's call is carried out once", call);
  }
}

// What a tool did is in the transcript of somebody, also if the process died before it knew.
static void check_done(Database& database, Outside& outside) {
  if (outside.counts.of("deletion asked for") > 0) return;  // went with its conversation
  std::set<std::string> told;
  for (const Row& row :
       read_rows(database, outside,
                 "SELECT content FROM messages WHERE content LIKE '%\"tool_call\"%'")) {
    const auto blocks = decode_content(row.text(0));
    if (!blocks) continue;
    for (const ContentBlock& block : *blocks) {
      if (block.type == "tool_call") told.insert(*block.call_id);
    }
  }
  // A greeting that said nothing leaves no transcript, but a line.
  const bool is_in_log = count(database, outside,
                               "SELECT COUNT(*) FROM activity WHERE summary LIKE '%When the app "
                               "was opened%'") > 0;
  for (const auto& [call, times] : outside.tools.done) {
    if (call.starts_with("look")) continue;  // changed nothing: it may be forgotten
    if (call.starts_with("opening") && is_in_log) continue;
    if (!told.contains(call)) outside.broke("2: what a tool did is in a transcript", call);
  }
}

void check_at_rest(Database& database, Outside& outside) {
  const char* const answered = "liveness: everything accepted is answered, closed or explained";
  none(database, outside, answered,
       "SELECT turn_id, kind, state FROM turns WHERE state IN ('queued', 'running')");
  none(database, outside, answered,
       "SELECT job, due_ms, state, reason FROM occurrences WHERE ended_ms IS NULL");
  none(database, outside, answered, "SELECT run_id, state FROM runs WHERE ended_ms IS NULL");
  none(database, outside, answered,
       "SELECT outbox_id, state FROM outbox WHERE state IN ('pending', 'sending')");
  none(database, outside, answered,
       "SELECT approval_id, state FROM approvals WHERE state = 'pending'");
  none(database, outside, answered,
       "SELECT conversation_id FROM tombstones WHERE finished_ms IS NULL");
  none(database, outside, answered, "SELECT turn_id FROM turn_steps");
  none(database, outside, "12: no conversation is left that a greeting without a word began",
       "SELECT c.conversation_id FROM conversations c WHERE NOT EXISTS (SELECT 1 FROM messages m "
       "WHERE m.conversation_id = c.conversation_id) AND EXISTS (SELECT 1 FROM turns t WHERE "
       "t.conversation_id = c.conversation_id) AND NOT EXISTS (SELECT 1 FROM turns t WHERE "
       "t.conversation_id = c.conversation_id AND t.kind <> 'session_open')");
  check_done(database, outside);
  for (const Letter& letter : outside.letters) {
    if (!letter.taken) outside.broke("liveness: every message is taken in the end", letter.id);
  }
}

std::uint64_t everything_that_stays(Database& database) {
  std::uint64_t out = 0;
  for (const std::string_view sql :
       {"SELECT conversation_id, seq, role, content FROM messages ORDER BY position",
        "SELECT turn_id, state, verdict FROM turns ORDER BY number",
        "SELECT session_id, status, turn_count FROM sessions ORDER BY session_id",
        "SELECT job, due_ms, last_ms, count, state FROM occurrences ORDER BY job, due_ms",
        "SELECT number, state, next_ms FROM jobs ORDER BY number",
        "SELECT outbox_id, state FROM outbox ORDER BY outbox_id",
        "SELECT approval_id, state FROM approvals ORDER BY approval_id",
        "SELECT number, text FROM notifications ORDER BY number"}) {
    const auto rows = database.read({sql, {}, kMany});
    if (!rows) return 0;
    for (const Row& row : *rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const Value& value = row.value(i);
        if (const auto* text = std::get_if<std::string>(&value)) out = mixed(out, *text);
        if (const auto* number = std::get_if<std::int64_t>(&value)) {
          out = mixed(out, static_cast<std::uint64_t>(*number));
        }
      }
    }
  }
  return out;
}

}  // namespace rouse::sim
