#include "tests/sim/canon/canon.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "session/invariants_for_tests.h"
#include "tests/sim/automation_life.h"

namespace rouse::sim::canon {
namespace {

constexpr Millis kRest = minutes(4);  // the work of a life that ended comes to its end

std::unique_ptr<Life> begin(World& world, const Canon& canon, Outside& outside, Life::Phase phase,
                            std::string_view wall) {
  world.clock().step_wall(*from_iso(wall) - world.clock().wall_now());
  world.disk().observe({});  // nobody compares traces here
  const auto opened = world.open_store();
  if (!opened) {
    EXPECT_TRUE(world.disk().killed()) << opened.error();
    return nullptr;
  }
  auto life = std::make_unique<Life>(world, **opened, canon.setting, outside, phase);
  if (life->start()) return life;
  life->stop();
  return nullptr;
}

// --- what holds for every scenario ---------------------------------------------------------------

void expect_whole_transcripts(const Life& life) {
  const auto rows = life.database.read({"SELECT content FROM messages", {}, 100'000});
  ASSERT_TRUE(rows) << rows.error();
  std::map<std::string, int> open;
  for (const Row& row : *rows) {
    const auto content = decode_content(row.text(0));
    ASSERT_TRUE(content) << content.error();
    for (const ContentBlock& block : *content) {
      if (block.type == "tool_call") ++open[*block.call_id];
      if (block.type == "tool_result") --open[*block.call_id];
    }
  }
  for (const auto& [id, count] : open) EXPECT_EQ(count, 0) << id << " has not its one result";
}

void expect_nothing_on_its_way(const Life& life) {
  expect_nothing_open(life.database, "after the kill");
  EXPECT_EQ(life.number("SELECT COUNT(*) FROM turn_steps"), 0);
  EXPECT_EQ(life.number("SELECT COUNT(*) FROM outbox WHERE state IN ('pending', 'sending')"), 0);
  EXPECT_EQ(life.number("SELECT COUNT(*) FROM tombstones WHERE finished_ms IS NULL"), 0);
  EXPECT_EQ(life.number("SELECT COUNT(*) FROM runs WHERE routed = 'pending'"), 0);
  EXPECT_EQ(life.text("SELECT position FROM messages EXCEPT SELECT rowid FROM message_text"), "");
}

// "m1" was acknowledged, "m1 answered" told: then there it is, once.
void expect_messages(const Life& life, const Ledger& ledger) {
  for (const std::string& id : ledger.tried) {
    const std::int64_t taken =
        life.number("SELECT COUNT(*) FROM inbound WHERE message_id = $1", {id});
    EXPECT_LE(taken, 1) << id;
    if (ledger.acknowledged.contains(id)) EXPECT_EQ(taken, 1) << id << " is lost";
    if (ledger.acknowledged.contains(id + " answered")) {
      EXPECT_EQ(life.number("SELECT COUNT(*) FROM turns t JOIN inbound i ON i.number = "
                            "t.inbound_number WHERE i.message_id = $1 AND t.ended_ms IS NOT NULL",
                            {id}),
                1)
          << "the answer to " << id << " is lost";
    }
  }
}

void expect_done_once(const Outside& outside) {
  for (const auto& [call, times] : outside.tools.done) {
    if (!call.starts_with("look")) EXPECT_EQ(times, 1) << call << " was done twice";
  }
  for (const auto& [delivery, times] : outside.arrived) {
    EXPECT_EQ(times, 1) << delivery << " reached a person twice";
  }
}

void expect_runs(const Life& life) {
  const bool beats = life.number(
                         "SELECT COUNT(*) FROM occurrences o JOIN jobs j ON j.number = "
                         "o.job WHERE j.kind = 'system'") > 0;
  if (!beats) expect_runs_match_targets(life.database, "after the kill");
  EXPECT_EQ(life.text("SELECT job, due_ms FROM runs GROUP BY job, due_ms, attempt "
                      "HAVING COUNT(*) > 1"),
            "")
      << "a try of an occurrence is one run";
}

// What everybody may rely on, without ids and times. How a turn ended may differ: one that is tried
// again works on, and may die of it.
std::string story(const Life& life) {
  std::string out;
  for (const std::string_view sql :
       {"SELECT channel, remote_jid, epoch, status, close_reason FROM sessions "
        "ORDER BY channel, remote_jid, epoch",
        "SELECT kind, COUNT(*) FROM turns GROUP BY kind ORDER BY kind",
        "SELECT channel, peer, COUNT(*) FROM outbox GROUP BY channel, peer ORDER BY 1, 2"}) {
    out += life.text(sql);
  }
  std::multiset<std::string> said;
  const auto rows =
      life.database.read({"SELECT source, content FROM messages WHERE role = 'user'", {}, 100'000});
  for (const Row& row : *rows) {
    said.insert(row.text(0) + ": " + readable_text(*decode_content(row.text(1))) + "\n");
  }
  for (const std::string& words : said) out += words;
  return out;
}

std::string recover(World& world, const Canon& canon, Outside& outside, const Ledger& ledger) {
  const auto life = begin(world, canon, outside, Life::Phase::kRecovers, canon.recovered_at);
  EXPECT_TRUE(life);
  if (!life) return "nothing";
  life->rest(kRest);
  if (canon.again) {
    canon.again(*life, ledger);
    life->rest(kRest);
  }
  expect_session_invariants(life->database, "after the kill");
  expect_whole_transcripts(*life);
  expect_nothing_on_its_way(*life);
  expect_messages(*life, ledger);
  expect_runs(*life);
  expect_done_once(outside);
  std::string out = story(*life) + canon.check(*life, ledger);
  life->stop();
  world.close_store();
  return out;
}

void act(World& world, const Canon& canon, Outside& outside, Ledger& ledger) {
  outside = {};
  const auto life = begin(world, canon, outside, Life::Phase::kActs, canon.acted_at);
  if (!life) return;
  if (!canon.killed_at_start) ledger.kill_after = world.disk().changes();
  canon.act(*life, ledger);
  ledger.kill_through = world.disk().changes() + 1;  // and when all of it is done
  if (!world.disk().killed()) world.disk().kill_now();
  life->stop();
}

}  // namespace

std::function<void(Life&, const Ledger&)> once_more(std::function<void(Life&, Ledger&)> act) {
  return [act = std::move(act)](Life& life, const Ledger&) {
    Ledger told;
    act(life, told);
  };
}

KillReport kill(const Canon& canon) {
  Outside outside, at_death;
  KillScenario scenario;
  scenario.steps = {
      {"before",
       [&](World& world, Ledger& ledger) {
         const auto life = begin(world, canon, outside, Life::Phase::kPrepares, canon.prepared_at);
         ASSERT_TRUE(life);
         if (canon.prepare) canon.prepare(*life, ledger);
         life->rest(kRest);
         life->stop();
         world.close_store();
       },
       true},
      {canon.name, [&](World& world, Ledger& ledger) { act(world, canon, outside, ledger); }}};
  scenario.boot = [&](World& world) {
    const auto life = begin(world, canon, outside, Life::Phase::kRecovers, canon.recovered_at);
    if (!life) return;
    life->rest(kRest);
    life->stop();
  };
  scenario.recover = [&](World& world, const Ledger& ledger) {
    return recover(world, canon, outside, ledger);
  };
  scenario.died = [&] { at_death = outside; };
  scenario.back_at_death = [&] { outside = at_death; };
  scenario.stride = kSlowBuild ? 3 : 1;
  return kill_at_every_write(scenario, 17);
}

}  // namespace rouse::sim::canon
