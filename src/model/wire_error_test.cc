#include "model/wire_error.h"

#include "model/model_for_tests.h"

namespace rouse {
namespace {

Error error_of(int status, std::string_view body) {
  return to_error(status, read_wire_error(body));
}

TEST(WireError, TellsCausesApart) {
  struct Case {
    int status;
    std::string_view body;
    ModelErrc code;
  };
  const std::vector<Case> cases = {
      {401,
       R"({"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}})",
       ModelErrc::kUnauthorized},
      {403, R"({"error":{"type":"permission_error","message":"no"}})", ModelErrc::kUnauthorized},
      {402, R"({"error":{"type":"billing_error","message":"pay"}})", ModelErrc::kNoCredit},
      {400,
       R"({"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}})",
       ModelErrc::kNoCredit},
      {429,
       R"({"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}})",
       ModelErrc::kNoCredit},
      {429,
       R"({"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}})",
       ModelErrc::kRateLimited},
      {400,
       R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}})",
       ModelErrc::kContextFull},
      {400,
       R"({"error":{"message":"This model's maximum context length is 128000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}})",
       ModelErrc::kContextFull},
      {400,
       R"({"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}})",
       ModelErrc::kContextFull},
      {413, R"({"error":{"type":"request_too_large","message":"too large"}})",
       ModelErrc::kContextFull},
      {400, R"({"error":{"message":"temperature","type":"invalid_request_error"}})",
       ModelErrc::kRefused},
      {404, R"({"error":"model 'x' not found"})", ModelErrc::kRefused},
      {302, "", ModelErrc::kRefused},
      {408, "", ModelErrc::kTimeout},
      {500, R"({"error":{"type":"api_error","message":"Internal server error"}})",
       ModelErrc::kServerError},
      {502, "<html>Bad Gateway</html>", ModelErrc::kServerError},
      {503, "busy", ModelErrc::kOverloaded},
      {529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
       ModelErrc::kOverloaded},
  };
  for (const Case& one : cases) {
    EXPECT_TRUE(error_of(one.status, one.body).is(one.code))
        << one.status << one.body << error_of(one.status, one.body);
  }
}

TEST(WireError, RepeatsTheProvidersWordsInOneLine) {
  EXPECT_EQ(error_of(400, R"({"error":{"message":"bad\nfield"}})").message,
            "the provider refused the request (400): bad field");
  EXPECT_EQ(error_of(404, R"({"detail":"Not Found"})").message,
            "not found; check the model's name and base_url (404): Not Found");
  EXPECT_EQ(error_of(502, "<html>x</html>").message, "the provider had a fault of its own (502)");
  EXPECT_TRUE(is_utf8(error_of(400, "\xff\xfe oh").message));
}

// SC-10
TEST(WireError, SaysNothingOfWhatAProviderTellsAboutAKey) {
  const Error error = error_of(
      401,
      R"({"error":{"message":"Incorrect API key provided: sk-proj-****abcd.","code":"invalid_api_key"}})");
  EXPECT_EQ(error.message.find("abcd"), std::string::npos);
}

TEST(WireError, ReadsRetryAfter) {
  const WallTime now = *from_iso("2026-11-15T10:00:00.000Z");
  const auto read = [&](std::string name, std::string value) {
    ClientResponse head;
    head.headers = {{std::move(name), std::move(value)}};
    return read_retry_after(head, now);
  };
  EXPECT_EQ(read("Retry-After", "17"), seconds(17));
  EXPECT_EQ(read("retry-after", " 0.25 "), millis(250));
  EXPECT_EQ(read("retry-after-ms", "1200"), millis(1'200));
  EXPECT_EQ(read("Retry-After", "Sun, 15 Nov 2026 10:01:30 GMT"), seconds(90));
  EXPECT_EQ(read("Retry-After", "Sun, 15 Nov 2026 09:00:00 GMT"), millis(0));
  for (const char* bad : {"", "soon", "-5", "nan", "inf", "1e99", "15 Nov"}) {
    EXPECT_EQ(read("Retry-After", bad), std::nullopt) << bad;
  }
  EXPECT_EQ(read("X-Other", "1"), std::nullopt);
}

}  // namespace
}  // namespace rouse
