// What happens in the world in a box: a list of events, made from a seed. Each event says when it
// happens and carries the dice it needs, so any of them can be left out and the others stay as they
// are: that is how a failing run is shrunk to the few events that matter, and how it is kept as a
// text file that a person can read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace rouse::sim {

enum class Do : std::uint8_t {
  // people
  kChat,    // a new message
  kBurst,   // three at once, the last one delivered first
  kAgain,   // the bridge delivers an earlier one once more
  kLost,    // one that the bridge loses; it comes when the bridge looks through its list
  kEcho,    // the bridge hands us our own words
  kReset,   // "new task: …"
  kClear,   // /clear
  kDelete,  // the conversation is deleted
  kCancel,  // what runs is called off
  kDecide,  // somebody answers what waits for a yes
  kMakeJob,
  kEditJob,
  kPauseJob,
  kResumeJob,
  kRemoveJob,
  kBeatNow,
  kMendKey,
  // time
  kStepClock,
  kSuspend,
  // the process
  kRestart,
  kKill,      // now
  kDieSoon,   // at one of the next changes of the disk
  kHandOver,  // another owner takes the store from the one that runs
  // the disk
  kFailWrite,
  kFailSync,
  kDiskFull,
  kSlowDisk,
  // people again; what is drawn last leaves the rest of a seed as it is
  kOpenApp,     // the agent may speak first; now and then in two tabs
  kEditRules,   // the workflow file
  kEditBeats,   // heartbeat.json
  kEditConfig,  // a cap, or how people are greeted
};
inline constexpr int kDoings = static_cast<int>(Do::kEditConfig) + 1;
std::string_view doing_name(Do what);

struct Event {
  std::int64_t at_ms = 0;  // since the world began
  Do what = Do::kChat;
  std::int64_t who = 0;    // a person, or how long in minutes
  std::uint64_t dice = 0;  // whatever else it needs
  friend bool operator==(const Event&, const Event&) = default;
};

struct Plan {
  std::uint64_t seed = 1;
  int days = 3;
  std::string scenario = "standard";
  std::string bug = {};  // a planted one, or ""
  std::vector<Event> events = {};
  friend bool operator==(const Plan&, const Plan&) = default;
};

// Which worlds there are: "standard" with all that goes wrong, and narrower ones.
std::vector<std::string> scenario_names();
Plan make_plan(std::uint64_t seed, int days, const std::string& scenario);

std::string to_text(const Plan& plan);
Result<Plan> plan_from_text(std::string_view text);

// A number that depends on both and looks like neither.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b);
std::uint64_t mixed(std::uint64_t a, std::string_view text);

}  // namespace rouse::sim
