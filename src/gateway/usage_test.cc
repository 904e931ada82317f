// What things cost, through the whole gateway: sums, pages, caps, and whose they are.
#include "gateway/conversations_for_tests.h"
#include "gateway/routes/usage_routes.h"

namespace rouse {
namespace {

class UsageTest : public ConversationApiTest {
 protected:
  void SetUp() override {
    ConversationApiTest::SetUp();
    book_ = std::make_unique<SpendBook>(*database_, world_.clock());
    routes_ = std::make_unique<UsageRoutes>(
        *book_, house_->kernel, house_->workspaces, world_.clock(),
        [](const Workspace& one) { return one.timezone.value_or("UTC"); });
    routes_->add_to(house_->table);
  }
  void spend(std::int64_t in, const std::string& conversation = "conv_1",
             const std::string& workspace = "ws_default",
             std::optional<ModelPrice> price = ModelPrice{.in = 3'000'000, .out = 15'000'000}) {
    const ModelInfo info{.provider = "anthropic", .name = "x", .price = price};
    TurnSpend turn;
    turn.add(info, {.in = in, .out = 1000}, "anthropic/x");
    const auto workspace_id = *WorkspaceId::parse(workspace);
    const std::string zone = house_->workspaces.get(workspace_id)->timezone.value_or("UTC");
    ASSERT_TRUE(world_.run(database_->write(
        {book_->record(workspace_id, *ConversationId::parse(conversation), zone, turn)})));
  }
  Result<SpendBook::Reservation> try_call(std::int64_t in) {
    const ModelInfo info{
        .provider = "anthropic", .name = "x", .price = ModelPrice{.in = 3'000'000}};
    return book_->reserve(Workspaces::default_id(), *ConversationId::parse("conv_1"), "UTC", info,
                          in, 0, {});
  }

