#include "app/model_settings.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "app/config_secrets.h"
#include "base/temp_dir_for_tests.h"

namespace rouse {
namespace {

class ModelSettingsTest : public testing::Test {
 protected:
  ModelSetup setup(const std::string& yaml = "") {
    ConfigSources sources;
    sources.yaml = yaml;
    const ConfigLoad load = load_config(sources);
    EXPECT_TRUE(load.ok()) << load.error_text();
    return model_setup(load.config, environment, dir.path());
  }

  TempDir dir;
  std::map<std::string, std::string> environment;
};

TEST_F(ModelSettingsTest, WithoutAnythingThereIsTheOfflineModel) {
  const ModelSetup none = setup();
  EXPECT_TRUE(none.settings.empty());
  EXPECT_TRUE(none.notices.empty());
  EXPECT_EQ(describe_models(none),
            (std::vector<std::string>{"main: the offline model", "cheap: the same as main"}));
}

TEST_F(ModelSettingsTest, AKeyOfAnthropicInTheEnvironmentIsEnough) {
  environment["ANTHROPIC_API_KEY"] = " canary-anthropic\n";
  environment["OPENAI_API_KEY"] = "canary-openai";
  const ModelSetup both = setup();
  ASSERT_EQ(both.settings.size(), 2u);
  EXPECT_EQ(both.settings.at("main").provider, "anthropic");
  EXPECT_EQ(both.settings.at("main").model, "claude-sonnet-4-5");
  EXPECT_EQ(both.settings.at("main").api_key, "canary-anthropic");
  EXPECT_EQ(both.settings.at("cheap").model, "claude-haiku-4-5");
  EXPECT_EQ(both.settings.at("cheap").api_key, "canary-anthropic");
  EXPECT_EQ(both.key_origins.at("main"), "environment ANTHROPIC_API_KEY");
  EXPECT_EQ(both.keys(), (std::vector<std::string>{"canary-anthropic"}));
}

TEST_F(ModelSettingsTest, AKeyOfOpenAiInTheEnvironmentIsEnough) {
  environment["OPENAI_API_KEY"] = "canary-openai";
  environment["ANTHROPIC_API_KEY"] = "";
  environment["OPENAI_MODEL"] = "ignored-at-openai";
  const ModelSetup own = setup();
  EXPECT_EQ(own.settings.at("main").provider, "openai");
  EXPECT_EQ(own.settings.at("main").model, "gpt-4o");
  EXPECT_EQ(own.settings.at("main").base_url, "");
  EXPECT_EQ(own.settings.at("cheap").model, "gpt-4o-mini");
  environment["OPENAI_BASE_URL"] = "http://127.0.0.1:11434/v1";
  environment["OPENAI_MODEL"] = "llama3";
  const ModelSetup elsewhere = setup();
  ASSERT_EQ(elsewhere.settings.size(), 1u) << "there main is asked for everything";
  EXPECT_EQ(elsewhere.settings.at("main").base_url, "http://127.0.0.1:11434/v1");
  EXPECT_EQ(elsewhere.settings.at("main").model, "llama3");
  EXPECT_EQ(elsewhere.settings.at("main").api_key, "canary-openai");
  environment.erase("OPENAI_MODEL");
  EXPECT_EQ(setup().settings.at("main").model, "gpt-4o");
}

TEST_F(ModelSettingsTest, ABrokenBaseUrlDoesNotSendTheKeyElsewhere) {
  environment["OPENAI_API_KEY"] = "canary-openai";
  environment["OPENAI_BASE_URL"] = "127.0.0.1:11434?key=canary-url";
  const ModelSetup broken = setup();
  EXPECT_TRUE(broken.settings.empty());
  ASSERT_EQ(broken.notices.size(), 1u);
  EXPECT_NE(broken.notices[0].find("OPENAI_BASE_URL in the environment must be an http://"),
            std::string::npos);
  EXPECT_EQ(broken.notices[0].find("canary"), std::string::npos);
}

TEST_F(ModelSettingsTest, TheFileSaysEverythingAboutAModel) {
  environment["KEY"] = "canary-one";
  environment["ANTHROPIC_API_KEY"] = "canary-two";
  const ModelSetup made = setup(R"(
models:
  main: {provider: openai, base_url: "https://llm.example/v1", model: big, api_key_env: KEY,
         context_window: 200000, max_output: 8000, fallback: [backup],
         price: {in: 3, out: 15, cache_read: 0.3, cache_write: 3.75}, concurrency: 2, retries: 0}
  backup: {provider: offline}
)");
  const ModelSettings want{.provider = "openai",
                           .base_url = "https://llm.example/v1",
                           .model = "big",
                           .api_key = "canary-one",
                           .context_window = 200'000,
                           .max_output = 8'000,
                           .price = ModelPrice{3'000'000, 15'000'000, 300'000, 3'750'000},
                           .fallback = {"backup"},
                           .concurrency = 2,
                           .retries = 0};
  EXPECT_EQ(made.settings.at("main"), want);
  EXPECT_EQ(made.settings.at("backup").provider, "offline");
  EXPECT_EQ(made.settings.size(), 2u) << "the environment adds nothing to what the file says";
  EXPECT_TRUE(made.notices.empty());
  EXPECT_EQ(describe_models(made),
            (std::vector<std::string>{
                "main: openai/big at https://llm.example/v1, key from environment KEY",
                "cheap: the same as main", "backup: the offline model"}));
}

TEST_F(ModelSettingsTest, CachePricesDefaultToThePriceOfInput) {
  environment["ANTHROPIC_API_KEY"] = "canary-one";
  const auto made =
      setup("models: {main: {provider: anthropic, model: x, price: {in: 0.25, out: 1.25}}}");
  EXPECT_EQ(made.settings.at("main").price, (ModelPrice{250'000, 1'250'000, 250'000, 250'000}));
}

TEST_F(ModelSettingsTest, AnEntryWithoutModelOrKeyTakesWhatItsProviderIsKnownFor) {
  environment["ANTHROPIC_API_KEY"] = "canary-one";
  const auto made = setup("models: {main: {provider: anthropic}, cheap: {provider: anthropic}}");
  EXPECT_EQ(made.settings.at("main").model, "claude-sonnet-4-5");
  EXPECT_EQ(made.settings.at("cheap").model, "claude-haiku-4-5");
  EXPECT_EQ(made.settings.at("main").api_key, "canary-one");
}

TEST_F(ModelSettingsTest, TheProvidersOwnKeyNeverGoesToAnAddressThatSomebodyWroteDown) {  // SC-10
  environment["OPENAI_API_KEY"] = "canary-openai";
  environment["ANTHROPIC_API_KEY"] = "canary-anthropic";
  const auto made = setup(R"(
models:
  main: {provider: openai, base_url: "http://127.0.0.1:11434/v1", model: llama3}
  proxy: {provider: anthropic, base_url: "https://stranger.example", model: x}
)");
  EXPECT_EQ(made.settings.at("main").api_key, "");
  EXPECT_EQ(made.settings.at("proxy").api_key, "");
  EXPECT_TRUE(made.notices.empty()) << "a server of one's own may need no key";
  const auto home = setup(
      "models: {main: {provider: anthropic, base_url: \"https://api.anthropic.com\", model: x}}");
  EXPECT_EQ(home.settings.at("main").api_key, "canary-anthropic");
}

TEST_F(ModelSettingsTest, WhoeverHasNoKeyAtAllIsToldHowToGetOne) {  // UX-4
  const auto made = setup("models: {main: {provider: openai}}");
  EXPECT_EQ(made.notices,
            (std::vector<std::string>{"models.main is not configured: it has no key. Set "
                                      "OPENAI_API_KEY or models.main.api_key_env, or enter a key "
                                      "in the settings"}));
}

TEST_F(ModelSettingsTest, AVariableThatIsNotSetIsANoticeAndTheModelHasNoKey) {  // UX-4
  environment["ANTHROPIC_API_KEY"] = "canary-one";
  const auto made = setup("models: {main: {provider: anthropic, api_key_env: MY_KEY}}");
  EXPECT_EQ(made.settings.at("main").api_key, "");
  EXPECT_EQ(made.notices, (std::vector<std::string>{"models.main is not configured: the "
                                                    "environment variable MY_KEY is not set"}));
  EXPECT_EQ(describe_models(made).front(), "main: anthropic/claude-sonnet-4-5, without a key");
}

TEST_F(ModelSettingsTest, AKeyFileMustBeTheOwnersAlone) {  // SC-10
  dir.write("key", "canary-file\n");
  const std::string yaml =
      "models: {main: {provider: anthropic, api_key_file: " + dir / "key" + "}}";
  EXPECT_EQ(setup(yaml).settings.at("main").api_key, "canary-file");
  EXPECT_EQ(setup(yaml).key_origins.at("main"), "file " + dir / "key");
  EXPECT_EQ(setup(yaml).key_files, (std::vector<std::string>{dir / "key"}));
  dir.write("key", "canary-file\n", 0644);
  const auto open = setup(yaml);
  EXPECT_EQ(open.settings.at("main").api_key, "");
  ASSERT_EQ(open.notices.size(), 1u);
  EXPECT_NE(open.notices[0].find("chmod 600"), std::string::npos);
  EXPECT_EQ(open.notices[0].find("canary"), std::string::npos);
}

TEST_F(ModelSettingsTest, AKeyEnteredInTheAppIsUsedWhenNothingStandsAboveIt) {  // S1-20
  ASSERT_TRUE(write_secret(dir.path(), "model-main", "sk-ant-canary"));
  EXPECT_EQ(setup().settings.at("main").provider, "anthropic");
  EXPECT_EQ(setup().settings.at("main").api_key, "sk-ant-canary");
  EXPECT_EQ(setup().settings.at("cheap").api_key, "sk-ant-canary") << "lent by main";
  EXPECT_EQ(setup().settings.at("cheap").model, "claude-haiku-4-5");
  EXPECT_EQ(setup().key_origins.at("main"), "secrets/model-main");
  environment["ANTHROPIC_API_KEY"] = "canary-above";
  EXPECT_EQ(setup().settings.at("main").api_key, "canary-above");
  ASSERT_TRUE(write_secret(dir.path(), "model-main", "sk-canary"));
  environment.clear();
  EXPECT_EQ(setup().settings.at("main").provider, "openai");
}

TEST_F(ModelSettingsTest, FallbackToAMainThatIsNotThereIsLeftOut) {
  EXPECT_TRUE(setup("models: {cheap: {provider: offline, fallback: [main]}}")
                  .settings.at("cheap")
                  .fallback.empty());
}

TEST(SpendCapsOfConfig, DollarsBecomeMillionths) {
  Config config;
  EXPECT_FALSE(spend_caps(config).day_micros);
  config.spend.day_usd = 4.99;
  config.spend.day_tokens = 7;
  config.spend.conversation_usd = 0;
  const SpendCaps caps = spend_caps(config);
  EXPECT_EQ(caps.day_micros, 4'990'000);
  EXPECT_EQ(caps.day_tokens, 7);
  EXPECT_EQ(caps.conversation_micros, 0);
}

}  // namespace
}  // namespace rouse
