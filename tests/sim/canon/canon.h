// Canonical scenarios: the things a person, an agent, a channel or the clock does to a server, each
// killed at every single change it makes to the disk. A scenario is a row of a table: what was
// there before, what is done, what must be so afterwards. What holds for all of them is checked for
// each (canon.cc): nothing acknowledged is lost, nothing is open for ever, nothing outside is done
// twice, and recovering twice, or dying while recovering, comes to the same as recovering once.
//
// The files beside this one are chapters of the table; `--gtest_filter='*Canon*'` runs all of them.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/canon/life.h"
#include "tests/sim/kill_at_every_write.h"

namespace rouse::sim::canon {

struct Canon {
  std::string name;  // of the test

  // Lived through once, in a life of its own.
  std::function<void(Life&, Ledger&)> prepare = {};
  // Killed at each change; begins when the server has started and is at rest.
  std::function<void(Life&, Ledger&)> act;
  // What the outside does again after the restart, because nobody answered: a bridge repeats
  // itself, a person presses once more.
  std::function<void(Life&, const Ledger&)> again = {};
  // What must be so, and in words what is there: the same words after each recovery.
  std::function<std::string(Life&, const Ledger&)> check;

  Setting setting = {};
  bool killed_at_start = false;  // the start is what it is about

  // On the wall, of the three lives.
  std::string_view prepared_at = "2026-03-02T08:00:00.000Z";
  std::string_view acted_at = "2026-03-02T09:00:00.000Z";
  std::string_view recovered_at = "2026-03-02T10:00:00.000Z";
};

inline void PrintTo(const Canon& canon, std::ostream* out) { *out << canon.name; }

// For `again`: the same, by somebody who remembers nothing of what they were told then.
std::function<void(Life&, const Ledger&)> once_more(std::function<void(Life&, Ledger&)> act);

// The chapters.
std::vector<Canon> people_write();
std::vector<Canon> approvals_are_given();
std::vector<Canon> replies_are_sent();
std::vector<Canon> automations_run();
std::vector<Canon> automations_change();
std::vector<Canon> hearts_beat();
std::vector<Canon> things_are_kept();
std::vector<Canon> workspaces_change();

KillReport kill(const Canon& canon);

}  // namespace rouse::sim::canon
