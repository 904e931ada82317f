#include "tool/schema_check.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kFaultsTold = 5;
constexpr std::size_t kSentBytes = 60;  // of a wrong value, in words

namespace json = boost::json;

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

const json::value* find(const json::object& schema, std::string_view key) {
  return schema.if_contains(key);
}
std::optional<double> number_at(const json::object& schema, std::string_view key) {
  const json::value* found = find(schema, key);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  return found->to_number<double>();
}

std::string as_text(double number) {
  return std::nearbyint(number) == number && std::fabs(number) < 1e15
             ? fmt::format("{}", static_cast<std::int64_t>(number))
             : fmt::format("{}", number);
}

// " from 1 to 10", " of at least 1", " of at most 10".
std::string range_words(const json::object& schema, std::string_view low, std::string_view high,
                        std::string_view between, std::string_view unit = {}) {
  const auto least = number_at(schema, low);
  const auto most = number_at(schema, high);
  const std::string noun = unit.empty() ? "" : " " + std::string(unit);
  if (least && most)
    return fmt::format("{}{} to {}{}", between, as_text(*least), as_text(*most), noun);
  if (least) return fmt::format(" of at least {}{}", as_text(*least), noun);
  if (most) return fmt::format(" of at most {}{}", as_text(*most), noun);
  return "";
}

bool fits_type(const json::value& value, std::string_view type) {
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_bool();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  if (type != "integer") return true;  // a type nobody knows refuses nothing
  return value.is_int64() || value.is_uint64() ||
         (value.is_double() && std::nearbyint(value.get_double()) == value.get_double());
}

std::vector<std::string_view> types_of(const json::object& schema) {
  std::vector<std::string_view> types;
  const json::value* type = find(schema, "type");
  if (type != nullptr && type->is_string()) types.push_back(view(type->get_string()));
  if (type != nullptr && type->is_array()) {
    for (const json::value& one : type->get_array()) {
      if (one.is_string()) types.push_back(view(one.get_string()));
    }
  }
  return types;
}

std::string type_words(const json::object& schema, std::string_view type) {
  if (type == "string")
    return "text" + range_words(schema, "minLength", "maxLength", " of ", "characters");
  if (type == "boolean") return "true or false";
  if (type == "array")
    return "a list" + range_words(schema, "minItems", "maxItems", " of ", "items");
  if (type == "object") return "an object";
  if (type == "number") return "a number" + range_words(schema, "minimum", "maximum", " from ");
  if (type == "integer")
    return "a whole number" + range_words(schema, "minimum", "maximum", " from ");
  return std::string(type);
}

std::string wanted_words(const json::object& schema) {
  if (const json::value* choices = find(schema, "enum");
      choices != nullptr && choices->is_array()) {
    std::vector<std::string> words;
    for (const json::value& one : choices->get_array()) words.push_back(json::serialize(one));
    return words.size() == 1 ? words.front() : fmt::format("one of {}", fmt::join(words, ", "));
  }
  std::vector<std::string> words;
  for (const std::string_view type : types_of(schema)) words.push_back(type_words(schema, type));
  return words.empty() ? "something else" : fmt::format("{}", fmt::join(words, " or "));
}

std::string sent_words(const json::value& value) {
  const std::string sent = json::serialize(value);
  if (sent.size() <= kSentBytes) return sent;
  return std::string(utf8_prefix(sent, kSentBytes)) + "…";
}

bool within(const json::object& schema, double value, std::string_view low, std::string_view high) {
  return value >= number_at(schema, low).value_or(value) &&
         value <= number_at(schema, high).value_or(value);
}

class Checker {
 public:
  void check(const json::value& value, const json::object& schema, const JsonPath& path) {
    if (fits(value, schema)) {
      if (value.is_object()) check_members(value.get_object(), schema, path);
      if (value.is_array()) check_items(value.get_array(), schema, path);
      return;
    }
    note(fmt::format("'{}' must be {}, you sent {}", path.str(), wanted_words(schema),
                     sent_words(value)));
  }
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

 private:
  void note(std::string fault) {
    if (faults_.size() < kFaultsTold) faults_.push_back(std::move(fault));
  }

