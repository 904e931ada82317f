#include <algorithm>
#include <concepts>
#include <set>
#include <utility>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "app/config.h"
#include "app/config_rules.h"
#include "base/json.h"
#include "base/text.h"
#include "session/projects.h"
#include "session/session_key.h"

namespace rouse {
namespace json = boost::json;

static auto shape(const Config::Project*) {
  return fields(field("key", &Config::Project::key, "Its short name"),
                field("path", &Config::Project::path, "Where it is"),
                field("alias", &Config::Project::alias, "What people call it"));
}

namespace {

json::value to_value(bool v) { return v; }
json::value to_value(std::int64_t v) { return v; }
json::value to_value(const std::string& v) { return v.empty() ? json::value() : json::value(v); }
json::value to_value(const std::vector<std::string>& v) {
  json::array out;
  for (const auto& item : v) out.emplace_back(item);
  return out;
}
template <class T>
json::value to_value(const std::optional<T>& v) {
  return v ? to_value(*v) : json::value();
}

json::value to_value(const std::vector<Config::Project>& v) {
  json::array out;
  for (const auto& one : v) {
    json::object entry{{"key", one.key}, {"path", one.path}};
    if (one.alias) entry["alias"] = *one.alias;
    out.emplace_back(std::move(entry));
  }
  return out;
}
json::value to_value(const std::map<std::string, std::string>& v) {
  json::object out;
  for (const auto& [key, value] : v) out[key] = value;
  return out;
}

template <class T>
constexpr SettingType type_of() {
  if constexpr (std::same_as<T, bool>) return SettingType::kBool;
  if constexpr (std::same_as<T, std::int64_t>) return SettingType::kInteger;
  if constexpr (std::same_as<T, std::string>) return SettingType::kText;
  if constexpr (std::same_as<T, std::vector<std::string>>) return SettingType::kTextList;
  if constexpr (std::same_as<T, std::vector<Config::Project>>) return SettingType::kObjectList;
  if constexpr (IsMap<T>::value) return SettingType::kObject;
  if constexpr (IsOptional<T>::value) return type_of<typename T::value_type>();
}

// --- what the shape of a section can't say
Result<void> check_section(const std::vector<Config::Project>& projects) {
  std::set<std::string_view> keys;
  for (const Config::Project& one : projects) {
    TRY_VOID(check_project({one.key, one.alias.value_or(""), one.path}));
    if (!keys.insert(one.key).second) {
      return fail(Errc::kInvalid, fmt::format("the key '{}' stands there twice", one.key));
    }
  }
  return {};
}
Result<void> check_section(const std::map<std::string, std::string>& people) {
  for (const auto& [peer, workspace] : people) {
    TRY_VOID(SessionKey::parse(peer));
    TRY_VOID(WorkspaceId::parse(workspace));
  }
  return {};
}

// A row under construction: Setting(key, member, doc).range(…).env(…)
struct Setting : SettingRow {
  template <class Member>
  Setting(std::string_view name, Member member, std::string_view sentence) {
    using T = std::remove_cvref_t<decltype(member(std::declval<Config&>()))>;
    key = name;
    doc = sentence;
    if constexpr (!std::is_enum_v<T>) {
      type = type_of<T>();
      set = [member](Config& config, const json::value& value) -> Result<void> {
        TRY(T decoded, from_json<T>(value));
        if constexpr (requires { check_section(decoded); }) TRY_VOID(check_section(decoded));
        member(config) = std::move(decoded);
        return {};
      };
      get = [member](const Config& config) { return to_value(member(config)); };
    }
  }
  Setting range(std::int64_t low, std::int64_t high) && {
    least = low;
    most = high;
    return std::move(*this);
  }
  Setting from_env(std::string_view variable) && {
    env = variable;
    return std::move(*this);
  }
  Setting like(std::string_view text) && {
    example = text;
    return std::move(*this);
  }
  Setting obeys(TextRule text_rule) && {
    rule = text_rule;
    return std::move(*this);
  }
  Setting needs_restart() && {
    live = false;
    return std::move(*this);
  }
  Setting by_api() && {
    api = true;
    return std::move(*this);
  }
  Setting masked() && {
    secret = true;
    return std::move(*this);
  }
};

// A choice between words, each standing for a value of the member.
template <class Member, class T>
Setting choice(std::string_view key, Member member, std::string_view doc,
               std::vector<std::pair<std::string_view, T>> words) {
  Setting row(key, member, doc);
  row.type = SettingType::kChoice;
  for (const auto& [word, value] : words) row.choices.push_back(word);
  row.set = [member, words](Config& config, const json::value& value) -> Result<void> {
    for (const auto& [word, meaning] : words) {
      if (value == json::value(word)) member(config) = meaning;
    }
    return {};
  };
  row.get = [member, words](const Config& config) -> json::value {
    for (const auto& [word, meaning] : words) {
      if (meaning == member(config)) return json::value(word);
    }
    return nullptr;
  };
  return row;
}

#define AT(path) [](auto& config) -> auto& { return config.path; }

std::vector<SettingRow> make_schema() {
  return {
      Setting("listen", AT(listen),
              "Where the server listens, as HOST:PORT; port 0 picks a free one.")
          .like("[\"127.0.0.1:18888\"]")
          .obeys(rules::listen)
          .needs_restart(),
      Setting("tls.cert", AT(tls.cert),
              "The certificate chain (PEM) for HTTPS; goes together with tls.key and is read again "
              "when the file changes.")
          .like("/etc/rouse/cert.pem")
          .needs_restart(),
      Setting("tls.key", AT(tls.key), "The private key (PEM) that belongs to tls.cert.")
          .like("/etc/rouse/key.pem")
          .needs_restart(),
      Setting(
          "public_url", AT(public_url),
          "The address people use when a proxy stands in front; sign-in links are made with it.")
          .like("https://rouse.example.com")
          .obeys(rules::origin_url),
      Setting("allowed_hosts", AT(allowed_hosts),
              "Further Host names the server answers to; loopback names, the listen addresses and "
              "public_url always work.")
          .like("[rouse.example.com]")
          .obeys(rules::host),
      Setting("trusted_proxies", AT(trusted_proxies),
              "Addresses or CIDR ranges of proxies whose X-Forwarded-For and X-Forwarded-Proto are "
              "believed.")
          .like("[127.0.0.1, 10.0.0.0/8]")
          .obeys(rules::address_range),
      Setting(
          "allow_plain_http", AT(allow_plain_http),
          "Lets the server listen beyond this machine without TLS; everything, tokens included, "
          "then travels readable.")
          .needs_restart(),

      Setting("timezone", AT(timezone),
              "Time zone of the owner (IANA name); without it the browser's, else the system's.")
          .like("Europe/Berlin")
          .obeys(rules::time_zone)
          .by_api(),
      Setting("locale", AT(locale), "Language of the owner; without it the browser's.")
          .like("en-GB")
          .obeys(rules::locale)
          .by_api(),

      choice("log.level", AT(log.level), "The least important lines that are still logged.",
             std::vector<std::pair<std::string_view, LogLevel>>{{"debug", LogLevel::kDebug},
                                                                {"info", LogLevel::kInfo},
                                                                {"warn", LogLevel::kWarn},
                                                                {"error", LogLevel::kError}})
          .by_api(),
      choice("log.format", AT(log.json), "Lines for people (text) or for programs (json).",
             std::vector<std::pair<std::string_view, bool>>{{"text", false}, {"json", true}})
          .by_api(),

      Setting("session.timeout_minutes", AT(session.timeout_minutes),
              "Silence after which a bridged conversation opens a new session.")
          .range(1, 10'080)
          .from_env("SESSION_TIMEOUT_MINUTES")
          .by_api(),
      Setting("session.drift_classifier", AT(session.drift_classifier),
              "Whether a change of subject also opens a new session.")
          .from_env("ENABLE_SESSION_DRIFT_CLASSIFIER")
          .by_api(),
      Setting("unified_session", AT(unified_session),
              "Whether all channels of a workspace are one conversation (unified:default).")
          .by_api(),

      Setting(
          "projects", AT(projects),
          "Projects of the owner, each with key, path and, if you like, alias; they stand above "
          "those saved in the app.")
          .like("[{key: rouse, path: /home/me/rouse, alias: Rouse}]"),
      Setting("people", AT(people),
              "Whose workspace somebody on a channel uses; everybody else gets one of their own.")
          .like("{\"whatsapp:+15551234567\": ws_default}"),

      Setting(
          "bridges.whatsapp.secret_env", AT(bridges.whatsapp.secret_env),
          "Name of the environment variable that holds the bridge's secret; without a secret the "
          "webhook is off.")
          .like("WHATSAPP_BRIDGE_SECRET")
          .obeys(rules::env_name),
      Setting(
          "bridges.whatsapp.secret_file", AT(bridges.whatsapp.secret_file),
          "File (mode 0600) that holds the bridge's secret, instead of secret_env; read again when "
          "it changes.")
          .like("/etc/rouse/whatsapp.secret"),
      Setting("bridges.whatsapp.send_url", AT(bridges.whatsapp.send_url),
              "Where replies are posted to; without it they are only the answer to the webhook.")
          .like("http://127.0.0.1:3000/send")
          .obeys(rules::url)
          .masked(),
      Setting("bridges.whatsapp.allow", AT(bridges.whatsapp.allow),
              "Senders that are let in; absent means everybody the bridge vouches for, [] means "
              "nobody.")
          .like("[\"+15551234567\"]")
          .obeys(rules::not_empty)
          .by_api(),

      Setting("limits.requests_per_minute", AT(limits.requests_per_minute),
              "Requests a minute for each token, and for each address without one; 0 is no limit.")
          .range(0, 1'000'000'000)
          .by_api(),
      Setting("limits.sign_in_tries_per_minute", AT(limits.sign_in_tries_per_minute),
              "Wrong credentials a minute from one address before it has to wait.")
          .range(1, 100'000)
          .by_api(),
      Setting("limits.body_bytes", AT(limits.body_bytes),
              "The largest body of a request, in bytes.")
          .range(1024, std::int64_t{1} << 30)
          .by_api(),
      Setting("limits.connections", AT(limits.connections),
              "Connections at the same time; further ones are answered with 503.")
          .range(16, 1'000'000)
          .needs_restart(),

      Setting("shutdown.deadline_seconds", AT(shutdown.deadline_seconds),
              "How long running work may take to end when the server stops.")
          .range(0, 600)
          .by_api(),
  };
}

#undef AT

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

std::span<const SettingRow> config_schema() {
  static const std::vector<SettingRow> rows = make_schema();
  return rows;
}

const SettingRow* find_setting(std::string_view key) {
  const auto schema = config_schema();
  const auto found = std::ranges::find(schema, key, &SettingRow::key);
  return found == schema.end() ? nullptr : &*found;
}

std::string allowed_values(const SettingRow& row) {
  switch (row.type) {
    case SettingType::kBool:
      return "true or false";
    case SettingType::kInteger:
      return fmt::format("a whole number from {} to {}", row.least, row.most);
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
  return fail(Errc::kInvalid,
              row.secret ? fmt::format("{} {}", row.key, problem)
                         : fmt::format("{} {}, not '{}'", row.key, problem, utf8_prefix(text, 60)));
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

bool has_type(const SettingRow& row, const json::value& value) {
  switch (row.type) {
    case SettingType::kBool:
      return value.is_bool();
    case SettingType::kInteger:
      return value.is_int64() && value.get_int64() >= row.least && value.get_int64() <= row.most;
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
    const std::string found = row.secret ? "what stands there" : shown_found(value);
    return fail(Errc::kInvalid, fmt::format("{} must be {}, not {}{}", row.key, allowed_values(row),
                                            found, hint_for(row, value)));
  }
  if (row.type == SettingType::kTextList) return check_list(row, value.get_array());
  if (value.is_string()) return check_text_value(row, std::string_view(value.get_string()));
  if (row.type == SettingType::kObject || row.type == SettingType::kObjectList) {
    TRY_VOID(check_entries(
        row, value.is_array() ? value.get_array().size() : value.get_object().size()));
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
