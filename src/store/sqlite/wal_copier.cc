#include "store/sqlite/wal_copier.h"

#include <utility>

namespace rouse::sqlite {
namespace {

// Each further pass copies what came during the one before. It is over when little is left.
constexpr int kPasses = 4;
constexpr int kFewFrames = 64;

}  // namespace

WalCopier::WalCopier(std::string database, Platform& platform)
    : database_(std::move(database)),
      platform_(platform),
      runner_(platform.make_runner("rouse-copier")) {}

WalCopier::~WalCopier() { runner_.reset(); }

void WalCopier::ask(bool thoroughly) {
  state_ = State::kAsked;
  runner_->run([this, thoroughly] { round(thoroughly); });
}

void WalCopier::settle() {
  auto asked = State::kAsked;
  state_.compare_exchange_strong(asked, State::kIdle);
  state_.wait(State::kCopying);
  state_ = State::kIdle;
}

void WalCopier::round(bool thoroughly) {
  auto asked = State::kAsked;
  if (!state_.compare_exchange_strong(asked, State::kCopying)) return;  // taken back
  copy(thoroughly);
  state_ = State::kCopied;
  state_.notify_all();
}

// Whatever goes wrong here, the writer copies it all itself and reports the failure.
void WalCopier::copy(bool thoroughly) {
  if (!db_) {
    auto opened = Connection::open(
        database_, Access::kReadWrite,
        {.vfs = platform_.vfs(), .cache_kib = 64, .checkpoint_on_close = false, .busy_wait = {0}});
    if (!opened || !opened->exec("PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0")) return;
    db_ = std::move(*opened);
  }
  int before = 0;
  for (int pass = 0; pass < (thoroughly ? kPasses : 1); ++pass) {
    int frames = 0;
    int copied = 0;
    const int code =
        sqlite3_wal_checkpoint_v2(db_->raw(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &frames, &copied);
    if (code != SQLITE_OK || copied - std::exchange(before, copied) < kFewFrames) return;
  }
}

}  // namespace rouse::sqlite
