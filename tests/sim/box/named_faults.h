// Deaths at the named points of the product (base/fault.h), in one world of four: the power goes
// right between the two steps that a point stands between. Each death is counted, so that a long
// run can say which it never met.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "store/sqlite/fault_vfs_for_tests.h"
#include "tests/sim/box/outside.h"
#include "tests/sim/box/plan.h"

namespace rouse::sim {

// What a long run must have met, as it stands among the counts: a death at each point, and each of
// the rare things.
inline std::vector<std::string> named_faults() {
  std::vector<std::string> out;
  for (const FaultPoint& point : kFaultPoints) {
    if (point.in_the_box) out.push_back("died at " + std::string(point.name));
  }
  for (const std::string_view name : kSometimes) out.push_back("met " + std::string(name));
  return out;
}

class NamedFaults {
 public:
  NamedFaults(std::uint64_t seed, sqlite::FaultDisk& disk, Outside& outside)
      : seed_(mixed(seed, 77)), disk_(disk), outside_(outside) {
    set_fault_hook([this](std::string_view point) { pass(point); });
  }
  ~NamedFaults() { set_fault_hook({}); }
  NamedFaults(const NamedFaults&) = delete;
  NamedFaults& operator=(const NamedFaults&) = delete;

 private:
  // So that what every write passes strikes as often as what few worlds come to.
  static std::uint64_t rarity(std::string_view point) {
    if (point == "store.before_commit" || point == "store.after_commit") return 3'000;
    return point.starts_with("delete.") ? 4 : 60;
  }
  void pass(std::string_view point) {
    if (disk_.killed()) return;
    if (std::ranges::find(kSometimes, point) != kSometimes.end()) {
      return outside_.counts.hit("met " + std::string(point));
    }
    if (seed_ % 4 != 0 || outside_.kind) return;
    if (mixed(mixed(seed_, point), ++passed_) % rarity(point) != 0) return;
    outside_.counts.hit("died at " + std::string(point));
    disk_.kill_now();
  }

  const std::uint64_t seed_;
  sqlite::FaultDisk& disk_;
  Outside& outside_;
  std::uint64_t passed_ = 0;
};

}  // namespace rouse::sim
