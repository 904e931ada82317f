#include "app/config_secrets.h"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/files.h"
#include "base/limits.h"
#include "base/text.h"

namespace rouse {
namespace {

bool is_secret_name(std::string_view name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= 64 && plain(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return plain(c) || c == '_' || c == '-'; });
}

Result<std::string> secret_path(const std::string& data_dir, std::string_view name) {
  if (!is_secret_name(name)) {
    return fail(Errc::kInvalid,
                fmt::format("'{}' can't be the name of a secret; use 1 to 64 of a-z, 0-9, _ and -",
                            utf8_prefix(name, 80)));
  }
  return fmt::format("{}/secrets/{}", data_dir, name);
}

// The folder must be a real one of ours: a link could lead the secret to a place others read.
Result<void> check_folder(const std::string& folder) {
  struct stat info{};
  if (::lstat(folder.c_str(), &info) != 0) {
    return fail(os_error(fmt::format("cannot open {}", folder), errno));
  }
  if (!S_ISDIR(info.st_mode)) {
    return fail(Errc::kForbidden, fmt::format("{} must be a folder, not a link or file", folder));
  }
  if ((info.st_mode & 077) != 0) {
    return fail(Errc::kForbidden, fmt::format("{} can be entered by others (mode {:o}). Run: chmod "
                                              "700 {}",
                                              folder, info.st_mode & 0777, folder));
  }
  return {};
}

}  // namespace

Result<void> write_secret(const std::string& data_dir, std::string_view name,
                          std::string_view value) {
  TRY(const std::string path, secret_path(data_dir, name));
  const std::string_view clean = trim(value);  // what read_secret gives back
  if (clean.empty()) return fail(Errc::kInvalid, "the secret is empty");
  if (clean.size() > limits::kSecretFileBytes - 1) {
    return fail(Errc::kTooLarge,
                fmt::format("the secret is longer than {} bytes", limits::kSecretFileBytes - 1));
  }
  if (clean.find('\0') != std::string_view::npos) {
    return fail(Errc::kInvalid, "the secret contains a zero byte");
  }
  const std::string folder = data_dir + "/secrets";
  TRY_VOID(make_private_dir(folder));
  TRY_VOID(check_folder(folder));
  return write_file_atomic(path, std::string(clean) + "\n", 0600);
}

Result<std::optional<std::string>> read_secret(const std::string& data_dir, std::string_view name) {
  TRY(const std::string path, secret_path(data_dir, name));
  if (!path_exists(path)) return std::nullopt;
  TRY_VOID(check_folder(data_dir + "/secrets"));
  TRY(std::string value, read_secret_file(path));
  if (value.empty()) return fail(Errc::kInvalid, fmt::format("{} is empty", path));
  return value;
}

Result<void> remove_secret(const std::string& data_dir, std::string_view name) {
  TRY(const std::string path, secret_path(data_dir, name));
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return fail(os_error(fmt::format("cannot remove {}", path), errno));
  }
  return {};
}

Result<std::optional<std::string>> resolve_secret(
    const std::string& secret_env, const std::string& secret_file,
    const std::map<std::string, std::string>& environment) {
  if (!secret_env.empty()) {
    const auto found = environment.find(secret_env);
    if (found == environment.end() || trim(found->second).empty()) {
      return fail(Errc::kNotFound,
                  fmt::format("the environment variable {} is not set", secret_env));
    }
    return std::string(trim(found->second));
  }
  if (secret_file.empty()) return std::nullopt;
  TRY(std::string value, read_secret_file(secret_file));
  if (value.empty()) return fail(Errc::kInvalid, fmt::format("{} is empty", secret_file));
  return value;
}

}  // namespace rouse
