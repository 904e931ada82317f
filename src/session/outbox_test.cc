#include "session/outbox.h"

#include <deque>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "session/delivery_list.h"
#include "tests/sim/kill_at_every_write.h"

namespace rouse {
namespace {

// Notes what is read, to have it explained.
class NotedReads final : public Database {
 public:
  explicit NotedReads(Database& under) : under_(under) {}
  Task<Result<Written>> write(Write write) override { return under_.write(std::move(write)); }
  Result<Rows> read(const Query& query) override {
    last = query;
    return under_.read(query);
  }
  Task<Result<Rows>> read_page(Query query) override { return under_.read_page(std::move(query)); }
  Task<Result<void>> backup(std::string path) override { return under_.backup(std::move(path)); }
  Task<Result<void>> verify() override { return under_.verify(); }
  [[nodiscard]] std::int64_t owner_epoch() const override { return under_.owner_epoch(); }
  [[nodiscard]] StoreHealth health() const override { return under_.health(); }
  Task<void> close() override { return under_.close(); }

  Query last;

 private:
  Database& under_;
};

class OutboxTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.set_longest_disk_delay(millis(0));
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
    outbox_ = std::make_unique<Outbox>(*database_, world_.clock());
  }
  void restart() {
    outbox_.reset();
    world_.close_store();
    SetUp();
    ASSERT_TRUE(world_.run(outbox_->recover()));
  }
  WallTime now() { return world_.clock().wall_now(); }

  // Each a little later than the one before.
  OutboxId put(const std::string& conversation, std::string text = "hi",
               const std::string& workspace = "ws_default") {
    world_.run_for(millis(10));
    Delivery delivery{.id = OutboxId::make(now(), world_.random()),
                      .workspace = *WorkspaceId::parse(workspace),
                      .conversation = *ConversationId::parse(conversation),
                      .turn = *TurnId::parse("turn_" + conversation),
                      .to = {"whatsapp", "+1"},
                      .account = "default",
                      .text = std::move(text),
                      .created = now(),
                      .next_try = now()};
    EXPECT_TRUE(world_.run(database_->write(Write{{Outbox::insert(delivery)}})));
    return delivery.id;
  }
  std::vector<OutboxId> due() {
    std::vector<OutboxId> out;
    for (const Delivery& one : *outbox_->due(now(), 10)) out.push_back(one.id);
    return out;
  }
  Delivery row(const OutboxId& id) {
    const auto rows =
        database_->read({"SELECT turn_id FROM outbox WHERE outbox_id = $1", {id.str()}});
    for (Delivery& one : *outbox_->of_turn(*TurnId::parse(rows->front().text(0)))) {
      if (one.id == id) return one;
    }
    ADD_FAILURE() << id.str() << " is not there";
    return {};
  }
  // How the store goes about what was read last.
  std::string plan(const NotedReads& reads) {
    sqls_.push_back("EXPLAIN QUERY PLAN " + std::string(reads.last.sql));
    const auto rows = database_->read({sqls_.back(), reads.last.params});
    EXPECT_TRUE(rows) << rows.error();
    std::string out;
    for (const Row& row : *rows) out += row.text(3) + "\n";
    return out;
  }
  std::int64_t count(std::string_view sql) {
    return database_->read({sql, {}})->front().integer(0);
  }
  std::vector<Event> events() {
    return *EventLog(*database_).after(*WorkspaceId::parse("ws_default"), 0, 100);
  }
  bool conflicts(Task<Result<void>> change) {
    const auto changed = world_.run(std::move(change));
    return !changed && changed.error().is(StoreErrc::kConflict);
  }

  sim::World world_{7};
  Database* database_ = nullptr;
  std::unique_ptr<Outbox> outbox_;
  std::deque<std::string> sqls_;  // stay where they are: the store keeps statements by text
};

TEST_F(OutboxTest, KeepsWhatItWasGiven) {
  const OutboxId id = put("conv_a", "Zdravo, \"svijete\" 🌍");
  const Delivery there = row(id);
  EXPECT_EQ(there.to.str(), "whatsapp:+1");
  EXPECT_EQ(there.account, "default");
  EXPECT_EQ(there.text, "Zdravo, \"svijete\" 🌍");
  EXPECT_EQ(there.state, "pending");
  EXPECT_EQ(there.attempts, 0);
  EXPECT_EQ(there.receipt, std::nullopt);
  EXPECT_EQ(there.created, now());
}

