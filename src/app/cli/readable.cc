#include "app/cli/readable.h"

#include <algorithm>
#include <unistd.h>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/loop.h"
#include "base/text.h"

namespace rouse::cli {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kPlain = "\x1b[0m";
constexpr std::int64_t kMinutesADay = 1440;

std::size_t character_length(std::string_view rest) {
  std::size_t length = 1;
  while (length < rest.size() && !begins_character(rest[length])) {
    ++length;
  }
  return length;
}

// C0 but \n and \t, DEL, and C1 (U+0080 to U+009F), which terminals obey as well; broken UTF-8 too.
bool steers_terminal(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) {
    return (first < 0x20 && first != '\n' && first != '\t') || first >= 0x7F;
  }
  return !is_utf8(character) || (first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0);
}

bool starts_at(const std::vector<std::int64_t>& match, std::int64_t at) {
  return match.size() == 2 && match[0] == at && match[1] > 0;
}

}  // namespace

WallTime now() {
  Loop loop;
  return RealClock(loop).wall_now();
}

std::string safe_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view character = text.substr(0, character_length(text));
    if (!steers_terminal(character)) out += character;
    text.remove_prefix(character.size());
  }
  return out;
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string flat = safe_text(text);
  std::ranges::replace_if(flat, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  std::string_view rest = trim(flat);
  std::string out;
  for (std::size_t count = 0; !rest.empty(); ++count) {
    if (count + 1 >= most && rest.size() > character_length(rest)) return out + "…";
    out += rest.substr(0, character_length(rest));
    rest.remove_prefix(character_length(rest));
  }
  return out;
}

std::string hanging(std::string_view text, std::size_t indent) {
  std::string out;
  for (const char c : trim(text)) {
    out += c;
    if (c == '\n') out.append(indent, ' ');
  }
  return out;
}

std::string ago(std::string_view iso, WallTime now) {
  const auto time = from_iso(iso);
  if (!time) return std::string(iso);
  const std::int64_t minutes_passed = std::max<std::int64_t>((now - *time).count / 60'000, 0);
  if (minutes_passed < 1) return "just now";
  if (minutes_passed < 60) return fmt::format("{} min ago", minutes_passed);
  if (minutes_passed < 2 * kMinutesADay) return fmt::format("{} h ago", minutes_passed / 60);
  return fmt::format("{} d ago", minutes_passed / kMinutesADay);
}

std::string short_time(std::string_view iso) {
  if (!from_iso(iso)) return std::string(iso);
  return fmt::format("{} {}", iso.substr(0, 10), iso.substr(11, 5));
}

std::string highlighted(std::string_view text,
                        const std::vector<std::vector<std::int64_t>>& matches) {
  std::string out;
  std::int64_t left = 0;  // characters of the present match
  for (std::int64_t at = 0; !text.empty(); ++at) {
    for (const auto& match : matches) {
      if (left > 0 || !starts_at(match, at)) continue;
      left = match[1];
      out += kBold;
    }
    const std::string_view character = text.substr(0, character_length(text));
    if (!steers_terminal(character)) out += character;
    text.remove_prefix(character.size());
    if (left == 0) continue;
    left -= 1;
    if (left == 0 || text.empty()) out += kPlain;
  }
  return out;
}

bool stdout_is_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

}  // namespace rouse::cli
