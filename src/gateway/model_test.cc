// /api/models over the gateway: which are in force, trying one, connecting one. The settings
// themselves are tried in app/config_keeper_test.cc.
#include <boost/json/serialize.hpp>

#include "gateway/gateway_for_tests.h"
#include "gateway/routes/model_routes.h"
#include "model/scripted_model_for_tests.h"

namespace rouse {
namespace {

class NotedSettings final : public SettingsSource {
 public:
  [[nodiscard]] std::vector<SettingView> list() const override {
    return {{"models", models, "settings.json", false, false, ""}};
  }
  Result<void> set(const std::map<std::string, boost::json::value>& asked) override {
    changes = asked;
    models = asked.at("models");
    return {};
  }
  [[nodiscard]] std::vector<ConfiguredModel> configured_models() const override {
    return configured;
  }

  boost::json::value models = boost::json::object();
  std::vector<ConfiguredModel> configured;
  std::map<std::string, boost::json::value> changes;
};

class ModelApiTest : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    routes_ = std::make_unique<ModelRoutes>(
        settings_,
        [this](ModelSettings wanted) {
          made_ = std::move(wanted);
          return script_;
        },
        world_.clock(), house_->log);
    routes_->add_to(house_->table);
  }
  void connect_main() {
    settings_.models = {{"main", {{"provider", "anthropic"}, {"fallback", {"spare"}}}}};
    settings_.configured = {
        {"cheap", {.provider = "anthropic", .model = "small", .api_key = "canary-key"}, "env X"},
        {"main",
         {.provider = "anthropic",
          .model = "large",
          .api_key = "canary-key",
          .fallback = {"spare"}},
         "secrets/model-main"},
        {"spare", {.provider = "offline"}, ""}};
  }
  ModelList list() {
    const Answer answer = send({.target = "/api/models"});
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.body.find("canary"), std::string::npos);
    return decode_json<ModelList>(answer.body).value_or(ModelList{});
  }
  ModelTried test(const std::string& body) {
    const Answer answer = post("/api/models/test", body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.body.find("canary"), std::string::npos);
    return decode_json<ModelTried>(answer.body).value_or(ModelTried{});
  }
  Answer put(const std::string& role, const std::string& body) {
    return send({.method = "PUT", .target = "/api/models/" + role, .body = body});
  }

  NotedSettings settings_;
  ModelSettings made_;
  std::shared_ptr<ScriptedModel> script_ = std::make_shared<ScriptedModel>();
  std::unique_ptr<ModelRoutes> routes_;
};

// S0-44 and SC-10: what is in force, and never a key
TEST_F(ModelApiTest, ListsMainFirstWithWhereItsKeyComesFrom) {
  ASSERT_EQ(list().items.size(), 1U);
  EXPECT_EQ(list().items[0].role, "main");
  EXPECT_TRUE(list().items[0].offline);
  connect_main();
  const ModelList all = list();
  ASSERT_EQ(all.items.size(), 3U);
  EXPECT_EQ(all.items[0].model, "large");
  EXPECT_EQ(all.items[0].key_from, "secrets/model-main");
  EXPECT_TRUE(all.items[0].has_key);
  EXPECT_EQ(all.items[2].role, "spare");
  EXPECT_TRUE(all.items[2].in_use) << "main falls back to it";
  EXPECT_FALSE(all.restart_needed);
  EXPECT_FALSE(all.choices.empty());
}

TEST_F(ModelApiTest, ATestAsksTheModelItselfOnceAndBriefly) {
  connect_main();
  script_->then(ScriptedAnswer::says("ready"));
  const ModelTried tried = test(R"({"role":"main"})");
  EXPECT_TRUE(tried.ok);
  EXPECT_EQ(tried.text, "ready");
  EXPECT_EQ(made_.api_key, "canary-key");
  EXPECT_EQ(made_.retries, 0);
  EXPECT_TRUE(made_.fallback.empty());
  EXPECT_EQ(script_->requests.back().max_output_tokens, 16);
  EXPECT_EQ(script_->requests.back().deadline, seconds(15));
}

