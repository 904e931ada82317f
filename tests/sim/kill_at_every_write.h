// Kills a scenario at each single change it makes to the disk, cuts the power in several ways, lets
// it recover and asks whether what was promised is there. The scenario comes in steps that each
// begin on a cold disk, so a kill in the last step doesn't replay the ones before it: their disk is
// restored from a snapshot.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/world.h"

namespace rouse::sim {

// A sanitizer's build lives through less of the same.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSlowBuild = true;
#else
inline constexpr bool kSlowBuild = false;
#endif

// What the outside knows; it survives the kill.
struct Ledger {
  std::set<std::string> tried;
  std::set<std::string> acknowledged;           // these must be there, whatever happens
  std::map<std::string, std::int64_t> numbers;  // epochs seen and the like

  // A step may say that only its changes after the first and up to the second are of interest: the
  // start before it is another scenario's.
  std::int64_t kill_after = 0;
  std::optional<std::int64_t> kill_through = {};
};

struct KillScenario {
  struct Step {
    std::string name;
    std::function<void(World&, Ledger&)> run;  // returns when done or when the disk is dead
    bool only_prepares = false;                // it is lived through once and never killed
  };
  std::vector<Step> steps;

  // Starts up and shuts down as the server would, without checking: it is killed in the middle too.
  std::function<void(World&)> boot;

  // Opens what is left, checks it against the ledger (with EXPECT_…), closes it in good order and
  // returns all that is in it as text. Called several times on the same disk.
  std::function<std::string(World&, const Ledger&)> recover;

  // Told when the process has died, and whenever the disk is put back to that moment: what the
  // world outside has seen since then did not happen.
  std::function<void()> died = {}, back_at_death = {};

  // Every so many writes; for builds in which each of them would take too long.
  std::int64_t stride = 1;

  World::Writes writes = World::Writes::kGathered;
};

struct KillReport {
  std::int64_t kills = 0;       // places where it was killed
  std::int64_t recoveries = 0;  // power cuts it recovered from
};

// Each failure is reported with step, change and the way the power was cut. Deterministic by seed.
KillReport kill_at_every_write(const KillScenario& scenario, std::uint64_t seed);

}  // namespace rouse::sim
