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

// Short and of lower-case letters alone: taking it out of every text would hurt more than help.
bool is_mere_word(std::string_view text) {
  return text.size() < 16 && std::ranges::all_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
}

void add_part(std::vector<std::string>& out, std::string_view part) {
  if (part.size() < limits::kRedactMinimum) return;
  out.emplace_back(part);
  if (auto decoded = percent_decode(part); decoded && *decoded != part) {
    out.push_back(*std::move(decoded));
  }
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

std::vector<std::string> secrets_in_url(std::string_view url) {
  std::vector<std::string> out;
  url = url.substr(0, url.find('#'));
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) {
    url.remove_prefix(scheme + 3);
  }
  const std::string_view authority = url.substr(0, url.find_first_of("/?"));
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view user = authority.substr(0, at);
    add_part(out, user);
    if (const std::size_t colon = user.find(':'); colon != std::string_view::npos) {
      add_part(out, user.substr(colon + 1));
    }
  }
  const std::size_t question = url.find('?');
  if (question == std::string_view::npos) return out;
  for (const std::string_view pair : split(url.substr(question + 1), '&')) {
    const std::string_view value = pair.substr(pair.find('=') + 1);  // all of it without a '='
    if (!is_mere_word(value)) add_part(out, value);
  }
  return out;
}

}  // namespace rouse
