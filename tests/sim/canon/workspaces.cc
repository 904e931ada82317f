// Chapter: workspaces, tokens and browsers come, change and go.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sim/canon/canon.h"

namespace rouse::sim::canon {
namespace {

constexpr std::string_view kTables =
    "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c "
    "WHERE m.type = 'table' AND c.name = 'workspace_id' ORDER BY 1";

std::optional<WorkspaceId> of_the_stranger(Life& life) {
  const auto found = life.people.find({"whatsapp", "+1"});
  return found ? *found : std::nullopt;
}

// As the route does it: what would begin new turns first, the workspace itself last.
Task<Result<void>> empty_and_remove(Life& life, WorkspaceId id) {
  CO_TRY_VOID(life.workspaces().begin_removal(id));
  CO_TRY_VOID(co_await life.removal.remove_all(id));
  CO_TRY_VOID(co_await life.tokens.forget_workspace(id));
  CO_TRY_VOID(co_await life.workspaces().clear(id));
  co_return co_await life.workspaces().remove(id);
}

// SC-12: nothing of it stays, however often it took
Canon removed() {
  return {
      .name = "AWorkspaceIsRemovedWithAllItHas",
      .prepare =
          [](Life& life, Ledger& ledger) {
            life.phones(ledger, "+1", "hello", "m0");
            const WorkspaceId id = of_the_stranger(life).value();
            EXPECT_TRUE(life.finish(life.memory.save(
                {id, ""}, {.text = "Likes tea.", .importance = {}, .provenance = "owner"})));
            EXPECT_TRUE(life.finish(life.tasks.add(id, {.title = "Mend it"})));
            EXPECT_TRUE(life.finish(life.tokens.create("theirs", Role::kUser, id)));
            EXPECT_TRUE(
                life.finish(life.house.schedule.agent.blobs.put(id, "text/plain", "a file")));
            ledger.tried.clear();  // it goes with its workspace
            ledger.acknowledged.clear();
          },
      .act =
          [](Life& life, Ledger& ledger) {
            const auto id = of_the_stranger(life);
            if (!id) return;
            life.note(ledger, "removed", life.finish(empty_and_remove(life, *id)).has_value());
          },
      .again =
          [](Life& life, const Ledger& ledger) {
            const auto rows = life.database.read(
                {"SELECT workspace_id FROM workspaces WHERE kind = 'sender'", {}});
            if (ledger.acknowledged.contains("removed")) EXPECT_TRUE(rows->empty());
            for (const Row& row : *rows) {
              EXPECT_TRUE(life.finish(empty_and_remove(life, *WorkspaceId::parse(row.text(0)))));
            }
          },
      .check = [](Life& life, const Ledger&) -> std::string {
        const auto tables = life.database.read({kTables, {}});
        EXPECT_TRUE(tables && tables->size() > 15U);
        for (const Row& table : *tables) {
          if (table.text(0) == "events") continue;  // a log, pruned by its length
          EXPECT_EQ(life.text(fmt::format("SELECT '{0}' FROM {0} WHERE workspace_id <> "
                                          "'ws_default'",
                                          table.text(0))),
                    "");
        }
        return "gone";
      }};
}

Canon made() {
  return {.name = "AWorkspaceIsMadeAndMoves",
          .act =
              [](Life& life, Ledger& ledger) {
                const auto team = life.finish(life.workspaces().create("team", "The team"));
                if (!team) return;
                ledger.acknowledged.insert("made");
                const auto moved = life.finish(life.workspaces().update(
                    team->id, {.name = {}, .timezone = "Europe/Zagreb", .locale = "hr"}));
                life.note(ledger, "moved", moved.has_value());
              },
          .check = [](Life& life, const Ledger& ledger) -> std::string {
            const std::string now = life.text(
                "SELECT kind, COALESCE(timezone, 'nowhere') FROM workspaces WHERE kind = 'team'");
            if (ledger.acknowledged.contains("made")) EXPECT_NE(now, "");
            if (ledger.acknowledged.contains("moved")) EXPECT_EQ(now, "team | Europe/Zagreb\n");
            return now;
          }};
}

// SC-3: what was handed out opens the door, and what was revoked never again
Canon token_made() {
  return {.name = "ATokenIsMade",
          .act =
              [](Life& life, Ledger& ledger) {
                const auto made = life.finish(life.tokens.create("laptop", Role::kUser, life.here));
                if (made) ledger.acknowledged.insert("token " + made->token);
              },
          .check = [](Life& life, const Ledger& ledger) -> std::string {
            for (const std::string& fact : ledger.acknowledged) {
              if (!fact.starts_with("token ")) continue;
              EXPECT_TRUE(life.tokens.find(fact.substr(6))) << "it doesn't open the door";
            }
            return life.text("SELECT name FROM tokens");
          }};
}

Canon token_revoked() {
  return {.name = "ATokenIsRevoked",
          .prepare =
              [](Life& life, Ledger& ledger) {
                const auto made = life.finish(life.tokens.create("laptop", Role::kUser, life.here));
                ASSERT_TRUE(made);
                ledger.acknowledged.insert("token " + made->token);
              },
          .act =
              [](Life& life, Ledger& ledger) {
                for (const std::string fact : ledger.acknowledged) {
                  if (!fact.starts_with("token ")) continue;
                  const auto found = life.tokens.find(fact.substr(6));
                  if (!found) return;
                  life.note(ledger, "revoked",
                            life.finish(life.tokens.revoke(found->principal.token)).has_value());
                  return;
                }
              },
          .check = [](Life& life, const Ledger& ledger) -> std::string {
            bool opens = false;
            for (const std::string& fact : ledger.acknowledged) {
              if (fact.starts_with("token ")) opens = life.tokens.find(fact.substr(6)) != nullptr;
            }
            if (ledger.acknowledged.contains("revoked")) EXPECT_FALSE(opens);
            return opens ? "opens" : "revoked";
          }};
}

Canon browser_subscribed() {
  const auto act = [](Life& life, Ledger& ledger) {
    const auto added =
        life.finish(life.notifications().subscriptions().add({.id = {},
                                                              .workspace = life.here,
                                                              .token = "",
                                                              .endpoint = "https://push.example/1",
                                                              .p256dh = "point",
                                                              .auth = "secret",
                                                              .name = "Browser",
                                                              .created = {}}));
    life.note(ledger, "subscribed", added.has_value());
  };
  return {.name = "ABrowserSubscribes",
          .act = act,
          .again = once_more(act),
          .check = [](Life& life, const Ledger&) -> std::string {
            EXPECT_EQ(life.number("SELECT COUNT(*) FROM push_subscriptions"), 1);
            return "one browser";
          }};
}

}  // namespace

std::vector<Canon> workspaces_change() {
  return {made(), removed(), token_made(), token_revoked(), browser_subscribed()};
}

}  // namespace rouse::sim::canon
