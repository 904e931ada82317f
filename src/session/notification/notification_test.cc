#include "session/notification/notification.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "session/delivery_list.h"
#include "session/workspaces.h"
#include "tests/sim/world.h"

namespace rouse {
namespace {

class NotificationTest : public testing::Test {
 protected:
  void SetUp() override {
    notifications_.on_waiting([this] { ++waiting_; });
    events_.on_commit([this](const WorkspaceId&) { ++heard_; });
  }
  static NotificationTarget target(std::string name, std::string_view channel) {
    return {.name = std::move(name),
            .channel = std::string(channel),
            .workspace = Workspaces::default_id()};
  }
  static Notification word(std::string text, std::string kind = "agent") {
    return {.workspace = Workspaces::default_id(),
            .kind = std::move(kind),
            .subject = "Subject",
            .text = std::move(text)};
  }
  void send(Notification notification) {
    const auto sent = world_.run(notifications_.send(std::move(notification)));
    ASSERT_TRUE(sent) << sent.error().message;
  }
  // Oldest first.
  std::vector<Delivery> outbox() {
    auto page = *world_.run(deliveries_.page(Workspaces::default_id(), {}, {}, 100));
    return {page.rbegin(), page.rend()};
  }
  NotificationParcel parcel(std::size_t at) {
    return *decode_json<NotificationParcel>(outbox().at(at).text);
  }
  std::vector<Notification> list(std::int64_t before = 0, std::size_t limit = 100) {
    return *world_.run(notifications_.list(Workspaces::default_id(), before, limit));
  }
  PushSubscription subscribe(std::string endpoint,
                             WorkspaceId workspace = Workspaces::default_id()) {
    return *world_.run(notifications_.subscriptions().add({.id = {},
                                                           .workspace = workspace,
                                                           .token = "",
                                                           .endpoint = std::move(endpoint),
                                                           .p256dh = "point",
                                                           .auth = "secret",
                                                           .name = "Browser",
                                                           .created = {}}));
  }

  sim::World world_{7};
  Database& database_ = **world_.open_store();
  EventLog events_{database_};
  Notifications notifications_{database_, world_.clock(), world_.random(), events_};
  DeliveryList deliveries_{database_};
  int waiting_ = 0, heard_ = 0;
};

// UX-8
TEST_F(NotificationTest, IsKeptShownAndBroughtToEachPlaceInOneWrite) {
  notifications_.configure({target("phone", kNotifyNtfy), target("hook", kNotifyWebhook)});
  Notification said = word("The build failed.", "heartbeat");
  said.conversation = *ConversationId::parse("conv_1");
  send(said);
  EXPECT_EQ(waiting_, 1);
  EXPECT_EQ(heard_, 1);
  ASSERT_EQ(list().size(), 1u);
  EXPECT_EQ(list()[0].text, "The build failed.");
  EXPECT_EQ(list()[0].number, 1);
  const auto events = *events_.after(Workspaces::default_id(), 0, 10);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].conversation, "conv_1");
  EXPECT_EQ(events[0].body,
            R"({"number":1,"kind":"heartbeat","text":"The build failed.","subject":"Subject",)"
            R"("title":"Subject"})");
  ASSERT_EQ(outbox().size(), 2u);
  EXPECT_EQ(outbox()[0].to.str(), "notify-ntfy:phone");
  EXPECT_EQ(outbox()[1].to.str(), "notify-webhook:hook");
  EXPECT_EQ(outbox()[0].conversation.str(), "conv_notify-phone");
  EXPECT_EQ(parcel(0).url, "/chat/conv_1");
}

TEST_F(NotificationTest, WordsThatLookLikeTheNumberStayAsTheyAre) {
  send(word(R"("number":0,)"));
  send(word("two"));
  const auto events = *events_.after(Workspaces::default_id(), 0, 10);
  EXPECT_EQ(events[0].body,
            R"({"number":1,"kind":"agent","text":"\"number\":0,","subject":"Subject",)"
            R"("title":"Subject"})");
  EXPECT_TRUE(events[1].body.starts_with(R"({"number":2,)"));
}

