#include "gateway/routes/search_routes.h"

#include <algorithm>
#include <map>

#include "gateway/routes/asked_workspace.h"

namespace rouse {

void SearchRoutes::add_to(RouteTable& table) {
  table.add(
      answer<HitList>({.pattern = "/api/search",
                       .summary = "Find what was said",
                       .tag = "conversations",
                       .query = {{"q", "Words that must all occur; \"quoted words\" stay together"},
                                 {"conversation", "Only in this one, by any of its names"},
                                 {"limit", "How many, 1 to 100; default 50"},
                                 {"cursor", "next_cursor of the page before"},
                                 workspace_parameter()}},
                      [this](Call& call) { return search(call); }));
}

Task<Result<HitList>> SearchRoutes::search(Call& call) {
  CO_TRY(auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(const std::size_t limit, call.limit());
  SearchQuery query{.workspace = workspace,
                    .text = call.query("q").value_or(""),
                    .conversation = {},
                    .cursor = call.query("cursor"),
                    .limit = std::min(limit, kSearchHits)};
  if (const auto name = call.query("conversation")) {
    CO_TRY(const auto conversation, kernel_.conversations().find_by_name(workspace, *name));
    query.conversation = conversation.id;
  }
  CO_TRY(SearchPage page, co_await search_.search(std::move(query)));
  HitList out;
  CO_TRY(out.items, with_titles(workspace, std::move(page.hits)));
  out.next_cursor = std::move(page.next_cursor);
  co_return out;
}

// One point read for each conversation on the page. One that was deleted meanwhile has no hits.
Result<std::vector<HitView>> SearchRoutes::with_titles(const WorkspaceId& workspace,
                                                       std::vector<SearchHit> hits) {
  std::map<ConversationId, std::optional<std::string>> titles;
  std::vector<HitView> out;
  for (SearchHit& hit : hits) {
    const auto [title, is_new] = titles.try_emplace(hit.conversation);
    if (is_new) {
      auto found = kernel_.conversations().get(workspace, hit.conversation);
      if (!found && !found.error().is(ConversationErrc::kNotFound)) {
        return std::unexpected(std::move(found).error());
      }
      if (found) title->second = std::move(found->title);
    }
    if (!title->second) continue;
    out.push_back({.conversation_id = hit.conversation.str(),
                   .title = *title->second,
                   .session_id = hit.session.str(),
                   .seq = hit.seq,
                   .role = std::move(hit.role),
                   .source = std::move(hit.source),
                   .created_at = to_iso(hit.created),
                   .snippet = std::move(hit.snippet),
                   .matches = {}});
    for (const auto& [first, length] : hit.matches) out.back().matches.push_back({first, length});
  }
  return out;
}

}  // namespace rouse
