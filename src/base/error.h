// What went wrong, as a value. An Error says three things: which class of failure it is (Kind,
// which alone decides an HTTP status or exit code), its stable name for programs
// ("store_conflict"), and a message for a person: what happened, where, what to do. The cause, if
// any, is appended to the message with wrap(). Errors are returned, not logged; whoever handles one
// for good logs it once.
//
// Each domain names its failures in its own enum and says how they look from outside by overloading
// error_info(MyErrc) beside it; Error{MyErrc::kThing, "message"} then just works.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace rouse {

enum class Kind : std::uint8_t {
  kInvalid,       // the caller sent something wrong
  kUnauthorized,  // no or wrong credential
  kForbidden,     // known, but not allowed
  kNotFound,
  kWrongMethod,
  kConflict,     // the world changed since it was read
  kTooLarge,     // over a named limit
  kUnsupported,  // a media type or feature this server can't take
  kRateLimited,
  kUnavailable,  // overloaded, shutting down, disk full: try later
  kTimeout,
  kCancelled,
  kInternal,  // a bug or a broken environment
};

struct ErrorInfo {
  Kind kind;
  std::string_view name;
};

// Failures that are not peculiar to one domain.
enum class Errc : std::uint8_t {
  kInvalid,
  kUnauthorized,
  kForbidden,
  kNotFound,
  kConflict,
  kTooLarge,
  kUnsupported,
  kRateLimited,
  kUnavailable,
  kTimeout,
  kCancelled,
  kIo,
  kInternal,
};
ErrorInfo error_info(Errc code);

struct Error {
  Kind kind = Kind::kInternal;
  std::string_view name = "internal";  // points to static storage
  std::string message;

  Error() = default;
  template <class Enum>
    requires requires(Enum e) {
      { error_info(e) } -> std::same_as<ErrorInfo>;
    }
  Error(Enum code, std::string text) : message(std::move(text)) {
    const ErrorInfo info = error_info(code);
    kind = info.kind;
    name = info.name;
  }

  template <class Enum>
  [[nodiscard]] bool is(Enum code) const {
    return name == error_info(code).name;
  }
  friend bool operator==(const Error&, const Error&) = default;
};

std::ostream& operator<<(std::ostream& out, const Error& error);

// The same failure seen from one step further out: "cannot open the store: <message>".
Error wrap(std::string_view context, Error error);

// An error of the operating system with its text: "cannot read /x: Permission denied".
Error os_error(std::string_view what, int errno_value);

}  // namespace rouse