  std::unique_ptr<SpendBook> book_;
  std::unique_ptr<UsageRoutes> routes_;
};

TEST_F(UsageTest, NothingWasSpentYet) {
  EXPECT_EQ(ask("GET", "/api/usage").body,
            R"({"workspace_id":"ws_default","timezone":"UTC","today":{"day":"2026-01-01",)"
            R"("turns":0,"tokens_in":0,"tokens_out":0,"cache_read":0,"cache_write":0,"usd":0,)"
            R"("price_unknown":false},"month":{"turns":0,"tokens_in":0,"tokens_out":0,)"
            R"("cache_read":0,"cache_write":0,"usd":0,"price_unknown":false},)"
            R"("caps":{"day_usd":null,"day_tokens":null,"conversation_usd":null},)"
            R"("paused":false,"paused_reason":null,"items":[],"next_cursor":null})");
}

TEST_F(UsageTest, TodayThisMonthAndEachDayByPage) {  // UX-6
  world_.clock().step_wall(days(29));
  spend(1'000'000);
  world_.clock().step_wall(days(1));
  spend(1'000'000);
  spend(0, "conv_2", "ws_default", std::nullopt);
  world_.clock().step_wall(days(1));
  spend(500'000);
  const auto usage = get<WorkspaceUsage>("/api/usage?limit=2");
  EXPECT_EQ(usage.today.day, "2026-02-01");
  EXPECT_DOUBLE_EQ(usage.today.usd, 1.515);
  EXPECT_EQ(usage.today.turns, 1);
  EXPECT_FALSE(usage.month.day);
  EXPECT_DOUBLE_EQ(usage.month.usd, 1.515) << "January is over";
  ASSERT_EQ(usage.items.size(), 2u);
  EXPECT_EQ(usage.items[1].day, "2026-01-31");
  EXPECT_EQ(usage.items[1].turns, 2);
  EXPECT_EQ(usage.items[1].tokens_out, 2000);
  EXPECT_TRUE(usage.items[1].price_unknown);
  EXPECT_EQ(usage.next_cursor, "2026-01-31");
  const auto rest = get<WorkspaceUsage>("/api/usage?limit=2&cursor=2026-01-31");
  ASSERT_EQ(rest.items.size(), 1u);
  EXPECT_EQ(rest.items[0].day, "2026-01-30");
  EXPECT_FALSE(rest.next_cursor);
  EXPECT_EQ(ask("GET", "/api/usage?cursor=yesterday").status, 400);
  EXPECT_EQ(ask("GET", "/api/usage?limit=0").status, 400);
}

TEST_F(UsageTest, CapsAndThePauseAreShownWithTheReason) {  // UX-6
  book_->configure({.day_micros = 5'000'000, .day_tokens = 9, .conversation_micros = {}});
  book_->configure({.day_micros = 5'000'000, .day_tokens = {}, .conversation_micros = 7'500'000});
  spend(1'600'000);
  auto usage = get<WorkspaceUsage>("/api/usage");
  EXPECT_EQ(usage.caps.day_usd, 5.0);
  EXPECT_EQ(usage.caps.conversation_usd, 7.5);
  EXPECT_FALSE(usage.caps.day_tokens);
  EXPECT_FALSE(usage.paused);
  ASSERT_FALSE(try_call(100'000));
  usage = get<WorkspaceUsage>("/api/usage");
  EXPECT_TRUE(usage.paused);
  EXPECT_TRUE(usage.paused_reason->starts_with("The cap for today is reached: $4.8"))
      << *usage.paused_reason;
  EXPECT_EQ(get<WorkspaceUsage>("/api/usage").paused, true) << "asking changes nothing";
}

TEST_F(UsageTest, AConversationIsAskedForByAnyOfItsNames) {
  talk("+1", "hello");
  const auto none = get<ConversationUsage>("/api/conversations/whatsapp%3A%2B1/usage");
  EXPECT_EQ(none.total.turns, 0);
  EXPECT_FALSE(none.cap_usd);
  spend(1'000'000, none.conversation_id);
  book_->configure({.day_micros = {}, .day_tokens = {}, .conversation_micros = 1'000'000});
  const auto some = get<ConversationUsage>("/api/conversations/" + none.conversation_id + "/usage");
  EXPECT_DOUBLE_EQ(some.total.usd, 3.015);
  EXPECT_EQ(some.cap_usd, 1.0);
  EXPECT_EQ(ask("GET", "/api/conversations/conv_nothere/usage").status, 404);
}

TEST_F(UsageTest, APersonSeesOnlyWhatItsOwnWorkspaceSpends) {  // SC-2
  const std::string team = make_workspace();
  const std::string token = make_token(team);
  talk("+1", "hello");
  spend(1'000'000);
  spend(2'000'000, "conv_9", team);
  EXPECT_DOUBLE_EQ(get<WorkspaceUsage>("/api/usage", token).today.usd, 6.015);
  EXPECT_EQ(ask("GET", "/api/usage?workspace_id=ws_default", token).status, 403);
  EXPECT_EQ(ask("GET", "/api/conversations/whatsapp%3A%2B1/usage", token).status, 404);
  EXPECT_DOUBLE_EQ(get<WorkspaceUsage>("/api/usage?workspace_id=" + team).today.usd, 6.015)
      << "an admin may name it";
  EXPECT_EQ(ask("GET", "/api/usage?workspace_id=ws_gone").status, 404);
}

TEST_F(UsageTest, ADayIsThatOfTheWorkspacesZone) {
  ASSERT_TRUE(world_.run(house_->workspaces.update(
      Workspaces::default_id(), {.name = {}, .timezone = "Pacific/Auckland", .locale = {}})));
  world_.clock().step_wall(hours(12));  // there it is tomorrow already
  spend(1'000'000);
  const auto usage = get<WorkspaceUsage>("/api/usage");
  EXPECT_EQ(usage.timezone, "Pacific/Auckland");
  EXPECT_EQ(usage.today.day, "2026-01-02");
  EXPECT_EQ(usage.today.turns, 1);
}

}  // namespace
}  // namespace rouse
