// What the rows of the schema say about a value: whether it fits, what would, how it may be shown.
#include <algorithm>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "app/config.h"
#include "app/config_rules.h"
#include "base/text.h"

namespace rouse {
namespace json = boost::json;
namespace {

std::string shown_found(const json::value& value) {
  if (value.is_string()) {
    return fmt::format("'{}'", utf8_prefix(std::string_view(value.get_string()), 60));
  }
  if (value.is_array()) return "a list";
  if (value.is_object()) return "a section";
  if (value.is_double()) return fmt::format("{}", value.get_double());
  return json::serialize(value);
}

constexpr std::size_t kTextBytes = 4096;
constexpr std::size_t kListItems = 1000;

}  // namespace

std::string allowed_values(const SettingRow& row) {
  switch (row.type) {
    case SettingType::kBool:
      return "true or false";
    case SettingType::kInteger:
      return fmt::format("a whole number from {} to {}", row.least, row.most);
    case SettingType::kNumber:
      return fmt::format("a number from {} to {}", row.least, row.most);
    case SettingType::kText:
      return "text";
    case SettingType::kChoice:
      return fmt::format("one of: {}", fmt::join(row.choices, ", "));
    case SettingType::kTextList:
      return row.example.empty() ? "a list of text" : fmt::format("a list, like {}", row.example);
    case SettingType::kObject:
      return row.example.empty() ? "a section" : fmt::format("a section, like {}", row.example);
    case SettingType::kObjectList:
      return row.example.empty() ? "a list of sections"
                                 : fmt::format("a list of sections, like {}", row.example);
  }
  return "";
}

namespace {

// Whoever mistakes secret_env for the secret itself has written it there (SC-10).
bool may_be_quoted(const SettingRow& row) { return !row.secret && row.rule != rules::env_name; }

Result<void> check_text_value(const SettingRow& row, std::string_view text) {
  if (text.size() > kTextBytes) {
    return fail(Errc::kInvalid, fmt::format("{} is longer than {} bytes", row.key, kTextBytes));
  }
  if (!is_utf8(text) ||
      std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; })) {
    return fail(Errc::kInvalid, fmt::format("{} must not contain control characters", row.key));
  }
  if (row.rule == nullptr || (row.type == SettingType::kText && text.empty())) return {};
  const std::string problem = row.rule(text);
  if (problem.empty()) return {};
  return fail(Errc::kInvalid, may_be_quoted(row) ? fmt::format("{} {}, not '{}'", row.key, problem,
                                                               utf8_prefix(text, 60))
                                                 : fmt::format("{} {}", row.key, problem));
}

Result<void> check_entries(const SettingRow& row, std::size_t count) {
  if (count <= kListItems) return {};
  return fail(Errc::kTooLarge, fmt::format("{} has more than {} entries", row.key, kListItems));
}

Result<void> check_list(const SettingRow& row, const json::array& list) {
  TRY_VOID(check_entries(row, list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_string()) {
      return fail(Errc::kInvalid, fmt::format("{} must hold only text, entry {} is {}", row.key,
                                              i + 1, shown_found(list[i])));
    }
    TRY_VOID(check_text_value(row, std::string_view(list[i].get_string())));
  }
  return {};
}

bool in_range(const SettingRow& row, const json::value& value) {
  if (!value.is_int64() && !value.is_double()) return false;
  const double number =
      value.is_double() ? value.get_double() : static_cast<double>(value.get_int64());
  return number >= static_cast<double>(row.least) && number <= static_cast<double>(row.most);
}

bool has_type(const SettingRow& row, const json::value& value) {
  switch (row.type) {
    case SettingType::kBool:
      return value.is_bool();
    case SettingType::kInteger:
      return value.is_int64() && value.get_int64() >= row.least && value.get_int64() <= row.most;
    case SettingType::kNumber:
      return in_range(row, value);
    case SettingType::kText:
      return value.is_string();
    case SettingType::kChoice:
      return value.is_string() &&
             std::ranges::find(row.choices, std::string_view(value.get_string())) !=
                 row.choices.end();
    case SettingType::kTextList:
      return value.is_array();
    case SettingType::kObject:
      return value.is_object();
    case SettingType::kObjectList:
      return value.is_array();
  }
  return false;
}

std::string hint_for(const SettingRow& row, const json::value& value) {
  if (row.type != SettingType::kChoice || !value.is_string()) return "";
  const auto near = nearest(lower_ascii(std::string_view(value.get_string())), row.choices);
  return near ? fmt::format("; did you mean '{}'?", *near) : "";
}

}  // namespace

Result<void> check_setting(const SettingRow& row, const json::value& value) {
  if (!has_type(row, value)) {
    const std::string found = may_be_quoted(row) ? shown_found(value) : "what stands there";
    return fail(Errc::kInvalid, fmt::format("{} must be {}, not {}{}", row.key, allowed_values(row),
                                            found, hint_for(row, value)));
  }
  if (row.type == SettingType::kTextList) return check_list(row, value.get_array());
  if (value.is_string()) return check_text_value(row, std::string_view(value.get_string()));
  if (row.type == SettingType::kObject || row.type == SettingType::kObjectList) {
    TRY_VOID(check_entries(
        row, value.is_array() ? value.get_array().size() : value.get_object().size()));
    if (row.inspect != nullptr) {
      if (auto fault = row.inspect(value)) return fail(Errc::kInvalid, std::move(fault->message));
    }
    Config scratch;  // decoding is the check
    if (auto decoded = row.set(scratch, value); !decoded) {
      return fail(wrap(row.key, std::move(decoded).error()));
    }
  }
  return {};
}

json::value shown_value(const SettingRow& row, const json::value& value) {
  if (!row.secret || value.is_null()) return value;
  if (value.is_string()) {
    // Of an address the host may be seen; user, path and query may carry keys.
    const std::string_view text(value.get_string());
    const std::size_t start = text.find("://");
    if (start != std::string_view::npos) {
      const std::size_t end = text.find_first_of("/?#", start + 3);
      const std::string_view head = text.substr(0, end);
      if (head.find('@') == std::string_view::npos) {
        return json::value(end == std::string_view::npos ? std::string(head)
                                                         : std::string(head) + "/…");
      }
    }
  }
  return "(hidden)";
}

std::optional<std::string> nearest_setting(std::string_view key) {
  std::vector<std::string_view> keys;
  for (const SettingRow& row : config_schema()) keys.push_back(row.key);
  if (const auto near = nearest(key, keys)) return std::string(*near);
  // Perhaps only its section is missing or wrong: compare the last words.
  const auto last_word = [](std::string_view path) { return path.substr(path.rfind('.') + 1); };
  std::vector<std::string_view> words;
  for (const std::string_view name : keys) words.push_back(last_word(name));
  const auto near = nearest(last_word(key), words);
  if (!near) return std::nullopt;
  return std::string(
      keys[static_cast<std::size_t>(std::ranges::find(words, *near) - words.begin())]);
}

}  // namespace rouse