// DL-3
TEST_F(OutboxTest, GoesFromPendingOverSendingToDelivered) {
  const OutboxId id = put("conv_a");
  ASSERT_TRUE(world_.run(outbox_->begin_sending(id)));
  EXPECT_EQ(row(id).state, "sending");
  EXPECT_EQ(row(id).attempts, 1);
  EXPECT_TRUE(due().empty());
  ASSERT_TRUE(world_.run(outbox_->delivered(id, "wamid.1")));
  EXPECT_EQ(row(id).state, "delivered");
  EXPECT_EQ(row(id).receipt, "wamid.1");
  EXPECT_EQ(row(id).ended, now());
}

TEST_F(OutboxTest, WhatMayYetArriveIsDueAgainLater) {
  const OutboxId id = put("conv_a");
  ASSERT_TRUE(world_.run(outbox_->begin_sending(id)));
  const WallTime later = now() + seconds(30);
  ASSERT_TRUE(world_.run(outbox_->try_again(id, "no connection", later)));
  EXPECT_EQ(row(id).state, "pending");
  EXPECT_EQ(row(id).error, "no connection");
  EXPECT_TRUE(due().empty());
  EXPECT_EQ(*outbox_->next_due(), later);
  world_.run_for(seconds(30));
  EXPECT_EQ(due(), std::vector{id});
}

TEST_F(OutboxTest, AChangeOfARowInAnotherStateIsAConflict) {
  const OutboxId id = put("conv_a");
  EXPECT_TRUE(conflicts(outbox_->delivered(id, {})));
  EXPECT_TRUE(conflicts(outbox_->try_again(id, "x", now())));
  EXPECT_TRUE(conflicts(outbox_->give_up(id, "failed", "x")));
  EXPECT_TRUE(conflicts(outbox_->give_up(id, "unknown", "x")));
  ASSERT_TRUE(world_.run(outbox_->begin_sending(id)));
  EXPECT_TRUE(conflicts(outbox_->begin_sending(id))) << "never sent by two at once";
  EXPECT_TRUE(conflicts(outbox_->give_up(id, "expired", "x")));
  ASSERT_TRUE(world_.run(outbox_->give_up(id, "failed", "refused")));
  EXPECT_TRUE(conflicts(outbox_->begin_sending(id))) << "over is over";
  EXPECT_EQ(row(id).error, "refused");
}

// Order within a conversation
TEST_F(OutboxTest, OnlyTheOldestOfAConversationIsDue) {
  const OutboxId first = put("conv_a"), second = put("conv_a"), other = put("conv_b");
  EXPECT_EQ(due(), (std::vector{first, other}));
  ASSERT_TRUE(world_.run(outbox_->begin_sending(first)));
  EXPECT_EQ(due(), std::vector{other}) << "the second waits while the first is being sent";
  ASSERT_TRUE(world_.run(outbox_->try_again(first, "x", now() + minutes(1))));
  EXPECT_EQ(due(), std::vector{other}) << "and while it is to be tried again";
  ASSERT_TRUE(world_.run(outbox_->begin_sending(other)));
  EXPECT_EQ(*outbox_->next_due(), now() + minutes(1)) << "what waits wakes nobody";
  world_.run_for(minutes(1));
  ASSERT_TRUE(world_.run(outbox_->begin_sending(first)));
  ASSERT_TRUE(world_.run(outbox_->give_up(first, "failed", "x")));
  EXPECT_EQ(due(), std::vector{second});
}

TEST_F(OutboxTest, AnEmptyOutboxIsNeverDue) {
  EXPECT_TRUE(due().empty());
  EXPECT_EQ(*outbox_->next_due(), std::nullopt);
}

