// The named tokens: made once, shown once, listed and revoked. Only their SHA-256 is stored (tokens
// are 256 random bits, so a plain hash is enough). The active ones are kept in memory, bounded, so
// that a request costs one hash and one lookup. The owner's token comes from a file or the
// environment and is never in the store.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "gateway/principal.h"
#include "store/database.h"

namespace rouse {

struct TokenRecord {
  Principal principal;
  std::optional<WallTime> created;  // the owner's token doesn't come from the store
};

class TokenBook {
 public:
  TokenBook(Database& database, Clock& clock, Random& random)
      : database_(database), clock_(clock), random_(random) {}

  // Reads the active tokens; called once at start.
  Result<void> load();
  void set_owner_token(std::string_view token);
  // The browsers that an owner's token subscribed which has been replaced since; once at start.
  Task<Result<void>> forget_former_owners();

  // Nullptr if the token is unknown or revoked.
  [[nodiscard]] std::shared_ptr<const TokenRecord> find(std::string_view token) const;
  [[nodiscard]] std::shared_ptr<const TokenRecord> find_by_id(const TokenId& id) const;

  struct Made {
    TokenRecord record;
    std::string token;  // the only time it is seen
  };
  Task<Result<Made>> create(std::string name, Role role, WorkspaceId workspace);
  Task<Result<void>> revoke(TokenId id);
  // Every token of a workspace that goes away, with the browsers signed in by them; none may be
  // left that names it. Answers which were active.
  Task<Result<std::vector<TokenId>>> forget_workspace(WorkspaceId workspace);
  [[nodiscard]] std::uint64_t revocations() const { return revocations_; }  // only grows
  [[nodiscard]] std::vector<TokenRecord> list() const;  // oldest first, the owner's included

 private:
  using ByHash = std::unordered_map<std::string, std::shared_ptr<const TokenRecord>>;
  Database& database_;
  Clock& clock_;
  Random& random_;
  ByHash active_;
  std::size_t being_made_ = 0;  // keeps the bound while writes are under way
  std::uint64_t revocations_ = 0;
  TokenId owner_;
};

}  // namespace rouse
