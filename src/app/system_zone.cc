#include "app/system_zone.h"

#include <cstdlib>
#include <filesystem>

#include "base/time_zone.h"

namespace rouse {

std::string system_zone() {
  if (const char* named = std::getenv("TZ"); named != nullptr && is_time_zone(named)) return named;
  constexpr std::string_view kFolder = "zoneinfo/";
  std::error_code ec;
  const std::string target = std::filesystem::read_symlink("/etc/localtime", ec).string();
  const auto at = target.find(kFolder);
  if (ec || at == std::string::npos) return "UTC";
  std::string name = target.substr(at + kFolder.size());
  if (name == "Etc/UTC" || !is_time_zone(name)) return "UTC";
  return name;
}

}  // namespace rouse
