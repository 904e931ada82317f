#include "store/sqlite/wal_keeper.h"

#include <fmt/format.h>

#include "base/fault.h"

namespace rouse::sqlite {
namespace {
constexpr std::int64_t kFrameHeader = 24;
constexpr std::int64_t kLogHeader = 32;
constexpr std::int64_t kRetryStep = 2 << 20;
constexpr std::size_t kFewWrites = 8;  // in a commit
}  // namespace

WalKeeper::WalKeeper(Connection& db, const StoreLimits& limits, std::string database,
                     Platform& platform)
    : db_(db), limits_(limits), copier_(std::move(database), platform) {
  page_bytes_ = db_.integer("PRAGMA page_size").value_or(4096);
  // The hook replaces SQLite's automatic checkpoint and tells the length of the log for nothing.
  sqlite3_wal_hook(
      db_.raw(),
      [](void* self, sqlite3*, const char*, int frames) {
        auto* keeper = static_cast<WalKeeper*>(self);
        keeper->bytes_ = kLogHeader + frames * (keeper->page_bytes_ + kFrameHeader);
        return SQLITE_OK;
      },
      this);
}

WalKeeper::~WalKeeper() { sqlite3_wal_hook(db_.raw(), nullptr, nullptr); }

void WalKeeper::after_commit(std::size_t writes) {
  ++commits_;
  writes_ += writes;
  if (bytes_ < copied_at_) copied_at_ = 0;  // it began anew
  if (bytes_ < next_try_) return;
  if (bytes_ < limits_.wal_truncate_bytes && copy_beside()) return;
  copier_.settle();
  checkpoint(SQLITE_CHECKPOINT_PASSIVE);
  if (bytes_ >= limits_.wal_truncate_bytes) truncate();
}

// True while the writer has nothing to do for the log itself.
bool WalKeeper::copy_beside() {
  if (copier_.state() == WalCopier::State::kIdle) {
    const bool at_leisure = !crowded();
    const bool due = at_leisure ? bytes_ >= limits_.wal_leisure_bytes
                                : bytes_ - copied_at_ >= limits_.wal_copy_bytes;
    if (!due) return true;
    const bool last = bytes_ + limits_.wal_copy_bytes > limits_.wal_restart_bytes;
    copied_at_ = bytes_;
    commits_ = writes_ = 0;
    copier_.ask(at_leisure ? WalCopier::Round::kAtLeisure
                : last     ? WalCopier::Round::kThorough
                           : WalCopier::Round::kOnce);
    return true;
  }
  if (copier_.state() != WalCopier::State::kCopied) {
    // More comes than a round at leisure was meant for: the writer would have to wait in the end.
    const bool behind = bytes_ - copied_at_ >= limits_.wal_leisure_bytes / 3;
    if (crowded() || behind) {
      copier_.hurry();
    } else {
      copier_.committed();
    }
    return true;
  }
  if (bytes_ >= limits_.wal_restart_bytes) return false;
  copier_.settle();
  return true;
}

// Many wait for each commit: then what counts is how much is done, and the log is copied back as it
// grows. Else it is how long the one who waits has to.
bool WalKeeper::crowded() const { return writes_ > commits_ * kFewWrites; }

Result<void> WalKeeper::make_room() {
  if (bytes_ < limits_.wal_refuse_bytes) return {};
  copier_.settle();
  truncate();
  if (bytes_ < limits_.wal_refuse_bytes) return {};
  return fail(StoreErrc::kOverloaded, problem_);
}

// A passive checkpoint that reaches the end lets the next commit begin the log anew.
void WalKeeper::checkpoint(int mode) {
  FAULT_POINT("store.before_checkpoint");
  int frames = 0;
  int copied = 0;
  const int code = sqlite3_wal_checkpoint_v2(db_.raw(), nullptr, mode, &frames, &copied);
  if (code == SQLITE_OK && copied >= frames) {
    bytes_ = 0;
    copied_at_ = 0;
    next_try_ = 0;
    problem_.clear();
    return;
  }
  next_try_ = bytes_ + kRetryStep;
  if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY) {
    problem_ = to_error(db_.raw(), code, "the write-ahead log can't be copied back").message;
  } else if (bytes_ >= limits_.wal_truncate_bytes) {
    problem_ = fmt::format(
        "the write-ahead log has grown to {} MiB because a reader keeps it from "
        "being copied back. Is another program reading rouse.db?",
        bytes_ >> 20);
  }
}

void WalKeeper::truncate() {
  if (bytes_ == 0) return;
  checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
}

}  // namespace rouse::sqlite
