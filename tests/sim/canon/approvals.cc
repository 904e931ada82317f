// Chapter: a call waits for a person's yes, and what becomes of it (AP-1 to AP-4).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sim/canon/canon.h"

namespace rouse::sim::canon {
namespace {

// Once in a conversation.
ScriptedAnswer asks(const Life&, const ModelRequest& request) {
  for (const PromptMessage& message : request.messages) {
    for (const PromptBlock& block : message.blocks) {
      if (block.kind == BlockKind::kToolResult) return ScriptedAnswer::says("It is as it is.");
    }
  }
  return ScriptedAnswer::calls_tool("ask_1", "ask");
}

std::string states(const Life& life) {
  return life.text("SELECT state, COALESCE(scope, ''), COALESCE(decided_by, '') FROM approvals");
}

void answer(Life& life, Ledger& ledger, const std::string& scope, bool yes) {
  const auto rows = life.database.read({"SELECT approval_id FROM approvals", {}});
  if (!rows || rows->empty()) return;
  const ApprovalId id = *ApprovalId::parse(rows->front().text(0));
  const auto decided = life.finish(life.agent().approvals().decide(
      life.here, id, {.approved = yes, .scope = scope, .by = "web"}));
  life.note(ledger, "decided", decided.has_value());
  life.rest(seconds(5));
}

void is_asked(Life& life, Ledger& ledger) { life.chat(ledger, "a", "do it", "m1"); }

// The turn that carries an answer on is there exactly if the answer is.
void expect_carried(const Life& life) {
  EXPECT_EQ(life.number("SELECT COUNT(*) FROM turns WHERE kind = 'approval'"),
            life.number("SELECT COUNT(*) FROM approvals WHERE state <> 'pending'"));
}

Canon asked() {
  Canon out{.name = "AYesIsAskedFor",
            .act = is_asked,
            .check = [](Life& life, const Ledger& ledger) -> std::string {
              const std::int64_t waiting = life.number("SELECT COUNT(*) FROM approvals");
              EXPECT_EQ(life.number("SELECT COUNT(*) FROM approvals a JOIN messages m ON "
                                    "m.content LIKE '%' || a.approval_id || '%' "
                                    "AND m.role = 'tool'"),
                        waiting)
                  << "a person is asked about a call that somebody remembers";
              EXPECT_EQ(life.number("SELECT COUNT(*) FROM notifications WHERE kind = 'approval'"),
                        waiting);
              if (ledger.acknowledged.contains("m1 answered")) EXPECT_EQ(waiting, 1);
              return "";
            }};
  out.setting.model = asks;
  return out;
}

Canon decided(std::string name, const std::string& scope, bool yes) {
  const auto act = [scope, yes](Life& life, Ledger& ledger) { answer(life, ledger, scope, yes); };
  Canon out{
      .name = std::move(name),
      .prepare = is_asked,
      .act = act,
      .again = once_more(act),
      .check = [yes, scope](Life& life, const Ledger&) -> std::string {
        const std::string now = states(life);
        EXPECT_EQ(now, yes ? fmt::format("approved | {} | web\n", scope) : "denied |  | web\n");
        expect_carried(life);
        EXPECT_EQ(life.number("SELECT COUNT(*) FROM permissions"), yes && scope != "once" ? 1 : 0);
        return now;
      },
      .recovered_at = "2026-03-02T09:30:00.000Z"};
  out.setting.model = asks;
  return out;
}

// No answer in time is an answer.
Canon expired() {
  Canon out{
      .name = "AYesComesTooLate",
      .prepare = is_asked,
      .act = [](Life& life, Ledger&) { life.rest(seconds(10)); },
      .again = once_more([](Life& life, Ledger& ledger) { answer(life, ledger, "once", true); }),
      .check = [](Life& life, const Ledger&) -> std::string {
        EXPECT_TRUE(states(life).starts_with("expired")) << states(life);
        expect_carried(life);
        return states(life);
      },
      .acted_at = "2026-03-02T09:59:58.000Z",
      .recovered_at = "2026-03-02T10:01:00.000Z"};
  out.setting.model = asks;
  return out;
}

// S1-C9: "start over" takes the question back
Canon withdrawn() {
  const auto act = [](Life& life, Ledger& ledger) {
    life.phones(ledger, "+1", "start over", "m2");
  };
  Canon out{.name = "AQuestionIsWithdrawnByAReset",
            .prepare = [](Life& life, Ledger& ledger) { life.phones(ledger, "+1", "do it", "m1"); },
            .act = act,
            .again = once_more(act),
            .check = [](Life& life, const Ledger&) -> std::string {
              EXPECT_EQ(life.number("SELECT COUNT(*) FROM approvals WHERE state = 'pending'"), 0);
              return life.text("SELECT state FROM approvals");
            },
            .recovered_at = "2026-03-02T09:30:00.000Z"};
  out.setting.model = asks;
  return out;
}

// S1-C9: a bare word on the phone
Canon said_on_the_phone() {
  const auto act = [](Life& life, Ledger& ledger) {
    life.phones(ledger, "+1", "yes", "m2");
    life.rest(seconds(5));
  };
  Canon out{.name = "AYesIsSaidOnThePhone",
            .prepare = [](Life& life, Ledger& ledger) { life.phones(ledger, "+1", "do it", "m1"); },
            .act =
                [act](Life& life, Ledger& ledger) {
                  act(life, ledger);
                  // An answer is not a message: it settles the question and is not kept as one.
                  life.note(ledger, "said", ledger.acknowledged.erase("m2") > 0);
                },
            .again = once_more(act),
            .check = [](Life& life, const Ledger&) -> std::string {
              EXPECT_EQ(life.number("SELECT COUNT(*) FROM approvals WHERE state = 'approved'"), 1);
              expect_carried(life);
              return life.text("SELECT state FROM approvals");
            },
            .recovered_at = "2026-03-02T09:30:00.000Z"};
  out.setting.model = asks;
  return out;
}

Canon forgotten() {
  const auto act = [](Life& life, Ledger& ledger) {
    const auto rows = life.database.read({"SELECT permission_id FROM permissions", {}});
    if (!rows || rows->empty()) return;
    const auto gone = life.finish(
        life.agent().approvals().forget(life.here, *PermissionId::parse(rows->front().text(0))));
    life.note(ledger, "forgotten", gone.has_value());
  };
  Canon out{.name = "APermissionIsTakenBack",
            .prepare =
                [](Life& life, Ledger& ledger) {
                  is_asked(life, ledger);
                  answer(life, ledger, "always", true);
                },
            .act = act,
            .check = [](Life& life, const Ledger& ledger) -> std::string {
              const std::int64_t left = life.number("SELECT COUNT(*) FROM permissions");
              if (ledger.acknowledged.contains("forgotten")) EXPECT_EQ(left, 0);
              return fmt::format("{} permissions", left);
            }};
  out.setting.model = asks;
  return out;
}

}  // namespace

std::vector<Canon> approvals_are_given() {
  return {asked(),
          decided("AYesIsGivenOnce", "once", true),
          decided("AYesIsGivenForAlways", "always", true),
          decided("ANoIsGiven", "once", false),
          expired(),
          withdrawn(),
          said_on_the_phone(),
          forgotten()};
}

}  // namespace rouse::sim::canon