// DL-7: a long line behind one that waits costs the others nothing
TEST_F(OutboxTest, WhatWaitsBehindAHeadIsNeverLookedAt) {
  constexpr int kWaiting = 20'000;
  const OutboxId head = put("conv_a");
  const WallTime later = now() + minutes(10);
  ASSERT_TRUE(world_.run(outbox_->begin_sending(head)));
  ASSERT_TRUE(world_.run(outbox_->try_again(head, "no connection", later)));
  Write write;
  for (int i = 0; i < kWaiting; ++i) {
    write.statements.push_back(Outbox::insert({.id = OutboxId::make(now(), world_.random()),
                                               .workspace = *WorkspaceId::parse("ws_default"),
                                               .conversation = *ConversationId::parse("conv_a"),
                                               .turn = *TurnId::parse("turn_1"),
                                               .to = {"whatsapp", "+1"},
                                               .account = "",
                                               .text = "hi",
                                               .created = now(),
                                               .next_try = now()}));
  }
  ASSERT_TRUE(world_.run(database_->write(std::move(write))));
  const OutboxId other = put("conv_b");

  NotedReads reads(*database_);
  Outbox noted(reads, world_.clock());
  EXPECT_EQ(noted.due(now(), 10)->front().id, other);
  EXPECT_EQ(plan(reads), "SEARCH outbox USING INDEX idx_outbox_due (next_ms<?)\n");
  ASSERT_TRUE(world_.run(outbox_->begin_sending(other)));
  EXPECT_TRUE(due().empty());
  EXPECT_EQ(*noted.next_due(), later);
  EXPECT_EQ(plan(reads), "SCAN outbox USING INDEX idx_outbox_due\n");
  EXPECT_EQ(count("SELECT COUNT(*) FROM outbox INDEXED BY idx_outbox_due "
                  "WHERE state = 'pending' AND head = 1"),
            1)
      << "all there is in that index";
}

TEST_F(OutboxTest, WhenTheHeadIsOverTheNextOneIsTheHead) {
  std::vector<OutboxId> line;
  for (int i = 0; i < 4; ++i) line.push_back(put("conv_a"));
  const OutboxId other = put("conv_b");
  ASSERT_TRUE(world_.run(outbox_->begin_sending(line[0])));
  ASSERT_TRUE(world_.run(outbox_->delivered(line[0], {})));
  EXPECT_EQ(due(), (std::vector{line[1], other}));
  ASSERT_TRUE(world_.run(outbox_->give_up(line[1], "expired", "too old")));
  EXPECT_EQ(due(), (std::vector{line[2], other}));
  ASSERT_TRUE(world_.run(outbox_->begin_sending(line[2])));
  restart();
  EXPECT_EQ(row(line[2]).state, "unknown");
  EXPECT_EQ(due(), (std::vector{line[3], other}));
  ASSERT_TRUE(world_.run(outbox_->begin_sending(line[3])));
  ASSERT_TRUE(world_.run(outbox_->give_up(line[3], "failed", "x")));
  const OutboxId fresh = put("conv_a");
  EXPECT_EQ(due(), (std::vector{other, fresh}));
}

