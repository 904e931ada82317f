// POST /webhook/whatsapp and GET /api/deliveries over the whole gateway.
#include "gateway/routes/whatsapp_routes.h"

#include "channel/scripted_runner_for_tests.h"
#include "gateway/gateway_for_tests.h"
#include "gateway/routes/delivery_routes.h"

namespace rouse {
namespace {

constexpr std::string_view kSecret = "secret-of-the-bridge";

class WhatsAppRoutesTest : public GatewayTest {
 protected:
  void SetUp() override {
    options_.bridge_secrets["whatsapp"] = kSecret;
    world_.set_longest_disk_delay(millis(0));
    GatewayTest::SetUp();
    people_ =
        std::make_unique<People>(*database_, world_.clock(), world_.random(), house_->workspaces);
    outbox_ = std::make_unique<Outbox>(*database_, world_.clock());
    list_ = std::make_unique<DeliveryList>(*database_);
    runner_ = std::make_unique<ScriptedRunner>(house_->kernel);
    runner_->answers_with = "Paris";
    door_ = std::make_unique<WhatsAppDoor>(*runner_, house_->kernel, *people_, *outbox_,
                                           world_.clock(), world_.loop(), house_->log);
    whatsapp_ = std::make_unique<WhatsAppRoutes>(*door_);
    deliveries_ = std::make_unique<DeliveryRoutes>(*list_, house_->workspaces);
    if (house_->table.find("POST", "/webhook/whatsapp").route == nullptr) {
      whatsapp_->add_to(house_->table);
    }
    if (house_->table.find("GET", "/api/deliveries").route == nullptr) {
      deliveries_->add_to(house_->table);
    }
  }
  Answer webhook(std::string body, std::optional<std::string> secret = std::string(kSecret)) {
    Ask ask{
        .method = "POST", .target = "/webhook/whatsapp", .body = std::move(body), .owner = false};
    if (secret) ask.headers["x-bridge-secret"] = *secret;
    return send(std::move(ask));
  }
  void put(const std::string& workspace, const std::string& text, const std::string& state) {
    world_.run_for(millis(10));
    const WallTime now = world_.clock().wall_now();
    ASSERT_TRUE(world_.run(
        database_->write(Write{{Outbox::insert({.id = OutboxId::make(now, world_.random()),
                                                .workspace = *WorkspaceId::parse(workspace),
                                                .conversation = *ConversationId::parse("conv_1"),
                                                .turn = *TurnId::parse("turn_1"),
                                                .to = {"whatsapp", "+1"},
                                                .account = "default",
                                                .text = text,
                                                .state = state,
                                                .created = now,
                                                .next_try = now})}})));
  }
  DeliveryPage deliveries(const std::string& query) {
    const Answer answer = send({.target = "/api/deliveries" + query});
    EXPECT_EQ(answer.status, 200) << answer.body;
    return decode_json<DeliveryPage>(answer.body).value_or(DeliveryPage{});
  }