TEST_F(NotificationTest, APlaceGetsTheKindsItWants) {
  auto only = target("phone", kNotifyNtfy);
  only.kinds = {"heartbeat", "approval"};
  auto nothing = target("desk", kNotifyDesktop);
  nothing.kinds = std::vector<std::string>();
  notifications_.configure({only, nothing});
  send(word("a", "agent"));
  EXPECT_TRUE(outbox().empty());
  send(word("b", "approval"));
  ASSERT_EQ(outbox().size(), 1u);
  EXPECT_EQ(outbox()[0].to.peer, "phone");
}

TEST_F(NotificationTest, QuietHoursHoldItUntilTheyEnd) {
  auto phone = target("phone", kNotifyNtfy);
  const WallTime now = world_.clock().wall_now();
  const auto day_minute = static_cast<int>(now.unix_ms / 60'000 % 1'440);
  phone.quiet = DayHours{(day_minute + 1'439) % 1'440, (day_minute + 60) % 1'440};
  notifications_.configure({phone, target("hook", kNotifyWebhook)});
  send(word("later"));
  ASSERT_EQ(outbox().size(), 2u);
  EXPECT_EQ(outbox()[0].next_try, end_of_hours(*phone.quiet, "UTC", now));
  EXPECT_GT(outbox()[0].next_try, now);
  EXPECT_EQ(outbox()[1].next_try, outbox()[1].created);
}

TEST_F(NotificationTest, APlaceSeesNoMoreThanItMay) {
  auto subject = target("a", kNotifyNtfy), nothing = target("b", kNotifyNtfy);
  subject.privacy = NotificationPrivacy::kSubject;
  nothing.privacy = NotificationPrivacy::kNothing;
  notifications_.configure({subject, nothing});
  Notification said = word("secret words");
  said.conversation = *ConversationId::parse("conv_1");
  send(said);
  EXPECT_EQ(parcel(0).subject, "Subject");
  EXPECT_EQ(parcel(0).text, "");
  EXPECT_EQ(parcel(1).subject, "rouse has something for you");
  EXPECT_EQ(parcel(1).url, "/");
  said.subject.clear();
  send(said);
  EXPECT_EQ(parcel(2).subject, "rouse has something for you");
  for (const Delivery& one : outbox()) EXPECT_FALSE(one.text.contains("secret words"));
}

TEST_F(NotificationTest, EveryBrowserThatSubscribedIsAPlaceOfItsOwn) {
  const auto other = *WorkspaceId::parse("ws_other");
  const auto first = subscribe("https://push.example/1");
  subscribe("https://push.example/2");
  subscribe("https://push.example/3", other);
  send(word("hello"));
  ASSERT_EQ(outbox().size(), 2u);
  EXPECT_EQ(outbox()[0].to.str(), "notify-push:" + first.id.str());
  auto push = target("web", kNotifyPush);
  push.kinds = {"approval"};
  notifications_.configure({push});
  send(word("hello"));
  EXPECT_EQ(outbox().size(), 2u);
  // The same browser again replaces what was known of it.
  subscribe("https://push.example/1");
  EXPECT_EQ(notifications_.subscriptions().of(Workspaces::default_id())->size(), 2u);
  EXPECT_FALSE(*notifications_.subscriptions().get(first.id.str()));
}

TEST_F(NotificationTest, NobodyElsesPlacesAreTold) {
  notifications_.configure({target("phone", kNotifyNtfy)});
  Notification said = word("theirs");
  said.workspace = *WorkspaceId::parse("ws_other");
  send(said);
  EXPECT_TRUE(outbox().empty());
  EXPECT_TRUE(list().empty());
}

TEST_F(NotificationTest, ReadingCountsAndPagesGoBack) {
  for (int i = 0; i < 5; ++i) send(word("n"));
  EXPECT_EQ(notifications_.unread(Workspaces::default_id()), 5);
  EXPECT_EQ(world_.run(notifications_.mark_read(Workspaces::default_id(), 3)), 3);
  EXPECT_EQ(world_.run(notifications_.mark_read(Workspaces::default_id(), 3)), 0);
  EXPECT_EQ(notifications_.unread(Workspaces::default_id()), 2);
  const auto page = list(5, 2);
  ASSERT_EQ(page.size(), 2u);
  EXPECT_EQ(page[0].number, 4);
  EXPECT_FALSE(page[0].read);
  EXPECT_TRUE(page[1].read);
}

TEST_F(NotificationTest, NothingStaysOfAWorkspaceThatIsCleared) {
  subscribe("https://push.example/1");
  send(word("n"));
  ASSERT_TRUE(world_.run(notifications_.forget(Workspaces::default_id())));
  EXPECT_TRUE(outbox().empty());
  EXPECT_TRUE(list().empty());
  EXPECT_TRUE(notifications_.subscriptions().of(Workspaces::default_id())->empty());
}

TEST_F(NotificationTest, OnlyTheNewestAreKept) {
  Write write;
  for (int i = 0; i < kNotificationsKept + 3; ++i) {
    for (Statement& one : notifications_.say(word("n"))) write.statements.push_back(one);
  }
  ASSERT_TRUE(world_.run(database_.write(std::move(write))));
  EXPECT_EQ(notifications_.unread(Workspaces::default_id()), kNotificationsKept);
  EXPECT_EQ(list(0, 1)[0].number, kNotificationsKept + 3);
}

// What is over is of no use after a month; what is under way stays however old it is.
TEST_F(NotificationTest, ParcelsThatAreOverAreKeptForAWhile) {
  notifications_.configure({target("phone", kNotifyNtfy), target("hook", kNotifyWebhook)});
  send(word("old"));
  ASSERT_TRUE(world_.run(database_.write(
      one("UPDATE outbox SET state = 'delivered', ended_ms = $1 WHERE peer = 'phone'",
          {world_.clock().wall_now().unix_ms}, 1))));
  world_.run_for(kParcelsKept - hours(1));
  send(word("a month"));
  EXPECT_EQ(outbox().size(), 4u);
  world_.run_for(hours(2));
  send(word("more"));
  ASSERT_EQ(outbox().size(), 5u);
  EXPECT_EQ(outbox()[0].to.peer, "hook");
}

TEST_F(NotificationTest, AConversationIsToldWhatItHasHeardItself) {
  notifications_.configure({target("chat", kNotifyConversation), target("hook", kNotifyWebhook)});
  Notification said = word("about the answer");
  said.conversation = *ConversationId::parse("conv_1");
  said.heard_there = true;
  send(said);
  ASSERT_EQ(outbox().size(), 2u);
  for (const Delivery& one : outbox()) {
    const auto heard = decode_json<NotificationParcel>(one.text)->heard_in;
    EXPECT_EQ(heard.value_or(""), one.to.peer == "chat" ? "conv_1" : "") << one.to.peer;
  }
}

TEST_F(NotificationTest, ATestWaitsForNobody) {
  notifications_.configure({target("phone", kNotifyNtfy)});
  send(word("held up"));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(world_.run(notifications_.test(Workspaces::default_id(), "phone")));
  }
  Outbox waiting(database_, world_.clock());
  EXPECT_EQ(waiting.due(world_.clock().wall_now(), 10)->size(), 3u);
  EXPECT_EQ(std::ranges::count_if(outbox(), is_notification_test), 2);
}

TEST_F(NotificationTest, ATestGoesToOnePlaceAndIsNotKept) {
  auto phone = target("phone", kNotifyNtfy);
  phone.kinds = std::vector<std::string>();
  notifications_.configure({phone, target("hook", kNotifyWebhook)});
  const auto sent = world_.run(notifications_.test(Workspaces::default_id(), "phone"));
  ASSERT_TRUE(sent);
  ASSERT_EQ(outbox().size(), 1u);
  EXPECT_EQ(outbox()[0].id.str(), sent->front());
  EXPECT_TRUE(list().empty());
  EXPECT_FALSE(world_.run(notifications_.test(Workspaces::default_id(), "nobody")));
  EXPECT_FALSE(world_.run(notifications_.test(Workspaces::default_id(), "push")));
}

}  // namespace
}  // namespace rouse
