// The lines of a shared file as records, and how two such files become one. One JSON object a
// line, in the order of their keys.
//
// - Of two records with one key the better one stays (Record::beats, a total order), so it does not
//   matter who merges whose file first, or how often.
// - Nothing is lost: a line that can't be understood is kept as it is, at the end, and named; a
//   record that wins keeps its line as it was written, fields of newer versions included.
//
// A record has: `static Result<Record> read(std::string_view line)`, `std::string write() const`,
// `std::string key() const`, `bool beats(const Record& other) const`, `WallTime updated`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "lifecycle/actions/sync_file.h"

namespace rouse {

template <class Record>
struct SyncLines {
  struct Line {
    Record record;
    std::string text;
  };
  std::map<std::string, Line> by_key;
  std::vector<std::string> broken = {};          // as they are
  std::vector<std::size_t> broken_numbers = {};  // their lines, from 1
  std::size_t left_out = 0;                      // beyond the bound

  // Did it become part of this?
  bool take(Record record, std::string text) {
    std::string key = record.key();
    const auto found = by_key.find(key);
    if (found == by_key.end()) {
      by_key.emplace(std::move(key), Line{std::move(record), std::move(text)});
      return true;
    }
    if (!record.beats(found->second.record)) return false;
    found->second = Line{std::move(record), std::move(text)};
    return true;
  }

  [[nodiscard]] std::string text() const {
    std::string out;
    for (const auto& [key, line] : by_key) out.append(line.text).append("\n");
    for (const std::string& line : broken) out.append(line).append("\n");
    return out;
  }
};

// A time that has not come yet would win for years, whoever made it.
inline constexpr Millis kSyncFuture = days(1);

template <class Record>
SyncLines<Record> read_sync_lines(std::string_view text, WallTime now) {
  SyncLines<Record> out;
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trim(line);
    if (line.empty()) continue;
    if (out.by_key.size() + out.broken.size() >= kSyncFileLines) {
      ++out.left_out;
      continue;
    }
    Result<Record> record = Record::read(line);
    if (record && record->updated <= now + kSyncFuture) {
      out.take(std::move(*record), std::string(line));
    } else {
      out.broken.emplace_back(line);
      out.broken_numbers.push_back(number);
    }
  }
  return out;
}

// "2 broken lines (3, 9)", "5 lines beyond 10000"; "" if all is well.
template <class Record>
std::string troubles_of(const SyncLines<Record>& lines) {
  constexpr std::size_t kNamed = 10;
  std::string out;
  if (!lines.broken.empty()) {
    out =
        fmt::format("{} broken line{} (", lines.broken.size(), lines.broken.size() == 1 ? "" : "s");
    for (std::size_t i = 0; i < lines.broken_numbers.size() && i < kNamed; ++i) {
      out += fmt::format("{}{}", i == 0 ? "" : ", ", lines.broken_numbers[i]);
    }
    out += lines.broken_numbers.size() > kNamed ? ", …)" : ")";
  }
  if (lines.left_out > 0) {
    out += fmt::format("{}{} lines beyond {}", out.empty() ? "" : ", ", lines.left_out,
                       kSyncFileLines);
  }
  return out;
}

}  // namespace rouse
