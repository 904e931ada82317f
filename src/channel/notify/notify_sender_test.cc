#include "channel/notify/notify_sender.h"

#include <gtest/gtest.h>

#include "base/temp_dir_for_tests.h"
#include "base/text.h"
#include "channel/scripted_runner_for_tests.h"
#include "session/kernel_for_tests.h"
#include "session/workspaces.h"
#include "tests/sim/world.h"

namespace rouse {
namespace {

using Outcome = SendOutcome::Kind;

// Keeps what is asked of it and answers as it is told.
class AnsweringClient final : public HttpClient {
 public:
  Task<Result<ClientResponse>> send(ClientRequest request, std::stop_token) override {
    requests.push_back(std::move(request));
    co_return answer;
  }
  Task<Result<ClientResponse>> stream(ClientRequest request, OnHead on_head, OnChunk,
                                      std::stop_token) override {
    requests.push_back(std::move(request));
    if (answer) (void)on_head(*answer);
    co_return answer;
  }
  [[nodiscard]] std::string header(const std::string& name) const {
    for (const auto& [key, value] : requests.back().headers) {
      if (key == name) return value;
    }
    return "";
  }
  Result<ClientResponse> answer = ClientResponse{.status = 200, .headers = {}, .body = {}};
  std::vector<ClientRequest> requests;
};

class NotifySenderTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(world_.run(house_.start()));
    NotifySettings settings;
    settings.places["phone"] = {.channel = std::string(kNotifyNtfy),
                                .url = "https://ntfy.example",
                                .topic = "my topic",
                                .secret = "tk_1"};
    settings.places["hook"] = {.channel = std::string(kNotifyWebhook),
                               .url = "https://example.com/hook",
                               .secret = "the key"};
    settings.places["chat"] = {.channel = std::string(kNotifyConversation),
                               .session_key = "websocket:1"};
    settings.places["desk"] = {.channel = std::string(kNotifyDesktop)};
    settings.public_url = "https://rouse.example.com/";
    settings.contact = "mailto:me@example.com";
    sender_.configure(std::move(settings));
  }
  static bool is_public(std::string_view) { return true; }
  Delivery delivery(std::string_view channel, std::string place) {
    Delivery out;
    out.id = *OutboxId::parse("out_42");
    out.workspace = Workspaces::default_id();
    out.conversation = *ConversationId::parse("conv_notify");
    out.turn = *TurnId::parse("turn_none");
    out.account = place;
    out.to = {std::string(channel), std::move(place)};
    out.text = encode_json(parcel_);
    out.created = out.next_try = world_.clock().wall_now();
    return out;
  }
  SendOutcome send(std::string_view channel, std::string place) {
    return world_.run(sender_.send(delivery(channel, std::move(place)), {}));
  }
  SendOutcome answered(int status, std::vector<std::pair<std::string, std::string>> headers = {}) {
    client_.answer = ClientResponse{.status = status, .headers = std::move(headers), .body = {}};
    return send(kNotifyNtfy, "phone");
  }
  PushSubscription subscribe(std::string endpoint) {
    const auto keys = make_push_keys();
    return *world_.run(subscriptions_.add({.id = {},
                                           .workspace = Workspaces::default_id(),
                                           .token = "",
                                           .endpoint = std::move(endpoint),
                                           .p256dh = to_base64url(keys->public_key),
                                           .auth = to_base64url(std::string(16, 'a')),
                                           .name = "Browser",
                                           .created = {}}));
  }

  sim::World world_{11};
  Database& database_ = **world_.open_store();
  KernelHouse house_{world_, database_};
  ScriptedRunner runner_{house_.kernel};
  TempDir folder_;
  AnsweringClient client_;
  PushSubscriptions subscriptions_{database_, world_.clock(), world_.random()};
  PushKeys keys_{folder_ / "secrets/push"};
  static Task<Result<std::string>> run_nothing(std::vector<std::string>, std::vector<std::string>,
                                               std::stop_token) {
    co_return std::string();
  }
  DesktopNotifier desktop_{run_nothing, {}, folder_ / "notify-send"};
  SpokenNotifications speaker_{database_, house_.kernel, runner_, nullptr};
  NotifySender sender_{{client_, world_.clock(), world_.random(), subscriptions_, keys_, desktop_,
                        speaker_, is_public}};
  NotificationParcel parcel_{.kind = "heartbeat",
                             .subject = "Grüße",
                             .text = "The build is red.",
                             .url = "/chat/conv_1",
                             .created_at = "2026-11-15T10:00:00.000Z",
                             .untrusted = {}};
};

