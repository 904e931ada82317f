#include "store/sqlite/sqlite_database.h"

#include <fmt/format.h>

namespace rouse::sqlite {

SqliteDatabase::SqliteDatabase(OpenStore store, Loop& loop, const Clock& clock, Platform& platform,
                               const StoreLimits& limits)
    : layout_(std::move(store.layout)),
      lock_(std::move(store.lock)),
      epoch_(store.epoch),
      clock_(clock),
      platform_(platform),
      limits_(limits),
      writer_(std::move(store.writer), layout_.database(), store.epoch, loop, platform, limits),
      pages_(layout_.database(), clock, platform, limits),
      reader_(std::in_place, std::move(store.reader), loop) {}

Task<Result<Written>> SqliteDatabase::write(Write write) { return writer_.write(std::move(write)); }

Result<Rows> SqliteDatabase::read(const Query& query) {
  if (!reader_) return fail(StoreErrc::kClosed, "the store is shut down");
  return reader_->read(query, writer_.answered(), clock_, limits_.max_read);
}

Task<Result<Rows>> SqliteDatabase::read_page(Query query) {
  if (!reader_) co_return fail(StoreErrc::kClosed, "the store is shut down");
  co_return co_await pages_.read(std::move(query));
}

// The copy is made by the writer, checked and synced beside it: the live file is read only once.
Task<Result<void>> SqliteDatabase::make_partial(std::string path) {
  if (!reader_) co_return fail(StoreErrc::kClosed, "the store is shut down");
  const std::string partial = partial_name(path);
  Files& files = platform_.files();
  CO_TRY_VOID(files.remove(partial));  // of an earlier try that was cut short
  auto copied = co_await writer_.copy_to(partial);
  if (!copied) (void)files.remove(partial);
  co_return copied;
}

Task<Result<void>> SqliteDatabase::backup(std::string path) {
  CO_TRY(const auto there, platform_.files().size(path));
  if (there)
    co_return fail(Errc::kConflict, fmt::format("{} exists already; name a new file", path));
  CO_TRY_VOID(co_await make_partial(path));
  co_return co_await pages_.run([files = &platform_.files(), vfs = platform_.vfs(), path] {
    return publish_copy(*files, path, vfs);
  });
}

Task<Result<void>> SqliteDatabase::verify() {
  const std::string path = layout_.dir + "/verify";
  CO_TRY_VOID(co_await make_partial(path));
  co_return co_await pages_.run([files = &platform_.files(), vfs = platform_.vfs(), path] {
    auto sound = check_database_file(partial_name(path), vfs);
    (void)files->remove(partial_name(path));
    return sound;
  });
}

Task<void> SqliteDatabase::close() {
  co_await writer_.drain();
  co_await pages_.close();  // a backup that was copied is still checked and published
  reader_.reset();
  writer_.release();  // the last connection
  lock_.reset();
}

}  // namespace rouse::sqlite
