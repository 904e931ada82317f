#include "base/time_zone.h"

#include <algorithm>
#include <set>
#include <string>

#include <absl/time/time.h>

#include "base/files.h"

namespace rouse {
namespace {

constexpr std::size_t kNamesKept = 64;

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name.front() != '/' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '+' || c == '-' ||
                  c == '/';  // no dots: no way out of the folder
         });
}

}  // namespace

// Whoever tells a local time asks this first: a name that was found stays found, without the disk.
bool is_time_zone(std::string_view name) {
  if (name == "UTC") return true;
  thread_local std::set<std::string, std::less<>> found;
  if (found.contains(name)) return true;
  const std::string text(name);
  absl::TimeZone zone;
  const bool is_there = is_plain_name(name) && path_exists("/usr/share/zoneinfo/" + text) &&
                        absl::LoadTimeZone(text, &zone);
  if (is_there && found.size() < kNamesKept) found.insert(text);
  return is_there;
}

}  // namespace rouse
