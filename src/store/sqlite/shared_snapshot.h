// The loop's point reads of one round share one read transaction. SQLite forgets its cached pages
// when a commit came between two transactions, so reads that stand alone would fetch the upper
// pages of every index again and again; with a million conversations that is most of their cost.
//
// A read sees every write that was answered before it: the transaction begins anew when an answer
// came since it began. It never outlives its round, so it pins the log for no longer than the loop
// works without a pause.
#pragma once

#include <memory>

#include "base/loop.h"
#include "store/sqlite/connection.h"

namespace rouse::sqlite {

class SharedSnapshot {
 public:
  SharedSnapshot(Connection connection, Loop& loop)
      : loop_(loop), state_(std::make_shared<State>(std::move(connection))) {}

  // `answered` counts what the writer answered; a change ends the snapshot.
  Result<Rows> read(const Query& query, std::uint64_t answered, const Clock& clock,
                    Millis time_limit);

 private:
  struct State {
    explicit State(Connection c) : connection(std::move(c)) {}
    void end();
    Connection connection;
    std::uint64_t answered = 0;  // when the snapshot began
  };
  void begin(std::uint64_t answered);

  Loop& loop_;
  std::shared_ptr<State> state_;  // the end of the round may come after the store is closed
};

}  // namespace rouse::sqlite
