#include "base/time_zone.h"

#include <algorithm>
#include <string>

#include <absl/time/time.h>

#include "base/files.h"

namespace rouse {
namespace {

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name.front() != '/' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '+' || c == '-' ||
                  c == '/';  // no dots: no way out of the folder
         });
}

}  // namespace

bool is_time_zone(std::string_view name) {
  if (name == "UTC") return true;
  const std::string text(name);
  absl::TimeZone zone;
  return is_plain_name(name) && path_exists("/usr/share/zoneinfo/" + text) &&
         absl::LoadTimeZone(text, &zone);
}

}  // namespace rouse
