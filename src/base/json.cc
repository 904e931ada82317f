#include "base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <boost/json/parser.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/json_text.h"
#include "base/text.h"

namespace rouse {
namespace json = boost::json;
namespace {

std::string_view type_name(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "true or false";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      return "a number";
    case json::kind::string:
      return "text";
    case json::kind::array:
      return "a list";
    case json::kind::object:
      return "an object";
  }
  return "something else";
}

std::string whole_or_field(const JsonPath& path) {
  const std::string text = path.str();
  return text.empty() ? "the body" : fmt::format("'{}'", text);
}

// 1e999 is valid JSON and becomes infinity, which could not be written back.
bool has_infinity(const json::value& value) {
  if (const auto* number = value.if_double()) return !std::isfinite(*number);
  if (const auto* list = value.if_array()) return std::ranges::any_of(*list, has_infinity);
  if (const auto* object = value.if_object()) {
    return std::ranges::any_of(*object,
                               [](const auto& entry) { return has_infinity(entry.value()); });
  }
  return false;
}

}  // namespace

Result<json::value> parse_json(std::string_view text, std::size_t max_depth) {
  json::parse_options options;
  options.max_depth = max_depth;
  json::parser parser({}, options);
  json::error_code ec;
  const std::size_t used = parser.write_some(text.data(), text.size(), ec);
  if (!ec && used < text.size()) ec = json::error::extra_data;
  if (!ec) {
    json::value value = parser.release();
    if (has_infinity(value))
      return fail(Errc::kInvalid, "a number is too large for a 64-bit float");
    return value;
  }
  if (trim(text).empty()) {
    return fail(Errc::kInvalid, "the body is empty; send a JSON object");
  }
  const std::string_view before = text.substr(0, std::min(used, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t column =
      newline == std::string_view::npos ? before.size() + 1 : before.size() - newline;
  const std::string what = ec == json::error::too_deep
                               ? fmt::format("nested deeper than {} levels", max_depth)
                               : ec.message();
  return fail(Errc::kInvalid,
              fmt::format("not valid JSON at line {}, column {}: {}", line, column, what));
}

std::string JsonPath::str() const {
  std::string out = parent == nullptr ? std::string() : parent->str();
  if (parent == nullptr) return out;
  if (key.data() == nullptr) return out + fmt::format("[{}]", index);
  if (!out.empty()) out += '.';
  return out += key;
}

Error field_error(const JsonPath& path, std::string_view problem) {
  return Error(Errc::kInvalid, fmt::format("{} {}", whole_or_field(path), problem));
}

Error wrong_type(const JsonPath& path, std::string_view wanted, const json::value& got) {
  return field_error(path, fmt::format("must be {}, not {}", wanted, type_name(got)));
}

Error missing_field(const JsonPath& path) { return field_error(path, "is missing"); }

Result<void> check_text(const JsonPath& path, std::string_view text, const FieldRules& rules) {
  const auto size = static_cast<std::int64_t>(text.size());
  if (rules.least && size < *rules.least) {
    return fail(field_error(path, size == 0
                                      ? std::string("must not be empty")
                                      : fmt::format("must have at least {} bytes", *rules.least)));
  }
  if (rules.most && size > *rules.most) {
    return fail(
        field_error(path, fmt::format("must have at most {} bytes, it has {}", *rules.most, size)));
  }
  if (!rules.choices.empty() && std::ranges::find(rules.choices, text) == rules.choices.end()) {
    return fail(
        field_error(path, fmt::format("must be one of: {}; not '{}'",
                                      fmt::join(rules.choices, ", "), utf8_prefix(text, 40))));
  }
  return {};
}

Result<void> check_number(const JsonPath& path, double value, const FieldRules& rules) {
  if ((rules.least && value < static_cast<double>(*rules.least)) ||
      (rules.most && value > static_cast<double>(*rules.most))) {
    return fail(
        field_error(path, fmt::format("must be from {} to {}, not {}", rules.least.value_or(0),
                                      rules.most.value_or(0), value)));
  }
  return {};
}

Result<void> check_count(const JsonPath& path, std::size_t count, const FieldRules& rules) {
  if (rules.most && count > static_cast<std::size_t>(*rules.most)) {
    return fail(field_error(
        path, fmt::format("must have at most {} entries, it has {}", *rules.most, count)));
  }
  if (rules.least && count < static_cast<std::size_t>(*rules.least)) {
    return fail(field_error(path, fmt::format("must have at least {} entries", *rules.least)));
  }
  return {};
}

void append_json(std::string& out, std::string_view text) {
  out += '"';
  while (true) {
    const std::size_t plain = unescaped_prefix(text);
    out.append(text, 0, plain);
    if (plain == text.size()) break;
    out += json_escape(text.substr(plain, 1));
    text.remove_prefix(plain + 1);
  }
  out += '"';
}

void append_json(std::string& out, const json::value& value) { out += json::serialize(value); }

void append_json(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";  // JSON has no NaN and no infinity
    return;
  }
  if (number == 0) number = 0;  // "-0" would come back as a whole number without its sign
  fmt::format_to(std::back_inserter(out), "{}", number);
}

void append_json_integer(std::string& out, std::int64_t number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

}  // namespace rouse
