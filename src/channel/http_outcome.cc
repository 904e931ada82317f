#include "channel/http_outcome.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

constexpr Millis kLongestRetryAfter = hours(6);

std::optional<Millis> retry_after_of(const ClientResponse& response) {
  const auto header = response.header("retry-after");
  if (!header) return std::nullopt;
  const std::string_view text = trim(*header);
  std::int64_t count = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (ec != std::errc() || end != text.data() + text.size() || count < 0) return std::nullopt;
  return std::min(seconds(std::min<std::int64_t>(count, 1 << 20)), kLongestRetryAfter);
}

}  // namespace

SendOutcome outcome_of_status(const ClientResponse& response, std::string_view who) {
  const int status = response.status;
  if (status / 100 == 2) return SendOutcome::delivered({});
  const std::string error = fmt::format("{} answered {} {}", who, status, reason_phrase(status));
  if (status / 100 == 5 || status == 429 || status == 408 || status == 425) {
    return SendOutcome::not_yet(error, retry_after_of(response));
  }
  return SendOutcome::refused(error);
}

bool never_left(const Error& error) {
  return error.is(ClientErrc::kResolve) || error.is(ClientErrc::kConnect) ||
         error.is(ClientErrc::kTls) || error.is(ClientErrc::kBlocked) ||
         error.is(ClientErrc::kBadUrl);
}

}  // namespace rouse
