#include "app/owner_token.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kShortestToken = 16;
constexpr std::size_t kLongestToken = 512;

Result<void> check_token(std::string_view token, std::string_view origin) {
  const bool visible =
      std::ranges::all_of(token, [](unsigned char c) { return c > 0x20 && c < 0x7F; });
  if (token.size() >= kShortestToken && token.size() <= kLongestToken && visible) return {};
  return fail(Errc::kInvalid,
              fmt::format("{} doesn't hold a token: it needs {} to {} visible characters without "
                          "spaces. Mend it, or remove it and a new one is made",
                          origin, kShortestToken, kLongestToken));
}

// Puts the file there unless there is one. A link is made only of a whole, synced file, so another
// process sees all of it or nothing.
Result<void> create_token_file(const std::string& path, const std::string& token) {
  const std::string whole = fmt::format("{}.first-{}", path, ::getpid());
  TRY_VOID(write_file_atomic(whole, token + "\n", 0600));
  const int linked = ::link(whole.c_str(), path.c_str());
  const int error = errno;
  ::unlink(whole.c_str());
  if (linked != 0 && error != EEXIST) {
    return fail(os_error(fmt::format("cannot create {}", path), error));
  }
  return sync_dir(path.substr(0, path.rfind('/')));
}

}  // namespace

std::string owner_token_path(const std::string& data_dir) { return data_dir + "/token"; }

Result<OwnerToken> read_owner_token(const std::string& data_dir,
                                    const std::map<std::string, std::string>& environment) {
  const auto given = environment.find("ROUSE_TOKEN");
  if (given != environment.end() && !trim(given->second).empty()) {
    OwnerToken out{std::string(trim(given->second)), "environment ROUSE_TOKEN", false};
    TRY_VOID(check_token(out.token, out.origin));
    return out;
  }
  OwnerToken out;
  out.origin = owner_token_path(data_dir);
  TRY(out.token, read_secret_file(out.origin));
  TRY_VOID(check_token(out.token, out.origin));
  return out;
}

Result<OwnerToken> ensure_owner_token(const std::string& data_dir,
                                      const std::map<std::string, std::string>& environment,
                                      Random& random) {
  auto found = read_owner_token(data_dir, environment);
  if (found || !found.error().is(Errc::kNotFound)) return found;
  TRY_VOID(make_private_dir(data_dir));
  const std::string token = "rouse_" + random.hex(32);
  TRY_VOID(create_token_file(owner_token_path(data_dir), token));
  TRY(OwnerToken out, read_owner_token(data_dir, environment));
  out.made = out.token == token;
  return out;
}

}  // namespace rouse
