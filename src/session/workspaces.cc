#include "session/workspaces.h"

#include "session/remove/delete_pages.h"
#include "store/values.h"

namespace rouse {
namespace {

constexpr std::string_view kColumnsById =
    "SELECT workspace_id, kind, name, timezone, locale, created_ms FROM workspaces "
    "WHERE workspace_id = $1";
constexpr std::string_view kColumnsAfter =
    "SELECT workspace_id, kind, name, timezone, locale, created_ms FROM workspaces "
    "WHERE workspace_id > $1 ORDER BY workspace_id LIMIT $2";
constexpr std::string_view kInsert =
    "INSERT INTO workspaces (workspace_id, kind, name, created_ms) VALUES ($1, $2, $3, $4)";
constexpr std::string_view kInsertIfAbsent =
    "INSERT INTO workspaces (workspace_id, kind, name, created_ms) VALUES ($1, $2, $3, $4) "
    "ON CONFLICT (workspace_id) DO NOTHING";
constexpr std::string_view kUpdate =
    "UPDATE workspaces SET name = COALESCE($2, name), timezone = COALESCE($3, timezone), "
    "locale = COALESCE($4, locale) WHERE workspace_id = $1";

// What is left of a workspace without conversations.
constexpr std::string_view kDropPeers =
    "DELETE FROM peers WHERE (channel, peer) IN "
    "(SELECT channel, peer FROM peers WHERE workspace_id = $1 LIMIT $2)";
constexpr std::string_view kDropApprovals =
    "DELETE FROM approvals WHERE approval_id IN "
    "(SELECT approval_id FROM approvals WHERE workspace_id = $1 LIMIT $2)";
constexpr std::string_view kDropPermissions =
    "DELETE FROM permissions WHERE permission_id IN "
    "(SELECT permission_id FROM permissions WHERE workspace_id = $1 LIMIT $2)";
constexpr std::string_view kDropTombstones =
    "DELETE FROM tombstones WHERE conversation_id IN (SELECT conversation_id FROM tombstones "
    "WHERE workspace_id = $1 AND finished_ms IS NOT NULL LIMIT $2)";
constexpr std::string_view kFiles =
    "SELECT hash, size FROM blobs WHERE workspace_id = $1 ORDER BY hash LIMIT $2";
constexpr std::string_view kDropFile = "DELETE FROM blobs WHERE workspace_id = $1 AND hash = $2";
constexpr std::string_view kDropProjects = "DELETE FROM projects WHERE workspace_id = $1";
constexpr std::string_view kDropAgents = "DELETE FROM agents WHERE workspace_id = $1";
constexpr std::string_view kDrop =
    "DELETE FROM workspaces WHERE workspace_id = $1 AND NOT EXISTS "
    "(SELECT 1 FROM conversations WHERE workspace_id = $1)";

constexpr std::size_t kKnownWorkspaces = 1'024;

Result<Workspace> from_row(const Row& row) {
  TRY(auto id, WorkspaceId::parse(row.text(0)));
  return Workspace{std::move(id),        row.text(1),          row.text(2),
                   text_or_null(row, 3), text_or_null(row, 4), {row.integer(5)}};
}

}  // namespace

ErrorInfo error_info(WorkspaceErrc) { return {Kind::kNotFound, "workspace_not_found"}; }

WorkspaceId Workspaces::default_id() { return *WorkspaceId::parse("ws_default"); }

Task<Result<void>> Workspaces::ensure_default() {
  const auto found = database_.read({kColumnsById, {default_id().str()}});
  if (!found) co_return std::unexpected(found.error());
  if (!found->empty()) co_return Result<void>{};
  const auto written = co_await database_.write(
      one(kInsertIfAbsent, {default_id().str(), "default", "Owner", clock_.wall_now().unix_ms}));
  if (!written) co_return std::unexpected(written.error());
  co_return Result<void>{};
}

Task<Result<Workspace>> Workspaces::create(std::string kind, std::string name) {
  const WallTime now = clock_.wall_now();
  Workspace made{WorkspaceId::make(now, random_), std::move(kind), std::move(name), {}, {}, now};
  const auto written = co_await database_.write(
      one(kInsert, {made.id.str(), made.kind, made.name, made.created.unix_ms}, 1));
  if (!written) co_return std::unexpected(written.error());
  co_return made;
}

Result<Workspace> Workspaces::get(const WorkspaceId& id) {
  if (const auto known = known_.find(id); known != known_.end()) return known->second;
  TRY(const Rows rows, database_.read({kColumnsById, {id.str()}}));
  if (rows.empty() || leaving_.contains(id)) {
    return fail(WorkspaceErrc::kNotFound, fmt::format("there is no workspace {}", id.str()));
  }
  TRY(auto found, from_row(rows.front()));
  if (known_.size() >= kKnownWorkspaces) known_.clear();
  known_.emplace(id, found);
  return found;
}

Task<Result<Workspace>> Workspaces::update(WorkspaceId id, WorkspaceChange change) {
  const auto written = co_await database_.write(
      one(kUpdate,
          {id.str(), or_null(change.name), or_null(change.timezone), or_null(change.locale)}, 1));
  known_.erase(id);
  if (!written && written.error().is(StoreErrc::kConflict)) {
    co_return fail(WorkspaceErrc::kNotFound, fmt::format("there is no workspace {}", id.str()));
  }
  if (!written) co_return std::unexpected(written.error());
  co_return get(id);
}

Task<Result<std::vector<Workspace>>> Workspaces::list(std::string after, std::size_t limit) {
  auto rows = co_await database_.read_page(
      {kColumnsAfter, {std::move(after), static_cast<std::int64_t>(limit)}, limit});
  if (!rows) co_return std::unexpected(rows.error());
  std::vector<Workspace> out;
  for (const Row& row : *rows) {
    auto workspace = from_row(row);
    if (!workspace) co_return std::unexpected(workspace.error());
    out.push_back(std::move(*workspace));
  }
  co_return out;
}

Result<Workspace> Workspaces::begin_removal(const WorkspaceId& id) {
  if (id == default_id()) {
    return fail(Errc::kConflict,
                "ws_default is the owner's workspace and can't be deleted; delete its "
                "conversations instead");
  }
  if (leaving_.contains(id)) {
    return fail(Errc::kConflict, fmt::format("{} is being deleted already", id.str()));
  }
  TRY(auto found, get(id));
  leaving_.insert(id);
  known_.erase(id);
  return found;
}

Task<Result<std::int64_t>> Workspaces::clear(WorkspaceId id) {
  const std::vector<Value> page{id.str(), kDeletedRowsAtOnce};
  for (const auto& clear : also_clear_) CO_TRY_VOID(co_await clear(id));
  for (const std::string_view sql : {kDropPeers, kDropApprovals, kDropPermissions}) {
    CO_TRY_VOID(co_await delete_in_pages(database_, {sql, page, {}}));
  }
  CO_TRY(const std::int64_t files, co_await delete_files(id));
  CO_TRY_VOID(co_await delete_in_pages(database_, {kDropTombstones, page, {}}));
  co_return files;
}

Task<Result<std::int64_t>> Workspaces::delete_files(WorkspaceId id) {
  std::int64_t count = 0;
  while (true) {
    CO_TRY(const Rows files,
           co_await database_.read_page({kFiles, {id.str(), kDeletedFilesAtOnce}}));
    if (files.empty()) co_return count;
    const std::size_t now = fitting(files, 1, kDeletedFileBytesAtOnce);
    Write write;
    for (std::size_t i = 0; i < now; ++i) {
      write.statements.push_back({kDropFile, {id.str(), files[i].text(0)}, {}});
    }
    CO_TRY_VOID(co_await database_.write(std::move(write)));
    count += static_cast<std::int64_t>(now);
  }
}

Task<Result<void>> Workspaces::remove(WorkspaceId id) {
  const std::string& name = id.str();
  CO_TRY_VOID(co_await database_.write(
      Write{{{kDropProjects, {name}, {}}, {kDropAgents, {name}, {}}, {kDrop, {name}, 1}}}));
  leaving_.erase(id);
  co_return Result<void>{};
}

}  // namespace rouse
