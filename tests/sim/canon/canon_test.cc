// Every canonical scenario, killed at every single write (robustness.md, section 9).
#include "tests/sim/canon/canon.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rouse::sim::canon {
namespace {

std::vector<Canon> all() {
  std::vector<Canon> out;
  for (const auto chapter : {people_write, approvals_are_given, replies_are_sent, automations_run,
                             automations_change, hearts_beat, things_are_kept, workspaces_change}) {
    for (Canon& one : chapter()) out.push_back(std::move(one));
  }
  return out;
}

class Canonical : public testing::TestWithParam<Canon> {
 protected:
  static void TearDownTestSuite() {
    fmt::print("{} canonical scenarios, killed at {} writes, recovered {} times\n", scenarios_,
               total_.kills, total_.recoveries);
  }
  static inline KillReport total_;
  static inline int scenarios_ = 0;
};

TEST_P(Canonical, KilledAtEveryWrite) {
  const KillReport report = kill(GetParam());
  EXPECT_GT(report.kills, 0) << "it writes nothing";
  RecordProperty("kills", static_cast<int>(report.kills));
  ++scenarios_;
  total_.kills += report.kills;
  total_.recoveries += report.recoveries;
}

INSTANTIATE_TEST_SUITE_P(Scenario, Canonical, testing::ValuesIn(all()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace rouse::sim::canon
