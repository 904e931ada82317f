#include "model/model_book.h"

#include "model/model_for_tests.h"
#include "model/scripted_model_for_tests.h"

namespace rouse {
namespace {

class Book : public testing::Test {
 protected:
  ModelTestLoop world_;
  ScriptedHttp http_;
  ModelRequest request_;
  HeardStream heard_;

  ModelBook book(std::map<std::string, ModelSettings> settings) {
    return {std::move(settings), http_, world_.clock, world_.random};
  }
  Result<ModelAnswer> ask(const ModelBook& book, std::string_view name = "main") {
    return world_.run(book.find(name)->answer({}, heard_, {}));
  }
  static ModelSettings anthropic(std::string key = "sk-ant-secret-1") {
    return {.provider = "anthropic", .model = "claude-haiku-4-5", .api_key = std::move(key)};
  }
};

TEST_F(Book, IsOfflineWithoutSettings) {
  const ModelBook empty = book({});
  EXPECT_TRUE(empty.is_offline());
  EXPECT_EQ(empty.cheap(), empty.main());
  EXPECT_EQ(empty.find("nobody"), nullptr);
}

TEST_F(Book, FindsRolesAndNames) {
  const ModelBook two = book(
      {{"main", anthropic()},
       {"local", {.provider = "openai", .base_url = "http://127.0.0.1:1", .model = "llama3"}}});
  EXPECT_FALSE(two.is_offline());
  EXPECT_EQ(two.main()->info().full_name(), "anthropic/claude-haiku-4-5");
  EXPECT_EQ(two.cheap(), two.main());
  EXPECT_EQ(two.find("local")->info().full_name(), "openai/llama3");
  EXPECT_EQ(two.find("local")->info().price, ModelPrice{});
}

TEST_F(Book, SaysWhatIsMissing) {
  const auto no_key = ask(book({{"main", anthropic("")}}));
  ASSERT_FALSE(no_key);
  EXPECT_TRUE(no_key.error().is(ModelErrc::kNotConfigured));
  EXPECT_EQ(no_key.error().message,
            "models.main: there is no key for anthropic; set api_key_env, or ANTHROPIC_API_KEY in "
            "the environment");
  const auto no_provider = ask(book({{"main", {.provider = "acme"}}}));
  EXPECT_TRUE(no_provider.error().is(ModelErrc::kNotConfigured));
  EXPECT_TRUE(http_.requests.empty());
}

TEST_F(Book, FallsBackInOrderAndPassesOverNamesThatAreNotThere) {
  ModelSettings main = anthropic();
  main.fallback = {"main", "gone", "spare", "spare"};
  main.retries = 0;
  ModelSettings spare{.provider = "openai", .base_url = "http://127.0.0.1:1/v1", .model = "llama3"};
  http_.scripts = {{.status = 500}, {.chunks = {transcript("openai/text.sse")}}};
  const auto answer = ask(book({{"main", main}, {"spare", spare}}));
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(answer->model, "openai/llama3");
  ASSERT_EQ(http_.requests.size(), 2u);
  EXPECT_EQ(http_.requests[0].url, "https://api.anthropic.com/v1/messages");
  EXPECT_EQ(http_.requests[1].url, "http://127.0.0.1:1/v1/chat/completions");
}

TEST_F(Book, CanFallBackToTheOfflineModel) {
  ModelSettings main = anthropic("");
  main.fallback = {"spare"};
  const auto answer = ask(book({{"main", main}, {"spare", {}}}));
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_TRUE(answer->model.starts_with("offline/"));
}

TEST_F(Book, CanBeMadeOfModelsThatAreThere) {
  auto scripted = std::make_shared<ScriptedModel>(std::vector{
      ScriptedAnswer::says_in_pieces({"Hel", "lo"}).after_a_void_try({"Ho"}),
      ScriptedAnswer::calls_tool("call_1", "t"), ScriptedAnswer::fails(ModelErrc::kOverloaded)});
  const ModelBook made({{"main", scripted}});
  const auto said = ask(made, "cheap");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->text(), "Hello");
  EXPECT_EQ(heard_.said(), "Hello");
  EXPECT_EQ(heard_.voided, 1);
  EXPECT_EQ(ask(made)->calls().size(), 1u);
  EXPECT_TRUE(ask(made).error().is(ModelErrc::kOverloaded));
  EXPECT_TRUE(ask(made).error().is(ModelErrc::kBroken));
  EXPECT_EQ(scripted->requests.size(), 4u);

  scripted->then(ScriptedAnswer::hangs_until_cancelled({"well"}));
  std::stop_source stop;
  std::optional<Result<ModelAnswer>> hanging;
  world_.start(scripted->answer(request_, heard_, stop.get_token()), hanging);
  EXPECT_EQ(scripted->running(), 1u);
  stop.request_stop();
  world_.settle();
  ASSERT_TRUE(hanging.has_value());
  EXPECT_TRUE(hanging->error().is(ModelErrc::kCancelled));
}

}  // namespace
}  // namespace rouse
