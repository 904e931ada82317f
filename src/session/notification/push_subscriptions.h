// The browsers that asked to be told by Web Push: where their push service takes messages, and the
// keys only they can read them with. A subscription lives until the browser ends it, somebody
// removes it here, or the push service says that it is gone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/random.h"
#include "store/database.h"

namespace rouse {

struct PushSubscriptionTag {
  static constexpr std::string_view prefix = "push_";
  static constexpr std::string_view noun = "push subscription";
};
using PushSubscriptionId = Id<PushSubscriptionTag>;

inline constexpr std::size_t kPushSubscriptions = 20;  // of a workspace

struct PushSubscription {
  PushSubscriptionId id;
  WorkspaceId workspace;
  std::string token;         // the id of the token that made it, or ""
  std::string endpoint;      // as secret as a password: whoever knows it can send
  std::string p256dh, auth;  // base64url
  std::string name;          // "Firefox on Linux"
  WallTime created;
  std::optional<WallTime> worked = {};  // when a message was taken last
};

class PushSubscriptions {
 public:
  PushSubscriptions(Database& database, Clock& clock, Random& random)
      : database_(database), clock_(clock), random_(random) {}

  // The same endpoint again replaces what was known of it. kInvalid when there are too many.
  Task<Result<PushSubscription>> add(PushSubscription subscription);
  Result<std::vector<PushSubscription>> of(const WorkspaceId& workspace);
  Result<std::optional<PushSubscription>> get(const std::string& id);
  Task<Result<bool>> remove(WorkspaceId workspace, PushSubscriptionId id);
  Task<Result<void>> worked(PushSubscriptionId id);

 private:
  Database& database_;
  Clock& clock_;
  Random& random_;
};

}  // namespace rouse
