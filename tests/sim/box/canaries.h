// The secrets of the box. Each is given to the part of the server that needs it; the world outside
// shouts them back wherever it can, in errors, results and refusals. All of them have one word in
// common, and that word must never be found: not in the store, a log line or a model's prompt
// (invariant 10).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rouse::sim {

inline constexpr std::string_view kCanary = "canarybird";
inline constexpr std::string_view kModelKey = "sk-canarybird-4f1d0c9b7a";
inline constexpr std::string_view kBridgeToken = "bridge-canarybird-88e2a1";
inline constexpr std::string_view kToolSecret = "tool-canarybird-771a0e";

inline std::vector<std::string> secrets() {
  return {std::string(kModelKey), std::string(kBridgeToken), std::string(kToolSecret)};
}
inline bool shows_canary(std::string_view text) {
  return text.find(kCanary) != std::string_view::npos;
}

}  // namespace rouse::sim
