#include "lifecycle/engine/firing.h"

#include <limits>

namespace rouse {
namespace {

constexpr std::string_view kVariables =
    "SELECT variables FROM lifecycle_state WHERE session_id = $1";
constexpr std::string_view kPutVariables =
    "INSERT INTO lifecycle_state (session_id, workspace_id, conversation_id, variables, "
    "updated_ms) "
    "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (session_id) DO UPDATE SET "
    "variables = excluded.variables, updated_ms = excluded.updated_ms";
constexpr std::string_view kAddFirings =
    "INSERT INTO lifecycle_firings (conversation_id, number, workspace_id, session_id, turn_id, "
    "firings, created_ms) SELECT $1, COALESCE(MAX(number), 0) + 1, $2, $3, $4, $5, $6 "
    "FROM lifecycle_firings WHERE conversation_id = $1";
// Some at once, now and then: to drop one with each that comes would change two pages more a turn,
// and with very many the turn that drops them would be slow.
constexpr std::int64_t kDroppedAtOnce = 10;
constexpr std::string_view kDropOld =
    "DELETE FROM lifecycle_firings WHERE conversation_id = $1 AND number <= "
    "(SELECT MAX(number) / $3 * $3 FROM lifecycle_firings WHERE conversation_id = $1) + $3 - $2";
constexpr std::string_view kFirings =
    "SELECT number, turn_id, firings FROM lifecycle_firings WHERE conversation_id = $1 AND "
    "number < $2 ORDER BY number DESC LIMIT $3";

}  // namespace

Result<std::string> LifecycleRecords::variables_of(const SessionId& session) {
  TRY(const Rows rows, database_.read({kVariables, {session.str()}, 1}));
  return rows.empty() ? std::string("{}") : rows.front().text(0);
}

Task<Result<FiringPage>> LifecycleRecords::firings(ConversationId conversation,
                                                   std::optional<std::int64_t> before,
                                                   std::size_t limit) {
  const auto from = before.value_or(std::numeric_limits<std::int64_t>::max());
  const auto asked = static_cast<std::int64_t>(limit) + 1;
  CO_TRY(const Rows rows,
         co_await database_.read_page({kFirings, {conversation.str(), from, asked}, limit + 1}));
  FiringPage out;
  for (const Row& row : rows) {
    if (static_cast<std::int64_t>(&row - rows.data()) == static_cast<std::int64_t>(limit)) {
      out.next = rows[limit - 1].integer(0);
      break;
    }
    CO_TRY(auto some, decode_json<std::vector<Firing>>(row.text(2)));
    for (auto one = some.rbegin(); one != some.rend(); ++one) {
      one->turn_id = row.text(1);
      out.firings.push_back(std::move(*one));
    }
  }
  co_return out;
}

Statement LifecycleRecords::put_variables(const TurnContext& turn, std::string variables,
                                          WallTime now) {
  return {kPutVariables,
          {turn.session.str(), turn.workspace.str(), turn.conversation.str(), std::move(variables),
           now.unix_ms},
          std::nullopt};
}

void LifecycleRecords::add_firings(std::vector<Statement>& to, const TurnContext& turn,
                                   std::string firings, WallTime now) {
  to.push_back({kAddFirings,
                {turn.conversation.str(), turn.workspace.str(), turn.session.str(), turn.turn.str(),
                 std::move(firings), now.unix_ms},
                std::nullopt});
  to.push_back({kDropOld, {turn.conversation.str(), kFiringsKept, kDroppedAtOnce}, std::nullopt});
}

}  // namespace rouse
