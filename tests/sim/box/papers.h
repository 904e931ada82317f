// What people may edit while the server runs: a workflow file, heartbeat.json, a cap, how people
// are greeted. The box knows what each version says, so it can tell what must be obeyed without
// asking the product. A broken file leaves in force what was there before; a start has only what it
// can read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "proactive/greeting.h"
#include "proactive/proactive_house_for_tests.h"
#include "tests/sim/heartbeat_life.h"

namespace rouse::sim {

// What a version of the workflow file says. Each counts how often `change` was used in a session.
struct Rules {
  int edition = 0;
  bool no_change = false, no_look = false;
  int most_changes = 0;  // in a session; 0: no limit
  [[nodiscard]] bool forbids(std::string_view tool) const;
  [[nodiscard]] std::string reason() const;
};
Rules some_rules(int edition, std::uint64_t dice);
std::string to_yaml(const Rules& rules);
std::string broken_yaml(std::uint64_t dice);

// One heartbeat of the file.
struct StandardBeat {
  std::string name, zone, start, end;
  int every_minutes = 0;
  std::string conversation;
  [[nodiscard]] WantedBeat wanted() const { return {name, start, end, every_minutes}; }
};
using Beats = std::vector<StandardBeat>;
const Beats& standard_beats();                         // the four that a world begins with
Beats changed_beats(Beats beats, std::uint64_t dice);  // another interval, or other hours
std::string to_json(const Beats& beats);
std::string broken_json(std::uint64_t dice);

struct Papers {
  Papers();
  // --- as they lie on the disk
  ProactiveHouseForTests::Files files;  // heartbeat.json and the orders
  std::string workflow;
  bool workflow_broken = false;
  // --- what is in force
  Rules rules;
  Beats beats;
  WallTime beats_since = {};
  std::int64_t cap = 0;
  Greeting greeting = Greeting::kModel;
  // --- what happened to them
  int edits = 0;
  bool uncounted = false;  // for a while no rule counted anything
  // What a day had cost when the cap was last edited, by owner and day; of others at most
  // `under_way`.
  std::map<std::string, std::int64_t> spent;
  std::int64_t under_way = 0;
};

}  // namespace rouse::sim
