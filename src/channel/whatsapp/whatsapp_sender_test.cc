#include "channel/whatsapp/whatsapp_sender.h"

#include <memory>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "net/net_for_tests.h"
#include "net/peer_for_tests.h"

namespace rouse {
namespace {

using Kind = SendOutcome::Kind;

std::string answer_of(int status, std::string_view body, std::string_view headers = "") {
  return fmt::format("HTTP/1.1 {} X\r\nContent-Length: {}\r\n{}\r\n{}", status, body.size(),
                     headers, body);
}

Task<Response> accepted() {
  Response response;
  response.body = R"({"id":"wamid.7"})";
  co_return response;
}

class WhatsAppSenderTest : public testing::Test {
 protected:
  SendOutcome send_to(std::uint16_t port, Millis deadline = seconds(10),
                      std::stop_token stop = {}) {
    client_ = make_http_client(loop_, {});
    WhatsAppSender sender(*client_);
    redactor_.set_secrets({"the-bridge-secret"});
    sender.redact_with(&redactor_);
    sender.configure({.send_url = fmt::format("http://127.0.0.1:{}/send", port),
                      .secret = "the-bridge-secret",
                      .deadline = deadline});
    return run_task(loop_, sender.send(delivery(), std::move(stop)));
  }
  SendOutcome answered(Script script) {
    ScriptedPeer peer({std::move(script)});
    return send_to(peer.port());
  }
  static Delivery delivery() {
    Delivery out;
    out.id = *OutboxId::parse("out_42");
    out.to = {"whatsapp", "+15550001234"};
    out.account = "default";
    out.text = "Grüße, \"du\"";
    return out;
  }
  Loop loop_;
  Redactor redactor_;
  std::unique_ptr<HttpClient> client_;
};

// SC-10
TEST_F(WhatsAppSenderTest, AReceiptThatSaysTheSecretIsKeptWithoutIt) {
  for (const std::size_t before : {0, 245, 256}) {
    const std::string id = std::string(before, 'w') + "the-bridge-secret";
    const SendOutcome outcome =
        answered(Script::answer(answer_of(200, fmt::format(R"({{"id":"{}"}})", id))));
    EXPECT_EQ(outcome.receipt, (std::string(before, 'w') + "[redacted]").substr(0, 256));
  }
}

// design.md, 8: replies go to send_url with an idempotency key
TEST_F(WhatsAppSenderTest, PostsTheReplyWithItsKeyAndTheSecret) {
  RunningServer bridge;
  std::string seen, key, secret, type;
  bridge.handler.on_admit = [](const RequestHead&) { return Admission{{}, 1 << 20}; };
  bridge.handler.on_handle = [&](const RequestHead& head, std::string body) {
    seen = fmt::format("{} {} {}", head.method, head.path, body);
    key = head.header("idempotency-key").value_or("");
    secret = head.header("x-bridge-secret").value_or("");
    type = head.header("content-type").value_or("");
    return accepted();
  };
  const SendOutcome outcome = send_to(bridge.port);
  EXPECT_EQ(outcome.kind, Kind::kDelivered) << outcome.error;
  EXPECT_EQ(outcome.receipt, "wamid.7");
  EXPECT_EQ(seen,
            "POST /send {\"to\":\"+15550001234\",\"text\":\"Grüße, \\\"du\\\"\","
            "\"accountId\":\"default\",\"idempotencyKey\":\"out_42\"}");
  EXPECT_EQ(key, "out_42");
  EXPECT_EQ(secret, "the-bridge-secret");
  EXPECT_EQ(type, "application/json");
}

TEST_F(WhatsAppSenderTest, EveryGoodStatusIsDeliveredWithWhateverReceiptThereIs) {
  EXPECT_EQ(answered(Script::answer(answer_of(201, R"({"messageId":"m1"})"))).receipt, "m1");
  for (const std::string_view body : {"", "ok", "{}", "[1]", R"({"id":7})", R"({"id":""})"}) {
    const SendOutcome outcome = answered(Script::answer(answer_of(200, body)));
    EXPECT_EQ(outcome.kind, Kind::kDelivered) << body;
    EXPECT_EQ(outcome.receipt, std::nullopt) << body;
  }
}

TEST_F(WhatsAppSenderTest, WhatIsBusyOrBrokenMayTakeItLater) {
  for (const int status : {408, 425, 429, 500, 502, 503, 504}) {
    const SendOutcome outcome = answered(Script::answer(answer_of(status, "")));
    EXPECT_EQ(outcome.kind, Kind::kNotYet) << status;
    EXPECT_NE(outcome.error.find(std::to_string(status)), std::string::npos);
  }
  const auto asked = [this](std::string_view header) {
    return answered(Script::answer(answer_of(429, "", header))).retry_after;
  };
  EXPECT_EQ(asked("Retry-After: 120\r\n"), seconds(120));
  EXPECT_EQ(asked("Retry-After: 99999999\r\n"), hours(6)) << "within reason";
  EXPECT_EQ(asked("Retry-After: soon\r\n"), std::nullopt);
  EXPECT_EQ(asked("Retry-After: -1\r\n"), std::nullopt);
  EXPECT_EQ(asked(""), std::nullopt);
}

TEST_F(WhatsAppSenderTest, AnyOtherStatusIsANo) {
  for (const int status : {301, 400, 401, 403, 404, 413, 422}) {
    EXPECT_EQ(answered(Script::answer(answer_of(status, ""))).kind, Kind::kRefused) << status;
  }
}

// DL-1: it certainly did not leave
TEST_F(WhatsAppSenderTest, WithoutAConnectionItMayBeTriedAgain) {
  EXPECT_EQ(send_to(closed_port()).kind, Kind::kNotYet);
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_EQ(send_to(closed_port(), seconds(1), stopped.get_token()).kind, Kind::kNotYet);
}

// DL-1: it may have arrived
TEST_F(WhatsAppSenderTest, WhenTheAnswerIsMissingNobodyCanSay) {
  EXPECT_EQ(answered(Script::answer("")).kind, Kind::kUnknown) << "closed without a word";
  EXPECT_EQ(answered(Script::answer("HTTP/1.1 20")).kind, Kind::kUnknown);
  EXPECT_EQ(answered(Script::answer("what?\r\n\r\n")).kind, Kind::kUnknown);
  ScriptedPeer silent({Script::silent()});
  EXPECT_EQ(send_to(silent.port(), millis(200)).kind, Kind::kUnknown);
}

TEST_F(WhatsAppSenderTest, TheStatusCountsEvenIfTheBodyBreaksOff) {
  const SendOutcome outcome =
      answered(Script::answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\""));
  EXPECT_EQ(outcome.kind, Kind::kDelivered);
  const std::string large(100'000, 'x');
  EXPECT_EQ(answered(Script::answer(answer_of(200, large))).kind, Kind::kDelivered);
}

// SC-10
TEST_F(WhatsAppSenderTest, NoErrorTellsTheSecret) {
  for (Script script : {Script::answer(""), Script::answer(answer_of(500, "")),
                        Script::answer(answer_of(401, ""))}) {
    EXPECT_EQ(answered(std::move(script)).error.find("the-bridge-secret"), std::string::npos);
  }
  EXPECT_EQ(send_to(closed_port()).error.find("the-bridge-secret"), std::string::npos);
}

TEST_F(WhatsAppSenderTest, ServesItsChannelWhenThereIsSomewhereToSend) {
  client_ = make_http_client(loop_, {});
  WhatsAppSender sender(*client_);
  EXPECT_FALSE(sender.serves("whatsapp"));
  sender.configure({.send_url = "http://127.0.0.1:1/send", .secret = ""});
  EXPECT_TRUE(sender.serves("whatsapp"));
  EXPECT_FALSE(sender.serves("telegram"));
}

}  // namespace
}  // namespace rouse
