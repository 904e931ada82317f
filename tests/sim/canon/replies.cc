// Chapter: replies and notifications leave the house (DL-1 to DL-4, UX-8).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sim/canon/canon.h"

namespace rouse::sim::canon {
namespace {

std::string deliveries(const Life& life) {
  return life.text("SELECT channel, state FROM outbox ORDER BY channel, state");
}

// Each state is a truth about the world: what counts as delivered arrived, what never left did not.
Canon replied(std::string name, std::function<SendOutcome(const Delivery&)> channel,
              std::set<std::string> may_end_as) {
  Canon out{
      .name = std::move(name),
      .act =
          [](Life& life, Ledger& ledger) {
            life.phones(ledger, "+1", "hello", "m1");
            life.rest(seconds(10));
          },
      .check = [may_end_as = std::move(may_end_as)](Life& life, const Ledger&) -> std::string {
        const auto rows = life.database.read({"SELECT state FROM outbox", {}});
        EXPECT_TRUE(rows && rows->size() <= 1U);
        for (const Row& row : *rows) {
          EXPECT_TRUE(may_end_as.contains(row.text(0))) << row.text(0);
        }
        // A turn that died twice says so, and that is a reply, too.
        EXPECT_EQ(rows->size(),
                  static_cast<std::size_t>(life.number(
                      "SELECT COUNT(*) FROM turns WHERE verdict = 'spoke' OR state = 'parked'")));
        return "";
      }};
  out.setting.channel = std::move(channel);
  return out;
}

Canon retried() {
  return replied("AReplyIsTriedAgain",
                 [](const Delivery& delivery) {
                   return delivery.attempts < 2 ? SendOutcome::not_yet("not now")
                                                : SendOutcome::delivered("r");
                 },
                 {"delivered", "unknown"});  // unknown: it died while it was sending
}

Notification word() {
  return {.workspace = Workspaces::default_id(),
          .kind = "agent",
          .subject = "Build",
          .text = "The build failed."};
}

void two_places(Life& life) {
  life.notifications().configure({{.name = "phone",
                                   .channel = std::string(kNotifyNtfy),
                                   .workspace = Workspaces::default_id()},
                                  {.name = "hook",
                                   .channel = std::string(kNotifyWebhook),
                                   .workspace = Workspaces::default_id()}});
}

// UX-8: the word and its two ways are one write
Canon told_in_two_places() {
  Canon out{
      .name = "ANotificationGoesToTwoPlaces",
      .act =
          [](Life& life, Ledger& ledger) {
            life.note(ledger, "told", life.finish(life.notifications().send(word())).has_value());
            life.rest(seconds(5));
          },
      .check = [](Life& life, const Ledger& ledger) -> std::string {
        const std::int64_t told = life.number("SELECT COUNT(*) FROM notifications");
        EXPECT_EQ(life.number("SELECT COUNT(*) FROM outbox"), 2 * told);
        EXPECT_EQ(life.number("SELECT COUNT(*) FROM events WHERE type = 'notification'"), told);
        if (ledger.acknowledged.contains("told")) EXPECT_EQ(told, 1);
        return fmt::format("told {}", told);
      }};
  out.setting.configure = two_places;
  return out;
}

// DL-4: what is quiet until the morning waits, whoever dies in the night
Canon told_after_quiet_hours() {
  Canon out{.name = "ANotificationWaitsForTheEndOfQuietHours",
            .act =
                [](Life& life, Ledger& ledger) {
                  life.note(ledger, "told",
                            life.finish(life.notifications().send(word())).has_value());
                  life.rest(seconds(5));
                },
            .check = [](Life& life, const Ledger& ledger) -> std::string {
              if (ledger.acknowledged.contains("told")) {
                EXPECT_EQ(life.number("SELECT COUNT(*) FROM outbox WHERE ended_ms IS NOT NULL"), 1);
              }
              return fmt::format("told {}", life.number("SELECT COUNT(*) FROM notifications"));
            },
            .acted_at = "2026-03-02T09:00:00.000Z",
            .recovered_at = "2026-03-02T10:30:00.000Z"};
  out.setting.configure = [](Life& life) {
    NotificationTarget target{.name = "phone",
                              .channel = std::string(kNotifyNtfy),
                              .workspace = Workspaces::default_id()};
    target.quiet = DayHours{.from = 8 * 60, .to = 10 * 60};
    life.notifications().configure({target});
  };
  return out;
}

Canon read() {
  Canon out{.name = "NotificationsAreRead",
            .prepare =
                [](Life& life, Ledger&) {
                  for (int i = 0; i < 3; ++i) {
                    EXPECT_TRUE(life.finish(life.notifications().send(word())));
                  }
                },
            .act =
                [](Life& life, Ledger& ledger) {
                  life.note(ledger, "read",
                            life.finish(life.notifications().mark_read(life.here, 2)).has_value());
                },
            .check = [](Life& life, const Ledger& ledger) -> std::string {
              const std::int64_t unread =
                  life.number("SELECT COUNT(*) FROM notifications WHERE read_ms IS NULL");
              EXPECT_TRUE(unread == 3 || unread == 1) << unread;
              if (ledger.acknowledged.contains("read")) EXPECT_EQ(unread, 1);
              return fmt::format("{} unread", unread);
            }};
  return out;
}

// SE-12: what we sent is known as ours by its receipt, in the next life, too
Canon echoed() {
  const auto echo = [](Life& life) {
    const auto receipts = life.outbox.newest_receipts(1);
    if (!receipts || receipts->empty()) return;
    Ledger nobody;
    life.phones(nobody, "+1", "done", receipts->front());
  };
  return {.name = "OurOwnReplyComesBack",
          .act =
              [echo](Life& life, Ledger& ledger) {
                life.phones(ledger, "+1", "hello", "m1");
                life.rest(seconds(2));
                echo(life);
              },
          .again = [echo](Life& life, const Ledger&) { echo(life); },
          .check = [](Life& life, const Ledger&) -> std::string {
            EXPECT_EQ(life.number("SELECT COUNT(*) FROM inbound WHERE message_id <> 'm1'"), 0);
            return "";
          }};
}

}  // namespace

std::vector<Canon> replies_are_sent() {
  const auto always = [](SendOutcome outcome) {
    return [outcome](const Delivery&) { return outcome; };
  };
  return {replied("AReplyArrives", always(SendOutcome::delivered("r")), {"delivered", "unknown"}),
          replied("AReplyIsRefused", always(SendOutcome::refused("no such number")),
                  {"failed", "unknown"}),
          replied("NobodyKnowsWhetherAReplyArrived", always(SendOutcome::unknown("no answer")),
                  {"unknown"}),
          retried(),
          echoed(),
          told_in_two_places(),
          told_after_quiet_hours(),
          read()};
}

}  // namespace rouse::sim::canon
