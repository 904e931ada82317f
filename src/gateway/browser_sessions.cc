#include "gateway/browser_sessions.h"

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kCodes = 100;

constexpr std::string_view kLoad =
    "SELECT hash, token_id, created_ms, expires_ms FROM browser_sessions WHERE expires_ms > $1 "
    "ORDER BY created_ms DESC LIMIT $2";
constexpr std::string_view kInsert =
    "INSERT INTO browser_sessions (hash, token_id, created_ms, expires_ms) VALUES ($1, $2, $3, $4)";
constexpr std::string_view kDelete = "DELETE FROM browser_sessions WHERE hash = $1";
constexpr std::string_view kDeleteExpired = "DELETE FROM browser_sessions WHERE expires_ms <= $1";

}  // namespace

std::string browser_key(std::string_view cookie) { return sha256(cookie).substr(0, 12); }

Result<void> BrowserSessions::load() {
  TRY(const Rows rows,
      database_.read({kLoad,
                      {clock_.wall_now().unix_ms, std::int64_t{limits::kBrowserSessions}},
                      limits::kBrowserSessions}));
  for (const Row& row : rows) {
    TRY(auto token, TokenId::parse(row.text(1)));
    by_hash_[row.blob(0)] = {std::move(token), {row.integer(2)}, {row.integer(3)}};
  }
  return {};
}

std::shared_ptr<const TokenRecord> BrowserSessions::find(std::string_view cookie) const {
  const auto it = by_hash_.find(sha256(cookie));
  if (it == by_hash_.end() || it->second.expires <= clock_.wall_now()) return nullptr;
  return tokens_.find_by_id(it->second.token);
}

bool BrowserSessions::is_open(std::string_view browser) const {
  return std::ranges::any_of(by_hash_, [&](const auto& entry) {
    return entry.first.starts_with(browser) && tokens_.find_by_id(entry.second.token) != nullptr;
  });
}

Task<Result<std::string>> BrowserSessions::open(TokenId token) {
  const WallTime now = clock_.wall_now();
  const WallTime expires = now + limits::kBrowserSessionLife;
  std::string cookie = random_.hex(32);
  const std::string hash = sha256(cookie);

  Write write = one(kInsert, {Blob{hash}, token.str(), now.unix_ms, expires.unix_ms}, 1);
  write.statements.push_back({kDeleteExpired, {now.unix_ms}, std::nullopt});
  std::string oldest;
  if (by_hash_.size() >= limits::kBrowserSessions) {
    oldest = std::ranges::min_element(by_hash_, {}, [](const auto& e) {
               return e.second.created;
             })->first;
    write.statements.push_back({kDelete, {Blob{oldest}}, std::nullopt});
  }
  const auto written = co_await database_.write(std::move(write));
  if (!written) co_return std::unexpected(written.error());
  std::erase_if(by_hash_,
                [&](const auto& e) { return e.second.expires <= now || e.first == oldest; });
  by_hash_[hash] = {std::move(token), now, expires};
  co_return cookie;
}

Task<Result<void>> BrowserSessions::close(std::string cookie) {
  const std::string hash = sha256(cookie);
  const auto written = co_await database_.write(one(kDelete, {Blob{hash}}));
  if (!written) co_return std::unexpected(written.error());
  by_hash_.erase(hash);
  ++closings_;
  co_return Result<void>{};
}

std::string BrowserSessions::make_code(const TokenId& token) {
  const MonoTime now = clock_.mono_now();
  std::erase_if(codes_, [&](const auto& e) { return e.second.expires <= now; });
  if (codes_.size() >= kCodes) {
    codes_.erase(
        std::ranges::min_element(codes_, {}, [](const auto& e) { return e.second.expires; }));
  }
  std::string code = random_.hex(16);
  codes_[sha256(code)] = {token, now + limits::kSignInCodeLife};
  return code;
}

std::optional<TokenId> BrowserSessions::redeem(std::string_view code) {
  auto node = codes_.extract(sha256(code));
  if (node.empty() || node.mapped().expires <= clock_.mono_now()) return std::nullopt;
  return std::move(node.mapped().token);
}

}  // namespace rouse