// UX-8
TEST_F(NotifySenderTest, NtfyGetsTitleTextTagAndTheWayBack) {
  EXPECT_EQ(send(kNotifyNtfy, "phone").kind, Outcome::kDelivered);
  EXPECT_EQ(client_.requests.back().method, "POST");
  EXPECT_EQ(client_.requests.back().url, "https://ntfy.example/my%20topic");
  EXPECT_EQ(client_.requests.back().body, "The build is red.");
  EXPECT_EQ(client_.header("Title"), "=?UTF-8?B?R3LDvMOfZQ==?=");
  EXPECT_EQ(client_.header("Tags"), "heartbeat");
  EXPECT_EQ(client_.header("Click"), "https://rouse.example.com/chat/conv_1");
  EXPECT_EQ(client_.header("Authorization"), "Bearer tk_1");
  parcel_.subject = "two\nlines: x";
  parcel_.text.clear();
  EXPECT_EQ(send(kNotifyNtfy, "phone").kind, Outcome::kDelivered);
  EXPECT_FALSE(client_.header("Title").contains('\n'));
  EXPECT_EQ(client_.requests.back().body, "two\nlines: x");
}

TEST_F(NotifySenderTest, AWebhookCanTellThatItIsUs) {
  EXPECT_EQ(send(kNotifyWebhook, "hook").kind, Outcome::kDelivered);
  EXPECT_EQ(client_.header("Idempotency-Key"), "out_42");
  const std::string stamp = client_.header("x-rouse-timestamp");
  EXPECT_EQ(stamp, std::to_string(world_.clock().wall_now().unix_ms / 1000));
  EXPECT_EQ(client_.header("x-rouse-signature"),
            "v1=" + to_hex(hmac_sha256("the key", stamp + "." + client_.requests.back().body)));
  EXPECT_EQ(client_.requests.back().body, encode_json(parcel_));
}

TEST_F(NotifySenderTest, WhatIsAnsweredDecides) {
  for (const int status : {200, 201, 204}) EXPECT_EQ(answered(status).kind, Outcome::kDelivered);
  for (const int status : {408, 425, 429, 500, 503}) {
    EXPECT_EQ(answered(status).kind, Outcome::kNotYet) << status;
  }
  for (const int status : {301, 302, 400, 401, 403, 404, 413}) {
    EXPECT_EQ(answered(status).kind, Outcome::kRefused) << status;
  }
  EXPECT_EQ(answered(429, {{"retry-after", "120"}}).retry_after, seconds(120));
  EXPECT_EQ(answered(503, {{"retry-after", "99999999"}}).retry_after, hours(6));
}

// DL-1: ntfy can't tell a second one from the first, a webhook can.
TEST_F(NotifySenderTest, WithoutAnAnswerItIsSentAgainWhereTwiceIsOnce) {
  client_.answer = fail(ClientErrc::kTimeout, "too late");
  EXPECT_EQ(send(kNotifyWebhook, "hook").kind, Outcome::kNotYet);
  EXPECT_EQ(send(kNotifyNtfy, "phone").kind, Outcome::kUnknown);
  client_.answer = fail(ClientErrc::kConnect, "refused");
  EXPECT_EQ(send(kNotifyNtfy, "phone").kind, Outcome::kNotYet);
}

TEST_F(NotifySenderTest, ATargetThatBecameAnotherTypeGetsNothingThatWasMeantForTheFirst) {
  EXPECT_EQ(send(kNotifyWebhook, "phone").kind, Outcome::kRefused);
  EXPECT_TRUE(client_.requests.empty());
}

