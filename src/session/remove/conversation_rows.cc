#include "session/remove/conversation_rows.h"

#include "session/remove/delete_pages.h"

namespace rouse {
namespace {

constexpr std::int64_t kInboundCharactersAtOnce = 1'000'000;  // or one row

// A page of what may be large is walked row by row and ends with the row that passes the bound: the
// length of a text is known only by reading it.
constexpr std::string_view kDropTurns =
    "DELETE FROM turns WHERE number IN (SELECT number FROM turns "
    "WHERE conversation_id = $1 LIMIT $2)";
constexpr std::string_view kDropSteps =
    "DELETE FROM turn_steps WHERE turn_id IN (SELECT t.turn_id FROM turns t "
    "JOIN turn_steps s ON s.turn_id = t.turn_id WHERE t.conversation_id = $1 LIMIT $2)";
constexpr std::string_view kDropOutbox =
    "DELETE FROM outbox WHERE outbox_id IN (SELECT outbox_id FROM outbox "
    "WHERE conversation_id = $1 LIMIT $2)";
constexpr std::string_view kDropApprovals =
    "DELETE FROM approvals WHERE approval_id IN (SELECT approval_id FROM approvals "
    "WHERE conversation_id = $1 LIMIT $2)";
constexpr std::string_view kDropCompactions = "DELETE FROM compactions WHERE conversation_id = $1";
constexpr std::string_view kDropFirings =
    "DELETE FROM lifecycle_firings WHERE conversation_id = $1";
constexpr std::string_view kDropLifecycleState =
    "DELETE FROM lifecycle_state WHERE conversation_id = $1";
constexpr std::string_view kDropPermissions =
    "DELETE FROM permissions WHERE workspace_id = $2 AND conversation_id = $1";
// Their numbers stay, or a page that catches up would see a gap; what they told goes.
constexpr std::string_view kEmptyEvents =
    "UPDATE events SET body = '{}' WHERE workspace_id = $2 AND conversation_id = $1";
constexpr std::string_view kDropSpend = "DELETE FROM spend WHERE owner = $1";
constexpr std::string_view kDropSessions =
    "DELETE FROM sessions WHERE session_id IN (SELECT session_id FROM sessions "
    "WHERE conversation_id = $1 ORDER BY epoch LIMIT $2)";
constexpr std::string_view kChain =
    "WITH RECURSIVE chain (number, previous, steps, size, total) AS ("
    "SELECT number, previous, 1, COALESCE(LENGTH(content), 0), COALESCE(LENGTH(content), 0) "
    "FROM inbound WHERE number = $1 UNION ALL "
    "SELECT i.number, i.previous, chain.steps + 1, COALESCE(LENGTH(i.content), 0), "
    "chain.total + COALESCE(LENGTH(i.content), 0) "
    "FROM chain JOIN inbound i ON i.number = chain.previous "
    "WHERE chain.steps < $2 AND chain.total <= $3) "
    "SELECT number, previous, size FROM chain ORDER BY steps";
constexpr std::string_view kDropChain =
    "DELETE FROM inbound WHERE number IN (WITH RECURSIVE chain (at, steps) AS ("
    "SELECT CAST($1 AS BIGINT), 1 UNION ALL "
    "SELECT i.previous, chain.steps + 1 FROM chain JOIN inbound i ON i.number = chain.at "
    "WHERE i.previous IS NOT NULL AND chain.steps < $2) SELECT at FROM chain)";
constexpr std::string_view kChainLeft =
    "UPDATE tombstones SET inbound_left = $2 WHERE conversation_id = $1";
constexpr std::string_view kMessageSizes =
    "WITH RECURSIVE page (seq, size, total, steps) AS ("
    "SELECT seq, LENGTH(content), LENGTH(content), 1 FROM messages WHERE conversation_id = $1 "
    "AND seq = (SELECT MIN(seq) FROM messages WHERE conversation_id = $1) UNION ALL "
    "SELECT m.seq, LENGTH(m.content), page.total + LENGTH(m.content), page.steps + 1 "
    "FROM page JOIN messages m ON m.conversation_id = $1 AND m.seq = page.seq + 1 "
    "WHERE page.steps < $2 AND page.total <= $3) "
    "SELECT seq, size FROM page ORDER BY seq";
constexpr std::string_view kDropMessages =
    "DELETE FROM messages WHERE conversation_id = $1 AND seq BETWEEN $2 AND $3";
constexpr std::string_view kUses =
    "SELECT u.hash, COALESCE(b.size, 0) FROM blob_uses u LEFT JOIN blobs b "
    "ON b.workspace_id = u.workspace_id AND b.hash = u.hash WHERE u.conversation_id = $1 LIMIT $2";
constexpr std::string_view kDropFile =
    "DELETE FROM blobs WHERE workspace_id = $2 AND hash = $3 AND NOT EXISTS "
    "(SELECT 1 FROM blob_uses WHERE workspace_id = $2 AND hash = $3 AND conversation_id <> $1)";
constexpr std::string_view kDropUse =
    "DELETE FROM blob_uses WHERE workspace_id = $2 AND hash = $3 AND conversation_id = $1";
// Their numbers are not given again: whoever follows the log by them would miss the next row.
constexpr std::string_view kKeepActivityNumbers =
    "UPDATE index_cursors SET forgotten = (SELECT COALESCE(MAX(id), 0) FROM activity) "
    "WHERE name = 'activity' AND forgotten < (SELECT COALESCE(MAX(id), 0) FROM activity)";
constexpr std::string_view kDropActivity =
    "DELETE FROM activity WHERE id IN (SELECT id FROM activity "
    "WHERE conversation_id = $1 LIMIT $2)";
constexpr std::string_view kDropActivityCursor =
    "DELETE FROM activity_cursors WHERE conversation_id = $1";
// A start gives the positions of deleted messages out again if they were the newest.
constexpr std::string_view kStepBackActivity =
    "UPDATE index_cursors SET position = (SELECT COALESCE(MAX(position), 0) FROM messages) "
    "WHERE name = 'activity' AND position > (SELECT COALESCE(MAX(position), 0) FROM messages)";
// What is still on its way to some place loses its words and is refused there, so that those behind
// it go on.
constexpr std::string_view kEmptyNotices =
    "UPDATE outbox SET text = '' WHERE turn_id IN (SELECT turn_id FROM notifications "
    "WHERE workspace_id = $2 AND conversation_id = $1) AND conversation_id LIKE 'conv_notify-%'";
// A heartbeat speaks in no turn; what it said names the conversation by the page to open. (With ||
// the workspace is no way to the rows: it would lead along all that was ever sent.)
constexpr std::string_view kEmptyNoticesOutsideOfTurns =
    "UPDATE outbox SET text = '' WHERE workspace_id || '' = $2 "
    "AND conversation_id >= 'conv_notify-' AND conversation_id < 'conv_notify.' "
    "AND text LIKE '%/chat/' || $1 || '\"%'";
constexpr std::string_view kDropNotifications =
    "DELETE FROM notifications WHERE workspace_id = $2 AND conversation_id = $1";
constexpr std::string_view kDropAliases = "DELETE FROM aliases WHERE conversation_id = $1";
constexpr std::string_view kFinish =
    "UPDATE tombstones SET finished_ms = $2, inbound_left = NULL WHERE conversation_id = $1";

}  // namespace

DeletedRows& DeletedRows::operator+=(const DeletedRows& other) {
  conversations += other.conversations;
  messages += other.messages;
  sessions += other.sessions;
  turns += other.turns;
  inbound += other.inbound;
  files += other.files;
  return *this;
}

// Sessions go after their turns, which are found through them, and after the inbound rows, which
// name them. The aliases stay to the end: whoever asks again may use one.
Task<Result<DeletedRows>> ConversationRows::remove(Tombstone tombstone) {
  const std::string id = tombstone.id.str();
  const std::vector<Value> page{id, kDeletedRowsAtOnce};
  DeletedRows out{.conversations = 1};
  CO_TRY(out.inbound, co_await delete_inbound(tombstone));
  CO_TRY_VOID(co_await delete_in_pages(database_, {kDropSteps, page, {}}));
  CO_TRY_VOID(co_await delete_in_pages(database_, {kDropOutbox, page, {}}));
  CO_TRY_VOID(co_await delete_in_pages(database_, {kDropApprovals, page, {}}));
  const std::string workspace = tombstone.workspace.str();
  CO_TRY_VOID(co_await database_.write(Write{{{kEmptyEvents, {id, workspace}, {}},
                                              {kDropSpend, {id}, {}},
                                              {kDropCompactions, {id}, {}},
                                              {kDropFirings, {id}, {}},
                                              {kDropLifecycleState, {id}, {}},
                                              {kEmptyNotices, {id, workspace}, {}},
                                              {kEmptyNoticesOutsideOfTurns, {id, workspace}, {}},
                                              {kDropNotifications, {id, workspace}, {}},
                                              {kDropActivityCursor, {id}, {}},
                                              {kKeepActivityNumbers, {}, {}},
                                              {kDropPermissions, {id, workspace}, {}}}}));
  CO_TRY_VOID(co_await delete_in_pages(database_, {kDropActivity, page, {}}));
  CO_TRY(out.turns, co_await delete_in_pages(database_, {kDropTurns, page, {}}));
  CO_TRY(out.sessions, co_await delete_in_pages(database_, {kDropSessions, page, {}}));
  CO_TRY(out.messages, co_await delete_messages(tombstone.id));
  CO_TRY(out.files, co_await delete_files(tombstone));
  CO_TRY_VOID(co_await database_.write(
      Write{{{kDropAliases, {id}, {}}, {kFinish, {id, clock_.wall_now().unix_ms}, 1}}}));
  co_return out;
}

// Back along the chain; the tombstone remembers where it goes on.
Task<Result<std::int64_t>> ConversationRows::delete_inbound(Tombstone tombstone) {
  std::int64_t count = 0;
  for (auto at = tombstone.inbound_left; at;) {
    CO_TRY(const Rows rows, co_await database_.read_page(
                                {kChain, {*at, kDeletedRowsAtOnce, kInboundCharactersAtOnce}}));
    const std::size_t now = fitting(rows, 2, kInboundCharactersAtOnce);
    const Value left = now > 0 ? rows[now - 1].value(1) : Value(std::monostate{});
    CO_TRY(const Written written,
           co_await database_.write(Write{{{kDropChain, {*at, static_cast<std::int64_t>(now)}, {}},
                                           {kChainLeft, {tombstone.id.str(), left}, 1}}}));
    count += written.rows_changed.at(0);
    const auto* next = std::get_if<std::int64_t>(&left);
    at = next != nullptr ? std::optional(*next) : std::nullopt;
  }
  co_return count;
}

// Oldest first, each write with what takes the same messages out of the search index.
Task<Result<std::int64_t>> ConversationRows::delete_messages(ConversationId id) {
  std::int64_t count = 0;
  while (true) {
    CO_TRY(const Rows rows, co_await database_.read_page(
                                {kMessageSizes, {id.str(), kForgetMessages, kForgetCharacters}}));
    if (rows.empty()) co_return count;
    const std::size_t now = fitting(rows, 1, kForgetCharacters);
    const std::int64_t first = rows.front().integer(0);
    const std::int64_t last = rows[now - 1].integer(0);
    std::size_t characters = 0;
    for (std::size_t i = 0; i < now; ++i) {
      characters += static_cast<std::size_t>(rows[i].integer(1));
    }
    Write write{index_.forget(id, first, last, characters)};
    const std::size_t at_drop = write.statements.size();
    write.statements.push_back({kDropMessages, {id.str(), first, last}, {}});
    write.statements.push_back({kStepBackActivity, {}, {}});
    CO_TRY(const Written written, co_await database_.write(std::move(write)));
    count += written.rows_changed.at(at_drop);
  }
}

// Those that no other conversation uses.
Task<Result<std::int64_t>> ConversationRows::delete_files(Tombstone tombstone) {
  const std::string id = tombstone.id.str();
  const std::string workspace = tombstone.workspace.str();
  std::int64_t count = 0;
  while (true) {
    CO_TRY(const Rows uses, co_await database_.read_page({kUses, {id, kDeletedFilesAtOnce}}));
    if (uses.empty()) co_return count;
    Write write;
    const std::size_t now = fitting(uses, 1, kDeletedFileBytesAtOnce);
    for (std::size_t i = 0; i < now; ++i) {
      write.statements.push_back({kDropFile, {id, workspace, uses[i].text(0)}, {}});
      write.statements.push_back({kDropUse, {id, workspace, uses[i].text(0)}, 1});
    }
    CO_TRY(const Written written, co_await database_.write(std::move(write)));
    for (std::size_t i = 0; i < now; ++i) count += written.rows_changed.at(2 * i);
  }
}

}  // namespace rouse
