#include "tests/sim/box/invariants.h"

#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "session/invariants_for_tests.h"
#include "session/messages.h"
#include "tests/sim/box/founding.h"
#include "tests/sim/box/mind.h"
#include "tests/sim/box/plan.h"
#include "tests/sim/heartbeat_life.h"

namespace rouse::sim {
namespace {

constexpr std::size_t kMany = 1'000'000;
constexpr std::int64_t kLargestCall = 4'096;  // what is reserved for one, at least
constexpr std::int64_t kOneCall = 2'000;      // what a call under way may add

Rows read(Database& database, Outside& outside, std::string_view sql,
          std::vector<Value> params = {}) {
  auto rows = database.read({sql, std::move(params), kMany});
  if (!rows) outside.broke("0: the store can be read", rows.error().message);
  return rows ? std::move(*rows) : Rows{};
}

std::int64_t count(Database& database, Outside& outside, std::string_view sql) {
  const Rows rows = read(database, outside, sql);
  return rows.empty() ? 0 : rows.front().integer(0);
}

// Breaks the invariant for the first row that the query finds.
void none(Database& database, Outside& outside, const char* invariant, std::string_view sql) {
  const Rows rows = read(database, outside, sql);
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

bool deletes_under_way(Database& database, Outside& outside) {
  return count(database, outside, "SELECT COUNT(*) FROM tombstones WHERE finished_ms IS NULL") > 0;
}

}  // namespace

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
    const Rows rows = read(database, outside, invariant.broken);
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

// Calls and results of a turn come in pairs. What an agent says to a person is untouched, tokens
// and all; what a beat says to an agent shows none.
void check_new_messages(Database& database, Outside& outside, Seen& seen) {
  std::map<std::string, std::map<std::string, int>> open;  // by turn and call
  for (const Row& row : read(database, outside,
                             "SELECT position, turn_id, role, content FROM messages WHERE "
                             "position > $1 ORDER BY position",
                             {seen.message})) {
    seen.message = row.integer(0);
    const std::string& content = row.text(3);
    if (row.text(2) == "user" && shows_silence_token(content)) {
      outside.broke("5: no beat's silence token comes into a conversation", content);
    }
    if (content.find("\"tool_") == std::string::npos) continue;
    const auto blocks = decode_content(content);
    if (!blocks) {
      outside.broke("2: a message can be read", content);
      continue;
    }
    for (const ContentBlock& block : *blocks) {
      if (block.type == "tool_call") ++open[row.text(1)][*block.call_id];
      if (block.type == "tool_result") --open[row.text(1)][*block.call_id];
    }
  }
  for (const auto& [turn, calls] : open) {
    for (const auto& [call, left] : calls) {
      if (left != 0) {
        outside.broke("2: each tool call has its one result",
                      fmt::format("{} in {}: {}", call, turn, left));
      }
    }
  }
}

void check_letters(Database& database, Outside& outside) {
  std::map<std::string, const Row*> kept;
  const Rows rows = read(database, outside,
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
  for (const Row& row : read(database, outside,
                             "SELECT outbox_id, text FROM outbox WHERE state = 'delivered' AND "
                             "channel = 'whatsapp'")) {
    if (!outside.arrived.contains(row.text(0))) {
      outside.broke("4: what counts as delivered has arrived", row.text(0));
    }
  }
}

void check_sinks(Database& database, Outside& outside, Seen& seen) {
  for (const std::string_view sql :
       {"SELECT subject || ' | ' || text FROM notifications WHERE kind = 'heartbeat'",
        "SELECT text FROM outbox WHERE channel <> 'whatsapp'"}) {
    for (const Row& row : read(database, outside, sql)) {
      if (shows_silence_token(row.text(0))) {
        outside.broke("5: no silence token reaches anybody", row.text(0));
      }
    }
  }
  for (const Row& row : read(database, outside,
                             "SELECT id, summary || ' | ' || details FROM activity WHERE id > $1 "
                             "AND type = 'heartbeat' ORDER BY id",
                             {seen.activity})) {
    seen.activity = row.integer(0);
    if (shows_silence_token(row.text(1))) {
      outside.broke("5: no silence token is in the activity log", row.text(1));
    }
  }
}

// Each in its hours, by a calendar that is not the product's, and none inside of a turn of the
// conversation it looks after. A clock that was set tells nothing about either.
void check_beats(Database& database, Outside& outside) {
  for (const char* const set : {"clock set back", "clock set on", "machine sleeps", "disk full"}) {
    if (outside.counts.of(set) > 0) return;
  }
  for (const StandardBeat& one : heartbeats()) {
    const WantedBeat beat{one.name, one.start, one.end, one.every_minutes};
    const Rows rows =
        read(database, outside,
             "SELECT a.ts, a.due_ms FROM activity a JOIN jobs j ON j.number = a.job WHERE "
             "j.job_id = $1 AND a.due_ms IS NOT NULL ORDER BY a.id DESC LIMIT 12",
             {heartbeat_job_id(one.name)});
    for (const Row& row : rows) {
      if (!calendar_allows(beat, one.zone, {row.integer(0)})) {
        outside.broke("5: no beat outside of its hours",
                      fmt::format("{} at {}", one.name, to_iso({row.integer(0)})));
      }
    }
    for (const Row& row :
         read(database, outside,
              "SELECT a.due_ms, t.turn_id FROM activity a JOIN jobs j ON j.number = a.job AND "
              "j.job_id = $1 JOIN conversations c ON c.session_key = $2 JOIN turns t ON "
              "t.conversation_id = c.conversation_id AND t.started_ms < a.due_ms - 1000 AND "
              "(t.ended_ms IS NULL OR t.ended_ms > a.ts) WHERE a.due_ms IS NOT NULL",
              {heartbeat_job_id(one.name), std::string(one.conversation)})) {
      outside.broke("5: no beat inside of a turn",
                    fmt::format("{} at {} in {}", one.name, to_iso({row.integer(0)}), row.text(1)));
    }
  }
}

void check_spend(Database& database, Outside& outside) {
  const Rows near =
      read(database, outside, "SELECT COUNT(*) FROM spend WHERE day <> '' AND micros > $1",
           {day_cap(outside.seed) - kLargestCall});
  if (!near.empty() && near.front().integer(0) > 0) outside.counts.hit("spend cap holds a call");
  for (const Row& row : read(database, outside,
                             "SELECT owner, day, micros FROM spend WHERE day <> '' AND micros > $1",
                             {day_cap(outside.seed) + kOneCall})) {
    outside.broke("6: a day's spend stays under its cap",
                  fmt::format("{} on {}: {}", row.text(0), row.text(1), row.integer(2)));
  }
}

void check_deleted(Database& database, Outside& outside) {
  for (const std::string& id : outside.deleted) {
    for (const std::string_view sql : {"SELECT COUNT(*) FROM messages WHERE conversation_id = $1",
                                       "SELECT COUNT(*) FROM sessions WHERE conversation_id = $1",
                                       "SELECT COUNT(*) FROM turns WHERE conversation_id = $1",
                                       "SELECT COUNT(*) FROM inbound WHERE conversation_id = $1",
                                       "SELECT COUNT(*) FROM outbox WHERE conversation_id = $1"}) {
      const Rows rows = read(database, outside, sql, {id});
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
  for (const Row& row : read(database, outside,
                             "SELECT content FROM messages WHERE content LIKE '%\"tool_call\"%'")) {
    const auto blocks = decode_content(row.text(0));
    if (!blocks) continue;
    for (const ContentBlock& block : *blocks) {
      if (block.type == "tool_call") told.insert(*block.call_id);
    }
  }
  for (const auto& [call, times] : outside.tools.done) {
    if (call.starts_with("look")) continue;  // changed nothing: it may be forgotten
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
