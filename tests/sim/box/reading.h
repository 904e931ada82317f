// Reading rows for a check. A store that can't be read is a broken promise itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/database.h"
#include "tests/sim/box/outside.h"

namespace rouse::sim {

inline constexpr std::size_t kMany = 1'000'000;

inline Rows read_rows(Database& database, Outside& outside, std::string_view sql,
                      std::vector<Value> params = {}) {
  auto rows = database.read({sql, std::move(params), kMany});
  if (!rows) outside.broke("0: the store can be read", rows.error().message);
  return rows ? std::move(*rows) : Rows{};
}

// Breaks the invariant for the first row that the query finds.
void none(Database& database, Outside& outside, const char* invariant, std::string_view sql,
          std::vector<Value> params = {});

bool deletes_under_way(Database& database, Outside& outside);

}  // namespace rouse::sim
