// The arithmetic of schema steps, without a database: which steps are due, whether the ones already
// applied are still the ones we know, and whether a step lost something it was not meant to lose.
// A backend records what it applied, asks plan_upgrade() what to do, and runs it in one
// transaction.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/schema.h"

namespace rouse {

struct AppliedStep {
  int number = 0;
  std::string hash;     // step_hash() of the text that ran
  std::string version;  // of the rouse that ran it
};

// 32 raw bytes that change when the text of the step does.
std::string step_hash(const Migration& step);

// The steps still to run, oldest first; none when the store is current. Fails with
// - Errc::kInternal when our own numbers have a gap (a bug in schema.cc),
// - kNewer when the store has steps this release doesn't know (UX-5: no downgrade),
// - kCorrupt when a recorded step differs from ours or one is missing.
Result<std::span<const Migration>> plan_upgrade(std::span<const Migration> steps,
                                                std::span<const AppliedStep> applied,
                                                std::string_view our_version);

// What is in a store, counted: rows a table, and values that are not NULL a column. Fields, not
// only rows, because a step that keeps every row can still empty a column (UX-5).
struct TableCount {
  std::int64_t rows = 0;
  std::map<std::string, std::int64_t> filled;  // column -> values that are not NULL
};
using Census = std::map<std::string, TableCount>;

// Fails with kConflict, naming table and figures, if a table or column that exists before and after
// holds less than before, or a table vanished, unless a step declares it in `may_lose`.
Result<void> compare_census(const Census& before, const Census& after,
                            std::span<const Migration> ran);

}  // namespace rouse
