// A way out of the house: brings one reply to somebody on a channel and says what is known about it
// afterwards. The four outcomes are four different truths (DL-1): it arrived; it certainly did not
// and may yet; it certainly did not and won't; nobody can say. A sender that isn't sure says so.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/task.h"
#include "base/time.h"
#include "session/outbox.h"

namespace rouse {

struct SendOutcome {
  enum class Kind : std::uint8_t { kDelivered, kNotYet, kRefused, kUnknown };
  Kind kind = Kind::kUnknown;
  std::string error;                       // for a person; "" when it was delivered
  std::optional<std::string> receipt;      // what the channel calls the message
  std::optional<Millis> retry_after = {};  // what the channel asked for

  static SendOutcome delivered(std::optional<std::string> receipt) {
    return {Kind::kDelivered, {}, std::move(receipt)};
  }
  static SendOutcome not_yet(std::string error, std::optional<Millis> retry_after = {}) {
    return {Kind::kNotYet, std::move(error), {}, retry_after};
  }
  static SendOutcome refused(std::string error) { return {Kind::kRefused, std::move(error), {}}; }
  static SendOutcome unknown(std::string error) { return {Kind::kUnknown, std::move(error), {}}; }
};

class ChannelSender {
 public:
  virtual ~ChannelSender() = default;
  [[nodiscard]] virtual bool serves(std::string_view channel) const = 0;
  // Ends within a deadline of its own. The delivery's id is the idempotency key.
  virtual Task<SendOutcome> send(Delivery delivery, std::stop_token stop) = 0;
};

}  // namespace rouse
