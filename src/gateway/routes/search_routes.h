// GET /api/search: finds what was said in a workspace, newest first
// (session/search/message_search.h).
#pragma once

#include "gateway/route.h"
#include "session/search/message_search.h"
#include "session/session_kernel.h"

namespace rouse {

struct HitView {
  std::string conversation_id, title, session_id;
  std::int64_t seq = 0;
  std::string role, source, created_at, snippet;
  std::vector<std::vector<std::int64_t>> matches;
};
inline auto shape(const HitView*) {
  return fields(field("conversation_id", &HitView::conversation_id, "Where it was said"),
                field("title", &HitView::title, "The title of that conversation"),
                field("session_id", &HitView::session_id, "The session it was said in"),
                field("seq", &HitView::seq, "The number of the message in its conversation"),
                field("role", &HitView::role, "user, assistant, tool or system"),
                field("source", &HitView::source, "The channel, or what else put it there"),
                field("created_at", &HitView::created_at, "When"),
                field("snippet", &HitView::snippet, "The surroundings of the first match"),
                field("matches", &HitView::matches,
                      "[first, length] of each match in the snippet, in characters"));
}
struct HitList {
  std::vector<HitView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const HitList*) {
  return fields(
      field("items", &HitList::items, "Newest first; a page may be short and still not the last"),
      field("next_cursor", &HitList::next_cursor, "Null when that was all").or_null());
}

class SearchRoutes {
 public:
  SearchRoutes(MessageSearch& search, SessionKernel& kernel, Workspaces& workspaces)
      : search_(search), kernel_(kernel), workspaces_(workspaces) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<HitList>> search(Call& call);
  Result<std::vector<HitView>> with_titles(const WorkspaceId& workspace,
                                           std::vector<SearchHit> hits);

  MessageSearch& search_;
  SessionKernel& kernel_;
  Workspaces& workspaces_;
};

}  // namespace rouse
