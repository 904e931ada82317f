#include "session/remove/conversation_delete.h"

#include "session/remove/delete_pages.h"

namespace rouse {
namespace {

constexpr std::int64_t kRowsAtOnce = 1000;     // short rows a write
constexpr std::int64_t kMessagesAtOnce = 256;  // as forget() wants it
constexpr std::int64_t kMessageCharactersAtOnce = 1 << 20;
constexpr std::int64_t kFilesAtOnce = 50;
constexpr std::size_t kConversationsAtOnce = 100;

// --- the first write -----------------------------------------------------------------------------
constexpr std::string_view kBury =
    "INSERT INTO tombstones (conversation_id, workspace_id, session_key, sessions, messages, "
    "inbound_left, deleted_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)";
constexpr std::string_view kDropAliases = "DELETE FROM aliases WHERE conversation_id = $1";
constexpr std::string_view kCloseSession =
    "UPDATE sessions SET status = 'closed', close_reason = 'deleted', closed_ms = $2 "
    "WHERE conversation_id = $1 AND status = 'active'";
constexpr std::string_view kDropQueued =
    "DELETE FROM turns WHERE conversation_id = $1 AND state = 'queued'";
// A turn that began since we looked keeps the conversation.
constexpr std::string_view kDropConversation =
    "DELETE FROM conversations WHERE conversation_id = $1 AND NOT EXISTS "
    "(SELECT 1 FROM turns WHERE conversation_id = $1 AND state = 'running')";

// --- the rest ------------------------------------------------------------------------------------
constexpr std::string_view kDropTurns =
    "DELETE FROM turns WHERE number IN (SELECT t.number FROM sessions s JOIN turns t "
    "ON t.session_id = s.session_id WHERE s.conversation_id = $1 LIMIT $2)";
constexpr std::string_view kDropSessions =
    "DELETE FROM sessions WHERE session_id IN (SELECT session_id FROM sessions "
    "WHERE conversation_id = $1 ORDER BY epoch LIMIT $2)";
#define CHAIN                                                                            \
  "WITH RECURSIVE chain (at, steps) AS (SELECT CAST($1 AS BIGINT), 1 UNION ALL "         \
  "SELECT i.previous, chain.steps + 1 FROM chain JOIN inbound i ON i.number = chain.at " \
  "WHERE i.previous IS NOT NULL AND chain.steps < $2) "
constexpr std::string_view kChainEnd = CHAIN
    "SELECT inbound.previous FROM chain JOIN inbound ON inbound.number = chain.at "
    "ORDER BY chain.steps DESC LIMIT 1";
constexpr std::string_view kDropChain =
    "DELETE FROM inbound WHERE number IN (" CHAIN "SELECT at FROM chain)";
constexpr std::string_view kChainLeft =
    "UPDATE tombstones SET inbound_left = $2 WHERE conversation_id = $1";
constexpr std::string_view kMessageSizes =
    "SELECT seq, LENGTH(content) FROM messages WHERE conversation_id = $1 ORDER BY seq LIMIT $2";
constexpr std::string_view kDropMessages =
    "DELETE FROM messages WHERE conversation_id = $1 AND seq BETWEEN $2 AND $3";
#define USES_PAGE "(SELECT hash FROM blob_uses WHERE conversation_id = $1 ORDER BY hash LIMIT $2)"
constexpr std::string_view kDropFiles =
    "DELETE FROM blobs WHERE workspace_id = $3 AND hash IN " USES_PAGE
    " AND NOT EXISTS (SELECT 1 FROM blob_uses u WHERE u.workspace_id = $3 "
    "AND u.hash = blobs.hash AND u.conversation_id <> $1)";
constexpr std::string_view kDropUses =
    "DELETE FROM blob_uses WHERE conversation_id = $1 AND hash IN " USES_PAGE;
constexpr std::string_view kFinish =
    "UPDATE tombstones SET finished_ms = $2, inbound_left = NULL WHERE conversation_id = $1";

#define UNFINISHED                                                                   \
  "SELECT conversation_id, workspace_id, session_key, inbound_left FROM tombstones " \
  "WHERE finished_ms IS NULL AND "
constexpr std::string_view kUnfinishedAfter =
    UNFINISHED "conversation_id > $1 ORDER BY conversation_id LIMIT 1";
constexpr std::string_view kUnfinishedCalled =
    UNFINISHED "conversation_id = $1 AND workspace_id = $2";

Error busy(const Conversation& conversation) {
  return Error(ConversationErrc::kBusy,
               fmt::format("a turn is running in {}; cancel it or wait for its end, then delete",
                           conversation.id.str()));
}

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

Task<Result<Deletion>> ConversationDelete::remove(WorkspaceId workspace, std::string name) {
  auto found = kernel_.conversations().find_by_name(workspace, name);
  Deletion out;
  WallTime created{0};
  if (found) {
    out.conversation = found->id;
    created = found->created;
    CO_TRY(out.rows, co_await remove_found(std::move(*found)));
  } else {
    CO_TRY(auto left, unfinished({kUnfinishedCalled, {name, workspace.str()}}));
    if (!left) co_return std::unexpected(std::move(found).error());
    out.conversation = left->id;
    CO_TRY(out.rows, co_await clean_at_its_turn(std::move(*left)));
  }
  CO_TRY(out.backups, co_await shelf_.since(created));
  co_return out;
}

Task<Result<DeletedRows>> ConversationDelete::remove_all(WorkspaceId workspace) {
  DeletedRows out;
  while (true) {
    CO_TRY(auto page,
           co_await kernel_.conversations().list_by_key(workspace, "", kConversationsAtOnce));
    if (page.empty()) co_return out;
    for (Conversation& conversation : page) {
      auto rows = co_await remove_found(std::move(conversation));
      if (!rows && rows.error().is(ConversationErrc::kNotFound)) continue;  // somebody was faster
      if (!rows) co_return std::unexpected(std::move(rows).error());
      out += *rows;
    }
  }
}

Task<Result<DeletedRows>> ConversationDelete::remove_found(Conversation conversation) {
  const auto pass = co_await kernel_.gate().enter(conversation.workspace, conversation.key);
  // While we waited, it may have been deleted or renamed.
  CO_TRY(conversation, kernel_.conversations().get(conversation.workspace, conversation.id));
  for (ConversationGuard* guard : guards_) CO_TRY_VOID(guard->may_delete(conversation));
  CO_TRY(const auto running, kernel_.turns().running(conversation.id));
  if (running) co_return fail(busy(conversation));
  CO_TRY(const auto latest, kernel_.sessions().latest_of(conversation.id));
  CO_TRY(const std::int64_t last_seq, kernel_.messages().last_seq(conversation.id));
  Write write = hide(conversation, latest, last_seq);
  const auto hidden = co_await database_.write(std::move(write));
  if (!hidden && hidden.error().is(StoreErrc::kConflict)) co_return fail(busy(conversation));
  if (!hidden) co_return std::unexpected(hidden.error());
  CO_TRY(DeletedRows rows,
         co_await clean({conversation.id, conversation.workspace, conversation.key,
                         latest ? latest->last_inbound : std::nullopt}));
  rows.turns += hidden->rows_changed.at(3);
  co_return rows;
}

// The order of its statements is known to remove_found().
Write ConversationDelete::hide(const Conversation& conversation,
                               const std::optional<Session>& latest, std::int64_t last_seq) {
  const std::string& id = conversation.id.str();
  const std::int64_t now = clock_.wall_now().unix_ms;
  const Value chain =
      latest && latest->last_inbound ? Value(*latest->last_inbound) : Value(std::monostate{});
  return {{{kBury,
            {id, conversation.workspace.str(), conversation.key.str(), latest ? latest->epoch : 0,
             last_seq, chain, now},
            1},
           {kDropAliases, {id}, {}},
           {kCloseSession, {id, now}, {}},
           {kDropQueued, {id}, {}},
           {kDropConversation, {id}, 1}}};
}

Task<Result<DeletedRows>> ConversationDelete::clean_at_its_turn(Tombstone tombstone) {
  const auto pass = co_await kernel_.gate().enter(tombstone.workspace, tombstone.key);
  CO_TRY(auto still,
         unfinished({kUnfinishedCalled, {tombstone.id.str(), tombstone.workspace.str()}}));
  if (!still) {
    co_return fail(ConversationErrc::kNotFound,
                   fmt::format("there is no conversation {}", tombstone.id.str()));
  }
  co_return co_await clean(std::move(*still));
}

// Whoever calls holds the gate. Sessions go after their turns, which are found through them.
Task<Result<DeletedRows>> ConversationDelete::clean(Tombstone tombstone) {
  const std::string id = tombstone.id.str();
  DeletedRows out{.conversations = 1};
  CO_TRY(out.turns,
         co_await delete_in_pages(database_, {kDropTurns, {id, kRowsAtOnce}, {}}, kRowsAtOnce));
  CO_TRY(out.sessions,
         co_await delete_in_pages(database_, {kDropSessions, {id, kRowsAtOnce}, {}}, kRowsAtOnce));
  CO_TRY(out.inbound, co_await delete_inbound(tombstone));
  CO_TRY(out.messages, co_await delete_messages(tombstone.id));
  const std::string& workspace = tombstone.workspace.str();
  for (std::int64_t uses = kFilesAtOnce; uses == kFilesAtOnce;) {
    CO_TRY(const Written written,
           co_await database_.write(Write{{{kDropFiles, {id, kFilesAtOnce, workspace}, {}},
                                           {kDropUses, {id, kFilesAtOnce}, {}}}}));
    out.files += written.rows_changed.at(0);
    uses = written.rows_changed.at(1);
  }
  CO_TRY_VOID(co_await database_.write(one(kFinish, {id, clock_.wall_now().unix_ms}, 1)));
  co_return out;
}

// Back along the chain; the tombstone remembers where it goes on.
Task<Result<std::int64_t>> ConversationDelete::delete_inbound(Tombstone tombstone) {
  std::int64_t count = 0;
  for (auto at = tombstone.inbound_left; at;) {
    CO_TRY(const Rows end, co_await database_.read_page({kChainEnd, {*at, kRowsAtOnce}}));
    std::optional<std::int64_t> next;
    if (!end.empty() && !end.front().is_null(0)) next = end.front().integer(0);
    const Value left = next ? Value(*next) : Value(std::monostate{});
    CO_TRY(const Written written,
           co_await database_.write(Write{{{kDropChain, {*at, kRowsAtOnce}, {}},
                                           {kChainLeft, {tombstone.id.str(), left}, 1}}}));
    count += written.rows_changed.at(0);
    at = next;
  }
  co_return count;
}

// Oldest first, each write with what takes the same messages out of the search index.
Task<Result<std::int64_t>> ConversationDelete::delete_messages(ConversationId id) {
  std::int64_t count = 0;
  while (true) {
    CO_TRY(const Rows sizes,
           co_await database_.read_page({kMessageSizes, {id.str(), kMessagesAtOnce}}));
    if (sizes.empty()) co_return count;
    const std::int64_t first = sizes.front().integer(0);
    std::int64_t last = first;
    std::int64_t characters = 0;
    for (const Row& row : sizes) {
      characters += row.integer(1);
      if (row.integer(0) != first && characters > kMessageCharactersAtOnce) break;
      last = row.integer(0);
    }
    Write write{index_.forget(id, first, last)};
    write.statements.push_back({kDropMessages, {id.str(), first, last}, {}});
    CO_TRY(const Written written, co_await database_.write(std::move(write)));
    count += written.rows_changed.back();
  }
}

Task<Result<void>> ConversationDelete::finish_deletes() {
  std::string after;
  while (true) {
    CO_TRY(auto left, unfinished({kUnfinishedAfter, {after}}));
    if (!left) co_return Result<void>{};
    after = left->id.str();
    const auto done = co_await clean_at_its_turn(std::move(*left));
    if (!done && !done.error().is(ConversationErrc::kNotFound)) {
      co_return std::unexpected(done.error());
    }
  }
}

Result<std::optional<ConversationDelete::Tombstone>> ConversationDelete::unfinished(
    const Query& query) {
  TRY(const Rows rows, database_.read(query));
  if (rows.empty()) return std::optional<Tombstone>();
  const Row& row = rows.front();
  Tombstone out;
  TRY(out.id, ConversationId::parse(row.text(0)));
  TRY(out.workspace, WorkspaceId::parse(row.text(1)));
  TRY(out.key, SessionKey::parse(row.text(2)));
  if (!row.is_null(3)) out.inbound_left = row.integer(3);
  return std::optional(std::move(out));
}

std::string deletion_message(std::string_view what, const std::vector<BackupFile>& backups) {
  if (backups.empty())
    return fmt::format("{} is deleted. No backup in the data folder holds it.", what);
  return fmt::format(
      "{} is deleted here, but {} in the folder 'backups' may still hold it. Remove {} if it must "
      "be gone for good; copies you keep elsewhere are up to you.",
      what, backups.size() == 1 ? "a backup" : fmt::format("{} backups", backups.size()),
      backups.size() == 1 ? "it" : "them");
}

}  // namespace rouse
