// Every bound of the house that is not a setting, by name. A limit that a person may want to change
// is in the config schema instead (app/config_schema.cc).
#pragma once

#include <cstddef>

#include "base/time.h"

namespace rouse::limits {

inline constexpr std::size_t kJsonDepth = 32;
inline constexpr std::size_t kJsonBodyBytes = 1 << 20;  // a request body unless its route says more
inline constexpr std::size_t kConfigBytes = 1 << 20;    // rouse.yaml, settings.json
inline constexpr std::size_t kConfigDepth = 16;
inline constexpr std::size_t kSecretFileBytes = 64 * 1024;
inline constexpr std::size_t kRedactMinimum = 8;         // shorter secrets would blank out prose
inline constexpr std::size_t kLogFieldBytes = 4 * 1024;  // one field of a log line
inline constexpr std::size_t kPageItems = 200;           // ?limit= at most
inline constexpr std::size_t kPageItemsDefault = 50;
inline constexpr std::size_t kFileBytes = 8 << 20;     // one uploaded image or file
inline constexpr std::size_t kAliases = 100;           // external ids of one conversation
inline constexpr std::size_t kTokens = 1000;           // named tokens that are not revoked
inline constexpr std::size_t kBrowserSessions = 1000;  // signed-in browsers
inline constexpr Millis kBrowserSessionLife = days(30);
inline constexpr Millis kSignInCodeLife = hours(24);

}  // namespace rouse::limits
