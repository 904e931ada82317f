// Named tokens over the API: list, make, revoke.
#pragma once

#include "base/log.h"
#include "gateway/live_hub.h"
#include "gateway/route.h"
#include "gateway/token_book.h"
#include "session/workspaces.h"

namespace rouse {

struct NewToken {
  std::string name;
  std::optional<std::string> role, workspace;
};
inline auto shape(const NewToken*) {
  return fields(
      field("name", &NewToken::name, "What you call it").length(1, 64),
      field("role", &NewToken::role, "What it may do; user if absent").one_of({"admin", "user"}),
      field("workspace", &NewToken::workspace, "Whose; yours if absent"));
}
struct TokenView {
  std::string id, name, role, workspace;
  std::optional<std::string> created_at;
  bool revoked = false;
};
inline auto shape(const TokenView*) {
  return fields(
      field("id", &TokenView::id, "To revoke it by"),
      field("name", &TokenView::name, "What you call it"),
      field("role", &TokenView::role, "What it may do").one_of({"admin", "user"}),
      field("workspace", &TokenView::workspace, "Whose"),
      field("created_at", &TokenView::created_at, "When it was made; null for the owner's")
          .or_null(),
      field("revoked", &TokenView::revoked, "Always false here: revoked ones are not listed"));
}
struct TokenList {
  std::vector<TokenView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const TokenList*) {
  return fields(
      field("items", &TokenList::items, "All active tokens"),
      field("next_cursor", &TokenList::next_cursor, "Always null: the list is whole").or_null());
}
struct MadeToken {
  std::string id, name, role, workspace, token;
};
inline auto shape(const MadeToken*) {
  return fields(field("id", &MadeToken::id, "To revoke it by"),
                field("name", &MadeToken::name, "What you call it"),
                field("role", &MadeToken::role, "What it may do"),
                field("workspace", &MadeToken::workspace, "Whose"),
                field("token", &MadeToken::token, "The token itself, shown this once"));
}

class TokenRoutes {
 public:
  TokenRoutes(TokenBook& tokens, Workspaces& workspaces, LiveHub& hub, const Log& log)
      : tokens_(tokens), workspaces_(workspaces), hub_(hub), log_(log) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<MadeToken>> create(Call& call, NewToken wanted);
  Task<Result<OkBody>> revoke(Call& call);

  TokenBook& tokens_;
  Workspaces& workspaces_;
  LiveHub& hub_;
  const Log& log_;
};

}  // namespace rouse
