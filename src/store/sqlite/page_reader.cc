#include "store/sqlite/page_reader.h"

#include <fmt/format.h>

namespace rouse::sqlite {

PageReader::PageReader(std::string database, const Clock& clock, Platform& platform,
                       const StoreLimits& limits)
    : database_(std::move(database)),
      clock_(clock),
      platform_(platform),
      limits_(limits),
      runner_(platform.make_runner("rouse-reader")) {}

PageReader::~PageReader() { runner_.reset(); }

Result<void> PageReader::admit() const {
  if (runner_ == nullptr) return fail(StoreErrc::kClosed, "the store is shut down");
  if (waiting_ < limits_.max_queued_pages) return {};
  return fail(StoreErrc::kOverloaded,
              fmt::format("{} reads are waiting; try again later", waiting_));
}

Task<Result<Rows>> PageReader::read(Query query) {
  CO_TRY_VOID(admit());
  ++waiting_;
  auto rows = co_await complete_later<Result<Rows>>([this, q = std::move(query)](
                                                        Completer<Result<Rows>> done) mutable {
    runner_->run([this, q = std::move(q), done = std::move(done)]() mutable { done(read_now(q)); });
  });
  --waiting_;
  co_return rows;
}

Task<Result<void>> PageReader::run(std::move_only_function<Result<void>()> work) {
  CO_TRY_VOID(admit());
  ++waiting_;
  auto result = co_await complete_later<Result<void>>(
      [this, work = std::move(work)](Completer<Result<void>> done) mutable {
        runner_->run([work = std::move(work), done = std::move(done)]() mutable { done(work()); });
      });
  --waiting_;
  co_return result;
}

Task<void> PageReader::close() {
  if (waiting_ > 0) {
    // Jobs run in order: when this one is answered, so are those before it.
    co_await complete_later<bool>([this](Completer<bool> done) {
      runner_->run([done = std::move(done)]() mutable { done(true); });
    });
  }
  runner_.reset();
  db_.reset();
}

Result<Rows> PageReader::read_now(const Query& query) {
  if (!db_) {
    TRY(db_, Connection::open(database_, Access::kReadOnly,
                              {.vfs = platform_.vfs(), .cache_kib = limits_.reader_cache_kib}));
  }
  return db_->query(query, clock_, limits_.max_read);
}

}  // namespace rouse::sqlite
