// Chapter: the heart beats, quietly or not (HB-3, HB-5, HB-7, S2-31). A beat that was carried out
// is exactly one row of the activity log, and what it said was said once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sim/canon/canon.h"

namespace rouse::sim::canon {
namespace {

constexpr std::string_view kEachBeat = "- Is it time for tea?";

Setting::Answer finds(std::string verdict, std::string text) {
  return [verdict = std::move(verdict), text = std::move(text)](const Life&,
                                                                const ModelRequest& request) {
    if (request.tools.empty()) return ScriptedAnswer::says("Something was done.");  // a punchline
    return ScriptedAnswer::calls_tool(
        "c1", request.tools.front().name,
        fmt::format(R"({{"verdict":"{}","text":"{}"}})", verdict, text));
  };
}

std::int64_t beats(const Life& life) {
  return life.number("SELECT COUNT(*) FROM activity WHERE type = 'heartbeat'");
}

void expect_one_row_a_beat(const Life& life) {
  EXPECT_EQ(life.text("SELECT o.due_ms FROM occurrences o JOIN jobs j ON j.number = o.job AND "
                      "j.kind = 'system' LEFT JOIN activity a ON a.job = o.job AND a.due_ms = "
                      "o.due_ms WHERE o.state IN ('ok', 'empty', 'error', 'timeout') "
                      "GROUP BY o.due_ms HAVING COUNT(a.id) <> 1"),
            "");
  EXPECT_EQ(life.number("SELECT COUNT(*) FROM occurrences o JOIN jobs j ON j.number = o.job AND "
                        "j.kind = 'system' WHERE o.due_ms = $1",
                        {from_iso("2026-03-02T09:00:00.000Z")->unix_ms}),
            1);
}

Canon beat(std::string name, Setting::Answer cheap,
           std::function<void(Life&, const Ledger&)> check) {
  Canon out{.name = std::move(name),
            .act = [](Life& life, Ledger&) { life.rest(seconds(30)); },
            .check = [check = std::move(check)](Life& life, const Ledger& ledger) -> std::string {
              expect_one_row_a_beat(life);
              check(life, ledger);
              return fmt::format("{} beats", beats(life));
            },
            .prepared_at = "2026-03-02T08:35:00.000Z",
            .acted_at = "2026-03-02T08:59:58.000Z",
            .recovered_at = "2026-03-02T09:05:00.000Z"};
  out.setting.cheap = std::move(cheap);
  out.setting.heartbeat = R"({"interval_minutes":60})";
  out.setting.orders = kEachBeat;
  return out;
}

// HB-3
Canon quiet() {
  return beat("AHeartBeatsQuietly", finds("nothing", ""), [](Life& life, const Ledger&) {
    EXPECT_EQ(life.number("SELECT COUNT(*) FROM messages"), 0);
    EXPECT_EQ(life.number("SELECT COUNT(*) FROM notifications"), 0);
  });
}

// HB-14
Canon speaks() {
  return beat("AHeartbeatTellsSomebody", finds("notify", "Send Henrik the draft."),
              [](Life& life, const Ledger&) {
                EXPECT_LE(life.number("SELECT COUNT(*) FROM notifications"), 1) << "told twice";
                EXPECT_EQ(life.number("SELECT COUNT(*) FROM activity WHERE type = 'heartbeat' AND "
                                      "details LIKE '%\"spoke\"%'"),
                          life.number("SELECT COUNT(*) FROM notifications"));
              });
}

// HB-7
Canon wakes() {
  Canon out = beat("AHeartbeatWakesAConversation", finds("wake", "The build is red: mend it."),
                   [](Life& life, const Ledger&) {
                     EXPECT_LE(life.number("SELECT COUNT(*) FROM turns WHERE kind = "
                                           "'heartbeat_wake'"),
                               1)
                         << "woken twice";
                   });
  out.prepare = [](Life& life, Ledger&) { life.talked("a", 1, 10); };
  out.setting.heartbeat = R"({"interval_minutes":60,"conversation":"api:a"})";
  return out;
}

// HB-5: the budget is one call, which an earlier beat of the day has used
Canon is_broke() {
  Canon out =
      beat("AHeartbeatHasSpentItsBudget", finds("nothing", ""), [](Life& life, const Ledger&) {
        EXPECT_EQ(beats(life), 1) << "the one that was paid for";
        EXPECT_EQ(life.number("SELECT COUNT(*) FROM notifications"), 1) << "one word";
      });
  out.prepared_at = "2026-03-02T07:59:58.000Z";
  out.setting.heartbeat = R"({"interval_minutes":60,"daily_cap_calls":1})";
  return out;
}

// S2-30: the same way, beside the schedule
Canon by_hand() {
  Canon out = beat("SomebodyAsksForABeat", finds("notify", "Send Henrik the draft."),
                   [](Life& life, const Ledger& ledger) {
                     const std::int64_t told = life.number("SELECT COUNT(*) FROM notifications");
                     EXPECT_LE(told, 1);
                     if (ledger.acknowledged.contains("beat")) EXPECT_EQ(told, 1);
                   });
  out.act = [](Life& life, Ledger& ledger) {
    life.note(ledger, "beat",
              life.finish(life.house.heartbeat.beat_now(life.here, "")).has_value());
  };
  out.acted_at = "2026-03-02T08:40:00.000Z";
  return out;
}

// HB-6: another interval, and a second one
Canon is_edited() {
  const std::string now =
      R"({"heartbeats":[{"name":"day","interval_minutes":30},{"name":"tea","interval_minutes":20}]})";
  Canon out{.name = "HeartbeatJsonIsEdited",
            .act = [](Life& life, Ledger&) { life.rest(seconds(5)); },
            .check = [](Life& life, const Ledger&) -> std::string {
              return life.text("SELECT job_id, state FROM jobs WHERE kind = 'system' ORDER BY 1");
            }};
  out.setting.heartbeat = R"({"heartbeats":[{"name":"day","interval_minutes":60}]})";
  out.act = [now](Life& life, Ledger& ledger) {
    life.edit_heartbeat(now);
    const auto problem = life.finish(life.reload());
    life.note(ledger, "edited", problem.has_value());
  };
  out.again = [now](Life& life, const Ledger&) {
    life.edit_heartbeat(now);
    EXPECT_TRUE(life.finish(life.reload()));
    EXPECT_EQ(life.number("SELECT COUNT(*) FROM jobs WHERE kind = 'system' AND state = 'active'"),
              2);
  };
  return out;
}

}  // namespace

std::vector<Canon> hearts_beat() {
  return {quiet(), speaks(), wakes(), is_broke(), by_hand(), is_edited()};
}

}  // namespace rouse::sim::canon
