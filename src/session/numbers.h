// The running numbers of the ledgers: each inbound row, message and turn gets the next one, in the
// order the loop sees them. The store has one owner, so the loop may give them out; a write that
// failed leaves a gap, and a start goes on after the highest that is there.
#pragma once

#include <cstdint>

#include "store/database.h"

namespace rouse {

class Numbers {
 public:
  Result<void> load(Database& database);
  std::int64_t next_inbound() { return ++inbound_; }
  std::int64_t next_message() { return ++message_; }
  std::int64_t next_turn() { return ++turn_; }
  [[nodiscard]] std::int64_t last_turn() const { return turn_; }

 private:
  std::int64_t inbound_ = 0;
  std::int64_t message_ = 0;
  std::int64_t turn_ = 0;
};

}  // namespace rouse
