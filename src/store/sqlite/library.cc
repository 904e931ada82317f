#include "store/sqlite/library.h"

#include <sqlite3.h>

namespace rouse::sqlite {

// Counting every allocation under one lock makes the loop and the writer wait for each other.
void set_up_library() {
  [[maybe_unused]] static const int kCode = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

}  // namespace rouse::sqlite
