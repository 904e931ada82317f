// Between columns that may be NULL and optionals, both ways.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "store/database.h"

namespace rouse {

template <class T>
Value or_null(const std::optional<T>& value) {
  return value ? Value(*value) : Value(std::monostate{});
}
inline Value or_null(const std::optional<WallTime>& time) {
  return time ? Value(time->unix_ms) : Value(std::monostate{});
}

inline std::optional<std::string> text_or_null(const Row& row, std::size_t column) {
  if (row.is_null(column)) return std::nullopt;
  return row.text(column);
}
inline std::optional<std::int64_t> integer_or_null(const Row& row, std::size_t column) {
  if (row.is_null(column)) return std::nullopt;
  return row.integer(column);
}
inline std::optional<WallTime> time_or_null(const Row& row, std::size_t column) {
  if (row.is_null(column)) return std::nullopt;
  return WallTime{row.integer(column)};
}

}  // namespace rouse
