// Copies the log back into the main file beside the writer, with a connection of its own. The
// writer goes on appending meanwhile; when a round is over, only what came since is left for the
// writer to copy before the log can begin anew. So nobody waits for the bulk of it.
//
// The writer's side is called where the writer runs. A round that was asked for and has not begun
// can be taken back; that is why the simulator, where nothing happens at the same time, never
// waits.
//
// A round at leisure goes by the writer's own pace, some pages after each commit, when the writer
// has nothing to do for a moment: so a turn doesn't meet a round that wants a processor and the
// disk for itself (ADR 23). When commits stay away, or the writer waits for the round, it goes on
// by itself.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "store/sqlite/connection.h"
#include "store/sqlite/paced_pages.h"
#include "store/sqlite/platform.h"

namespace rouse::sqlite {

class WalCopier final : private PagePace {
 public:
  enum class State : std::uint8_t { kIdle, kAsked, kCopying, kCopied };
  // A thorough one leaves little for the writer to copy, and so does one at leisure.
  enum class Round : std::uint8_t { kOnce, kThorough, kAtLeisure };

  WalCopier(std::string database, Platform& platform);
  ~WalCopier() override;
  WalCopier(const WalCopier&) = delete;
  WalCopier& operator=(const WalCopier&) = delete;

  [[nodiscard]] State state() const { return state_; }
  void ask(Round round);  // kIdle only
  void committed();       // a round at leisure may do its next pages
  void hurry();           // and need not wait any more
  void settle();  // back to kIdle: waits for a round that is running, takes back one that is not

 private:
  void run(Round round);
  void copy(int passes);
  Haste before_page() override;

  const std::string database_;
  Platform& platform_;
  std::optional<Connection> db_;  // the runner's; opened with the first round
  std::atomic<State> state_ = State::kIdle;
  std::atomic<bool> in_a_hurry_ = false;
  std::atomic<int> allowed_ = 0;    // pages, until the next commit
  std::unique_ptr<Runner> runner_;  // last: its thread ends before anything above goes away
};

}  // namespace rouse::sqlite
