// The whole way over a real socket and the real clock: book, chain, provider, HTTP client. What
// depends on time is tested with a virtual clock beside the parts; here nothing waits for it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/model_book.h"
#include "model/model_for_tests.h"
#include "net/net_for_tests.h"
#include "net/peer_for_tests.h"

namespace rouse {
namespace {

std::string streamed(const std::string& name) {
  const std::string body = transcript(name);
  // In two chunks, cut in the middle of whatever stands there.
  const std::size_t half = body.size() / 2;
  return fmt::format(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
      "{:x}\r\n{}\r\n{:x}\r\n{}\r\n0\r\n\r\n",
      half, body.substr(0, half), body.size() - half, body.substr(half));
}

std::string refusal(int status, std::string_view headers, std::string_view body) {
  return fmt::format("HTTP/1.1 {} No\r\n{}Content-Length: {}\r\n\r\n{}", status, headers,
                     body.size(), body);
}

class OverSocket : public testing::Test {
 protected:
  Loop loop_;
  RealClock clock_{loop_};
  SeededRandom random_{1};
  std::unique_ptr<HttpClient> http_ = make_http_client(loop_, {});
  HeardStream heard_;
  ModelRequest request_;

  Result<ModelAnswer> ask(const std::string& provider, std::uint16_t port,
                          std::int64_t retries = 3) {
    ModelSettings settings;
    settings.provider = provider;
    settings.base_url = fmt::format("http://127.0.0.1:{}", port);
    settings.model = "any";
    settings.api_key = "sk-very-secret";
    settings.retries = retries;
    const ModelBook book({{"main", settings}}, *http_, clock_, random_);
    return run_task(loop_, book.main()->answer(request_, heard_, {}));
  }
};

TEST_F(OverSocket, BothFormatsAnswer) {
  ScriptedPeer anthropic({Script::answer(streamed("anthropic/tool_use.sse"))});
  const auto first = ask("anthropic", anthropic.port());
  ASSERT_TRUE(first) << first.error();
  EXPECT_EQ(first->calls().size(), 1u);
  const std::string head = anthropic.request(0);
  EXPECT_TRUE(head.starts_with("POST /v1/messages HTTP/1.1\r\n")) << head;
  EXPECT_NE(head.find("x-api-key: sk-very-secret\r\n"), std::string::npos);

  ScriptedPeer openai({Script::answer(streamed("openai/text.sse"))});
  const auto second = ask("openai", openai.port());
  ASSERT_TRUE(second) << second.error();
  EXPECT_EQ(second->text(), "Hello – ça va? 👋");
  EXPECT_TRUE(openai.request(0).starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
}

TEST_F(OverSocket, TriesAgainAtOnceAfterALimitThatIsOverAndAClosedDoor) {
  const std::string whole = streamed("anthropic/text.sse");
  const std::string limit = refusal(429, "Retry-After: 0\r\n", R"({"error":{"message":"slow"}})");
  for (const std::string& fault : {limit, std::string()}) {
    ScriptedPeer peer({Script::answer(fault), Script::answer(whole)});
    heard_ = {};
    const auto answer = ask("anthropic", peer.port());
    ASSERT_TRUE(answer) << answer.error();
    EXPECT_EQ(heard_.said(), answer->text());
    EXPECT_EQ(heard_.voided, 0);
  }
}

TEST_F(OverSocket, EachFaultEndsInAClearFailure) {
  struct Case {
    std::string bytes;
    ModelErrc code;
  };
  const std::string whole = streamed("openai/tool_calls.sse");
  const std::vector<Case> cases = {
      {refusal(401, "", "{}"), ModelErrc::kUnauthorized},
      {refusal(402, "", "{}"), ModelErrc::kNoCredit},
      {refusal(400, "", R"({"error":{"code":"context_length_exceeded"}})"),
       ModelErrc::kContextFull},
      {refusal(500, "", "oops"), ModelErrc::kServerError},
      {refusal(529, "", "{}"), ModelErrc::kOverloaded},
      {whole.substr(0, whole.size() / 3), ModelErrc::kBroken},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", ModelErrc::kBroken},
      {"garbage\r\n\r\n", ModelErrc::kBroken},
      {"", ModelErrc::kUnreachable},
  };
  for (const Case& one : cases) {
    ScriptedPeer peer({Script::answer(one.bytes)});
    const auto answer = ask("openai", peer.port(), 0);
    ASSERT_FALSE(answer) << one.bytes;
    EXPECT_TRUE(answer.error().is(one.code)) << one.bytes << answer.error();
    EXPECT_EQ(answer.error().message.find("secret"), std::string::npos);  // SC-10
  }
  EXPECT_TRUE(ask("openai", closed_port(), 0).error().is(ModelErrc::kUnreachable));
}

TEST_F(OverSocket, GivesUpOnSilenceBeforeTheFirstByteAndInTheMiddle) {
  request_.first_byte = millis(30);
  request_.stall = millis(30);
  ScriptedPeer silent({Script::silent()});
  EXPECT_TRUE(ask("openai", silent.port(), 0).error().is(ModelErrc::kTimeout));
  const std::string whole = streamed("openai/tool_calls.sse");
  ScriptedPeer stalling({Script::answer_and_hang(whole.substr(0, whole.size() / 2))});
  request_.first_byte = minutes(1);
  EXPECT_TRUE(ask("openai", stalling.port(), 0).error().is(ModelErrc::kTimeout));
}

}  // namespace
}  // namespace rouse
