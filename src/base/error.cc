#include "base/error.h"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace rouse {

ErrorInfo error_info(Errc code) {
  switch (code) {
    case Errc::kInvalid:
      return {Kind::kInvalid, "invalid_request"};
    case Errc::kUnauthorized:
      return {Kind::kUnauthorized, "unauthorized"};
    case Errc::kForbidden:
      return {Kind::kForbidden, "forbidden"};
    case Errc::kNotFound:
      return {Kind::kNotFound, "not_found"};
    case Errc::kConflict:
      return {Kind::kConflict, "conflict"};
    case Errc::kTooLarge:
      return {Kind::kTooLarge, "too_large"};
    case Errc::kUnsupported:
      return {Kind::kUnsupported, "unsupported"};
    case Errc::kRateLimited:
      return {Kind::kRateLimited, "rate_limited"};
    case Errc::kUnavailable:
      return {Kind::kUnavailable, "unavailable"};
    case Errc::kTimeout:
      return {Kind::kTimeout, "timeout"};
    case Errc::kCancelled:
      return {Kind::kCancelled, "cancelled"};
    case Errc::kIo:
      return {Kind::kInternal, "io_error"};
    case Errc::kInternal:
      break;
  }
  return {Kind::kInternal, "internal"};
}

std::ostream& operator<<(std::ostream& out, const Error& error) {
  return out << error.name << ": " << error.message;
}

Error wrap(std::string_view context, Error error) {
  error.message = fmt::format("{}: {}", context, error.message);
  return error;
}

Error os_error(std::string_view what, int errno_value) {
  const std::string text = std::generic_category().message(errno_value);
  const Errc code = errno_value == ENOENT   ? Errc::kNotFound
                    : errno_value == ENOSPC ? Errc::kUnavailable
                                            : Errc::kIo;
  return Error(code, fmt::format("{}: {}", what, text));
}

}  // namespace rouse
