#include "store/sqlite/wal_copier.h"

#include <utility>

namespace rouse::sqlite {
namespace {

// Each further pass copies what came during the one before. It is over when little is left.
constexpr int kPasses = 4;
constexpr int kFewFrames = 64;

// Where turns follow each other there is a commit much sooner than this. Else the disk is free.
constexpr std::int64_t kLullUs = 2'000;
constexpr int kPagesInALull = 64;

}  // namespace

WalCopier::WalCopier(std::string database, Platform& platform)
    : database_(std::move(database)),
      platform_(platform),
      runner_(platform.make_runner("rouse-copier")) {}

WalCopier::~WalCopier() { runner_.reset(); }

void WalCopier::ask(Round round) {
  in_a_hurry_ = round != Round::kAtLeisure;
  state_ = State::kAsked;
  runner_->run([this, round] { run(round); });
}

void WalCopier::committed() {
  if (in_a_hurry_ || state_ != State::kCopying) return;
  allowed_ = kPagesAtLeisure;
  runner_->nudge();
}

void WalCopier::hurry() {
  if (!in_a_hurry_.exchange(true)) runner_->nudge();
}

PagePace::Haste WalCopier::before_page() {
  if (!in_a_hurry_ && allowed_-- <= 0) {
    allowed_ = 0;
    runner_->doze(kLullUs);
    if (allowed_-- <= 0) allowed_ = kPagesInALull;
  }
  return in_a_hurry_ ? Haste::kInAHurry : Haste::kAtLeisure;
}

void WalCopier::settle() {
  auto asked = State::kAsked;
  state_.compare_exchange_strong(asked, State::kIdle);
  hurry();
  state_.wait(State::kCopying);
  state_ = State::kIdle;
}

void WalCopier::run(Round round) {
  auto asked = State::kAsked;
  if (!state_.compare_exchange_strong(asked, State::kCopying)) return;  // taken back
  copy(round == Round::kOnce ? 1 : kPasses);
  state_ = State::kCopied;
  state_.notify_all();
}

// Whatever goes wrong here, the writer copies it all itself and reports the failure.
void WalCopier::copy(int passes) {
  if (!db_) {
    auto opened = Connection::open(
        database_, Access::kReadWrite,
        {.vfs = platform_.vfs(), .cache_kib = 64, .checkpoint_on_close = false, .busy_wait = {0}});
    if (!opened || !opened->exec("PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0")) return;
    db_ = std::move(*opened);
    set_pace(db_->raw(), this);
  }
  int before = 0;
  for (int pass = 0; pass < passes; ++pass) {
    int frames = 0;
    int copied = 0;
    const int code =
        sqlite3_wal_checkpoint_v2(db_->raw(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &frames, &copied);
    if (code != SQLITE_OK || copied - std::exchange(before, copied) < kFewFrames) return;
  }
}

}  // namespace rouse::sqlite
