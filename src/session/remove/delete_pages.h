// Deletes any number of rows in writes of a bounded size, so that turns get through in between.
#pragma once

#include "store/database.h"

namespace rouse {

// Repeats a statement that deletes at most `page` rows until there are none left. Answers how many
// it deleted in all.
inline Task<Result<std::int64_t>> delete_in_pages(Database& database, Statement statement,
                                                  std::int64_t page) {
  std::int64_t count = 0;
  while (true) {
    CO_TRY(const Written written, co_await database.write(Write{{statement}}));
    count += written.rows_changed.front();
    if (written.rows_changed.front() < page) co_return count;
  }
}

}  // namespace rouse
