#include "gateway/routes/workspace_routes.h"

#include "base/text.h"
#include "base/time_zone.h"

namespace rouse {
namespace {

// How often a conversation may come in while its workspace goes.
constexpr int kRemovalTries = 5;

WorkspaceView view_of(const Workspace& w) {
  return {w.id.str(), w.kind, w.name, to_iso(w.created), w.timezone, w.locale};
}

}  // namespace

void WorkspaceRoutes::add_to(RouteTable& table) {
  table.add(exchange<NewWorkspace, MadeWorkspace>(  // S1-C8
      {.method = "POST",
       .pattern = "/kernel/workspaces",
       .access = Access::kAdmin,
       .summary = "Make a workspace",
       .tag = "kernel"},
      [this](Call&, NewWorkspace wanted) { return create(std::move(wanted)); }));
  table.add(answer<WorkspaceList>(
      {.pattern = "/kernel/workspaces",
       .access = Access::kAdmin,
       .summary = "List the workspaces",
       .tag = "kernel",
       .query = {{"limit", "How many, 1 to 200"}, {"cursor", "next_cursor of the page before"}}},
      [this](Call& call) { return list(call); }));
  table.add(answer<DeletedWorkspace>({.method = "DELETE",
                                      .pattern = "/kernel/workspaces/{id}",
                                      .access = Access::kAdmin,
                                      .summary = "Delete a workspace with all that is in it",
                                      .tag = "kernel"},
                                     [this](Call& call) { return remove(call); }));
  table.add(answer<WorkspaceView>(
      {.pattern = "/api/workspace", .summary = "The workspace of this token", .tag = "workspace"},
      [this](Call& call) -> Result<WorkspaceView> {
        TRY(const Workspace found, workspaces_.get(call.principal.workspace));
        return view_of(found);
      }));
  table.add(exchange<WorkspaceEdit, WorkspaceView>(
      {.method = "PATCH",
       .pattern = "/api/workspace",
       .summary = "Change its name, time zone or language",
       .tag = "workspace"},
      [this](Call& call, WorkspaceEdit change) { return edit(call, std::move(change)); }));
}

Task<Result<MadeWorkspace>> WorkspaceRoutes::create(NewWorkspace wanted) {
  std::string kind = wanted.type.value_or("personal");
  std::string name = wanted.name.value_or(kind);
  CO_TRY(const Workspace made, co_await workspaces_.create(std::move(kind), std::move(name)));
  co_return MadeWorkspace{true, made.id.str()};
}

Task<Result<WorkspaceList>> WorkspaceRoutes::list(Call& call) {
  CO_TRY(const std::size_t limit, call.limit());
  CO_TRY(const auto found, co_await workspaces_.list(call.query("cursor").value_or(""), limit + 1));
  WorkspaceList out;
  for (std::size_t i = 0; i < found.size() && i < limit; ++i)
    out.items.push_back(view_of(found[i]));
  if (found.size() > limit) out.next_cursor = out.items.back().workspace_id;
  co_return out;
}

Task<Result<WorkspaceView>> WorkspaceRoutes::edit(Call& call, WorkspaceEdit change) {
  if (change.timezone && !is_time_zone(*change.timezone)) {
    co_return fail(Errc::kInvalid,
                   fmt::format("'timezone': there is no zone '{}'; use an IANA name "
                               "like Europe/Berlin",
                               *change.timezone));
  }
  CO_TRY(const Workspace now,
         co_await workspaces_.update(
             call.principal.workspace,
             {std::move(change.name), std::move(change.timezone), std::move(change.locale)}));
  if (after_editing_) after_editing_();
  co_return view_of(now);
}

Task<Result<DeletedWorkspace>> WorkspaceRoutes::remove(Call& call) {
  const auto id = WorkspaceId::parse(call.parameters.at(0));
  if (!id) {
    co_return fail(WorkspaceErrc::kNotFound,
                   fmt::format("there is no workspace {}", utf8_prefix(call.parameters[0], 80)));
  }
  CO_TRY(const Workspace found, workspaces_.begin_removal(*id));
  const auto counts = co_await empty_and_remove(*id);
  if (!counts) {
    workspaces_.keep(*id);
    co_return fail(wrap(fmt::format("{} is deleted only in part; ask again to go on", id->str()),
                        counts.error()));
  }
  log_.info("workspace.deleted", {{"workspace", id->str()}, {"by", call.principal.token.str()}});
  const BackupsLeft backups = co_await removal_.backups_since(found.created);
  co_return DeletedWorkspace{.workspace_id = id->str(),
                             .deleted = *counts,
                             .backups = entries_of(backups.files),
                             .message = deletion_message("The workspace", backups)};
}

// The tokens go when nothing can object any more, and before the workspace they name. A message
// that was being taken in when this began may bring one more conversation: then once more.
Task<Result<WorkspaceCounts>> WorkspaceRoutes::empty_and_remove(WorkspaceId id) {
  DeletedRows rows;
  WorkspaceCounts out;
  for (int tries = 1;; ++tries) {
    // What would begin new turns goes first.
    if (before_deleting_) CO_TRY_VOID(co_await before_deleting_(id));
    CO_TRY(const DeletedRows more, co_await removal_.remove_all(id));
    rows += more;
    CO_TRY(const auto tokens, co_await tokens_.forget_workspace(id));
    for (const TokenId& token : tokens) hub_.close_token(token);
    out.tokens += static_cast<std::int64_t>(tokens.size());
    CO_TRY(const std::int64_t files, co_await workspaces_.clear(id));
    out.files += files;
    const auto removed = co_await workspaces_.remove(id);
    if (removed) break;
    if (!removed.error().is(StoreErrc::kConflict) || tries == kRemovalTries) {
      co_return std::unexpected(removed.error());
    }
  }
  out.conversations = rows.conversations;
  out.messages = rows.messages;
  out.sessions = rows.sessions;
  out.turns = rows.turns;
  out.inbound = rows.inbound;
  out.files += rows.files;
  co_return out;
}

}  // namespace rouse
