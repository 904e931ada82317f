#include "model/http_provider.h"

#include "model/anthropic/anthropic_format.h"
#include "model/model_for_tests.h"
#include "model/openai/openai_format.h"

namespace rouse {
namespace {

class OverHttp : public testing::Test {
 protected:
  ModelTestLoop world_;
  ScriptedHttp http_;
  HeardStream heard_;
  ModelRequest request_;
  std::stop_source stop_;
  Redactor known_;

  HttpProvider provider() {
    ModelInfo info;
    info.provider = "anthropic";
    info.name = "claude-test";
    return {info,
            make_anthropic_format("", "sk-secret-key-123"),
            "sk-secret-key-123",
            http_,
            world_.clock,
            world_.random,
            &known_};
  }
  TryResult ask(HttpScript script, Millis time_left = minutes(10)) {
    http_.scripts.push_back(std::move(script));
    HttpProvider one = provider();
    return world_.run(one.ask(request_, heard_, time_left, stop_.get_token()));
  }
  static std::string good() { return transcript("anthropic/tool_use.sse"); }
};

TEST_F(OverHttp, AnswersAndNamesTheModel) {
  request_.stall = seconds(7);
  const auto answer = ask({.chunks = {good()}}, seconds(90));
  ASSERT_TRUE(answer) << in_words(answer);
  EXPECT_EQ(answer->model, "anthropic/claude-test");
  EXPECT_EQ(http_.requests[0].method, "POST");
  EXPECT_EQ(http_.requests[0].deadline, seconds(90));
  EXPECT_EQ(http_.requests[0].idle_deadline, seconds(7));
  EXPECT_EQ(world_.clock.waiting(), 0u);
}

TEST_F(OverHttp, EstimatesThePromptWhenNobodyCounted) {
  request_.messages = {{PromptRole::kUser, {text_block("12345678")}}};
  const auto answer = ask({.chunks = {transcript("anthropic/split_character_no_usage.sse")}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->usage.in, estimate_tokens(request_));
  EXPECT_TRUE(answer->usage.estimated);
}

TEST_F(OverHttp, TurnsAStatusIntoACauseAndReadsRetryAfter) {
  const auto limited = ask({.status = 429,
                            .headers = {{"retry-after", "12"}},
                            .chunks = {R"({"type":"error","error":{"type":"rate_limit_error",)",
                                       R"("message":"slow down, sk-secret-key-123"}})"}});
  ASSERT_FALSE(limited);
  EXPECT_TRUE(limited.error().error.is(ModelErrc::kRateLimited));
  EXPECT_EQ(limited.error().retry_after, seconds(12));
  // SC-10
  EXPECT_EQ(limited.error().error.message,
            "anthropic/claude-test: too many requests or tokens in a short time (429): slow down, "
            "[redacted]");
  EXPECT_TRUE(ask({.status = 529}).error().error.is(ModelErrc::kOverloaded));
  EXPECT_TRUE(ask({.status = 500, .chunks = {std::string(1 << 20, 'x')}})
                  .error()
                  .error.is(ModelErrc::kServerError));
}

// SC-10
TEST_F(OverHttp, NoSecretGetsIntoAnErrorWhereverItIsCut) {
  known_.set_secrets({"the-bridges-own-secret"});
  const std::string key = "sk-secret-key-123";
  for (std::size_t before = 200; before < 400; ++before) {
    const std::string said =
        ask({.status = 400, .chunks = {std::string(before, '.') + key + " the-bridges-own-secret"}})
            .error()
            .error.message;
    EXPECT_LE(said.size(), 400U);
    EXPECT_EQ(said.find("sk-s"), std::string::npos) << said;
    EXPECT_EQ(said.find("the-b"), std::string::npos) << said;
  }
}

TEST_F(OverHttp, TellsHowAConnectionFailed) {
  const auto how = [&](ClientErrc code, bool before_head) {
    return ask({.failure = code, .before_head = before_head}).error();
  };
  for (const ClientErrc code : {ClientErrc::kResolve, ClientErrc::kConnect, ClientErrc::kTls}) {
    EXPECT_TRUE(how(code, true).error.is(ModelErrc::kUnreachable));
    EXPECT_EQ(how(code, true).retry_after, std::nullopt);
  }
  EXPECT_TRUE(how(ClientErrc::kClosed, true).error.is(ModelErrc::kUnreachable));
  EXPECT_EQ(how(ClientErrc::kClosed, true).retry_after, millis(0));
  EXPECT_TRUE(how(ClientErrc::kClosed, false).error.is(ModelErrc::kBroken));
  EXPECT_TRUE(how(ClientErrc::kProtocol, true).error.is(ModelErrc::kBroken));
  EXPECT_TRUE(how(ClientErrc::kTimeout, false).error.is(ModelErrc::kTimeout));
  EXPECT_TRUE(how(ClientErrc::kBadUrl, true).error.is(ModelErrc::kNotConfigured));
  EXPECT_EQ(how(ClientErrc::kBadUrl, true).error.message.find("secret"), std::string::npos);
}

TEST_F(OverHttp, GivesUpWithoutAFirstByte) {
  request_.first_byte = seconds(30);
  const auto answer = ask({.before_head = true, .hangs = true});
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().error.is(ModelErrc::kTimeout));
  EXPECT_EQ(answer.error().error.message, "anthropic/claude-test: no first byte within 30 s");
  EXPECT_EQ(world_.clock.mono_now(), MonoTime{30'000});
}

TEST_F(OverHttp, DoesNotCountTheFirstByteOnceItIsThere) {
  http_.scripts.push_back({.chunks = {good().substr(0, 400)}, .hangs = true});
  HttpProvider one = provider();
  std::optional<TryResult> answer;
  world_.start(one.ask(request_, heard_, minutes(10), stop_.get_token()), answer);
  world_.clock.advance(minutes(5));
  world_.settle();
  EXPECT_FALSE(answer.has_value());
  stop_.request_stop();
  world_.settle();
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->error().error.is(ModelErrc::kCancelled));
}

TEST_F(OverHttp, KeepsAnAnswerWhoseConnectionBreaksAfterItsEnd) {
  EXPECT_TRUE(ask({.chunks = {good()}, .failure = ClientErrc::kTimeout}));
  EXPECT_TRUE(ask({.chunks = {good()}, .failure = ClientErrc::kClosed}));
}

TEST_F(OverHttp, DoesNotWaitForTheEndOfAnAnswerThatHasNone) {
  const auto answer = ask({.headers = {}, .chunks = {good()}, .hangs = true});
  EXPECT_TRUE(answer);
  EXPECT_EQ(world_.clock.mono_now(), MonoTime{0});
}

TEST_F(OverHttp, EndsWithAnErrorInTheStream) {
  const auto answer = ask({.chunks = {transcript("anthropic/error_in_the_middle.sse")}});
  EXPECT_EQ(
      in_words(answer),
      "model_overloaded: anthropic/claude-test: the provider is overloaded (529): Overloaded");
  EXPECT_EQ(heard_.said(), "I was about to");
}

TEST_F(OverHttp, IsNotAskedWhenCancelledBefore) {
  stop_.request_stop();
  EXPECT_TRUE(ask({.before_head = true, .hangs = false}).error().error.is(ModelErrc::kCancelled));
}

}  // namespace
}  // namespace rouse
