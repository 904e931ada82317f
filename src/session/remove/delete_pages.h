// Deletes any number of rows in writes of a bounded size, so that turns get through in between.
//
// What is deleted is overwritten with zeros (secure_delete), and the zeros go through the log: a
// write costs the bytes it frees, and at least a page for each row that lies alone. So short rows
// are counted, and whatever may be large is counted in bytes (PF-5).
#pragma once

#include <span>

#include "store/database.h"

namespace rouse {

inline constexpr std::int64_t kDeletedRowsAtOnce = 256;  // short ones
inline constexpr std::int64_t kDeletedFilesAtOnce = 50;
inline constexpr std::int64_t kDeletedFileBytesAtOnce = 4'000'000;  // or one file

// How many rows from the front one write takes: as many as have at most `most` bytes together, by
// the sizes in a column, and at least one.
inline std::size_t fitting(std::span<const Row> rows, std::size_t size_column, std::int64_t most) {
  std::int64_t bytes = 0;
  std::size_t count = 0;
  for (const Row& row : rows) {
    bytes += row.integer(size_column);
    if (count > 0 && bytes > most) break;
    ++count;
  }
  return count;
}

// Repeats a statement that deletes at most kDeletedRowsAtOnce rows until there are none left.
// Answers how many it deleted in all.
inline Task<Result<std::int64_t>> delete_in_pages(Database& database, Statement statement) {
  std::int64_t count = 0;
  while (true) {
    CO_TRY(const Written written, co_await database.write(Write{{statement}}));
    count += written.rows_changed.front();
    if (written.rows_changed.front() < kDeletedRowsAtOnce) co_return count;
  }
}

}  // namespace rouse