// DL-3: whether a reply was delivered is a fact of its own
TEST_F(OutboxTest, EachChangeHasItsEventInTheSameWrite) {
  EventLog log(*database_);
  int told = 0;
  log.on_commit([&](const WorkspaceId&) { ++told; });
  outbox_->record_events(&log);
  const OutboxId first = put("conv_a"), second = put("conv_b"), third = put("conv_c");
  ASSERT_TRUE(world_.run(outbox_->begin_sending(first)));
  EXPECT_TRUE(events().empty()) << "being sent lasts a moment";
  const auto commits = database_->health().commits;
  ASSERT_TRUE(world_.run(outbox_->try_again(first, "no \"connection\"", now())));
  EXPECT_EQ(database_->health().commits, commits + 1);
  ASSERT_TRUE(world_.run(outbox_->begin_sending(first)));
  ASSERT_TRUE(world_.run(outbox_->delivered(first, "wamid.1")));
  ASSERT_TRUE(world_.run(outbox_->give_up(second, "expired", "too old")));
  ASSERT_TRUE(world_.run(outbox_->begin_sending(third)));
  ASSERT_TRUE(world_.run(outbox_->give_up(third, "failed", "refused")));
  EXPECT_TRUE(conflicts(outbox_->delivered(third, {})));
  EXPECT_TRUE(conflicts(outbox_->delivered(*OutboxId::parse("out_none"), {})));
  EXPECT_EQ(told, 4);

  const auto all = events();
  ASSERT_EQ(all.size(), 4U) << "what failed has no event";
  for (const Event& one : all) EXPECT_EQ(one.type, "delivery_changed");
  EXPECT_EQ(all[0].conversation, "conv_a");
  EXPECT_EQ(all[0].turn, "turn_conv_a");
  const auto body = [](const OutboxId& id, std::string_view rest) {
    return fmt::format(R"({{"delivery_id":"{}",{}}})", id.str(), rest);
  };
  EXPECT_EQ(all[0].body, body(first, R"("state":"pending","error":"no \"connection\"")"));
  EXPECT_EQ(all[1].body, body(first, R"("state":"delivered")"));
  EXPECT_EQ(all[2].body, body(second, R"("state":"expired","error":"too old")"));
  EXPECT_EQ(all[3].body, body(third, R"("state":"failed","error":"refused")"));
}

TEST_F(OutboxTest, AStartTellsOnceWhatBecameOfEachLeftover) {
  constexpr int kLeft = 450;  // more than are dealt with in one go
  for (int i = 0; i < kLeft; ++i) (void)put(fmt::format("conv_{}", i % 7));
  const OutboxId sending = put("conv_x", "hi", "ws_other");
  world_.run_for(kDeliveryLife);
  ASSERT_TRUE(world_.run(outbox_->begin_sending(sending)));
  EventLog log(*database_);
  std::set<std::string> told;
  log.on_commit([&](const WorkspaceId& workspace) { told.insert(workspace.str()); });
  outbox_->record_events(&log);
  for (int start = 0; start < 2; ++start) {
    ASSERT_TRUE(world_.run(outbox_->recover()));
    EXPECT_EQ(count("SELECT COUNT(*) FROM outbox WHERE state = 'expired'"), kLeft);
    EXPECT_EQ(*log.last_seq(*WorkspaceId::parse("ws_default")), kLeft);
    EXPECT_EQ(*log.last_seq(*WorkspaceId::parse("ws_other")), 1);
    EXPECT_EQ(row(sending).state, "unknown");
  }
  EXPECT_EQ(told, (std::set<std::string>{"ws_default", "ws_other"}));
}

// DL-1, DL-2; SE-6: two restarts equal one
TEST_F(OutboxTest, AStartMakesSendingUnknownAndOldExpired) {
  const OutboxId old = put("conv_a");
  world_.run_for(kDeliveryLife - seconds(1));
  const OutboxId sending = put("conv_b"), fresh = put("conv_c");
  ASSERT_TRUE(world_.run(outbox_->begin_sending(sending)));
  world_.run_for(seconds(1));
  restart();
  EXPECT_EQ(row(old).state, "expired");
  EXPECT_EQ(row(sending).state, "unknown");
  EXPECT_EQ(row(fresh).state, "pending");
  const Delivery expired = row(old), unknown = row(sending);
  world_.run_for(minutes(1));
  restart();
  EXPECT_EQ(row(old).ended, expired.ended);
  EXPECT_EQ(row(sending).ended, unknown.ended);
  EXPECT_EQ(due(), std::vector{fresh});
}

// DL-3
TEST_F(OutboxTest, TheListIsNewestFirstPagedAndOfOneWorkspace) {
  DeliveryList list(*database_);
  const OutboxId a = put("conv_a"), b = put("conv_b"), c = put("conv_c");
  (void)put("conv_d", "not yours", "ws_other");
  ASSERT_TRUE(world_.run(outbox_->begin_sending(b)));
  ASSERT_TRUE(world_.run(outbox_->give_up(b, "failed", "x")));
  const auto ids = [&](std::optional<std::string> state, std::optional<OutboxId> before,
                       std::size_t limit) {
    std::vector<OutboxId> out;
    const auto page = world_.run(
        list.page(*WorkspaceId::parse("ws_default"), std::move(state), std::move(before), limit));
    for (const Delivery& one : *page) out.push_back(one.id);
    return out;
  };
  EXPECT_EQ(ids({}, {}, 10), (std::vector{c, b, a}));
  EXPECT_EQ(ids({}, {}, 2), (std::vector{c, b}));
  EXPECT_EQ(ids({}, b, 2), std::vector{a});
  EXPECT_EQ(ids("failed", {}, 10), std::vector{b});
  EXPECT_EQ(ids("pending", c, 10), std::vector{a});
  EXPECT_EQ(list.unfinished(10)->size(), 3u);
}

// --- killed at every write -----------------------------------------------------------------------

using sim::Ledger;
using sim::World;

const std::string kDeliveries[] = {"out_a", "out_b"};

void prepare(World& world, Ledger&) {
  const auto database = world.open_store();
  ASSERT_TRUE(database);
  Write write;
  for (const std::string& id : kDeliveries) {
    write.statements.push_back(Outbox::insert({.id = *OutboxId::parse(id),
                                               .workspace = *WorkspaceId::parse("ws_default"),
                                               .conversation = *ConversationId::parse("conv_" + id),
                                               .turn = *TurnId::parse("turn_1"),
                                               .to = {"whatsapp", "+1"},
                                               .account = "",
                                               .text = "hi",
                                               .created = world.clock().wall_now(),
                                               .next_try = world.clock().wall_now()}));
  }
  ASSERT_TRUE(world.run((*database)->write(std::move(write))));
  world.close_store();
}

// `tried`: its bytes left the house. `acknowledged`: we know that it arrived.
void send_one(World& world, Ledger& ledger, const std::string& name) {
  const auto database = world.open_store();
  if (!database) return;
  EventLog log(**database);
  Outbox outbox(**database, world.clock());
  outbox.record_events(&log);
  const OutboxId id = *OutboxId::parse(name);
  if (!world.run(outbox.recover()) || !world.run(outbox.begin_sending(id))) return;
  ledger.tried.insert(name);
  if (world.run(outbox.delivered(id, "receipt"))) ledger.acknowledged.insert(name);
}

std::string recover_outbox(World& world, const Ledger& ledger) {
  const auto database = world.open_store();
  EXPECT_TRUE(database);
  if (!database) return "nothing";
  EventLog log(**database);
  Outbox outbox(**database, world.clock());
  outbox.record_events(&log);
  EXPECT_TRUE(world.run(outbox.recover()));
  std::string all;
  std::map<std::string, std::string> last_told;
  for (const Event& event : *log.after(*WorkspaceId::parse("ws_default"), 0, 100)) {
    last_told[event.conversation] = event.body;
  }
  const auto rows = outbox.of_turn(*TurnId::parse("turn_1"));
  EXPECT_EQ(rows->size(), 2u);
  for (const Delivery& one : *rows) {
    const std::string& id = one.id.str();
    EXPECT_NE(one.state, "sending");
    if (one.state == "pending") {
      EXPECT_FALSE(ledger.tried.contains(id)) << id << " would be sent twice";
    }
    if (ledger.acknowledged.contains(id)) {
      EXPECT_EQ(one.state, "delivered") << id << " was forgotten";
    }
    EXPECT_EQ(last_told.contains("conv_" + id), one.state != "pending");
    if (one.state != "pending") {
      EXPECT_NE(last_told["conv_" + id].find(one.state), std::string::npos);
    }
    all += fmt::format("{} {}\n", id, one.state);
  }
  world.close_store();
  return all;
}

// DL-1
TEST(OutboxKilledAtEveryWrite, SendsOnceOrSaysThatNobodyKnows) {
  sim::KillScenario scenario;
  scenario.steps = {{"two replies", prepare, true},
                    {"one is sent", [](World& w, Ledger& l) { send_one(w, l, "out_a"); }},
                    {"the other is sent", [](World& w, Ledger& l) { send_one(w, l, "out_b"); }}};
  scenario.boot = [](World& world) {
    const auto database = world.open_store();
    if (!database) return;
    EventLog log(**database);
    Outbox outbox(**database, world.clock());
    outbox.record_events(&log);
    if (world.run(outbox.recover())) world.close_store();
  };
  scenario.recover = recover_outbox;
  const sim::KillReport report = sim::kill_at_every_write(scenario, 21);
  EXPECT_GT(report.kills, 4);
}

}  // namespace
}  // namespace rouse