  static bool fits(const json::value& value, const json::object& schema) {
    const auto types = types_of(schema);
    if (!types.empty() &&
        std::ranges::none_of(types, [&](auto t) { return fits_type(value, t); })) {
      return false;
    }
    const json::value* choices = find(schema, "enum");
    if (choices != nullptr && choices->is_array() &&
        std::ranges::find(choices->get_array(), value) == choices->get_array().end()) {
      return false;
    }
    if (value.is_number()) return within(schema, value.to_number<double>(), "minimum", "maximum");
    if (value.is_string()) {
      const auto length = static_cast<double>(count_characters(view(value.get_string())));
      return within(schema, length, "minLength", "maxLength");
    }
    if (!value.is_array()) return true;
    return within(schema, static_cast<double>(value.get_array().size()), "minItems", "maxItems");
  }

  void check_items(const json::array& items, const json::object& schema, const JsonPath& path) {
    const json::value* each = find(schema, "items");
    if (each == nullptr || !each->is_object()) return;
    for (std::size_t i = 0; i < items.size(); ++i) {
      check(items[i], each->get_object(), {&path, {}, i});
    }
  }

  void check_members(const json::object& members, const json::object& schema,
                     const JsonPath& path) {
    const json::value* found = find(schema, "properties");
    const json::object none;
    const json::object& known = found != nullptr && found->is_object() ? found->get_object() : none;
    for (const auto& [key, value] : members) {
      const std::string_view name(key.data(), key.size());
      const json::value* member = known.if_contains(name);
      if (member != nullptr && member->is_object()) {
        check(value, member->get_object(), {&path, name});
      } else if (member == nullptr && closed(schema)) {
        note(unknown(name, known, path));
      }
    }
    check_required(members, schema, known, path);
  }

  static bool closed(const json::object& schema) {
    const json::value* more = find(schema, "additionalProperties");
    return more != nullptr && more->is_bool() && !more->get_bool();
  }

  static std::string unknown(std::string_view name, const json::object& known,
                             const JsonPath& path) {
    std::vector<std::string_view> names;
    for (const auto& [key, value] : known) names.emplace_back(key.data(), key.size());
    const std::string where = JsonPath{&path, name.substr(0, kSentBytes)}.str();
    if (names.empty()) return fmt::format("'{}' is unknown, there are no arguments", where);
    if (const auto near = nearest(name, names)) {
      return fmt::format("'{}' is unknown, did you mean '{}'?", where, *near);
    }
    return fmt::format("'{}' is unknown, known are {}", where, fmt::join(names, ", "));
  }

  void check_required(const json::object& members, const json::object& schema,
                      const json::object& known, const JsonPath& path) {
    const json::value* required = find(schema, "required");
    if (required == nullptr || !required->is_array()) return;
    for (const json::value& one : required->get_array()) {
      if (!one.is_string() || members.contains(one.get_string())) continue;
      const std::string_view name = view(one.get_string());
      const json::value* member = known.if_contains(name);
      const std::string wanted = member != nullptr && member->is_object()
                                     ? ", it must be " + wanted_words(member->get_object())
                                     : "";
      note(fmt::format("'{}' is missing{}", JsonPath{&path, name}.str(), wanted));
    }
  }

  std::vector<std::string> faults_;
};

}  // namespace

Result<ArgumentsSchema> ArgumentsSchema::parse(std::string_view schema) {
  TRY(json::value value, parse_json(schema));
  const json::value* type = value.is_object() ? find(value.get_object(), "type") : nullptr;
  if (type == nullptr || *type != "object") {
    return fail(Errc::kInvalid, "the schema of a tool's arguments is an object of type 'object'");
  }
  return ArgumentsSchema(std::move(value.get_object()));
}

Result<void> ArgumentsSchema::check(std::string_view arguments) const {
  const Result<json::value> value = parse_json(arguments);
  if (!value) {
    return fail(Errc::kInvalid,
                fmt::format("the arguments are not JSON: {}; call it again with one JSON object",
                            value.error().message));
  }
  if (!value->is_object()) {
    return fail(
        Errc::kInvalid,
        fmt::format("the arguments must be one JSON object, you sent {}; call it again with "
                    "{{\"name\": value, …}}",
                    sent_words(*value)));
  }
  Checker checker;
  checker.check(*value, schema_, {});
  if (checker.faults().empty()) return {};
  return fail(Errc::kInvalid, fmt::format("{}; call it again with that put right",
                                          fmt::join(checker.faults(), "; ")));
}

}  // namespace rouse
