// Reads that take longer than the loop may wait, on a runner of their own with a read-only
// connection opened at the first of them: a server nobody searches has neither.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "store/database.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/limits.h"
#include "store/sqlite/platform.h"

namespace rouse::sqlite {

class PageReader {
 public:
  PageReader(std::string database, const Clock& clock, Platform& platform,
             const StoreLimits& limits);
  ~PageReader();
  PageReader(const PageReader&) = delete;
  PageReader& operator=(const PageReader&) = delete;

  Task<Result<Rows>> read(Query query);

  // Other work for the same place: it must own what it touches.
  Task<Result<void>> run(std::move_only_function<Result<void>()> work);

  Task<void> close();  // after what was asked before; then lets go of the database

 private:
  Result<Rows> read_now(const Query& query);
  [[nodiscard]] Result<void> admit() const;

  const std::string database_;
  const Clock& clock_;
  Platform& platform_;
  const StoreLimits limits_;
  std::size_t waiting_ = 0;       // the loop's
  std::optional<Connection> db_;  // the runner's
  std::unique_ptr<Runner> runner_;
};

}  // namespace rouse::sqlite
