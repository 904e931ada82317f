#include "store/sqlite/shared_snapshot.h"

namespace rouse::sqlite {
namespace {

// Neither can fail in a way that matters: without a transaction each read simply stands alone.
void run(Connection& connection, std::string_view sql) {
  const auto statement = connection.prepare(sql);
  if (!statement) return;
  const StatementUse use(**statement);
  (void)(*statement)->step();
}

}  // namespace

Result<Rows> SharedSnapshot::read(const Query& query, std::uint64_t answered, const Clock& clock,
                                  Millis time_limit) {
  if (state_->connection.in_transaction() && state_->answered != answered) state_->end();
  if (!state_->connection.in_transaction()) begin(answered);
  return state_->connection.query(query, clock, time_limit);
}

void SharedSnapshot::begin(std::uint64_t answered) {
  run(state_->connection, "BEGIN");
  state_->answered = answered;
  loop_.post([weak = std::weak_ptr(state_)] {
    if (const auto state = weak.lock()) state->end();
  });
}

void SharedSnapshot::State::end() {
  if (connection.in_transaction()) run(connection, "COMMIT");
}

}  // namespace rouse::sqlite