  std::unique_ptr<People> people_;
  std::unique_ptr<Outbox> outbox_;
  std::unique_ptr<DeliveryList> list_;
  std::unique_ptr<ScriptedRunner> runner_;
  std::unique_ptr<WhatsAppDoor> door_;
  std::unique_ptr<WhatsAppRoutes> whatsapp_;
  std::unique_ptr<DeliveryRoutes> deliveries_;
};

// S1-40: the request of the seed, word for word
TEST_F(WhatsAppRoutesTest, TheSeedsRequestGetsAnAnswer) {
  const Answer answer =
      webhook(R"({"from":"+1555","body":"what is the capital of France?","chatType":"direct",)"
              R"("senderE164":"+1555","accountId":"default"})");
  EXPECT_EQ(answer.status, 200);
  const auto reply = decode_json<WebhookReply>(answer.body);
  ASSERT_TRUE(reply) << answer.body;
  EXPECT_EQ(answer.body, "{\"ok\":true,\"session_id\":\"" + *reply->session_id +
                             "\",\"decision\":\"new\",\"reason\":\"first_message\","
                             "\"reply\":\"Paris\",\"delivery\":\"reply\"}");
}

TEST_F(WhatsAppRoutesTest, AnswersOfOtherShapes) {
  const Answer sum = webhook(R"({"from":"+1","body":"2+3"})");
  EXPECT_EQ(sum.body.substr(0, 37), R"({"ok":true,"session_id":null,"reply":)") << sum.body;
  EXPECT_EQ(webhook(R"({"from":"+1","body":"hi","fromMe":true})").body,
            R"({"ok":true,"ignored":true})");
  runner_->answers_with.reset();
  const Answer later = webhook(R"({"from":"+1","body":"hi"})");
  EXPECT_EQ(later.status, 202);
  EXPECT_EQ(later.body,
            "{\"ok\":true,\"turn_id\":\"" + runner_->accepted.at(0).turn->str() + "\"}");
}

// S1-C9
TEST_F(WhatsAppRoutesTest, AWrongRequestIsRefusedByName) {
  for (const char* body : {"{}", R"({"from":"+1"})", R"({"body":"hi"})",
                           R"({"from":"+1","body":"  "})", R"({"from":null,"body":"hi"})"}) {
    const Answer answer = webhook(body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_NE(answer.body.find("empty body or missing sender"), std::string::npos) << answer.body;
  }
  EXPECT_NE(webhook(R"({"from":"+1","body":7})").body.find("'body' must be text"),
            std::string::npos);
  EXPECT_EQ(webhook("{").status, 400);
  door_->configure({.allow = std::vector<std::string>{}});
  EXPECT_EQ(webhook(R"({"from":"+1","body":"hi"})").status, 403);
}

// SC-5
TEST_F(WhatsAppRoutesTest, WithoutTheSecretNothingIsReadAndWithoutAnyTheDoorIsClosed) {
  for (const auto& secret : {std::optional<std::string>(), std::optional<std::string>(""),
                             std::optional<std::string>("secret-of-the-bridgE"),
                             std::optional<std::string>("secret-of-the-bridge ")}) {
    EXPECT_EQ(webhook("not even JSON", secret).status, 401);
  }
  Ask owner{.method = "POST", .target = "/webhook/whatsapp", .body = "{}"};
  EXPECT_EQ(send(owner).status, 401) << "a token is no bridge's secret";
  options_.bridge_secrets.clear();
  house_->gateway.configure(options_);
  EXPECT_EQ(webhook(R"({"from":"+1","body":"hi"})").error(), "bridge_disabled");
  EXPECT_EQ(runner_->submissions, 0);
}

// DL-3
TEST_F(WhatsAppRoutesTest, DeliveriesAreListedNewestFirstByStateAndPage) {
  put("ws_default", "one", "delivered");
  put("ws_default", "two", "pending");
  put("ws_default", "three", "failed");
  put("ws_other", "not yours", "pending");
  const DeliveryPage all = deliveries("");
  ASSERT_EQ(all.items.size(), 3u);
  EXPECT_EQ(all.items[0].text, "three");
  EXPECT_EQ(all.items[0].to, "whatsapp:+1");
  EXPECT_FALSE(all.items[0].next_try_at);
  EXPECT_TRUE(all.items[1].next_try_at);
  EXPECT_FALSE(all.next_cursor);
  EXPECT_EQ(deliveries("?state=failed").items.size(), 1u);
  const DeliveryPage first = deliveries("?limit=2");
  ASSERT_TRUE(first.next_cursor);
  const DeliveryPage rest = deliveries("?limit=2&cursor=" + *first.next_cursor);
  ASSERT_EQ(rest.items.size(), 1u);
  EXPECT_EQ(rest.items[0].text, "one");
  EXPECT_FALSE(rest.next_cursor);
  EXPECT_EQ(send({.target = "/api/deliveries?state=lost"}).status, 400);
  EXPECT_EQ(send({.target = "/api/deliveries?cursor=x"}).status, 400);
  EXPECT_EQ(send({.target = "/api/deliveries", .owner = false}).status, 401);
}

}  // namespace
}  // namespace rouse
