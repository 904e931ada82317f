#include "gateway/token_book.h"

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "session/workspaces.h"

namespace rouse {
namespace {

constexpr std::string_view kLoad =
    "SELECT token_id, name, role, workspace_id, hash, created_ms FROM tokens "
    "WHERE revoked_ms IS NULL";
constexpr std::string_view kInsert =
    "INSERT INTO tokens (token_id, name, role, workspace_id, hash, created_ms) "
    "VALUES ($1, $2, $3, $4, $5, $6)";
constexpr std::string_view kRevoke =
    "UPDATE tokens SET revoked_ms = $2 WHERE token_id = $1 AND revoked_ms IS NULL";
constexpr std::string_view kForgetBrowsers = "DELETE FROM browser_sessions WHERE token_id = $1";
constexpr std::string_view kForgetBrowsersOf =
    "DELETE FROM browser_sessions WHERE token_id IN "
    "(SELECT token_id FROM tokens WHERE workspace_id = $1)";
// Whoever made a subscription hears of the workspace no longer than they may look into it.
constexpr std::string_view kForgetPush = "DELETE FROM push_subscriptions WHERE token_id = $1";
constexpr std::string_view kForgetPushOf =
    "DELETE FROM push_subscriptions WHERE token_id IN "
    "(SELECT token_id FROM tokens WHERE workspace_id = $1)";
#define PUSH_OF_FORMER_OWNERS \
  "FROM push_subscriptions WHERE token_id LIKE 'tok_owner_%' AND token_id <> $1"
constexpr std::string_view kPushOfFormerOwners = "SELECT 1 " PUSH_OF_FORMER_OWNERS " LIMIT 1";
constexpr std::string_view kForgetPushOfFormerOwners = "DELETE " PUSH_OF_FORMER_OWNERS;
constexpr std::string_view kForgetTokensOf = "DELETE FROM tokens WHERE workspace_id = $1";

Result<TokenRecord> from_row(const Row& row) {
  TRY(auto id, TokenId::parse(row.text(0)));
  TRY(auto workspace, WorkspaceId::parse(row.text(3)));
  const auto role = parse_role(row.text(2));
  if (!role) return fail(StoreErrc::kCorrupt, fmt::format("token {} has no known role", id.str()));
  return TokenRecord{{std::move(id), row.text(1), *role, std::move(workspace)},
                     WallTime{row.integer(5)}};
}

}  // namespace

Result<void> TokenBook::load() {
  TRY(const Rows rows, database_.read({kLoad, {}, limits::kTokens + 1}));
  for (const Row& row : rows) {
    TRY(auto record, from_row(row));
    active_.emplace(row.blob(4), std::make_shared<TokenRecord>(std::move(record)));
  }
  return {};
}

void TokenBook::set_owner_token(std::string_view token) {
  std::string hash = sha256(token);
  // The id follows the token: whoever replaces the token also ends the browsers signed in with it.
  owner_ = *TokenId::parse("tok_owner_" + to_hex(hash).substr(0, 12));
  active_[std::move(hash)] = std::make_shared<TokenRecord>(
      TokenRecord{{owner_, "owner", Role::kAdmin, Workspaces::default_id()}, std::nullopt});
}

// A start writes nothing if there is nothing to do, and is sooner there.
Task<Result<void>> TokenBook::forget_former_owners() {
  CO_TRY(const Rows found, database_.read({kPushOfFormerOwners, {owner_.str()}}));
  if (found.empty()) co_return Result<void>{};
  CO_TRY_VOID(co_await database_.write(one(kForgetPushOfFormerOwners, {owner_.str()})));
  co_return Result<void>{};
}

std::shared_ptr<const TokenRecord> TokenBook::find(std::string_view token) const {
  const auto it = active_.find(sha256(token));
  return it == active_.end() ? nullptr : it->second;
}

std::shared_ptr<const TokenRecord> TokenBook::find_by_id(const TokenId& id) const {
  for (const auto& [hash, record] : active_) {
    if (record->principal.token == id) return record;
  }
  return nullptr;
}

Task<Result<TokenBook::Made>> TokenBook::create(std::string name, Role role,
                                                WorkspaceId workspace) {
  if (active_.size() + being_made_ > limits::kTokens) {
    co_return fail(Errc::kConflict,
                   fmt::format("there are {} tokens already; revoke one first", limits::kTokens));
  }
  const WallTime now = clock_.wall_now();
  Made made{{{TokenId::make(now, random_), std::move(name), role, std::move(workspace)}, now},
            "rouse_" + random_.hex(32)};
  const std::string hash = sha256(made.token);
  const Principal& who = made.record.principal;
  ++being_made_;
  const auto written =
      co_await database_.write(one(kInsert,
                                   {who.token.str(), who.name, std::string(role_name(role)),
                                    who.workspace.str(), Blob{hash}, now.unix_ms},
                                   1));
  --being_made_;
  if (!written) co_return std::unexpected(written.error());
  active_[hash] = std::make_shared<TokenRecord>(made.record);
  co_return made;
}

Task<Result<void>> TokenBook::revoke(TokenId id) {
  if (id == owner_) {
    co_return fail(Errc::kConflict,
                   "the owner's token can't be revoked here: remove the file 'token' in the data "
                   "folder and restart, and rouse makes a new one");
  }
  Write write = one(kRevoke, {id.str(), clock_.wall_now().unix_ms}, 1);
  write.statements.push_back({kForgetBrowsers, {id.str()}, std::nullopt});
  write.statements.push_back({kForgetPush, {id.str()}, std::nullopt});
  const auto written = co_await database_.write(std::move(write));
  if (!written && written.error().is(StoreErrc::kConflict)) {
    co_return fail(Errc::kNotFound, fmt::format("there is no active token {}", id.str()));
  }
  if (!written) co_return std::unexpected(written.error());
  std::erase_if(active_, [&](const auto& entry) { return entry.second->principal.token == id; });
  ++revocations_;
  co_return Result<void>{};
}

Task<Result<std::vector<TokenId>>> TokenBook::forget_workspace(WorkspaceId workspace) {
  Write write = one(kForgetBrowsersOf, {workspace.str()});
  write.statements.push_back({kForgetPushOf, {workspace.str()}, std::nullopt});
  write.statements.push_back({kForgetTokensOf, {workspace.str()}, std::nullopt});
  CO_TRY_VOID(co_await database_.write(std::move(write)));
  std::vector<TokenId> forgotten;
  std::erase_if(active_, [&](const auto& entry) {
    const Principal& who = entry.second->principal;
    const bool goes = who.workspace == workspace && who.token != owner_;
    if (goes) forgotten.push_back(who.token);
    return goes;
  });
  ++revocations_;
  co_return forgotten;
}

std::vector<TokenRecord> TokenBook::list() const {
  std::vector<TokenRecord> out;
  for (const auto& [hash, record] : active_) out.push_back(*record);
  std::ranges::sort(out, [](const TokenRecord& a, const TokenRecord& b) {
    return std::tie(a.created, a.principal.token) < std::tie(b.created, b.principal.token);
  });
  return out;
}

}  // namespace rouse