TEST_F(ModelApiTest, ATestTellsWhyAModelDoesNotAnswer) {
  script_->then(ScriptedAnswer::fails(ModelErrc::kUnauthorized, "the key was refused"));
  const ModelTried tried = test(R"({"provider":"openai","model":"m","api_key":"canary-typed"})");
  EXPECT_FALSE(tried.ok);
  EXPECT_EQ(tried.error, "model_unauthorized");
  EXPECT_EQ(tried.message, "the key was refused");
  EXPECT_EQ(made_.api_key, "canary-typed");
  EXPECT_EQ(post("/api/models/test", R"({"role":"nobody"})").status, 404);
  EXPECT_EQ(post("/api/models/test", "{}").status, 400);
}

// SC-10: a key goes only where it was meant for
TEST_F(ModelApiTest, AKeyThatIsKeptIsNotTriedAtAnotherAddress) {
  connect_main();
  script_->then(ScriptedAnswer::says("ready"));
  test(R"({"role":"main","provider":"anthropic","base_url":"https://stranger.example"})");
  EXPECT_EQ(made_.api_key, "");
  script_->then(ScriptedAnswer::says("ready"));
  test(R"({"role":"main","provider":"anthropic","model":"other"})");
  EXPECT_EQ(made_.api_key, "canary-key");
  EXPECT_EQ(made_.model, "other");
}

TEST_F(ModelApiTest, TestsAreBoundedInTime) {
  connect_main();
  for (int i = 0; i < 20; ++i) {
    script_->then(ScriptedAnswer::says("ready"));
    test(R"({"role":"main"})");
  }
  const Answer refused = post("/api/models/test", R"({"role":"main"})");
  EXPECT_EQ(refused.status, 429);
  EXPECT_TRUE(refused.headers.contains("retry-after"));
}

TEST_F(ModelApiTest, ConnectingAModelKeepsTheOthersAndPutsTheKeyBesideTheSettings) {
  connect_main();
  const Answer done =
      put("cheap", R"({"provider":"openai","base_url":"http://127.0.0.1:1/v1","model":"m",)"
                   R"("api_key":"canary-typed"})");
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(done.body.find("canary"), std::string::npos);
  EXPECT_EQ(settings_.changes.at("models.cheap.api_key"), "canary-typed");
  const auto& models = settings_.changes.at("models").as_object();
  EXPECT_EQ(models.at("cheap").at("base_url"), "http://127.0.0.1:1/v1");
  EXPECT_EQ(models.at("main").at("provider"), "anthropic");
  EXPECT_EQ(boost::json::serialize(models).find("canary"), std::string::npos);
  EXPECT_EQ(logged_.find("canary"), std::string::npos);
  EXPECT_EQ(put("cheap", "{}").status, 400);
}

TEST_F(ModelApiTest, AModelThatMovesLosesTheKeyOfItsOldAddress) {
  connect_main();
  ASSERT_EQ(put("main", R"({"provider":"anthropic","model":"newer"})").status, 200);
  EXPECT_FALSE(settings_.changes.contains("models.main.api_key")) << "it stays where it was";
  EXPECT_TRUE(settings_.changes.at("models").at("main").as_object().contains("fallback"));
  ASSERT_EQ(put("main", R"({"provider":"offline"})").status, 200);
  EXPECT_TRUE(settings_.changes.at("models.main.api_key").is_null());
}

TEST_F(ModelApiTest, ForgettingAModelTakesItsKeyAlong) {
  connect_main();
  ASSERT_EQ(send({.method = "DELETE", .target = "/api/models/main"}).status, 200);
  EXPECT_TRUE(settings_.changes.at("models.main.api_key").is_null());
  EXPECT_TRUE(settings_.changes.at("models").is_null()) << "nothing is left of them";
}

TEST_F(ModelApiTest, OnlyTheOwnerLooksAtModels) {  // SC-2
  const Answer made = post("/api/tokens", R"({"name":"t","role":"user"})");
  const std::string token = decode_json<MadeToken>(made.body)->token;
  const std::map<std::string, std::string> headers{{"authorization", "Bearer " + token}};
  for (const char* method : {"GET", "POST"}) {
    const bool get = std::string_view(method) == "GET";
    EXPECT_EQ(send({.method = method,
                    .target = get ? "/api/models" : "/api/models/test",
                    .body = get ? "" : "{}",
                    .headers = headers,
                    .owner = false})
                  .status,
              403);
  }
}

}  // namespace
}  // namespace rouse
