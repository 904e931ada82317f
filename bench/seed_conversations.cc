// Fills the database of a stopped rouse with conversations, far faster than messages could: for the
// benchmarks of a store that has been used for years. The tables must be there (start rouse once).
// Everything belongs to ws_default. The rows are synced before this ends, so that nothing of it is
// still on its way to the disk while the benchmark measures.
//
//   seed_conversations FILE many COUNT      COUNT senders +15550000000 …, each with a conversation,
//                                           an active session of the last ten minutes and a turn
//                                           that is over
//   seed_conversations FILE long MESSAGES   one conversation of MESSAGES messages, 200 a session;
//                                           prints its id
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <initializer_list>
#include <numeric>
#include <string>
#include <string_view>
#include <unistd.h>
#include <variant>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/time.h"

namespace {

using rouse::to_iso;

[[noreturn]] void die(sqlite3* db, const char* doing) {
  std::fprintf(stderr, "%s: %s\n", doing, db == nullptr ? "failed" : sqlite3_errmsg(db));
  std::exit(1);
}

void exec(sqlite3* db, const char* sql) {
  if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK) die(db, sql);
}

using Value = std::variant<std::nullptr_t, std::int64_t, std::string_view>;

class Insert {
 public:
  Insert(sqlite3* db, const char* sql) : db_(db) {
    if (sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr) != SQLITE_OK) die(db, sql);
  }
  ~Insert() { sqlite3_finalize(statement_); }
  Insert(const Insert&) = delete;
  Insert& operator=(const Insert&) = delete;

  void operator()(std::initializer_list<Value> values) {
    int at = 0;
    for (const Value& value : values) {
      ++at;
      if (const auto* number = std::get_if<std::int64_t>(&value)) {
        sqlite3_bind_int64(statement_, at, *number);
      } else if (const auto* text = std::get_if<std::string_view>(&value)) {
        sqlite3_bind_text(statement_, at, text->data(), static_cast<int>(text->size()),
                          SQLITE_STATIC);
      } else {
        sqlite3_bind_null(statement_, at);
      }
    }
    if (sqlite3_step(statement_) != SQLITE_DONE) die(db_, sqlite3_sql(statement_));
    sqlite3_reset(statement_);
  }

 private:
  sqlite3* db_;
  sqlite3_stmt* statement_ = nullptr;
};

constexpr const char* kConversation = R"sql(
INSERT INTO conversations (conversation_id, workspace_id, session_key, title, last_active_ms,
  created_ms) VALUES (?1, 'ws_default', ?2, ?3, ?4, ?5))sql";

constexpr const char* kSession = R"sql(
INSERT INTO sessions (session_id, workspace_id, channel, remote_jid, status, turn_count,
  context_summary, created_at, last_message_at, conversation_id, epoch, opened_reason, opened_by,
  close_reason, closed_ms, last_user_ms, last_inbound)
VALUES (?1, 'ws_default', 'whatsapp', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,
  ?11))sql";

// Of all that came in, only what opened each session.
constexpr const char* kInbound = R"sql(
INSERT INTO inbound (number, previous, workspace_id, conversation_id, session_id, channel, account,
  content, decision, reason, facts, received_ms)
VALUES (?1, ?2, 'ws_default', ?3, ?4, 'whatsapp', ?5, ?6, 'new', ?7, ?8, ?9))sql";

constexpr const char* kTurn = R"sql(
INSERT INTO turns (number, turn_id, workspace_id, conversation_id, session_id, kind, lane, state,
  attempts, inbound_number, verdict, reason, queued_ms, started_ms, ended_ms)
VALUES (?1, ?2, 'ws_default', ?3, ?4, 'user', 0, 'done', 1, ?1, 'spoke', '', ?5, ?5, ?6))sql";

constexpr std::string_view kFacts = R"({"policy":"no_session"})";
constexpr std::string_view kContent =
    R"([{"type":"text","from":"sender","text":"Can you plan a week in Lisbon for us?"}])";

constexpr const char* kMessage = R"sql(
INSERT INTO messages (position, conversation_id, seq, session_id, role, source, content, created_ms)
SELECT coalesce(max(position), 0) + 1, ?1, ?2, ?3, ?4, 'whatsapp', ?5, ?6 FROM messages)sql";

constexpr std::int64_t kDayMs = 86'400'000;

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

// As rouse makes them: 12 hex digits of the time, 12 that differ.
std::string make_id(std::string_view prefix, std::int64_t ms, std::int64_t number) {
  const auto mixed = static_cast<std::uint64_t>(number) * 0x9E3779B97F4A7C15U;
  return fmt::format("{}{:012x}{:012x}", prefix, ms, (mixed ^ (mixed >> 32)) & 0xFFFFFFFFFFFF);
}

