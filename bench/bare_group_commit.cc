// The yardstick of the resolve benchmark: the least a server can do that remembers who wrote. It
// parses the JSON, does one durable upsert and answers after the commit; no policies, no ledger, no
// access checks, no limits. One thread for HTTP (callbacks, as in bare_beast.cc) and one that
// writes: all upserts that wait go into one transaction, WAL with synchronous=FULL, one fsync.
//
// Usage: bare_group_commit PORT NEW_FILE
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sqlite3.h>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace json = boost::json;
using asio::ip::tcp;

namespace {

[[noreturn]] void die(sqlite3* db, const char* doing) {
  std::fprintf(stderr, "%s: %s\n", doing, sqlite3_errmsg(db));
  std::exit(1);
}

std::string now_iso() {
  using namespace std::chrono;
  const auto now = floor<milliseconds>(system_clock::now());
  return fmt::format("{:%FT%T}.{:03}Z", floor<seconds>(now), now.time_since_epoch().count() % 1000);
}

// One request that waits for its commit.
struct Upsert {
  std::string workspace_id, channel, remote_jid;
  std::string at;  // filled by the writer
};

constexpr const char* kTable = R"sql(
CREATE TABLE sessions (
  workspace_id    TEXT NOT NULL,
  channel         TEXT NOT NULL,
  remote_jid      TEXT NOT NULL,
  status          TEXT NOT NULL,
  turn_count      INTEGER NOT NULL,
  context_summary TEXT NOT NULL,
  created_at      TEXT NOT NULL,
  last_message_at TEXT NOT NULL,
  PRIMARY KEY (workspace_id, channel, remote_jid)
) STRICT, WITHOUT ROWID)sql";

constexpr const char* kUpsert = R"sql(
INSERT INTO sessions VALUES (?1, ?2, ?3, 'active', 0, '', ?4, ?4)
ON CONFLICT DO UPDATE SET turn_count = turn_count + 1, last_message_at = excluded.last_message_at
)sql";

class Database {
 public:
  explicit Database(const char* path) {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &db_, kFlags, nullptr) != SQLITE_OK) die(db_, path);
    exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
    exec(kTable);
    begin_ = prepare("BEGIN IMMEDIATE");
    upsert_ = prepare(kUpsert);
    commit_ = prepare("COMMIT");
    // In place of the automatic checkpoint, which would run inside COMMIT, before the answers.
    sqlite3_wal_hook(
        db_,
        [](void* self, sqlite3*, const char*, int frames) {
          static_cast<Database*>(self)->wal_frames_ = frames;
          return SQLITE_OK;
        },
        this);
  }

  void begin() { run(begin_); }
  void commit() { run(commit_); }
  void upsert(const Upsert& row) {
    bind(1, row.workspace_id);
    bind(2, row.channel);
    bind(3, row.remote_jid);
    bind(4, row.at);
    run(upsert_);
  }

  // Nobody reads beside the writer, so a checkpoint always reaches the end of the log, and the next
  // commit begins it anew.
  void checkpoint_if_long() {
    constexpr int kMaxFrames = 4000;  // 16 MB
    if (wal_frames_ < kMaxFrames) return;
    sqlite3_wal_checkpoint_v2(db_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    wal_frames_ = 0;
  }

 private:
  void exec(const char* sql) {
    if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) die(db_, sql);
  }
  sqlite3_stmt* prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr) != SQLITE_OK) die(db_, sql);
    return statement;
  }
  void run(sqlite3_stmt* statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) die(db_, sqlite3_sql(statement));
    sqlite3_reset(statement);
  }
  void bind(int at, const std::string& text) {
    sqlite3_bind_text(upsert_, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }

  sqlite3* db_ = nullptr;
  sqlite3_stmt *begin_ = nullptr, *upsert_ = nullptr, *commit_ = nullptr;
  int wal_frames_ = 0;
};

class Session;
using Batch = std::vector<std::shared_ptr<Session>>;

// While one batch is at the disk the next one gathers.
class Writer {
 public:
  Writer(asio::io_context& context, const char* path)
      : context_(context), database_(path), thread_([this] { serve(); }) {}

