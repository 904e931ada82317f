#include "tests/scenario/placeholder.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse::scenario {
namespace {

constexpr std::array<std::string_view, 11> kKinds{"sess", "conv", "turn",   "ws",   "tok",   "time",
                                                  "text", "line", "number", "list", "repeat"};
constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kDigits = "0123456789";
constexpr std::size_t kIsoLength = 24;

bool is_id(const Placeholder& blank) {
  return blank.kind == "sess" || blank.kind == "conv" || blank.kind == "turn" ||
         blank.kind == "ws" || blank.kind == "tok";
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

Result<std::int64_t> parse_count(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (text.empty() || ec != std::errc{} || end != text.data() + text.size()) {
    return fail(Errc::kInvalid, fmt::format("'{}' is not a whole number", text));
  }
  return count;
}

// The inside of <…>.
Result<Placeholder> parse_placeholder(std::string_view inside) {
  const std::size_t space = inside.find(' ');
  Placeholder blank{std::string(inside.substr(0, space)), "", {}};
  std::string_view rest = space == std::string_view::npos ? "" : inside.substr(space + 1);
  if (std::ranges::find(kKinds, blank.kind) == kKinds.end()) {
    return fail(Errc::kInvalid, fmt::format("there is no blank '<{}>' (known: {}); for a plain "
                                            "'<' in JSON write \\u003c",
                                            inside, fmt::join(kKinds, ", ")));
  }
  constexpr std::string_view kUpTo = "up to ";
  if (blank.kind == "text" && rest.starts_with(kUpTo)) {
    TRY(blank.count, parse_count(rest.substr(kUpTo.size())));
    return blank;
  }
  if (blank.kind == "list") {
    TRY(blank.count, parse_count(rest));
    return blank;
  }
  if (blank.kind == "repeat") {
    const std::size_t end = rest.find(' ');
    TRY(blank.count, parse_count(rest.substr(0, end)));
    blank.name = end == std::string_view::npos ? "x" : std::string(rest.substr(end + 1));
    return blank;
  }
  if (const std::size_t sign = rest.find_first_of("+-");
      blank.kind == "time" && sign != std::string_view::npos) {
    TRY(const Millis length, parse_length(trim(rest.substr(sign + 1))));
    blank.offset = rest[sign] == '+' ? length : Millis{-length.count};
    rest = trim(rest.substr(0, sign));
  }
  if (!rest.empty() && !is_name(rest)) {
    return fail(Errc::kInvalid,
                fmt::format("in '<{}>': a name has small letters, digits and _", inside));
  }
  blank.name = std::string(rest);
  return blank;
}

// How many bytes at the start of `text` could be this blank, for the kinds where that is certain.
std::optional<std::size_t> span_of(const Placeholder& blank, std::string_view text) {
  const auto run = [&](std::size_t from, std::string_view set) {
    const std::size_t end = text.find_first_not_of(set, from);
    return (end == std::string_view::npos ? text.size() : end) - from;
  };
  if (is_id(blank)) {
    const std::string prefix = blank.kind + "_";
    if (!text.starts_with(prefix)) return std::nullopt;
    // A workspace may have been named by a person (ws_default); the rest are 24 hex digits.
    const std::size_t tail = blank.kind == "ws" ? run(prefix.size(),
                                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                      "abcdefghijklmnopqrstuvwxyz0123456789_-")
                                                : run(prefix.size(), kHex);
    const bool good = blank.kind == "ws" ? tail > 0 : tail == 24;
    return good ? std::optional(prefix.size() + tail) : std::nullopt;
  }
  if (blank.kind == "time") {
    const auto time = from_iso(text.substr(0, kIsoLength));
    const bool good = time && to_iso(*time) == text.substr(0, kIsoLength);
    return good ? std::optional(kIsoLength) : std::nullopt;
  }
  if (blank.kind == "number") {
    const std::size_t digits = run(0, kDigits);
    return digits > 0 ? std::optional(digits) : std::nullopt;
  }
  return std::nullopt;
}

// Continuation bytes are not counted: a character is what a person would count as one, nearly.
std::int64_t characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

std::string spelled(const Placeholder& blank) {
  std::string out = "<" + blank.kind;
  if (blank.kind == "text" && blank.count > 0) out += fmt::format(" up to {}", blank.count);
  if (blank.kind == "repeat" || blank.kind == "list") out += fmt::format(" {}", blank.count);
  if (!blank.name.empty()) out += " " + blank.name;
  if (blank.offset.count != 0) {
    out +=
        fmt::format(" {} {} ms", blank.offset.count > 0 ? '+' : '-', std::abs(blank.offset.count));
  }
  return out + ">";
}

}  // namespace

Result<Millis> parse_length(std::string_view text) {
  const std::size_t space = text.find(' ');
  TRY(const std::int64_t count, parse_count(text.substr(0, space)));
  const std::string_view unit = space == std::string_view::npos ? "" : trim(text.substr(space + 1));
  if (unit == "ms") return millis(count);
  if (unit == "second" || unit == "seconds") return seconds(count);
  if (unit == "minute" || unit == "minutes") return minutes(count);
  if (unit == "hour" || unit == "hours") return hours(count);
  if (unit == "day" || unit == "days") return days(count);
  return fail(Errc::kInvalid,
              fmt::format("'{}' is no length of time; write it like '31 minutes' (ms, seconds, "
                          "minutes, hours, days)",
                          text));
}

Result<Pieces> parse_pieces(std::string_view text) {
  Pieces pieces;
  while (!text.empty()) {
    const std::size_t open = text.find('<');
    if (open != 0) pieces.push_back({std::string(text.substr(0, open))});
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('>', open);
    if (close == std::string_view::npos) {
      return fail(Errc::kInvalid, "a '<' is never closed; for a plain '<' in JSON write \\u003c");
    }
    TRY(auto blank, parse_placeholder(text.substr(open + 1, close - open - 1)));
    pieces.push_back({"", std::move(blank)});
    text.remove_prefix(close + 1);
  }
  return pieces;
}

std::optional<std::string> Names::value_of(const Placeholder& blank, const Known& known) const {
  if (blank.kind == "repeat") {
    std::string out;
    for (std::int64_t i = 0; i < blank.count; ++i) out += blank.name;
    return out;
  }
  if (blank.kind == "time" && blank.name == "now") return to_iso(now_() + blank.offset);
  const auto it = known.find({blank.kind, blank.name});
  if (it == known.end()) return std::nullopt;
  if (blank.offset.count == 0) return it->second;
  const auto time = from_iso(it->second);
  return time ? std::optional(to_iso(*time + blank.offset)) : std::nullopt;
}

Result<std::string> Names::fill(std::string_view text, Escape escape) const {
  TRY(const Pieces pieces, parse_pieces(text));
  std::string out;
  for (const Piece& piece : pieces) {
    out += piece.literal;
    if (!piece.blank) continue;
    const auto value = value_of(*piece.blank, known_);
    if (!value) {
      return fail(Errc::kInvalid, fmt::format("{} is not known yet: no answer before this had it",
                                              spelled(*piece.blank)));
    }
    // What is repeated stands in the file itself, so it is written as JSON already.
    const bool as_it_is = escape == Escape::kNone || piece.blank->kind == "repeat";
    out += as_it_is ? *value : json_escape(*value);
  }
  return out;
}

bool Names::match(const Pieces& pieces, std::string_view text) {
  Known learned = known_;
  if (!match_from(pieces, 0, text, learned)) return false;
  known_ = std::move(learned);
  return true;
}

bool Names::match_from(const Pieces& pieces, std::size_t index, std::string_view rest,
                       Known& known) const {
  if (index == pieces.size()) return rest.empty();
  const Piece& piece = pieces[index];
  const auto go_on = [&](std::size_t used) {
    return match_from(pieces, index + 1, rest.substr(used), known);
  };
  if (!piece.blank) return rest.starts_with(piece.literal) && go_on(piece.literal.size());
  const Placeholder& blank = *piece.blank;
  if (const auto value = value_of(blank, known))
    return rest.starts_with(*value) && go_on(value->size());
  if (blank.offset.count != 0) return false;  // counted from a time nobody knows

  const auto learn_and_go_on = [&](std::size_t used) {
    if (blank.name.empty()) return go_on(used);
    const std::string value(rest.substr(0, used));
    // Two names are two things: a "new" session must not be the old one.
    const auto same = [&](const auto& entry) {
      return entry.first.first == blank.kind && entry.second == value;
    };
    if (is_id(blank) && std::ranges::any_of(known, same)) return false;
    Known before = known;
    known[{blank.kind, blank.name}] = value;
    if (go_on(used)) return true;
    known = std::move(before);
    return false;
  };
  if (blank.kind == "text" || blank.kind == "line") {
    for (std::size_t used = blank.kind == "text" ? 1 : 0; used <= rest.size(); ++used) {
      if (blank.kind == "line" && used > 0 && rest[used - 1] == '\n') return false;
      if (blank.count > 0 && characters(rest.substr(0, used)) > blank.count) return false;
      if (learn_and_go_on(used)) return true;
    }
    return false;
  }
  const auto used = span_of(blank, rest);
  return used && learn_and_go_on(*used);
}

bool Names::match_number(const Placeholder& blank, const std::string& number) {
  if (blank.kind != "number") return false;
  if (const auto value = value_of(blank, known_)) return *value == number;
  if (!blank.name.empty()) known_[{blank.kind, blank.name}] = number;
  return true;
}

std::string Names::describe(const Pieces& pieces) const {
  std::string out;
  for (const Piece& piece : pieces) {
    out += piece.literal;
    if (!piece.blank) continue;
    const auto value = value_of(*piece.blank, known_);
    out += value ? *value : spelled(*piece.blank);
  }
  return out;
}

}  // namespace rouse::scenario
