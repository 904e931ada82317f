// Signed-in browsers. A token, or a one-time code from a sign-in link, becomes an opaque cookie
// value whose hash is stored; signing out, or revoking the token behind it, ends it. Codes live in
// memory only: used once, or gone with the process or after a day.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "gateway/token_book.h"

namespace rouse {

// A short name for a cookie that gives nothing away: to find the pages opened with it.
std::string browser_key(std::string_view cookie);

class BrowserSessions {
 public:
  BrowserSessions(Database& database, const TokenBook& tokens, Clock& clock, Random& random)
      : database_(database), tokens_(tokens), clock_(clock), random_(random) {}

  Result<void> load();

  // Who stands behind a cookie, or nullptr (unknown, expired, its token revoked).
  [[nodiscard]] std::shared_ptr<const TokenRecord> find(std::string_view cookie) const;

  [[nodiscard]] bool is_open(std::string_view browser) const;         // by its browser_key()
  [[nodiscard]] std::uint64_t closings() const { return closings_; }  // only grows

  // A new cookie value for a token's holder. The oldest sign-in gives way when there are too many.
  Task<Result<std::string>> open(TokenId token);
  Task<Result<void>> close(std::string cookie);

  std::string make_code(const TokenId& token);
  // The token behind a code, which is used up by this.
  std::optional<TokenId> redeem(std::string_view code);

 private:
  struct Entry {
    TokenId token;
    WallTime created, expires;
  };
  struct Code {
    TokenId token;
    MonoTime expires;
  };
  Database& database_;
  const TokenBook& tokens_;
  Clock& clock_;
  Random& random_;
  std::uint64_t closings_ = 0;
  std::unordered_map<std::string, Entry> by_hash_;
  std::unordered_map<std::string, Code> codes_;
};

}  // namespace rouse