  void enqueue(std::shared_ptr<Session> session) {
    bool was_empty = false;
    {
      const std::lock_guard lock(mutex_);
      was_empty = waiting_.empty();
      waiting_.push_back(std::move(session));
    }
    if (was_empty) wake_.notify_one();
  }

 private:
  [[noreturn]] void serve() {
    for (;;) {
      Batch batch;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return !waiting_.empty(); });
        batch.swap(waiting_);
      }
      write(std::move(batch));
      database_.checkpoint_if_long();
    }
  }
  void write(Batch batch);

  asio::io_context& context_;
  Database database_;
  std::mutex mutex_;
  std::condition_variable wake_;
  Batch waiting_;
  std::thread thread_;  // ends with the process
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Writer& writer) : stream_(std::move(socket)), writer_(writer) {}

  void read() {
    request_ = {};
    http::async_read(stream_, buffer_, request_,
                     beast::bind_front_handler(&Session::on_read, shared_from_this()));
  }

  Upsert& upsert() { return upsert_; }

  // Byte for byte as long as rouse's answer to the same request.
  void answer_committed() {
    answer(http::status::ok,
           fmt::format(
               R"({{"ok":true,"session_id":"{0}","decision":"continue","reason":"within_timeout",)"
               R"("session":{{"session_id":"{0}","workspace_id":"{1}","channel":"{2}",)"
               R"("remote_jid":"{3}","status":"active","turn_count":0,"context_summary":"",)"
               R"("created_at":"{4}","last_message_at":"{4}"}}}})",
               "sess_0199a3c2f1b04f2a9c0d71e5", upsert_.workspace_id, upsert_.channel,
               upsert_.remote_jid, upsert_.at));
  }

 private:
  void on_read(beast::error_code ec, std::size_t) {
    if (ec) return;
    try {
      const json::value body = json::parse(request_.body());
      upsert_.workspace_id = body.at("workspace_id").as_string();
      upsert_.channel = body.at("channel").as_string();
      upsert_.remote_jid = body.at("remote_jid").as_string();
    } catch (const std::exception&) {
      return answer(http::status::bad_request, R"({"ok":false,"error":"invalid"})");
    }
    writer_.enqueue(shared_from_this());
  }

  void answer(http::status status, std::string body) {
    response_ = {status, request_.version()};
    response_.set(http::field::content_type, "application/json");
    response_.keep_alive(request_.keep_alive());
    response_.body() = std::move(body);
    response_.prepare_payload();
    http::async_write(stream_, response_,
                      beast::bind_front_handler(&Session::on_write, shared_from_this()));
  }

  void on_write(beast::error_code ec, std::size_t) {
    if (ec) return;
    if (response_.keep_alive()) return read();
    stream_.socket().shutdown(tcp::socket::shutdown_send, ec);
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
  Upsert upsert_;
  Writer& writer_;
};

void Writer::write(Batch batch) {
  const std::string at = now_iso();
  database_.begin();
  for (const auto& session : batch) {
    session->upsert().at = at;
    database_.upsert(session->upsert());
  }
  database_.commit();
  asio::post(context_, [batch = std::move(batch)] {
    for (const auto& session : batch) session->answer_committed();
  });
}

void accept(tcp::acceptor& acceptor, Writer& writer) {
  acceptor.async_accept([&acceptor, &writer](beast::error_code ec, tcp::socket socket) {
    if (!ec) {
      socket.set_option(tcp::no_delay(true), ec);
      std::make_shared<Session>(std::move(socket), writer)->read();
    }
    accept(acceptor, writer);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bare_group_commit PORT NEW_FILE\n");
    return 2;
  }
  asio::io_context context(1);
  Writer writer(context, argv[2]);
  const auto port = static_cast<unsigned short>(std::atoi(argv[1]));
  tcp::acceptor acceptor(context, {asio::ip::make_address("127.0.0.1"), port});
  accept(acceptor, writer);
  context.run();
  std::_Exit(0);
}
