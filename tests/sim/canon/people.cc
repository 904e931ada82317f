// Chapter: people write, take words back, clear, name and delete their conversations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sim/canon/canon.h"

namespace rouse::sim::canon {
namespace {

// A call first, then the last words.
ScriptedAnswer looks_first(const Life&, const ModelRequest& request) {
  return request.messages.back().blocks.back().kind == BlockKind::kToolResult
             ? ScriptedAnswer::says("done")
             : ScriptedAnswer::calls_tool("look_1", "look");
}

// Never answers in the life that dies.
ScriptedAnswer thinks_for_ever(const Life& life, const ModelRequest&) {
  return life.acts() ? ScriptedAnswer::hangs_until_cancelled({"I was about to"})
                     : ScriptedAnswer::says("done");
}

std::int64_t answered(const Life& life) {
  return life.number("SELECT COUNT(*) FROM messages WHERE role = 'assistant'");
}

// S1-03, SE-11
Canon a_stranger_writes() {
  const auto write = [](Life& life, Ledger& ledger) {
    life.phones(ledger, "+447700", "hello", "m1");
  };
  return {.name = "AStrangerWritesForTheFirstTime",
          .act = write,
          .again = once_more(write),
          .check = [](Life& life, const Ledger&) -> std::string {
            EXPECT_EQ(life.number("SELECT COUNT(*) FROM peers"), 1);
            EXPECT_EQ(life.number("SELECT COUNT(*) FROM workspaces"), 2) << "one of their own";
            EXPECT_EQ(answered(life), 1);
            return "one stranger";
          }};
}

// SE-11
Canon a_message_comes_twice() {
  return {.name = "AMessageIdIsDeliveredTwice",
          .prepare = [](Life& life, Ledger& ledger) { life.phones(ledger, "+1", "hi", "m0"); },
          .act =
              [](Life& life, Ledger& ledger) {
                life.phones(ledger, "+1", "what now?", "m1");
                life.phones(ledger, "+1", "what now?", "m1");
              },
          .check = [](Life& life, const Ledger&) -> std::string {
            EXPECT_EQ(answered(life), life.number("SELECT COUNT(*) FROM inbound"));
            return "";
          }};
}

// SE-2, SE-3: each waits its turn and gets its answer
Canon messages_wait() {
  return {.name = "MessagesWaitBehindOneAnother",
          .act =
              [](Life& life, Ledger& ledger) {
                for (const char* id : {"m1", "m2", "m3"}) {
                  if (!life.submit(ledger, chat_from("a", id, id))) return;
                }
                life.rest(seconds(5));
              },
          .check = [](Life& life, const Ledger&) -> std::string {
            EXPECT_EQ(answered(life), life.number("SELECT COUNT(*) FROM inbound"));
            EXPECT_EQ(life.text("SELECT m.content FROM messages m JOIN messages o ON o.role = "
                                "'user' AND o.seq > m.seq AND o.content < m.content "
                                "WHERE m.role = 'user'"),
                      "")
                << "not in the order in which they were written";
            return "";
          }};
}

Canon a_message_joins() {
  Canon out{.name = "AMessageJoinsTheTurnThatRuns",
            .act =
                [](Life& life, Ledger& ledger) {
                  if (!life.submit(ledger, chat_from("a", "look around", "m1"))) return;
                  life.submit(ledger, chat_from("a", "and be quick", "m2"));
                  life.rest(seconds(5));
                },
            .check = [](Life& life, const Ledger&) -> std::string {
              EXPECT_EQ(life.number("SELECT COUNT(*) FROM messages WHERE role = 'user'"),
                        life.number("SELECT COUNT(*) FROM inbound"));
              return "";
            }};
  out.setting.model = looks_first;
  out.setting.configure = [](Life& life) {
    life.runner().configure({.loop = {}, .join_running = true});
  };
  return out;
}

// SE-8
Canon a_turn_is_called_off() {
  Canon out{
      .name = "ATurnIsCalledOff",
      .act =
          [](Life& life, Ledger& ledger) {
            ledger.tried.insert("m1");
            const auto taken = life.finish(life.runner().submit(chat_from("a", "think", "m1")));
            if (!taken) return;
            ledger.acknowledged.insert("m1");
            life.rest(seconds(1));
            life.note(ledger, "called off",
                      life.finish(life.runner().cancel(*taken->resolved.turn)).has_value());
          },
      .check = [](Life& life, const Ledger& ledger) -> std::string {
        if (ledger.acknowledged.contains("called off")) {
          EXPECT_EQ(life.text("SELECT verdict, reason FROM turns"), "interrupted | cancelled\n");
        }
        return "";
      }};
  out.setting.model = thinks_for_ever;
  return out;
}

// S4-22: the running turn ends, what waits is dropped, the session is closed
Canon a_conversation_is_cleared() {
  Canon out{.name = "AConversationIsClearedWhileItWorks",
            .prepare = [](Life& life, Ledger&) { life.talked("a", 2, 10); },
            .act =
                [](Life& life, Ledger& ledger) {
                  if (!life.submit(ledger, chat_from("a", "think", "m1"))) return;
                  if (!life.submit(ledger, chat_from("a", "and then?", "m2"))) return;
                  life.rest(seconds(1));
                  const auto cleared = life.finish(life.runner().clear(life.here, "api:a"));
                  life.note(ledger, "cleared", cleared && cleared->closed);
                },
            .check = [](Life& life, const Ledger& ledger) -> std::string {
              if (ledger.acknowledged.contains("cleared")) {
                EXPECT_EQ(life.number("SELECT COUNT(*) FROM sessions WHERE epoch = 1 AND status = "
                                      "'closed' AND close_summary <> ''"),
                          1);
              }
              return "";
            }};
  out.setting.model = thinks_for_ever;
  return out;
}

// S1-37
Canon a_conversation_is_reset() {
  const auto write = [](Life& life, Ledger& ledger) {
    life.phones(ledger, "+1", "start over", "m1");
  };
  return {.name = "AResetPhraseOpensANewSession",
          .prepare = [](Life& life, Ledger& ledger) { life.phones(ledger, "+1", "hi", "m0"); },
          .act = write,
          .again = once_more(write),
          .check = [](Life& life, const Ledger&) -> std::string {
            EXPECT_EQ(life.text("SELECT epoch, status FROM sessions ORDER BY epoch"),
                      "1 | closed\n2 | active\n");
            return "reset once";
          }};
}

// What a reader chose, and a name another system knows it by; as the route writes them.
Task<Result<void>> rename(SessionKernel& kernel, Database& database, Clock& clock,
                          WorkspaceId workspace) {
  CO_TRY(Conversation now, kernel.find_conversation(workspace, "api:a"));
  const auto pass = co_await kernel.gate().enter(now.workspace, now.key);
  now.title = "The garden";
  now.pinned = clock.wall_now();
  now.model = "main";
  Write write{{ConversationTable::set_details(now)}};
  write.statements.push_back(ConversationTable::add_alias(now, "garden-1", clock.wall_now()));
  CO_TRY_VOID(co_await database.write(std::move(write)));
  co_return Result<void>{};
}

Canon a_conversation_is_named() {
  return {.name = "AConversationIsNamedPinnedAndGivenAnAlias",
          .prepare = [](Life& life, Ledger&) { life.talked("a", 1, 10); },
          .act =
              [](Life& life, Ledger& ledger) {
                life.note(
                    ledger, "named",
                    life.finish(rename(life.kernel(), life.database, life.world.clock(), life.here))
                        .has_value());
              },
          .check = [](Life& life, const Ledger& ledger) -> std::string {
            const auto by_alias = life.kernel().find_conversation(life.here, "garden-1");
            const auto by_key = life.kernel().find_conversation(life.here, "api:a");
            EXPECT_TRUE(by_key);
            EXPECT_EQ(by_alias.has_value(), by_key->title == "The garden");
            EXPECT_EQ(by_alias.has_value(), by_key->pinned && by_key->model);
            if (ledger.acknowledged.contains("named")) EXPECT_TRUE(by_alias);
            return by_alias ? "named" : "not named";
          }};
}

// CR-26: with what waits for a yes and what is on its way out
Canon a_conversation_is_deleted() {
  Canon out{
      .name = "AConversationIsDeletedThatWaitsForAYes",
      .prepare = [](Life& life, Ledger& ledger) { life.phones(ledger, "+1", "may I?", "m0"); },
      .act =
          [](Life& life, Ledger& ledger) {
            ledger.tried.clear();  // it goes with its conversation
            ledger.acknowledged.clear();
            const auto who = life.people.find({"whatsapp", "+1"});
            if (!who || !*who) return;
            life.note(ledger, "deleted",
                      life.finish(life.removal.remove(**who, "whatsapp:+1")).has_value());
          },
      .check = [](Life& life, const Ledger& ledger) -> std::string {
        const bool there = life.number("SELECT COUNT(*) FROM conversations") == 1;
        if (ledger.acknowledged.contains("deleted")) EXPECT_FALSE(there);
        for (const std::string_view table :
             {"messages", "sessions", "turns", "inbound", "outbox", "approvals"}) {
          const std::string sql = fmt::format("SELECT COUNT(*) FROM {}", table);
          if (!there) EXPECT_EQ(life.number(sql), 0) << table;
        }
        return there ? "there" : "gone";
      }};
  out.setting.model = [](const Life&, const ModelRequest& request) {
    return request.messages.back().blocks.back().kind == BlockKind::kToolResult
               ? ScriptedAnswer::says("It waits for your yes.")
               : ScriptedAnswer::calls_tool("ask_1", "ask");
  };
  return out;
}

// S1-20: a view over history that stays as it is
Canon a_conversation_is_compacted() {
  return {.name = "ALongConversationIsCompacted",
          .prepare = [](Life& life, Ledger&) { life.talked("a", 24, 3'000); },
          .act =
              [](Life& life, Ledger& ledger) {
                const auto talk = life.kernel().find_conversation(life.here, "api:a");
                if (!talk) return;
                const auto session = life.kernel().sessions().find_active(life.here, talk->key);
                if (!session || !*session) return;
                CompactionRequest request{
                    .session = **session, .limits = {}, .reason = std::string(kCompactAsked)};
                request.tokens_before = 20'000;
                const auto made = life.finish(life.agent().compactor().compact(request, {}));
                life.note(ledger, "compacted", made && made->made);
              },
          .check = [](Life& life, const Ledger& ledger) -> std::string {
            const std::int64_t made = life.number("SELECT COUNT(*) FROM compactions");
            EXPECT_EQ(life.number("SELECT COUNT(*) FROM events WHERE type = 'compacted'"), made);
            if (ledger.acknowledged.contains("compacted")) EXPECT_EQ(made, 1);
            EXPECT_EQ(life.number("SELECT COUNT(*) FROM messages"), 48);
            return made > 0 ? "compacted" : "as it was";
          }};
}

// S1-29: the words name it, so it is there
Canon a_file_is_sent() {
  return {.name = "AFileIsUploadedAndSent",
          .prepare = [](Life& life, Ledger&) { life.talked("a", 1, 10); },
          .act =
              [](Life& life, Ledger& ledger) {
                Blobs& blobs = life.house.schedule.agent.blobs;
                const auto file =
                    life.finish(blobs.put(life.here, "text/plain", std::string(9'000, 'b')));
                const auto talk = life.kernel().find_conversation(life.here, "api:a");
                if (!file || !talk) return;
                InboundMessage message = chat_from("a", "read this", "m1");
                message.content.push_back({.type = "file",
                                           .from = std::string(kFromOwner),
                                           .text = {},
                                           .hash = file->hash,
                                           .media_type = "text/plain",
                                           .name = "b.txt",
                                           .size = file->size});
                message.also = Blobs::note_use(life.here, file->hash, talk->id);
                if (life.submit(ledger, std::move(message))) life.rest(seconds(5));
              },
          .check = [](Life& life, const Ledger&) -> std::string {
            const std::int64_t used = life.number("SELECT COUNT(*) FROM blob_uses");
            EXPECT_LE(used, life.number("SELECT COUNT(*) FROM blobs"));
            EXPECT_EQ(used, life.number("SELECT COUNT(*) FROM inbound WHERE message_id = 'm1'"));
            return fmt::format("{} files used", used);
          }};
}

// UX-6: what the turns cost is what the book says
Canon a_turn_is_paid_for() {
  return {.name = "ATurnIsPaidFor",
          .act = [](Life& life, Ledger& ledger) { life.chat(ledger, "a", "how much?", "m1"); },
          .check = [](Life& life, const Ledger& ledger) -> std::string {
            const std::int64_t paid =
                life.number("SELECT COALESCE(SUM(micros), 0) FROM spend WHERE day <> ''");
            EXPECT_EQ(life.number("SELECT COALESCE(SUM(cost_micros), 0) FROM turns"), paid);
            EXPECT_EQ(life.number("SELECT COALESCE(SUM(micros), 0) FROM spend WHERE day = ''"),
                      paid);
            if (ledger.acknowledged.contains("m1 answered")) EXPECT_GT(paid, 0);
            return "";
          }};
}

}  // namespace

std::vector<Canon> people_write() {
  return {a_stranger_writes(),
          a_message_comes_twice(),
          messages_wait(),
          a_message_joins(),
          a_turn_is_called_off(),
          a_conversation_is_cleared(),
          a_conversation_is_reset(),
          a_conversation_is_named(),
          a_conversation_is_deleted(),
          a_conversation_is_compacted(),
          a_file_is_sent(),
          a_turn_is_paid_for()};
}

}  // namespace rouse::sim::canon
