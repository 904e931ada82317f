// The tables of rouse as numbered steps. A step, once released, never changes: its text is hashed
// into the store and verified at each start. New tables come as new steps at the end.
#pragma once

#include <span>
#include <string_view>

namespace rouse {

struct Migration {
  int number;                      // 1, 2, 3 … without gaps
  std::string_view name;           // "foundation"
  std::string_view sql;            // statements separated by ';', common dialect (see database.h)
  std::string_view may_lose = {};  // "a, b": tables this step may drop or shrink; others may not
};

// Every step of this release, in order.
std::span<const Migration> schema();

}  // namespace rouse
