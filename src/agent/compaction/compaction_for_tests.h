// A conversation of any length in a real store on the simulator's disk, and what compacts it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agent/compaction/compactor.h"
#include "agent/compaction/handoff.h"
#include "session/kernel_for_tests.h"
#include "session/summary/scripted_one_shot_for_tests.h"

namespace rouse {

// Passes everything on and remembers how large the answers were.
class WatchedDatabase final : public Database {
 public:
  explicit WatchedDatabase(Database& under) : under_(under) {}
  Task<Result<Written>> write(Write write) override {
    if (refuses_writes) return refuse();
    return under_.write(std::move(write));
  }
  Result<Rows> read(const Query& query) override {
    ++reads;
    return under_.read(query);
  }
  Task<Result<Rows>> read_page(Query query) override {
    auto rows = co_await under_.read_page(std::move(query));
    ++pages;
    if (rows) most_rows = std::max(most_rows, rows->size());
    if (during_page) during_page();
    co_return rows;
  }
  Task<Result<void>> backup(std::string path) override { return under_.backup(std::move(path)); }
  Task<Result<void>> verify() override { return under_.verify(); }
  [[nodiscard]] std::int64_t owner_epoch() const override { return under_.owner_epoch(); }
  [[nodiscard]] StoreHealth health() const override { return under_.health(); }
  Task<void> close() override { return under_.close(); }

  std::size_t reads = 0, pages = 0, most_rows = 0;
  bool refuses_writes = false;
  std::function<void()> during_page;

 private:
  static Task<Result<Written>> refuse() { co_return fail(StoreErrc::kFull, "the disk is full"); }
  Database& under_;
};

class CompactionTest : public testing::Test {
 protected:
  struct House {
    explicit House(sim::World& world, Database& under)
        : database(under),
          kernel(world, database),
          events(database),
          book(database, kernel.kernel.sessions()),
          compactor(database, world.clock(), kernel.kernel, kernel.summariser, book, events) {}
    WatchedDatabase database;
    KernelHouse kernel;
    EventLog events;
    CompactionBook book;
    Compactor compactor;
  };

  void SetUp() override { open(); }
  void open() {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    store_ = *opened;
    house_ = std::make_unique<House>(world_, *store_);
    ASSERT_TRUE(world_.run(house_->kernel.start()));
  }
  void restart() {
    house_.reset();
    world_.close_store();
    open();
  }

  // Finds or opens the conversation's session; nothing is appended.
  Session session() {
    auto resolved =
        world_.run(house_->kernel.kernel.resolve(message_from("ada", "hello", {}, "api")));
    EXPECT_TRUE(resolved) << resolved.error();
    return resolved->session;
  }
  Session close(const Session& session, std::string_view reason) {
    auto closed = world_.run(house_->kernel.kernel.close(session.id, std::string(reason)));
    EXPECT_TRUE(closed) << closed.error();
    return *closed;
  }

  Message next(const Session& session, std::string role, Content content,
               std::optional<TurnId> turn = {}) {
    Message out;
    out.position = ++position_;
    out.conversation = session.conversation;
    out.seq = ++seq_;
    out.session = session.id;
    out.turn = std::move(turn);
    out.role = std::move(role);
    out.source = "api";
    out.content = std::move(content);
    out.created = world_.clock().wall_now();
    return out;
  }
  void put(const std::vector<Message>& messages) {
    Write write;
    for (const Message& message : messages) write.statements.push_back(Messages::append(message));
    const auto written = world_.run(store_->write(std::move(write)));
    ASSERT_TRUE(written) << written.error();
  }
  // One question and its answer.
  void exchange(const Session& session, std::string user, std::string assistant,
                std::string_view from = kFromOwner) {
    put({next(session, "user", text_content(std::move(user), from)),
         next(session, "assistant", text_content(std::move(assistant), kFromAgent))});
  }
  void small_talk(const Session& session, int exchanges, std::string_view subject = "the garden") {
    for (int i = 0; i < exchanges; ++i) {
      exchange(
          session, fmt::format("Question {} about {}, with a few more words to it?", i, subject),
          fmt::format("Answer {} about {}: it depends on the soil, the sun and the season, and "
                      "on how much time there is for watering it in summer.",
                      i, subject));
    }
  }

  CompactionRequest request(const Session& session, std::string_view reason = kCompactAsked) {
    CompactionRequest out{.session = session, .limits = {}, .reason = std::string(reason)};
    out.tokens_before = 20'000;
    return out;
  }
  Result<CompactionOutcome> compact(const Session& session,
                                    std::string_view reason = kCompactAsked) {
    return world_.run(house_->compactor.compact(request(session, reason), {}));
  }
  std::optional<Compaction> seen(const Session& session) {
    auto found = house_->book.latest(session);
    EXPECT_TRUE(found) << found.error();
    return found ? *found : std::nullopt;
  }

  sim::World world_{7};
  Database* store_ = nullptr;
  std::unique_ptr<House> house_;
  std::int64_t position_ = 0, seq_ = 0;
};

}  // namespace rouse
