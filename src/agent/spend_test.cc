#include "agent/spend.h"

#include <gtest/gtest.h>

#include "session/workspaces.h"
#include "tests/sim/world.h"

namespace rouse {
namespace {

ModelInfo priced() {
  return {.provider = "anthropic",
          .name = "claude-x",
          .price = ModelPrice{.in = 3'000'000, .out = 15'000'000, .cache_read = 300'000}};
}
ModelInfo unpriced() { return {.provider = "openai", .name = "mystery", .price = {}}; }
ModelInfo offline() {
  return {.provider = "offline", .name = "rouse", .price = {}, .built_in = true};
}

class SpendTest : public testing::Test {
 protected:
  void SetUp() override { open(); }
  void open() {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
    book_ = std::make_unique<SpendBook>(*database_, world_.clock());
    book_->configure(caps_);
  }
  void restart() {
    book_.reset();
    world_.close_store();
    open();
  }
  void cap(SpendCaps caps) {
    caps_ = caps;
    book_->configure(caps);
  }

  Result<SpendBook::Reservation> reserve(std::int64_t in, std::int64_t out,
                                         const TurnSpend& so_far = {},
                                         const ModelInfo& info = priced()) {
    return book_->reserve(own_, chat_, zone_, info, in, out, so_far);
  }
  void spend(std::int64_t in, std::int64_t out, const ModelInfo& info = priced()) {
    TurnSpend turn;
    turn.add(info, {.in = in, .out = out}, info.full_name());
    close(turn);
  }
  void close(const TurnSpend& turn) {
    Write write{book_->record(own_, chat_, zone_, turn)};
    if (!write.statements.empty()) ASSERT_TRUE(world_.run(database_->write(std::move(write))));
  }
  Spent today() { return *book_->of_day(own_, day_in_zone(world_.clock().wall_now(), zone_)); }

  sim::World world_{7};
  Database* database_ = nullptr;
  SpendCaps caps_;
  std::unique_ptr<SpendBook> book_;
  WorkspaceId own_ = Workspaces::default_id();
  ConversationId chat_ = *ConversationId::parse("conv_1");
  std::string zone_ = "UTC";
};

TEST(TurnSpend, AddsUpWhatCallsUsedAndWhatTheyCost) {
  TurnSpend turn;
  turn.add(priced(), {.in = 1000, .out = 100, .cache_read = 10'000}, "anthropic/claude-x");
  EXPECT_EQ(turn.micros, 3'000 + 1'500 + 3'000);
  turn.add(priced(), {.in = 1, .out = 0}, "anthropic/claude-x");
  EXPECT_EQ(turn.micros, 7'503);
  EXPECT_EQ(turn.usage.in, 1001);
  EXPECT_EQ(turn.model, "anthropic/claude-x");
  EXPECT_FALSE(turn.price_unknown);
  turn.add(unpriced(), {.in = 5, .out = 5}, "openai/mystery");
  EXPECT_TRUE(turn.price_unknown);
  EXPECT_EQ(turn.micros, 7'503);
  EXPECT_EQ(turn.billed.total(), 11'111);
}

TEST(TurnSpend, WhatTheOfflineModelSaysIsUsedButNotBilled) {
  TurnSpend turn;
  turn.add(offline(), {.in = 1000, .out = 100}, "offline/rouse");
  turn.add(priced(), {.in = 7, .out = 7}, "offline/rouse");  // the chain fell back to it
  EXPECT_EQ(turn.usage.total(), 1'114);
  EXPECT_EQ(turn.billed, ModelUsage{});
  EXPECT_EQ(turn.micros, 0);
  EXPECT_FALSE(turn.price_unknown);
}

TEST(TurnSpend, AFallbackCostsWhatItCostsItself) {
  TurnSpend turn;
  turn.add(priced(), {.in = 1'000'000}, "anthropic/claude-haiku-4-5");
  EXPECT_EQ(turn.micros, 1'000'000);
  EXPECT_FALSE(turn.price_unknown);
  turn.add(offline(), {.in = 1'000'000}, "openai/nobody-knows-it");
  EXPECT_TRUE(turn.price_unknown);
  EXPECT_EQ(turn.micros, 1'000'000);
}

TEST(SpendDay, EndsAtMidnightInTheZoneOfTheWorkspace) {
  const WallTime late = *from_iso("2026-11-15T23:30:00.000Z");
  EXPECT_EQ(day_in_zone(late, "UTC"), "2026-11-15");
  EXPECT_EQ(day_in_zone(late, "Europe/Berlin"), "2026-11-16");
  EXPECT_EQ(day_in_zone(late, "America/New_York"), "2026-11-15");
  EXPECT_EQ(day_in_zone(late, "../etc/passwd"), "2026-11-15");
}

TEST_F(SpendTest, CountsAWorkspacesDayAndAConversation) {  // UX-6
  spend(1'000'000, 0);
  spend(0, 100'000);
  EXPECT_EQ(today().turns, 2);
  EXPECT_EQ(today().micros, 4'500'000);
  EXPECT_EQ(today().usage.in, 1'000'000);
  EXPECT_EQ(today().usage.out, 100'000);
  world_.clock().step_wall(days(1));
  spend(1'000'000, 0);
  EXPECT_EQ(today().micros, 3'000'000);
  EXPECT_EQ(book_->of_conversation(chat_)->micros, 7'500'000);
  EXPECT_EQ(book_->of_conversation(chat_)->turns, 3);
  EXPECT_EQ(book_->of_conversation(*ConversationId::parse("conv_2"))->turns, 0);
}

TEST_F(SpendTest, ListsDaysFromTheNewestByPage) {
  for (int i = 0; i < 3; ++i) {
    spend(1000, 0);
    world_.clock().step_wall(days(1));
  }
  const auto page = world_.run(book_->days(own_, "", 2));
  ASSERT_EQ(page->size(), 2u);
  EXPECT_EQ(page->front().day, "2026-01-03");
  const auto rest = world_.run(book_->days(own_, page->back().day, 2));
  ASSERT_EQ(rest->size(), 1u);
  EXPECT_EQ(rest->front().day, "2026-01-01");
  EXPECT_TRUE(world_.run(book_->days(*WorkspaceId::parse("ws_other"), "", 9))->empty());
}

TEST_F(SpendTest, AMixtureOfKnownAndUnknownPricesSaysThatTheMoneyIsALowerBound) {
  spend(1000, 0);
  EXPECT_FALSE(today().price_unknown);
  spend(1000, 0, unpriced());
  spend(1000, 0);
  EXPECT_TRUE(today().price_unknown);
  EXPECT_EQ(today().micros, 6'000);
  EXPECT_EQ(today().usage.in, 3'000);
}

TEST_F(SpendTest, TheOfflineModelAlwaysPassesAndLeavesNoRow) {
  cap({.day_micros = 0, .day_tokens = 0, .conversation_micros = 0});
  ModelInfo gift = priced();
  gift.price = ModelPrice{};
  for (const ModelInfo& info : {offline(), gift}) {
    EXPECT_TRUE(reserve(1'000'000, 1'000'000, {}, info));
    spend(1000, 1000, info);
  }
  EXPECT_EQ(database_->read({"SELECT COUNT(*) FROM spend", {}})->front().integer(0), 0);
  EXPECT_FALSE(reserve(1, 1));
}

TEST_F(SpendTest, ACallThatWouldPassTheCapIsRefusedInWordsForAPerson) {  // UX-6
  zone_ = "Europe/Berlin";
  cap({.day_micros = 5'000'000, .day_tokens = {}, .conversation_micros = {}});
  EXPECT_TRUE(reserve(1'000'000, 100'000));
  spend(1'600'000, 0);
  EXPECT_TRUE(reserve(50'000, 0));
  const auto refused = reserve(100'000, 4'096);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(ModelErrc::kSpendCap));
  EXPECT_EQ(refused.error().message,
            "The cap for today is reached: $4.80 of $5.00 are spent, and the next answer may take "
            "up to $0.36. It ends at 2026-01-02 00:00 Europe/Berlin. To go on sooner, raise "
            "spend.day_usd in rouse.yaml or in the settings.");
  world_.clock().step_wall(days(1));
  EXPECT_TRUE(reserve(100'000, 4'096)) << "a new day";
}

TEST_F(SpendTest, WhatIsUnderWayCountsAsSpent) {  // UX-6
  cap({.day_micros = 1'000'000, .day_tokens = {}, .conversation_micros = {}});
  {
    const auto first = reserve(200'000, 0);
    ASSERT_TRUE(first);
    EXPECT_FALSE(reserve(200'000, 0));
    EXPECT_TRUE(reserve(100'000, 0)) << "there is room for a smaller one";
  }
  EXPECT_TRUE(reserve(200'000, 0)) << "the first is over and used nothing";
}

TEST_F(SpendTest, WhatATurnHasUsedCountsBeforeItIsWrittenDown) {
  cap({.day_micros = 1'000'000, .day_tokens = {}, .conversation_micros = {}});
  TurnSpend turn;
  {
    auto call = reserve(200'000, 0);
    ASSERT_TRUE(call);
    turn.add(priced(), {.in = 150'000}, "anthropic/claude-x");
    call->used(priced(), {.in = 150'000});
  }
  const auto other = [&](std::int64_t in) {
    return book_->reserve(own_, *ConversationId::parse("conv_2"), zone_, priced(), in, 0, {})
        .has_value();
  };
  EXPECT_FALSE(other(200'000));
  EXPECT_TRUE(other(150'000));
  EXPECT_FALSE(reserve(200'000, 0, turn));
  EXPECT_TRUE(reserve(150'000, 0, turn)) << "its own use is not counted twice";
  close(turn);
  EXPECT_FALSE(other(200'000));
  EXPECT_TRUE(other(180'000));
  EXPECT_EQ(today().micros, 450'000);
}

TEST_F(SpendTest, TokensCanBeCappedWhenNobodyKnowsThePrice) {
  cap({.day_micros = 1, .day_tokens = 10'000, .conversation_micros = {}});
  EXPECT_TRUE(reserve(8'000, 2'000, {}, unpriced()));
  spend(6'000, 1'000, unpriced());
  const auto refused = reserve(2'000, 2'000, {}, unpriced());
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with(
      "The cap for today is reached: 7000 of 10000 tokens are spent, and the next answer may take "
      "up to 4000. It ends at 2026-01-02 00:00 UTC. To go on sooner, raise spend.day_tokens"))
      << refused.error().message;
}

TEST_F(SpendTest, AConversationHasACapOfItsOwn) {
  cap({.day_micros = {}, .day_tokens = {}, .conversation_micros = 1'000'000});
  spend(300'000, 0);
  EXPECT_TRUE(reserve(30'000, 0));
  TurnSpend turn;
  turn.add(priced(), {.in = 20'000}, "anthropic/claude-x");
  const auto refused = reserve(30'000, 0, turn);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("raise spend.conversation_usd"), std::string::npos);
  EXPECT_TRUE(
      book_->reserve(own_, *ConversationId::parse("conv_2"), zone_, priced(), 30'000, 0, {}));
  world_.clock().step_wall(days(1));
  EXPECT_FALSE(reserve(40'000, 0)) << "it doesn't end with the day";
}

TEST_F(SpendTest, AWorkspaceIsPausedUntilTheDayIsOverOrTheCapIsRaised) {  // UX-6
  const auto paused = [&] { return book_->paused(own_, zone_)->has_value(); };
  EXPECT_FALSE(paused());
  cap({.day_micros = 1'000'000, .day_tokens = {}, .conversation_micros = {}});
  spend(300'000, 0);
  EXPECT_FALSE(paused());
  EXPECT_FALSE(reserve(100'000, 0));
  EXPECT_TRUE(paused());
  cap({.day_micros = 2'000'000, .day_tokens = {}, .conversation_micros = {}});
  EXPECT_FALSE(paused()) << "the cap was raised";
  cap({.day_micros = 1'000'000, .day_tokens = {}, .conversation_micros = {}});
  EXPECT_TRUE(paused());
  EXPECT_TRUE(reserve(1'000, 0)) << "a short question fits";
  EXPECT_FALSE(paused());
  spend(33'334, 0);
  restart();
  EXPECT_TRUE(paused()) << "the cap is used up, and a restart knows it";
  EXPECT_EQ(**book_->paused(own_, zone_),
            "The cap for today is reached: $1.00 of $1.00 are spent. It ends at 2026-01-02 00:00 "
            "UTC. To go on sooner, raise spend.day_usd in rouse.yaml or in the settings.");
  world_.clock().step_wall(days(1));
  EXPECT_FALSE(paused());
}

TEST_F(SpendTest, ThePersonIsToldOnceADayAlsoOverARestart) {  // UX-6
  const auto first = [&](const char* workspace) {
    const auto written = world_.run(
        database_->write({{book_->first_notice(*WorkspaceId::parse(workspace), zone_)}}));
    EXPECT_TRUE(written || written.error().is(StoreErrc::kConflict));
    return written.has_value();
  };
  spend(1000, 0);
  EXPECT_TRUE(first("ws_default"));
  EXPECT_FALSE(first("ws_default"));
  EXPECT_TRUE(first("ws_other")) << "without a row of its own yet";
  restart();
  EXPECT_FALSE(first("ws_default"));
  spend(1000, 0);
  EXPECT_FALSE(first("ws_default"));
  EXPECT_EQ(today().micros, 6'000);
  world_.clock().step_wall(days(1));
  EXPECT_TRUE(first("ws_default"));
}

TEST_F(SpendTest, AOneShotCountsForTheDayAndForNoConversation) {
  TurnSpend used;
  used.add(priced(), {.in = 1000}, "anthropic/claude-x");
  Write write{book_->record(own_, {}, zone_, used)};
  EXPECT_EQ(write.statements.size(), 1u);
  ASSERT_TRUE(world_.run(database_->write(std::move(write))));
  EXPECT_EQ(today().micros, 3'000);
  EXPECT_EQ(today().turns, 0);
}

// Turns of many conversations at once, each with several calls, pauses between them and a slow
// store: whatever the order, no more is spent than the cap when a call stays within its estimate.
class SpendRace {
 public:
  SpendRace(sim::World& world, Database& database, SpendBook& book, std::int64_t cap)
      : world_(world), database_(database), book_(book) {
    book_.configure({.day_micros = cap, .day_tokens = {}, .conversation_micros = {}});
  }
  Task<void> converse(ConversationId chat, int turns) {
    for (int i = 0; i < turns; ++i) co_await turn(chat);
    --running_;
  }
  void start(int conversations, int turns) {
    running_ = conversations;
    for (int i = 0; i < conversations; ++i) {
      world_.loop().spawn("conversation",
                          converse(*ConversationId::parse(fmt::format("conv_{}", i)), turns));
    }
    world_.run_while([this] { return running_ > 0; });
  }
  int refused = 0, answered = 0;

 private:
  Task<void> turn(ConversationId chat) {
    TurnSpend spent;
    for (std::uint64_t calls = 1 + pick(3); calls > 0; --calls) {
      const auto in = static_cast<std::int64_t>(1'000 + pick(50'000));
      auto call = book_.reserve(Workspaces::default_id(), chat, "UTC", priced(), in, 500, spent);
      if (!call) {
        ++refused;
        break;
      }
      co_await world_.clock().wait_for(millis(static_cast<std::int64_t>(pick(400))));
      const ModelUsage usage{.in = in - static_cast<std::int64_t>(pick(900)), .out = 500};
      spent.add(priced(), usage, "anthropic/claude-x");
      call->used(priced(), usage);
      ++answered;
      co_await world_.clock().wait_for(millis(static_cast<std::int64_t>(pick(300))));
    }
    Write write{book_.record(Workspaces::default_id(), chat, "UTC", spent)};
    if (write.statements.empty()) co_return;
    const auto written = co_await database_.write(std::move(write));
    EXPECT_TRUE(written);
  }
  std::uint64_t pick(std::uint64_t below) { return world_.random().below(below); }

  sim::World& world_;
  Database& database_;
  SpendBook& book_;
  int running_ = 0;
};

TEST(SpendProperty, NoMoreIsSpentThanTheCapHoweverTurnsInterleave) {  // UX-6
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::World world{seed};
    world.set_longest_disk_delay(millis(200));
    Database* database = *world.open_store();
    SpendBook book(*database, world.clock());
    const std::int64_t cap = 1'500'000;
    SpendRace race(world, *database, book, cap);
    race.start(8, 6);
    const std::int64_t spent = book.of_day(Workspaces::default_id(), "2026-01-01")->micros;
    EXPECT_LE(spent, cap) << "seed " << seed;
    EXPECT_GT(spent, cap / 2) << "seed " << seed;
    EXPECT_GT(race.refused, 0);
    EXPECT_GT(race.answered, 5);
  }
}

// The loop outlives the house, and with it whoever waits for a model.
TEST_F(SpendTest, AReservationMayOutliveTheBook) {
  cap({.day_micros = 1'000'000, .day_tokens = {}, .conversation_micros = {}});
  auto ended = reserve(100, 100), told = reserve(100, 100);
  ASSERT_TRUE(ended && told);
  book_.reset();
  told->used(priced(), {.in = 100, .out = 10});
}

}  // namespace
}  // namespace rouse
