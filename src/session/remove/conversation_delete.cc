#include "session/remove/conversation_delete.h"

#include "base/fault.h"

namespace rouse {
namespace {

constexpr std::size_t kConversationsAtOnce = 100;

constexpr std::string_view kBury =
    "INSERT INTO tombstones (conversation_id, workspace_id, session_key, sessions, messages, "
    "inbound_left, deleted_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)";
constexpr std::string_view kCloseSession =
    "UPDATE sessions SET status = 'closed', close_reason = 'deleted', closed_ms = $2 "
    "WHERE conversation_id = $1 AND status = 'active'";
constexpr std::string_view kDropQueued =
    "DELETE FROM turns WHERE conversation_id = $1 AND state = 'queued'";
// A turn that began since we looked keeps the conversation.
constexpr std::string_view kDropConversation =
    "DELETE FROM conversations WHERE conversation_id = $1 AND NOT EXISTS "
    "(SELECT 1 FROM turns WHERE conversation_id = $1 AND state = 'running')";

#define TOMBSTONE "SELECT t.conversation_id, t.workspace_id, t.session_key, t.inbound_left FROM "
#define UNFINISHED " AND t.workspace_id = $2 AND t.finished_ms IS NULL LIMIT 1"
constexpr std::string_view kUnfinishedAfter = TOMBSTONE
    "tombstones t WHERE t.conversation_id > $1 AND t.finished_ms IS NULL "
    "ORDER BY t.conversation_id LIMIT 1";
constexpr std::string_view kUnfinishedById =
    TOMBSTONE "tombstones t WHERE t.conversation_id = $1" UNFINISHED;
constexpr std::string_view kUnfinishedByKey =
    TOMBSTONE "tombstones t WHERE t.session_key = $1" UNFINISHED;
constexpr std::string_view kUnfinishedBySession = TOMBSTONE
    "sessions s JOIN tombstones t ON t.conversation_id = s.conversation_id "
    "WHERE s.session_id = $1" UNFINISHED;
constexpr std::string_view kUnfinishedByAlias = TOMBSTONE
    "aliases a JOIN tombstones t ON t.conversation_id = a.conversation_id "
    "WHERE a.external_id = $1 AND a.workspace_id = $2" UNFINISHED;

Error busy(const Conversation& conversation) {
  return Error(ConversationErrc::kBusy,
               fmt::format("a turn is running in {}; cancel it or wait for its end, then delete",
                           conversation.id.str()));
}

}  // namespace

Task<Result<Deletion>> ConversationDelete::remove(WorkspaceId workspace, std::string name) {
  auto found = kernel_.conversations().find_by_name(workspace, name);
  Deletion out;
  WallTime created{0};
  if (found) {
    out.conversation = found->id;
    created = found->created;
    CO_TRY(out.rows, co_await remove_found(std::move(*found)));
  } else {
    CO_TRY(auto left, unfinished_called(workspace, name));
    if (!left) co_return std::unexpected(std::move(found).error());
    out.conversation = left->id;
    CO_TRY(out.rows, co_await go_on(std::move(*left)));
  }
  // The store takes deletes: so it does those that failed before. They are not this one's errors.
  for (auto& [id, tombstone] : std::exchange(failed_, {})) (void)co_await go_on(tombstone);
  out.backups = co_await backups_since(created);
  co_return out;
}

Task<Result<DeletedRows>> ConversationDelete::remove_all(WorkspaceId workspace) {
  CO_TRY(DeletedRows out, co_await finish(workspace));
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

Task<Result<void>> ConversationDelete::finish_deletes() {
  CO_TRY_VOID(co_await finish(std::nullopt));
  co_return Result<void>{};
}

Task<BackupsLeft> ConversationDelete::backups_since(WallTime time) {
  auto files = co_await shelf_.since(time);
  if (!files) co_return BackupsLeft{.files = {}, .listed = false};
  co_return BackupsLeft{.files = std::move(*files)};
}

Task<Result<DeletedRows>> ConversationDelete::remove_found(Conversation conversation) {
  const auto alone = co_await cleaner(conversation.workspace, conversation.id);
  CO_TRY(Hidden hidden, co_await hide(std::move(conversation)));
  FAULT_POINT("delete.after_hide");
  CO_TRY(DeletedRows rows, co_await clean(std::move(hidden.tombstone)));
  rows.turns += hidden.turns;
  co_return rows;
}

// Holds the gate only so long: when it answers, the key is free for a new conversation.
Task<Result<ConversationDelete::Hidden>> ConversationDelete::hide(Conversation conversation) {
  const auto pass = co_await kernel_.gate().enter(conversation.workspace, conversation.key);
  // While we waited, it may have been deleted or renamed.
  CO_TRY(conversation, kernel_.conversations().get(conversation.workspace, conversation.id));
  for (ConversationGuard* guard : guards_) CO_TRY_VOID(guard->may_delete(conversation));
  CO_TRY(const auto running, kernel_.turns().running(conversation.id));
  if (running) co_return fail(busy(conversation));
  CO_TRY(const auto latest, kernel_.sessions().latest_of(conversation.id));
  CO_TRY(const std::int64_t last_seq, kernel_.messages().last_seq(conversation.id));
  Write write = hiding(conversation, latest, last_seq);
  const auto hidden = co_await database_.write(std::move(write));
  if (!hidden && hidden.error().is(StoreErrc::kConflict)) co_return fail(busy(conversation));
  if (!hidden) co_return std::unexpected(hidden.error());
  if (events_ != nullptr) events_->committed(conversation.workspace);
  co_return Hidden{{conversation.id, conversation.workspace, conversation.key,
                    latest ? latest->last_inbound : std::nullopt},
                   hidden->rows_changed.at(2)};
}

// The order of its statements is known to hide().
Write ConversationDelete::hiding(const Conversation& conversation,
                                 const std::optional<Session>& latest, std::int64_t last_seq) {
  const std::string& id = conversation.id.str();
  const std::int64_t now = clock_.wall_now().unix_ms;
  const Value chain =
      latest && latest->last_inbound ? Value(*latest->last_inbound) : Value(std::monostate{});
  Write write{{{kBury,
                {id, conversation.workspace.str(), conversation.key.str(),
                 latest ? latest->epoch : 0, last_seq, chain, now},
                1},
               {kCloseSession, {id, now}, {}},
               {kDropQueued, {id}, {}},
               {kDropConversation, {id}, 1}}};
  if (events_ != nullptr) {
    write.statements.push_back(EventLog::append({.workspace = conversation.workspace,
                                                 .type = "conversation_deleted",
                                                 .conversation = id,
                                                 .created = {now}}));
  }
  return write;
}

Task<ConversationGate::Pass> ConversationDelete::cleaner(WorkspaceId workspace, ConversationId id) {
  return cleaners_.enter(std::move(workspace), {"deleted", id.str()});
}

Task<Result<DeletedRows>> ConversationDelete::go_on(Tombstone tombstone) {
  const auto alone = co_await cleaner(tombstone.workspace, tombstone.id);
  CO_TRY(auto still,
         unfinished({kUnfinishedById, {tombstone.id.str(), tombstone.workspace.str()}}));
  if (!still) {
    co_return fail(ConversationErrc::kNotFound,
                   fmt::format("there is no conversation {}", tombstone.id.str()));
  }
  co_return co_await clean(std::move(*still));
}

// Whoever calls is its only cleaner.
Task<Result<DeletedRows>> ConversationDelete::clean(Tombstone tombstone) {
  auto rows = co_await rows_.remove(tombstone);
  failed_.erase(tombstone.id);
  if (!rows) failed_.emplace(tombstone.id, std::move(tombstone));
  co_return rows;
}

// Few are unfinished at any time, so those of one workspace are found by looking at all.
Task<Result<DeletedRows>> ConversationDelete::finish(std::optional<WorkspaceId> workspace) {
  DeletedRows out;
  std::string after;
  while (true) {
    CO_TRY(auto left, unfinished({kUnfinishedAfter, {after}}));
    if (!left) co_return out;
    after = left->id.str();
    if (workspace && left->workspace != *workspace) continue;
    const auto done = co_await go_on(std::move(*left));
    if (done) out += *done;
    if (!done && !done.error().is(ConversationErrc::kNotFound)) {
      co_return std::unexpected(done.error());
    }
  }
}

Result<std::optional<Tombstone>> ConversationDelete::unfinished_called(const WorkspaceId& workspace,
                                                                       const std::string& name) {
  for (const std::string_view sql :
       {kUnfinishedById, kUnfinishedBySession, kUnfinishedByKey, kUnfinishedByAlias}) {
    TRY(auto found, unfinished({sql, {name, workspace.str()}}));
    if (found) return found;
  }
  return std::optional<Tombstone>();
}

Result<std::optional<Tombstone>> ConversationDelete::unfinished(const Query& query) {
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

std::string deletion_message(std::string_view what, const BackupsLeft& backups) {
  if (!backups.listed) {
    return fmt::format(
        "{} is deleted here. The folder 'backups' could not be read: backups in it may still hold "
        "it.",
        what);
  }
  const std::size_t count = backups.files.size();
  if (count == 0) return fmt::format("{} is deleted. No backup in the data folder holds it.", what);
  return fmt::format(
      "{} is deleted here, but {} in the folder 'backups' may still hold it. Remove {} if it must "
      "be gone for good; copies you keep elsewhere are up to you.",
      what, count == 1 ? "a backup" : fmt::format("{} backups", count), count == 1 ? "it" : "them");
}

}  // namespace rouse
