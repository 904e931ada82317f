#include "app/config_models.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace rouse {
namespace {

ConfigLoad load_models(const std::string& yaml) {
  ConfigSources sources;
  sources.yaml = yaml;
  return load_config(sources);
}
std::string error_of(const std::string& yaml) {
  const ConfigLoad load = load_models(yaml);
  return load.errors.empty() ? "" : load.errors.front().str();
}

TEST(ConfigModels, EveryKeyOfAnEntryIsReadAndGivenBack) {
  const ConfigLoad load = load_models(R"(
models:
  main:
    provider: openai
    base_url: http://127.0.0.1:11434/v1
    model: llama3
    api_key_env: KEY
    context_window: 8000
    max_output: 1000
    price: {in: 0.5, out: 2, cache_read: 0.05, cache_write: 1}
    fallback: [backup]
    concurrency: 4
    retries: 1
  backup: {provider: anthropic, api_key_file: /k}
)");
  ASSERT_TRUE(load.ok()) << load.error_text();
  const Config::ModelEntry& main = load.config.models.at("main");
  EXPECT_EQ(main.provider, "openai");
  EXPECT_EQ(main.base_url, "http://127.0.0.1:11434/v1");
  EXPECT_EQ(main.model, "llama3");
  EXPECT_EQ(main.api_key_env, "KEY");
  EXPECT_EQ(main.context_window, 8000);
  EXPECT_EQ(main.max_output, 1000);
  EXPECT_EQ(main.price, (Config::ModelEntry::Price{0.5, 2, 0.05, 1}));
  EXPECT_EQ(main.fallback, (std::vector<std::string>{"backup"}));
  EXPECT_EQ(main.concurrency, 4);
  EXPECT_EQ(main.retries, 1);
  EXPECT_EQ(load.config.models.at("backup").api_key_file, "/k");
  EXPECT_EQ(*(from_json<std::map<std::string, Config::ModelEntry>>(to_value(load.config.models))),
            load.config.models);
  EXPECT_FALSE(inspect_models(to_value(load.config.models)));
}

TEST(ConfigModels, ErrorsNameTheKeyAndItsLine) {  // UX-4
  EXPECT_EQ(error_of("models:\n  main:\n    model: x\n    provider: opnai\n"),
            "rouse.yaml:4:5: models.main.provider must be one of: anthropic, openai, offline, not "
            "'opnai'; did you mean 'openai'?");
  EXPECT_EQ(error_of("models:\n  main:\n    provider: mistral\n"),
            "rouse.yaml:3:5: models.main.provider must be one of: anthropic, openai, offline, not "
            "'mistral'; most others speak the language of openai: set base_url too");
  EXPECT_EQ(error_of("models:\n  cheap:\n    model: x\n"),
            "rouse.yaml:2:3: models.cheap needs a provider, one of: anthropic, openai, offline");
  EXPECT_EQ(error_of("models:\n  main: {provider: offline, fallback: [main]}\n"),
            "rouse.yaml:2:29: models.main.fallback names the model itself");
  EXPECT_EQ(error_of("models:\n  main: {provider: offline, fallback: [spare]}\n"),
            "rouse.yaml:2:29: models.main.fallback names 'spare', but there is no models.spare");
  EXPECT_EQ(error_of("models:\n  main: {provider: offline, modle: x}\n"),
            "rouse.yaml:2:29: models.main.modle is not known; did you mean 'model'?");
  EXPECT_EQ(
      error_of("models: {main: {provider: anthropic, api_key_env: A, api_key_file: /b}}"),
      "rouse.yaml:1:54: models.main.api_key_file stands beside api_key_env; keep one of them");
  EXPECT_EQ(error_of("models: {main: {provider: openai, base_url: \"http://127.0.0.1:1/v1\"}}"),
            "rouse.yaml:1:10: models.main needs a model: with a base_url nobody else knows its "
            "name");
  EXPECT_EQ(error_of("models: {main: {provider: offline, retries: 11}}"),
            "rouse.yaml:1:36: models.main.retries must be a whole number from 0 to 10");
  EXPECT_EQ(error_of("models: {main: {provider: offline, price: {in: -1, out: 2}}}"),
            "rouse.yaml:1:36: models.main.price has 'in' outside of 0 to 100000 dollars");
  EXPECT_NE(error_of("models: {main: {provider: offline, price: {in: 1}}}").find("like {in: 3"),
            std::string::npos);
  EXPECT_NE(error_of("models: {Main One: {provider: offline}}").find("must have a name of"),
            std::string::npos);
  EXPECT_NE(error_of("models: {main: offline}").find("must be a section"), std::string::npos);
  EXPECT_NE(error_of("models: [main]").find("models must be a section"), std::string::npos);
}

TEST(ConfigModels, AKeyInTheFileIsRefusedAndNotQuoted) {  // SC-10
  for (const char* yaml : {"models: {main: {provider: anthropic, api_key: canary-key}}",
                           "models: {main: {provider: anthropic, apikey: canary-key}}",
                           "models: {main: {provider: anthropic, api_key_env: \"canary key\"}}",
                           "models: {main: {provider: anthropic, base_url: "
                           "\"https://u:canary@h/\"}}",
                           "models: {main: {provider: anthropic, base_url: "
                           "\"https://h/?key=canary\"}}"}) {
    const std::string error = error_of(yaml);
    EXPECT_FALSE(error.empty()) << yaml;
    EXPECT_EQ(error.find("canary"), std::string::npos) << error;
  }
  EXPECT_NE(error_of("models: {main: {provider: anthropic, api_key: canary-key}}")
                .find("name the environment variable that holds the key with api_key_env"),
            std::string::npos);
}

TEST(ConfigSpend, CapsTakeDecimalsAndAreNeverNegative) {  // UX-6
  const ConfigLoad load =
      load_models("spend: {day_usd: 4.5, day_tokens: 1000, conversation_usd: 20}");
  ASSERT_TRUE(load.ok()) << load.error_text();
  EXPECT_EQ(load.config.spend.day_usd, 4.5);
  EXPECT_EQ(load.config.spend.day_tokens, 1000);
  EXPECT_EQ(load.config.spend.conversation_usd, 20.0);
  EXPECT_EQ(error_of("spend:\n  day_usd: -1\n"),
            "rouse.yaml:2:3: spend.day_usd must be a number from 0 to 1000000, not -1");
  EXPECT_EQ(error_of("spend:\n  day_usd: five\n"),
            "rouse.yaml:2:3: spend.day_usd must be a number from 0 to 1000000, not 'five'");
  EXPECT_EQ(error_of("spend: {day_usd: nan}"),
            "rouse.yaml:1:9: spend.day_usd must be a number from 0 to 1000000, not 'nan'");
  EXPECT_FALSE(error_of("spend: {day_tokens: 1.5}").empty());
}

}  // namespace
}  // namespace rouse
