// Bugs that somebody could have made, to be switched on by name: the simulator must find each. They
// are outside of the product: a store that changes what it is told to write, a disk that lies, a
// start that leaves out a step.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/loop.h"
#include "channel/channel_sender.h"
#include "store/database.h"
#include "tests/sim/box/house.h"

namespace rouse::sim {

struct Bug {
  std::string_view name, what;
  // What becomes of a write; null: nothing. The number counts writes, for bugs that are seldom.
  enum class Fate : std::uint8_t {
    kWritten,
    kForgotten,   // answered as if it were written
    kToldBefore,  // answered before it is written
    kInPieces,    // each statement by itself
  };
  Fate (*write)(Write& write, std::uint64_t number) = nullptr;
  std::vector<std::string_view> at_start = {};  // SQL that runs before the house starts
  House::Skips skips = {};
  bool lying_sync = false;
  bool lasting_timers = false;  // each write leaves one behind
};

const std::vector<Bug>& planted_bugs();
const Bug* find_bug(std::string_view name);

class BrokenDatabase final : public Database {
 public:
  BrokenDatabase(Database& inner, const Bug& bug, Loop& loop, Clock& clock)
      : inner_(inner), bug_(bug), loop_(loop), clock_(clock) {}
  Task<Result<Written>> write(Write write) override;
  Result<Rows> read(const Query& query) override { return inner_.read(query); }
  Task<Result<Rows>> read_page(Query query) override { return inner_.read_page(std::move(query)); }
  Task<Result<void>> backup(std::string path) override { return inner_.backup(std::move(path)); }
  Task<Result<void>> verify() override { return inner_.verify(); }
  [[nodiscard]] std::int64_t owner_epoch() const override { return inner_.owner_epoch(); }
  [[nodiscard]] StoreHealth health() const override { return inner_.health(); }
  Task<void> close() override { return inner_.close(); }

 private:
  Task<void> late(Write write);
  Task<void> wait_for_nothing();
  Database& inner_;
  const Bug& bug_;
  Loop& loop_;
  Clock& clock_;
  std::uint64_t writes_ = 0;
};

}  // namespace rouse::sim
