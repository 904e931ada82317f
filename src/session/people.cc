#include "session/people.h"

#include <fmt/format.h>

namespace rouse {
namespace {

constexpr std::string_view kByPeer =
    "SELECT workspace_id FROM peers WHERE channel = $1 AND peer = $2";
constexpr std::string_view kInsertPeer =
    "INSERT INTO peers (channel, peer, workspace_id, created_ms) VALUES ($1, $2, $3, $4) "
    "ON CONFLICT (channel, peer) DO NOTHING";
constexpr std::string_view kInsertWorkspace =
    "INSERT INTO workspaces (workspace_id, kind, name, created_ms) VALUES ($1, 'sender', $2, $3)";

}  // namespace

Result<std::optional<WorkspaceId>> People::find(const SessionKey& sender) {
  if (const auto said = known_.find(sender.str()); said != known_.end()) {
    return std::optional(said->second);
  }
  TRY(const Rows rows, database_.read({kByPeer, {sender.channel, sender.peer}}));
  if (rows.empty()) return std::optional<WorkspaceId>();
  TRY(auto id, WorkspaceId::parse(rows.front().text(0)));
  return std::optional(std::move(id));
}

Task<Result<WorkspaceId>> People::ensure(SessionKey sender) {
  CO_TRY(sender, SessionKey::make(sender.channel, sender.peer));
  CO_TRY(auto found, find(sender));
  if (found) {
    const auto there = workspaces_.get(*found);
    if (!there && known_.contains(sender.str())) {
      co_return fail(
          wrap(fmt::format("people in rouse.yaml maps {} to {}", sender.str(), found->str()),
               there.error()));
    }
    if (!there) co_return std::unexpected(there.error());
    co_return std::move(*found);
  }
  const WallTime now = clock_.wall_now();
  const WorkspaceId fresh = WorkspaceId::make(now, random_);
  // The row of the peer first: if somebody was faster the whole write fails, workspace included.
  Write write;
  write.statements = {{kInsertPeer, {sender.channel, sender.peer, fresh.str(), now.unix_ms}, 1},
                      {kInsertWorkspace, {fresh.str(), sender.str(), now.unix_ms}, 1}};
  const auto written = co_await database_.write(std::move(write));
  if (written) co_return fresh;
  if (!written.error().is(StoreErrc::kConflict)) co_return std::unexpected(written.error());
  CO_TRY(found, find(sender));
  if (!found) co_return std::unexpected(written.error());
  co_return std::move(*found);
}

}  // namespace rouse