TEST_F(NotifySenderTest, ARetryWaitsForTheEndOfTheQuietHours) {
  const auto minute = static_cast<int>(world_.clock().wall_now().unix_ms / 60'000 % 1'440);
  NotifySettings settings;
  NotifyPlace& phone = settings.places["phone"];
  phone = {.channel = std::string(kNotifyNtfy), .url = "https://ntfy.example", .topic = "t"};
  phone.quiet = DayHours{(minute + 1'439) % 1'440, (minute + 60) % 1'440};
  sender_.configure(settings);
  const SendOutcome held = send(kNotifyNtfy, "phone");
  EXPECT_EQ(held.kind, Outcome::kNotYet);
  EXPECT_GT(held.retry_after, minutes(58));
  EXPECT_TRUE(client_.requests.empty());
  Delivery test = delivery(kNotifyNtfy, "phone");
  test.turn = *TurnId::parse("turn_test");
  EXPECT_EQ(world_.run(sender_.send(test, {})).kind, Outcome::kDelivered);
  // One that fails right before them isn't tried within.
  phone.quiet = DayHours{(minute + 2) % 1'440, (minute + 60) % 1'440};
  sender_.configure(settings);
  client_.answer = ClientResponse{.status = 503, .headers = {{"retry-after", "300"}}, .body = {}};
  const SendOutcome failed = send(kNotifyNtfy, "phone");
  EXPECT_EQ(failed.kind, Outcome::kNotYet);
  EXPECT_GT(failed.retry_after, minutes(58));
}

TEST_F(NotifySenderTest, APlaceThatIsGoneFromTheConfigIsRefused) {
  const SendOutcome outcome = send(kNotifyNtfy, "gone");
  EXPECT_EQ(outcome.kind, Outcome::kRefused);
  EXPECT_TRUE(outcome.error.contains("'gone'"));
  EXPECT_TRUE(client_.requests.empty());
}

TEST_F(NotifySenderTest, ABrowserGetsItEncryptedAndSigned) {
  const auto browser = subscribe("https://push.example/abc?d=1");
  client_.answer = ClientResponse{.status = 201, .headers = {}, .body = {}};
  EXPECT_EQ(send(kNotifyPush, browser.id.str()).kind, Outcome::kDelivered);
  EXPECT_EQ(client_.requests.back().url, "https://push.example/abc?d=1");
  EXPECT_EQ(client_.header("Content-Encoding"), "aes128gcm");
  EXPECT_EQ(client_.header("TTL"), "86400");
  EXPECT_EQ(client_.header("Urgency"), "normal");
  EXPECT_EQ(client_.header("Topic").size(), 32u);
  EXPECT_TRUE(client_.header("Authorization").starts_with("vapid t="));
  EXPECT_FALSE(client_.requests.back().body.contains("red"));
  EXPECT_TRUE((*subscriptions_.get(browser.id.str()))->worked);
}

TEST_F(NotifySenderTest, ALongWordIsCutToWhatAPushServiceTakes) {
  const auto browser = subscribe("https://push.example/abc");
  parcel_.text = std::string(2'000, '"');
  EXPECT_EQ(send(kNotifyPush, browser.id.str()).kind, Outcome::kDelivered);
  EXPECT_LT(client_.requests.back().body.size(), 3'300u);
}

TEST_F(NotifySenderTest, ABrowserThatIsGoneIsForgotten) {
  for (const int status : {404, 410}) {
    const auto browser = subscribe("https://push.example/abc");
    client_.answer = ClientResponse{.status = status, .headers = {}, .body = {}};
    const SendOutcome outcome = send(kNotifyPush, browser.id.str());
    EXPECT_EQ(outcome.kind, Outcome::kRefused);
    EXPECT_FALSE(*subscriptions_.get(browser.id.str()));
    EXPECT_EQ(send(kNotifyPush, browser.id.str()).error, "the browser has unsubscribed");
  }
  EXPECT_EQ(client_.requests.size(), 2u);
}

// SC-7
TEST_F(NotifySenderTest, PushMessagesLeaveByHttpsOnly) {
  const auto other = *WorkspaceId::parse("ws_other");
  EXPECT_TRUE(check_push_endpoint("https://push.example/1", other));
  EXPECT_FALSE(check_push_endpoint("http://push.example/1", Workspaces::default_id()));
  EXPECT_TRUE(check_push_endpoint("http://127.0.0.1:99/1", Workspaces::default_id()));
  EXPECT_FALSE(check_push_endpoint("http://127.0.0.1:99/1", other));
  EXPECT_FALSE(check_push_endpoint("https://127.0.0.1:99/1", other));
  EXPECT_FALSE(check_push_endpoint("file:///etc/passwd", other));
}

// SC-7
TEST_F(NotifySenderTest, NobodysEndpointLeadsIntoTheHousesNetwork) {
  send(kNotifyPush, subscribe("https://push.example/abc").id.str());
  EXPECT_TRUE(client_.requests.back().allow_address("10.0.0.1"));  // is_public() of these tests
  send(kNotifyPush, subscribe("http://localhost:99/abc").id.str());
  EXPECT_FALSE(client_.requests.back().allow_address("10.0.0.1"));
  EXPECT_TRUE(client_.requests.back().allow_address("127.0.0.1"));
  client_.answer = fail(ClientErrc::kBlocked, "push.example leads to 10.0.0.1");
  const SendOutcome blocked = send(kNotifyPush, subscribe("https://push.example/abc").id.str());
  EXPECT_EQ(blocked.kind, Outcome::kRefused);
  EXPECT_FALSE(blocked.error.contains("10.0.0.1"));
}

TEST_F(NotifySenderTest, WithoutADesktopItSaysWhatIsMissing) {
  const SendOutcome outcome = send(kNotifyDesktop, "desk");
  EXPECT_EQ(outcome.kind, Outcome::kRefused);
  EXPECT_TRUE(outcome.error.contains("libnotify-bin"));
}

TEST_F(NotifySenderTest, ADesktopIsShownPlainWordsByAProgramWithoutAShell) {
  std::vector<std::string> ran, with;
  DesktopNotifier notifier(
      [&](std::vector<std::string> command, std::vector<std::string> environment,
          std::stop_token stop) {
        ran = command;
        with = environment;
        return run_nothing(std::move(command), std::move(environment), std::move(stop));
      },
      {{"DISPLAY", ":0"}, {"OPENAI_API_KEY", "sk-secret"}}, "/bin/true");
  parcel_.text = "a < b && $(rm)";
  EXPECT_EQ(world_.run(notifier.show(parcel_, {})).kind, Outcome::kDelivered);
  EXPECT_EQ(ran, (std::vector<std::string>{"/bin/true", "--app-name=rouse", "--urgency=normal",
                                           "--", "Grüße", "a &lt; b &amp;&amp; $(rm)"}));
  EXPECT_EQ(with, std::vector<std::string>{"DISPLAY=:0"});
}

TEST_F(NotifySenderTest, AConversationHearsItOnceAndAsItStandsInTheOutbox) {
  const Delivery said = delivery(kNotifyConversation, "chat");
  ASSERT_TRUE(world_.run(database_.write({{Outbox::insert(said)}})));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(world_.run(sender_.send(said, {})).kind, Outcome::kDelivered);
  }
  ASSERT_EQ(runner_.accepted.size(), 1u);
  const Turn turn = *runner_.accepted.front().accepted;
  EXPECT_EQ(turn.kind, TurnKind::kAutomation);
  const auto occasion = speaker_.of_turn(turn);
  ASSERT_TRUE(occasion && *occasion);
  EXPECT_EQ((*occasion)->ready, "Grüße\n\nThe build is red.");
}

TEST_F(NotifySenderTest, AConversationIsNotToldAgainWhatItsOwnAnswerSaid) {
  const Delivery first = delivery(kNotifyConversation, "chat");
  EXPECT_EQ(world_.run(sender_.send(first, {})).kind, Outcome::kDelivered);
  ASSERT_EQ(runner_.accepted.size(), 1u);
  parcel_.heard_in = runner_.accepted.front().session.conversation.str();
  Delivery again = delivery(kNotifyConversation, "chat");
  again.id = *OutboxId::parse("out_43");
  EXPECT_EQ(world_.run(sender_.send(again, {})).kind, Outcome::kDelivered);
  EXPECT_EQ(runner_.accepted.size(), 1u);
}

TEST_F(NotifySenderTest, ABridgedConversationThatNeverBeganIsRefused) {
  NotifySettings settings;
  settings.places["chat"] = {.channel = std::string(kNotifyConversation),
                             .session_key = "whatsapp:+1555"};
  sender_.configure(std::move(settings));
  EXPECT_EQ(send(kNotifyConversation, "chat").kind, Outcome::kRefused);
}

}  // namespace
}  // namespace rouse
