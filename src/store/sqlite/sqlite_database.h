// The Database of database.h over one SQLite file: a group-commit writer, a connection for the
// loop's point reads and a reader for pages. open.h makes it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "store/database.h"
#include "store/sqlite/layout.h"
#include "store/sqlite/page_reader.h"
#include "store/sqlite/shared_snapshot.h"
#include "store/sqlite/writer.h"

namespace rouse::sqlite {

// What opening found and made; handed over as a whole.
struct OpenStore {
  Layout layout;
  std::unique_ptr<FileLock> lock;
  Connection writer;
  Connection reader;
  std::int64_t epoch;
};

class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(OpenStore store, Loop& loop, const Clock& clock, Platform& platform,
                 const StoreLimits& limits);

  Task<Result<Written>> write(Write write) override;
  Result<Rows> read(const Query& query) override;
  Task<Result<Rows>> read_page(Query query) override;
  Task<Result<void>> backup(std::string path) override;
  Task<Result<void>> verify() override;
  [[nodiscard]] std::int64_t owner_epoch() const override { return epoch_; }
  [[nodiscard]] StoreHealth health() const override { return writer_.health(); }
  Task<void> close() override;

 private:
  Task<Result<void>> make_partial(std::string path);

  const Layout layout_;
  std::unique_ptr<FileLock> lock_;  // let go last
  const std::int64_t epoch_;
  const Clock& clock_;
  Platform& platform_;
  const StoreLimits limits_;
  GroupWriter writer_;
  PageReader pages_;
  std::optional<SharedSnapshot> reader_;
};

}  // namespace rouse::sqlite
