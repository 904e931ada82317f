// A conversation killed at every single write: its first message, an answer, a reset, a close.
// SE-5, SE-11: what was acknowledged is there, once, and the bridge that repeats itself is told the
// same; what was not is there wholly or not at all.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "session/invariants_for_tests.h"
#include "session/kernel_for_tests.h"
#include "tests/sim/kill_at_every_write.h"

namespace rouse::sim {
namespace {

struct Opened {
  Database* database = nullptr;
  std::unique_ptr<KernelHouse> house;
};

std::optional<Opened> open(World& world) {
  auto database = world.open_store();
  if (!database) return std::nullopt;
  Opened out{*database, std::make_unique<KernelHouse>(world, **database)};
  if (!world.run(out.house->start())) return std::nullopt;
  return out;
}

// One message and what was answered to it.
void talk(World& world, Ledger& ledger, const std::string& id, const std::string& text) {
  const auto opened = open(world);
  if (!opened) return;
  SessionKernel& kernel = opened->house->kernel;
  ledger.tried.insert(id);
  const auto resolved = world.run(kernel.resolve(message_from("+1", text, id)));
  if (!resolved) return;
  ledger.acknowledged.insert(fmt::format("{} {} {} {}", id, resolved->session.id.str(),
                                         resolved->decision, resolved->reason));
  const auto recorded = world.run(kernel.record_turn({.session = resolved->session.id,
                                                      .workspace = Workspaces::default_id(),
                                                      .user_message = text,
                                                      .assistant_response = "fine",
                                                      .action_type = {},
                                                      .message_id = id}));
  if (recorded) ledger.acknowledged.insert(id + " answered");
}

void close_it(World& world, Ledger&) {
  const auto opened = open(world);
  if (!opened) return;
  const auto active =
      opened->house->kernel.sessions().find_active(Workspaces::default_id(), {"whatsapp", "+1"});
  if (!active || !*active) return;
  (void)world.run(opened->house->kernel.close((*active)->id, std::string(kClosedByApi)));
}

std::string recover(World& world, const Ledger& ledger) {
  const auto opened = open(world);
  EXPECT_TRUE(opened);
  if (!opened) return "nothing";
  expect_session_invariants(*opened->database, "after the kill");
  const auto rows = opened->database->read(
      {"SELECT message_id, session_id, decision, reason, content IS NULL FROM inbound "
       "ORDER BY number",
       {}});
  std::set<std::string> there;
  std::string all;
  for (const Row& row : *rows) {
    EXPECT_TRUE(ledger.tried.contains(row.text(0)));
    there.insert(fmt::format("{} {} {} {}", row.text(0), row.text(1), row.text(2), row.text(3)));
    if (row.integer(4) == 1) there.insert(row.text(0) + " answered");
  }
  for (const std::string& fact : ledger.acknowledged) {
    EXPECT_TRUE(there.contains(fact)) << fact << " is lost";
  }
  for (const std::string& fact : there) all += fact + "\n";
  world.close_store();
  return all;
}

TEST(ConversationKilledAtEveryWrite, KeepsWhatWasAcknowledged) {
  KillScenario scenario;
  scenario.steps = {
      {"the first message", [](World& w, Ledger& l) { talk(w, l, "m1", "hello there"); }},
      {"the next", [](World& w, Ledger& l) { talk(w, l, "m2", "and the bees?"); }},
      {"a reset", [](World& w, Ledger& l) { talk(w, l, "m3", "start over"); }},
      {"a close", close_it},
      {"the one after", [](World& w, Ledger& l) { talk(w, l, "m4", "hello again"); }}};
  scenario.boot = [](World& world) {
    if (open(world)) world.close_store();
  };
  scenario.recover = recover;
  const KillReport report = kill_at_every_write(scenario, 15);
  EXPECT_GT(report.kills, 50);
}

}  // namespace
}  // namespace rouse::sim
