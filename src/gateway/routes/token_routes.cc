#include "gateway/routes/token_routes.h"

#include <algorithm>

namespace rouse {

void TokenRoutes::add_to(RouteTable& table) {
  table.add(answer<TokenList>(
      {.pattern = "/api/tokens",
       .access = Access::kAdmin,
       .summary = "List the tokens",
       .tag = "access"},
      [this](Call&) -> Result<TokenList> {
        TokenList list;
        for (const TokenRecord& record : tokens_.list()) {
          const Principal& who = record.principal;
          list.items.push_back(
              {who.token.str(), who.name, std::string(role_name(who.role)), who.workspace.str(),
               record.created ? std::optional(to_iso(*record.created)) : std::nullopt, false});
        }
        return list;
      }));
  table.add(exchange<NewToken, MadeToken>(
      {.method = "POST",
       .pattern = "/api/tokens",
       .access = Access::kAdmin,
       .summary = "Make a token",
       .tag = "access",
       .success = 201},
      [this](Call& call, NewToken wanted) { return create(call, std::move(wanted)); }));
  table.add(answer<OkBody>({.method = "DELETE",
                            .pattern = "/api/tokens/{id}",
                            .access = Access::kAdmin,
                            .summary = "Revoke a token",
                            .tag = "access"},
                           [this](Call& call) { return revoke(call); }));
}

Task<Result<MadeToken>> TokenRoutes::create(Call& call, NewToken wanted) {
  CO_TRY(WorkspaceId workspace, choose_workspace(call.principal, wanted.workspace));
  CO_TRY_VOID(workspaces_.get(workspace));
  if (std::ranges::any_of(wanted.name, [](unsigned char c) { return c < 0x20 || c == 0x7F; })) {
    co_return fail(Errc::kInvalid, "'name' must not hold control characters");
  }
  const Role role = parse_role(wanted.role.value_or("user")).value_or(Role::kUser);
  CO_TRY(const auto made,
         co_await tokens_.create(std::move(wanted.name), role, std::move(workspace)));
  const Principal& who = made.record.principal;
  log_.info(
      "token.made",
      {{"id", who.token.str()}, {"role", role_name(who.role)}, {"by", call.principal.token.str()}});
  co_return MadeToken{who.token.str(), who.name, std::string(role_name(who.role)),
                      who.workspace.str(), made.token};
}

Task<Result<OkBody>> TokenRoutes::revoke(Call& call) {
  CO_TRY(TokenId id, TokenId::parse(call.parameters[0]));
  CO_TRY_VOID(co_await tokens_.revoke(id));
  hub_.close_token(id);
  log_.info("token.revoked", {{"id", id.str()}, {"by", call.principal.token.str()}});
  co_return OkBody{};
}

}  // namespace rouse
