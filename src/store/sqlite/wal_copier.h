// Copies the log back into the main file beside the writer, with a connection of its own. The
// writer goes on appending meanwhile; when a round is over, only what came since is left for the
// writer to copy before the log can begin anew. So nobody waits for the bulk of it.
//
// The writer's side is called where the writer runs. A round that was asked for and has not begun
// can be taken back; that is why the simulator, where nothing happens at the same time, never
// waits.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "store/sqlite/connection.h"
#include "store/sqlite/platform.h"

namespace rouse::sqlite {

class WalCopier {
 public:
  enum class State : std::uint8_t { kIdle, kAsked, kCopying, kCopied };

  WalCopier(std::string database, Platform& platform);
  ~WalCopier();
  WalCopier(const WalCopier&) = delete;
  WalCopier& operator=(const WalCopier&) = delete;

  [[nodiscard]] State state() const { return state_; }
  // For a round; kIdle only. A thorough one leaves little for the writer to copy.
  void ask(bool thoroughly);
  void settle();  // back to kIdle: waits for a round that is running, takes back one that is not

 private:
  void round(bool thoroughly);
  void copy(bool thoroughly);

  const std::string database_;
  Platform& platform_;
  std::optional<Connection> db_;  // the runner's; opened with the first round
  std::atomic<State> state_ = State::kIdle;
  std::unique_ptr<Runner> runner_;  // last: its thread ends before anything above goes away
};

}  // namespace rouse::sqlite