// 300 bytes in the five lines of a summary.
std::string make_summary(std::int64_t number) {
  std::string text = fmt::format(
      "GOAL: Plan a week in Lisbon for two and keep it under budget {}\nENTITIES: Lisbon, Alfama, "
      "TAP flight, hotel near the river, two people, Friday to Friday\nDECISIONS: fly on Friday "
      "morning, stay in Alfama, no rental car, book the museum ahead\nPENDING: ",
      number % 100'000);
  constexpr std::string_view kTurns = "\nTURNS: 7";
  text.resize(300 - kTurns.size(), '.');
  return text.append(kTurns);
}

void seed_many(sqlite3* db, std::int64_t count) {
  Insert conversation(db, kConversation);
  Insert session(db, kSession);
  Insert inbound(db, kInbound);
  Insert turn(db, kTurn);
  const std::int64_t now = now_ms();
  // Who wrote first and who wrote last has nothing to do with anybody's number.
  const auto coprime = [&](std::int64_t from) {
    while (std::gcd(from, count) != 1) ++from;
    return from;
  };
  const std::int64_t number_stride = coprime(count * 382 / 1000 + 1);
  const std::int64_t recent_stride = coprime(count * 271 / 1000 + 1);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t created = now - 10 * kDayMs + i * 9 * kDayMs / count;
    const std::int64_t active = now - (i * recent_stride % count) * 600'000 / count;
    const std::string peer = fmt::format("+1555{:07}", i * number_stride % count);
    const std::string key = "whatsapp:" + peer;
    const std::string conversation_id = make_id("conv_", created, 2 * i);
    const std::string session_id = make_id("sess_", created, 2 * i + 1);
    const std::string created_at = to_iso({created});
    const std::string active_at = to_iso({active});
    const std::string summary = make_summary(i);
    conversation({conversation_id, key, peer, active, created});
    session({session_id, peer, "active", 7, summary, created_at, active_at, conversation_id, 1,
             "first_message", i + 1, nullptr, nullptr, active});
    inbound({i + 1, nullptr, conversation_id, session_id, peer, kContent, "first_message", kFacts,
             created});
    turn({i + 1, make_id("turn_", created, i), conversation_id, session_id, created, active});
  }
}

void seed_long(sqlite3* db, std::int64_t messages) {
  Insert conversation(db, kConversation);
  Insert session(db, kSession);
  Insert inbound(db, kInbound);
  Insert message(db, kMessage);
  const std::int64_t sessions = std::max<std::int64_t>(1, messages / 200);
  const std::int64_t gap = 60'000;
  const std::int64_t begin = now_ms() - messages * gap;
  const std::string_view peer = "+15559999999";
  const std::string conversation_id = make_id("conv_", begin, 1);
  conversation({conversation_id, "whatsapp:+15559999999", peer, begin + messages * gap, begin});
  for (std::int64_t epoch = 1, seq = 0; epoch <= sessions; ++epoch) {
    const bool last = epoch == sessions;
    const std::int64_t opened = begin + seq * gap;
    const std::string session_id = make_id("sess_", opened, epoch);
    const std::int64_t end = messages * epoch / sessions;
    const std::int64_t turns = (end - seq) / 2;
    std::int64_t at = opened;
    while (seq < end) {
      const bool user = seq % 2 == 0;
      at = begin + ++seq * gap;
      const std::string content = fmt::format(
          R"([{{"type":"text","from":"{}","text":"Message {} of the long conversation. {}"}}])",
          user ? "sender" : "agent", seq,
          user ? "What did we decide about the hotel, and is the flight on Friday still the one "
                 "we wanted?"
               : "You chose the hotel near the river in Alfama. The flight on Friday morning is "
                 "still there and costs what it did; shall I book both now, or would you rather "
                 "wait for the answer from your sister about the second room?");
      message({conversation_id, seq, session_id, user ? "user" : "assistant", content, at});
    }
    const std::string opened_at = to_iso({opened});
    const std::string closed_at = to_iso({at});
    const std::string summary = make_summary(epoch);
    const std::string_view reason = epoch == 1 ? "first_message" : "timeout";
    const auto after_first = [&](Value value) { return epoch == 1 ? Value(nullptr) : value; };
    const auto when_closed = [&](Value value) { return last ? Value(nullptr) : value; };
    session({session_id, peer, last ? "active" : "closed", turns, summary, opened_at, closed_at,
             conversation_id, epoch, reason, epoch, when_closed("timeout"), when_closed(at), at});
    inbound({epoch, after_first(epoch - 1), conversation_id, session_id, peer, kContent, reason,
             kFacts, opened});
  }
  std::printf("%s\n", conversation_id.c_str());
}

void sync_file(const char* path) {
  const int fd = ::open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0 || ::fsync(fd) != 0) die(nullptr, "fsync");
  ::close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 4 ? argv[2] : "";
  if (what != "many" && what != "long") {
    std::fprintf(stderr, "usage: seed_conversations FILE many|long COUNT\n");
    return 2;
  }
  const std::int64_t count = std::atoll(argv[3]);
  sqlite3* db = nullptr;
  if (sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK) die(db, argv[1]);
  // No journal: should this be interrupted, the file is thrown away.
  exec(db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-1000000");
  exec(db, "BEGIN EXCLUSIVE");
  what == "many" ? seed_many(db, count) : seed_long(db, count);
  exec(db, "COMMIT");
  exec(db, "PRAGMA journal_mode=WAL");
  if (sqlite3_close(db) != SQLITE_OK) die(db, "close");
  sync_file(argv[1]);
}
