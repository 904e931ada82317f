#include "tests/sim/kill_at_every_write.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rouse::sim {
namespace {

using sqlite::FaultDisk;
using sqlite::Unsynced;

struct PowerCut {
  const char* name;
  Unsynced unsynced;
};
constexpr PowerCut kPowerCuts[] = {{"process killed", Unsynced::kKeepAll},
                                   {"nothing unsynced kept", Unsynced::kKeepNone},
                                   {"some kept", Unsynced::kKeepSome},
                                   {"others kept", Unsynced::kKeepSome}};

class Killer {
 public:
  Killer(const KillScenario& scenario, std::uint64_t seed) : scenario_(scenario), seed_(seed) {}

  KillReport run() {
    FaultDisk::Image before = disk_.snapshot();
    Ledger ledger;
    for (const auto& step : scenario_.steps) {
      Ledger after = ledger;
      disk_.restore(before);
      live(step, after);
      const std::int64_t changes =
          step.only_prepares ? 0 : after.kill_through.value_or(disk_.changes());
      const FaultDisk::Image next = disk_.snapshot();
      if (testing::Test::HasFailure()) return report_;
      for (std::int64_t n = after.kill_after + 1; n <= changes && !testing::Test::HasFailure();
           n += scenario_.stride) {
        kill(step, before, ledger, n);
      }
      before = next;
      ledger = after;
    }
    return report_;
  }

 private:
  void live(const KillScenario::Step& step, Ledger& ledger) {
    World world(seed_, &disk_, scenario_.writes);
    step.run(world, ledger);
  }

  std::string recover(const Ledger& ledger) {
    World world(seed_ + 1, &disk_, scenario_.writes);
    return scenario_.recover(world, ledger);
  }

  void kill(const KillScenario::Step& step, const FaultDisk::Image& before, Ledger ledger,
            std::int64_t n) {
    disk_.restore(before);
    disk_.kill_at(n);
    live(step, ledger);
    if (scenario_.died) scenario_.died();
    const FaultDisk::Image dead = disk_.snapshot();
    ++report_.kills;
    std::uint64_t cut_seed = seed_ * 1000 + static_cast<std::uint64_t>(n);
    for (const auto& cut : kPowerCuts) {
      SCOPED_TRACE(fmt::format("step '{}', killed at change {}, {} (seed {})", step.name, n,
                               cut.name, cut_seed));
      disk_.restore(dead);
      disk_.power_cycle(cut.unsynced, ++cut_seed);
      check_recovery(ledger, cut_seed);
      ++report_.recoveries;
    }
  }

  // Recovering once, twice, or after dying in the middle of it all comes to the same.
  void check_recovery(const Ledger& ledger, std::uint64_t cut_seed) {
    const FaultDisk::Image cut = disk_.snapshot();
    if (scenario_.back_at_death) scenario_.back_at_death();
    const std::string once = recover(ledger);
    const std::int64_t changes = disk_.changes();
    EXPECT_EQ(recover(ledger), once) << "the second recovery differs";
    if (changes == 0) return;
    disk_.restore(cut);
    if (scenario_.back_at_death) scenario_.back_at_death();
    disk_.kill_at(1 + static_cast<std::int64_t>(cut_seed % static_cast<std::uint64_t>(changes)));
    {
      World world(seed_ + 2, &disk_, scenario_.writes);
      scenario_.boot(world);
    }
    disk_.power_cycle(Unsynced::kKeepSome, cut_seed);
    EXPECT_EQ(recover(ledger), once) << "recovery after dying in recovery differs";
  }

  const KillScenario& scenario_;
  const std::uint64_t seed_;
  FaultDisk disk_;
  KillReport report_;
};

}  // namespace

KillReport kill_at_every_write(const KillScenario& scenario, std::uint64_t seed) {
  return Killer(scenario, seed).run();
}

}  // namespace rouse::sim
