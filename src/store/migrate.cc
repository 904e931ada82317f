#include "store/migrate.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "store/database.h"

namespace rouse {
namespace {

bool may_lose(std::span<const Migration> ran, std::string_view table) {
  return std::ranges::any_of(ran, [&](const Migration& step) {
    return std::ranges::any_of(split(step.may_lose, ','),
                               [&](std::string_view name) { return trim(name) == table; });
  });
}

Result<void> check_numbers(std::span<const Migration> steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].number != static_cast<int>(i) + 1) {
      return fail(Errc::kInternal, fmt::format("schema step '{}' has number {}, expected {}",
                                               steps[i].name, steps[i].number, i + 1));
    }
  }
  return {};
}

}  // namespace

std::string step_hash(const Migration& step) { return sha256(step.sql); }

Result<std::span<const Migration>> plan_upgrade(std::span<const Migration> steps,
                                                std::span<const AppliedStep> applied,
                                                std::string_view our_version) {
  TRY_VOID(check_numbers(steps));
  if (applied.size() > steps.size()) {
    const AppliedStep& last = applied.back();
    return fail(
        StoreErrc::kNewer,
        fmt::format("it was made by rouse {} (schema {}), this is rouse {} (schema {}). Start "
                    "the newer rouse, or restore a backup made before the upgrade with "
                    "`rouse restore FILE`",
                    last.version, last.number, our_version, steps.size()));
  }
  for (std::size_t i = 0; i < applied.size(); ++i) {
    if (applied[i].number != steps[i].number || applied[i].hash != step_hash(steps[i])) {
      return fail(StoreErrc::kCorrupt,
                  fmt::format("schema step {} ('{}') in it, run by rouse {}, is not the one this "
                              "rouse {} knows",
                              steps[i].number, steps[i].name, applied[i].version, our_version));
    }
  }
  return steps.subspan(applied.size());
}

Result<void> compare_census(const Census& before, const Census& after,
                            std::span<const Migration> ran) {
  for (const auto& [table, had] : before) {
    if (may_lose(ran, table)) continue;
    const auto now = after.find(table);
    if (now == after.end()) {
      return fail(StoreErrc::kConflict,
                  fmt::format("table {} with {} rows would be gone", table, had.rows));
    }
    if (now->second.rows < had.rows) {
      return fail(StoreErrc::kConflict, fmt::format("table {} would have {} rows instead of {}",
                                                    table, now->second.rows, had.rows));
    }
    for (const auto& [column, filled] : had.filled) {
      const auto kept = now->second.filled.find(column);
      if (kept != now->second.filled.end() && kept->second < filled) {
        return fail(StoreErrc::kConflict,
                    fmt::format("column {}.{} would have {} values instead of {}", table, column,
                                kept->second, filled));
      }
    }
  }
  return {};
}

}  // namespace rouse
