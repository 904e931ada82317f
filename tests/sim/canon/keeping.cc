// Chapter: what agents and people keep: notes, instructions, tasks, profiles and projects.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agent/memory/memory_exchange.h"
#include "tests/sim/canon/canon.h"

namespace rouse::sim::canon {
namespace {

MemoryOwner mine() { return {Workspaces::default_id(), ""}; }

NoteDraft draft(std::string text) {
  return {.text = std::move(text), .importance = {}, .provenance = std::string(kFromOwner)};
}

// The book counts its notes, and each is found by a word of it.
std::string expect_whole_memory(Life& life) {
  const std::string notes = life.text("SELECT text FROM memory_notes ORDER BY text");
  EXPECT_EQ(life.number("SELECT COUNT(*) FROM memory_notes"),
            life.number("SELECT COALESCE(SUM(notes), 0) FROM memory_books"));
  const auto rows = life.database.read({"SELECT text FROM memory_notes", {}, 1'000});
  for (const Row& row : *rows) {
    const auto found = life.finish(life.recall.find({mine(), row.text(0), 200}));
    EXPECT_TRUE(found && std::ranges::any_of(
                             *found, [&](const Note& note) { return note.text == row.text(0); }))
        << row.text(0) << " is not found";
  }
  return notes;
}

Canon saved_by_an_agent() {
  Canon out{.name = "AnAgentSavesANote",
            .act = [](Life& life,
                      Ledger& ledger) { life.chat(ledger, "a", "my dog is called Rex", "m1"); },
            .check = [](Life& life, const Ledger& ledger) -> std::string {
              const std::string notes = expect_whole_memory(life);
              EXPECT_TRUE(notes.empty() || notes == "The dog is named Rex.\n") << notes;
              if (ledger.acknowledged.contains("m1 answered")) EXPECT_FALSE(notes.empty());
              return "";
            }};
  out.setting.model = [](const Life&, const ModelRequest& request) {
    return request.messages.back().blocks.back().kind == BlockKind::kToolResult
               ? ScriptedAnswer::says("I'll remember.")
               : ScriptedAnswer::calls_tool("save_1", "save_memory",
                                            R"({"text":"The dog is named Rex."})");
  };
  return out;
}

Canon note_changed() {
  return {.name = "ANoteIsChangedByHand",
          .prepare =
              [](Life& life, Ledger&) {
                EXPECT_TRUE(life.finish(life.memory.save(mine(), draft("The dog is named Rex."))));
              },
          .act =
              [](Life& life, Ledger& ledger) {
                const auto notes = life.finish(life.memory.page(mine(), {}, 10));
                if (!notes || notes->empty()) return;
                const auto changed = life.finish(
                    life.memory.change(life.here, notes->front().id, "The cat is named Tom.", 5));
                life.note(ledger, "changed", changed.has_value());
              },
          .check = [](Life& life, const Ledger& ledger) -> std::string {
            const std::string notes = expect_whole_memory(life);
            if (ledger.acknowledged.contains("changed"))
              EXPECT_EQ(notes, "The cat is named Tom.\n");
            EXPECT_EQ(life.number("SELECT COUNT(*) FROM memory_notes"), 1);
            return notes;
          }};
}

Canon note_forgotten() {
  return {.name = "ANoteIsForgotten",
          .prepare =
              [](Life& life, Ledger&) {
                for (const char* text : {"The dog is named Rex.", "Likes tea."}) {
                  EXPECT_TRUE(life.finish(life.memory.save(mine(), draft(text))));
                }
              },
          .act =
              [](Life& life, Ledger& ledger) {
                const auto notes = life.finish(life.memory.page(mine(), {}, 10));
                if (!notes || notes->empty()) return;
                life.note(ledger, "forgotten",
                          life.finish(life.memory.forget(notes->front())).has_value());
              },
          .check = [](Life& life, const Ledger& ledger) -> std::string {
            const std::string notes = expect_whole_memory(life);
            if (ledger.acknowledged.contains("forgotten")) {
              EXPECT_EQ(notes, "The dog is named Rex.\n");
            }
            return notes;
          }};
}

// Read in again from where it stopped
Canon memory_imported() {
  std::string file = "# Memory\n\n## Notes\n\n";
  for (int i = 0; i < 12; ++i) file += fmt::format("- [3] Thing {} is at place {}.\n", i, i + 100);
  file += "\n## Instructions\n\nBe brief.\n";
  const auto act = [file](Life& life, Ledger& ledger) {
    const auto taken = life.finish(import_memory(life.memory, mine(), file));
    life.note(ledger, "imported", taken.has_value());
  };
  return {.name = "MemoryMdIsReadIn",
          .act = act,
          .again = once_more(act),
          .check = [](Life& life, const Ledger&) -> std::string {
            EXPECT_EQ(life.number("SELECT COUNT(*) FROM memory_notes"), 12);
            EXPECT_EQ(life.text("SELECT text FROM instructions"), "Be brief.\n");
            return expect_whole_memory(life);
          }};
}

// One night: what says the same becomes one note, and what goes is in the log
Canon dreamt() {
  const auto act = [](Life& life, Ledger&) {
    Job night;
    night.workspace = life.here;
    night.id = kDreamId;
    (void)life.finish([](Dream& dream, Job job) -> Task<Result<RunEnd>> {
      co_return co_await dream.run(std::move(job), {});
    }(life.dream, night));
  };
  return {.name = "NotesAreMergedInTheNight",
          .prepare =
              [](Life& life, Ledger&) {
                for (const char* text : {"The dog is named Rex.", "The dog is named Rex!",
                                         "Likes tea.", "likes tea!"}) {
                  EXPECT_TRUE(life.finish(life.memory.save(mine(), draft(text))));
                }
              },
          .act = act,
          .again = once_more(act),
          .check = [](Life& life, const Ledger&) -> std::string {
            EXPECT_EQ(life.number("SELECT COUNT(*) FROM memory_notes"), 2);
            EXPECT_GE(life.number("SELECT COUNT(*) FROM events WHERE type = 'memory_merged'"), 2);
            return expect_whole_memory(life);
          }};
}

Canon task_done() {
  return {
      .name = "ATaskIsMadeClaimedAndDone",
      .act =
          [](Life& life, Ledger& ledger) {
            const auto made = life.finish(life.tasks.add(life.here, {.title = "Mend it"}));
            if (!made) return;
            ledger.acknowledged.insert("open");
            const auto claimed = life.finish(life.tasks.change(
                life.here, {.number = made->number, .step = TaskStep::kClaim, .by = "ada"}));
            if (!claimed) return;
            ledger.acknowledged.insert("claimed");
            const auto done = life.finish(life.tasks.change(
                life.here, {.number = made->number, .step = TaskStep::kComplete, .by = "ada"}));
            life.note(ledger, "done", done.has_value());
          },
      .check = [](Life& life, const Ledger& ledger) -> std::string {
        const std::string state = life.text("SELECT state FROM tasks");
        std::int64_t steps = 0;
        for (const std::string& one : {"open", "claimed", "done"}) {
          ++steps;
          if (state == one + "\n") {
            EXPECT_EQ(life.number("SELECT COUNT(*) FROM events WHERE type = 'task_changed'"), steps)
                << "each change is an event";
          }
        }
        if (ledger.acknowledged.contains("done")) EXPECT_EQ(state, "done\n");
        if (ledger.acknowledged.contains("claimed")) EXPECT_NE(state, "open\n");
        if (ledger.acknowledged.contains("open")) EXPECT_NE(state, "");
        return state;
      }};
}

Canon profile_kept() {
  return {
      .name = "AnAgentAndAProjectAreDescribed",
      .act =
          [](Life& life, Ledger& ledger) {
            Agents& agents = life.house.schedule.agent.agents;
            const Agent gardener{
                .name = "gardener", .instructions = "Mind the bees.", .model = "", .tools = "{}"};
            life.note(ledger, "agent", life.finish(agents.put(life.here, gardener)).has_value());
            life.note(
                ledger, "project",
                life.finish(life.projects.put(life.here, {"garden", "Garden", "/g"})).has_value());
            life.note(ledger, "removed",
                      life.finish(agents.remove(life.here, "gardener")).has_value());
          },
      .check = [](Life& life, const Ledger& ledger) -> std::string {
        const std::string now =
            life.text("SELECT name FROM agents UNION ALL SELECT project_key FROM projects");
        const auto& told = ledger.acknowledged;
        if (told.contains("agent") && !told.contains("removed") && now.empty()) {
          ADD_FAILURE() << "all of it is lost";
        }
        if (told.contains("project")) EXPECT_NE(now.find("garden\n"), std::string::npos);
        if (told.contains("removed")) EXPECT_EQ(now, "garden\n");
        return now;
      }};
}

}  // namespace

std::vector<Canon> things_are_kept() {
  return {saved_by_an_agent(), note_changed(), note_forgotten(), memory_imported(), dreamt(),
          task_done(),         profile_kept()};
}

}  // namespace rouse::sim::canon
