// What lies where in a data directory, and how a database of ours is told from another.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"

namespace rouse::sqlite {

inline constexpr std::int64_t kApplicationId = 0x726F7573;  // "rous"

inline constexpr std::int64_t kPageBytes = 4096;

struct Layout {
  std::string dir;
  [[nodiscard]] std::string database() const { return dir + "/rouse.db"; }
  [[nodiscard]] std::string wal() const { return database() + "-wal"; }
  [[nodiscard]] std::string shm() const { return database() + "-shm"; }
  [[nodiscard]] std::string journal() const { return database() + "-journal"; }
  [[nodiscard]] std::string lock() const { return dir + "/lock"; }
  [[nodiscard]] std::string backups() const { return dir + "/backups"; }
};

// "20261115T044000123Z": sorts by time and is safe in a file name.
inline std::string stamp(WallTime time) {
  std::string text = to_iso(time);
  std::erase_if(text, [](char c) { return c == '-' || c == ':' || c == '.'; });
  return text;
}

}  // namespace rouse::sqlite
