#include "model/known_models.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

TEST(KnownModels, FindsDatedNames) {
  const ModelInfo haiku = known_model("anthropic", "claude-haiku-4-5-20251001", "");
  EXPECT_EQ(haiku.context_window, 200'000);
  EXPECT_EQ(haiku.price, (ModelPrice{1'000'000, 5'000'000, 100'000, 1'250'000}));
  EXPECT_TRUE(haiku.takes_images);
  EXPECT_EQ(haiku.full_name(), "anthropic/claude-haiku-4-5-20251001");
  EXPECT_EQ(known_model("anthropic", "claude-opus-4-20250514", "").price->in, 15'000'000);
  EXPECT_EQ(known_model("anthropic", "claude-opus-4-5-20251101", "").price->in, 5'000'000);
}

TEST(KnownModels, TakesTheLongestName) {
  EXPECT_EQ(known_model("openai", "gpt-4o-mini-2024-07-18", "").price->in, 150'000);
  EXPECT_EQ(known_model("openai", "gpt-4o-2024-08-06", "").price->in, 2'500'000);
  EXPECT_EQ(known_model("openai", "gpt-4.1-nano", "").price->out, 400'000);
  EXPECT_FALSE(known_model("openai", "o3-mini", "").takes_images);
}

TEST(KnownModels, DoesNotGuess) {
  const ModelInfo unknown = known_model("openai", "brand-new", "");
  EXPECT_EQ(unknown.context_window, 32'000);
  EXPECT_EQ(unknown.price, std::nullopt);
  EXPECT_EQ(known_model("openai", "gpt-5.9", "").price, std::nullopt);
  EXPECT_EQ(known_model("anthropic", "claude-opus-9", "").price, std::nullopt);
  EXPECT_EQ(known_model("anthropic", "claude-opus-9", "").context_window, 200'000);
}

TEST(KnownModels, ReadsNamesOfGateways) {
  EXPECT_EQ(known_model("openai", "anthropic/claude-sonnet-4.5", "https://openrouter.ai/api/v1")
                .price->in,
            3'000'000);
  EXPECT_EQ(known_model("openai", "openai/gpt-4o", "https://openrouter.ai/api/v1").price->in,
            2'500'000);
}

TEST(KnownModels, ALocalModelIsFreeOnlyOnThisMachine) {
  EXPECT_EQ(known_model("openai", "llama3.1:8b", "http://localhost:11434").price, ModelPrice{});
  EXPECT_EQ(known_model("openai", "qwen2.5-coder:7b", "http://[::1]:8080/v1").price, ModelPrice{});
  EXPECT_EQ(known_model("openai", "mistral-nemo", "https://gpu.example.com").price, std::nullopt);
  EXPECT_TRUE(is_loopback_url("http://127.0.0.1:1"));
  EXPECT_FALSE(is_loopback_url("http://127.example.com"));
  EXPECT_FALSE(is_loopback_url("nonsense"));
}

TEST(KnownModels, SettingsWin) {
  ModelSettings settings;
  settings.provider = "openai";
  settings.model = "gpt-4o";
  settings.context_window = 1'000;
  settings.max_output = 100;
  settings.price = ModelPrice{1, 2, 3, 4};
  const ModelInfo info = model_info("main", settings);
  EXPECT_EQ(info.context_window, 1'000);
  EXPECT_EQ(info.max_output, 100);
  EXPECT_EQ(info.price, (ModelPrice{1, 2, 3, 4}));
  EXPECT_TRUE(info.takes_images);
}

TEST(KnownModels, AnEntryWithoutANameGetsOneByItsRole) {
  ModelSettings settings;
  settings.provider = "anthropic";
  EXPECT_EQ(model_info("main", settings).name, "claude-sonnet-4-5");
  EXPECT_EQ(model_info("cheap", settings).name, "claude-haiku-4-5");
}

}  // namespace
}  // namespace rouse
