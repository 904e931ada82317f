// The settings of a running server, as plain values, and how they are put together.
//
// Every key stands once in the schema (config_schema.cc): its type, default, documentation and
// rules. Start, live reload, the CLI, the settings API and docs/config.md all read that one table,
// so they can't disagree (UX-4). load_config() is pure: the same sources give the same answer,
// without a disk.
//
// Layers, the higher wins: flag > environment > rouse.yaml > settings.json > default.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "base/log.h"
#include "base/result.h"
#include "proactive/greeting.h"

namespace rouse {

// Dollars for a million tokens.
struct PriceEntry {
  double in = 0, out = 0;
  std::optional<double> cache_read, cache_write;
  friend bool operator==(const PriceEntry&, const PriceEntry&) = default;
};

struct Config {
  std::vector<std::string> listen{"127.0.0.1:18888"};

  struct Tls {
    std::string cert, key;  // both or none
    [[nodiscard]] bool enabled() const { return !cert.empty(); }
    friend bool operator==(const Tls&, const Tls&) = default;
  } tls;

  std::string public_url;  // empty: not set
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> trusted_proxies;
  bool allow_plain_http = false;

  struct Logging {
    LogLevel level = LogLevel::kInfo;
    bool json = false;
    friend bool operator==(const Logging&, const Logging&) = default;
  } log;

  struct Session {
    std::int64_t timeout_minutes = 30;
    bool drift_classifier = false;
    friend bool operator==(const Session&, const Session&) = default;
  } session;

  bool unified_session = false;

  struct Project {
    std::string key, path;
    std::optional<std::string> alias;
    friend bool operator==(const Project&, const Project&) = default;
  };
  std::vector<Project> projects;              // of the owner's workspace
  std::map<std::string, std::string> people;  // "channel:peer" -> workspace id

  struct WhatsApp {
    std::string secret_env, secret_file;  // at most one
    std::string send_url;
    std::optional<std::vector<std::string>> allow;  // absent: everybody; empty: nobody (SC-6)
    std::int64_t reply_wait_ms = 25'000;
    friend bool operator==(const WhatsApp&, const WhatsApp&) = default;
  };
  struct Bridges {
    WhatsApp whatsapp;
    friend bool operator==(const Bridges&, const Bridges&) = default;
  } bridges;

  // One entry of `models:`. The key itself never stands here (model_settings.h).
  struct ModelEntry {
    std::string provider;  // anthropic, openai, offline
    std::optional<std::string> base_url, model, api_key_env, api_key_file;
    std::optional<std::int64_t> context_window, max_output;
    using Price = PriceEntry;
    std::optional<Price> price;
    std::optional<std::vector<std::string>> fallback;
    std::optional<std::int64_t> concurrency, retries;
    friend bool operator==(const ModelEntry&, const ModelEntry&) = default;
  };
  std::map<std::string, ModelEntry> models;  // by role or name

  struct Spend {  // none: no cap
    std::optional<double> day_usd, conversation_usd;
    std::optional<std::int64_t> day_tokens;
    friend bool operator==(const Spend&, const Spend&) = default;
  } spend;

  struct Turns {
    std::int64_t deadline_seconds = 600;
    std::int64_t stall_seconds = 120;
    std::int64_t max_model_calls = 24;
    bool join_running = false;
    friend bool operator==(const Turns&, const Turns&) = default;
  } turns;

  struct Automations {
    bool enabled = true;
    std::int64_t at_once = 8;
    std::int64_t stagger_ms = 1'000;
    std::int64_t crash_hold_minutes = 5;
    bool dream = false;
    std::string dream_at = "0 3 * * *";
    friend bool operator==(const Automations&, const Automations&) = default;
  } automations;

  struct Activity {
    std::int64_t idle_seconds = 120;
    friend bool operator==(const Activity&, const Activity&) = default;
  } activity;

  struct SessionOpen {
    Greeting greeting = Greeting::kModel;
    friend bool operator==(const SessionOpen&, const SessionOpen&) = default;
  } session_open;

  // One entry of `notifications.targets`. A token or key itself never stands here.
  struct NotifyTarget {
    std::string type;  // ntfy, webhook, desktop, push, conversation
    std::optional<std::string> url, topic, token_env, token_file, secret_env, secret_file;
    std::optional<std::string> conversation;  // a session key
    std::optional<std::vector<std::string>> kinds;
    std::optional<std::string> quiet_hours, zone, privacy;
    friend bool operator==(const NotifyTarget&, const NotifyTarget&) = default;
  };
  struct Notifications {
    std::map<std::string, NotifyTarget> targets;  // by name
    std::string contact;
    friend bool operator==(const Notifications&, const Notifications&) = default;
  } notifications;

  // One entry of `mcp_servers`, as it stands in the file (config_mcp.h).
  struct McpEntry {
    std::optional<boost::json::value> command;  // a program, or a program and its arguments
    std::optional<std::vector<boost::json::value>> args;
    std::optional<std::map<std::string, boost::json::value>> env, headers;
    std::optional<std::string> cwd, url, description, approve;
    std::optional<std::vector<std::string>> read_only;
    std::optional<std::int64_t> timeout_seconds;
    std::optional<bool> enabled;
    friend bool operator==(const McpEntry&, const McpEntry&) = default;
  };
  std::map<std::string, McpEntry> mcp_servers;  // by name

  struct History {
    std::int64_t messages = 120;
    std::int64_t tokens = 0;  // derived from the model's window
    friend bool operator==(const History&, const History&) = default;
  } history;

  struct Tools {
    struct Shell {
      bool sandbox = true;
      bool network = false;
      std::int64_t deadline_seconds = 60;
      friend bool operator==(const Shell&, const Shell&) = default;
    } shell;
    std::vector<std::string> fetch_allow_hosts, fetch_fake_ip_ranges;
    std::map<std::string, std::string> policy;  // tool -> "allow", "ask" or "off"
    bool ask_when_unattended = false;
    std::int64_t approval_expires_minutes = 24 * 60;
    friend bool operator==(const Tools&, const Tools&) = default;
  } tools;

  struct Limits {
    std::int64_t requests_per_minute = 0;  // off (docs/adr/0006)
    std::int64_t sign_in_tries_per_minute = 10;
    std::int64_t body_bytes = 1 << 20;
    std::int64_t connections = 16'384;
    friend bool operator==(const Limits&, const Limits&) = default;
  } limits;

  struct Shutdown {
    std::int64_t deadline_seconds = 10;
    friend bool operator==(const Shutdown&, const Shutdown&) = default;
  } shutdown;

  std::string timezone;  // empty: what the browser or the system says
  std::string locale;

  friend bool operator==(const Config&, const Config&) = default;
};

// --- the schema ----------------------------------------------------------------------------------

enum class SettingType : std::uint8_t {
  kBool,
  kInteger,
  kNumber,  // with decimals, if one likes
  kText,
  kChoice,
  kTextList,
  kObject,      // a section as a whole, decoded by the shape() of its struct (base/json.h)
  kObjectList,  // a list of such sections
};

// What is wrong with a text, to follow the name of the key ("must be like HOST:PORT"); empty if
// fine.
using TextRule = std::string (*)(std::string_view text);

// A place inside a section that is wrong, and the whole message about it.
struct SettingFault {
  std::vector<std::string> path;  // {"main", "provider"}: where a file names the line
  std::string message;
};

struct SettingRow {
  std::string_view key;  // dotted: "session.timeout_minutes"
  SettingType type = SettingType::kText;
  std::string_view doc;      // one sentence
  std::string_view example;  // a value as it stands in rouse.yaml
  std::string_view env;      // the environment variable that sets it, or empty
  bool secret = false;       // its value is masked wherever it is shown
  bool live = true;          // false: a change needs a restart
  bool api = false;          // true: the settings API may set it
  std::int64_t least = 0;    // numbers only
  std::int64_t most = 0;
  std::vector<std::string_view> choices;
  TextRule rule = nullptr;  // for a text, or each text of a list
  // For a section: looks into it before it is decoded.
  std::optional<SettingFault> (*inspect)(const boost::json::value& section) = nullptr;

  // set() is given values that passed check_setting(). get() gives null for "not set".
  std::function<Result<void>(Config&, const boost::json::value&)> set;
  std::function<boost::json::value(const Config&)> get;
};

// Every key of this release, in the order of the documentation.
std::span<const SettingRow> config_schema();
const SettingRow* find_setting(std::string_view key);

// The message is complete: "session.timeout_minutes must be a whole number from 1 to 10080, not 0".
Result<void> check_setting(const SettingRow& row, const boost::json::value& value);

// What the row takes: "true or false", "a whole number from 1 to 10080", "one of: text, json" …
std::string allowed_values(const SettingRow& row);

// The value as it may be shown: secrets are masked (SC-10).
boost::json::value shown_value(const SettingRow& row, const boost::json::value& value);

// The key a person may have meant, for "did you mean".
std::optional<std::string> nearest_setting(std::string_view key);

// --- loading -------------------------------------------------------------------------------------

enum class Layer : std::uint8_t { kDefault, kSettings, kFile, kEnvironment, kFlag };

struct Origin {
  Layer layer = Layer::kDefault;
  std::string text = "default";  // "rouse.yaml line 12", "environment SESSION_TIMEOUT_MINUTES" …
  // Set above settings.json, so the API can't change it.
  [[nodiscard]] bool pinned() const { return layer > Layer::kSettings; }
};

struct ConfigSources {
  std::map<std::string, boost::json::value> flags;  // dotted key -> value
  std::map<std::string, std::string> environment;
  std::string yaml_path = "rouse.yaml";  // for messages
  std::optional<std::string> yaml;       // the text; absent: there is no file
  std::string settings_path = "settings.json";
  std::optional<std::string> settings;
};

struct ConfigProblem {
  std::string
      where;     // "/x/rouse.yaml:12:3", "environment SESSION_TIMEOUT_MINUTES", "flag --listen"
  int line = 0;  // in a file; 0 elsewhere
  int column = 0;
  std::string message;
  [[nodiscard]] std::string str() const { return where + ": " + message; }
  friend bool operator==(const ConfigProblem&, const ConfigProblem&) = default;
};

struct EffectiveSetting {
  const SettingRow* row;
  boost::json::value value;
  Origin origin;
};

struct ConfigLoad {
  Config config;                           // to be used only when ok()
  std::vector<EffectiveSetting> settings;  // one a row of the schema, in its order
  std::vector<ConfigProblem> warnings;
  std::vector<ConfigProblem> errors;
  [[nodiscard]] bool ok() const { return errors.empty(); }
  [[nodiscard]] std::string error_text() const;  // all errors, a line each
};

ConfigLoad load_config(const ConfigSources& sources);
// The same with another table, for tests of rows that no release has yet.
ConfigLoad load_config(const ConfigSources& sources, std::span<const SettingRow> schema);

// --- rules over several values
// ---------------------------------------------------------------------

struct ListenAddress {
  std::string host;  // a literal address, without brackets
  std::uint16_t port = 0;
  bool loopback = false;
  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};
// "127.0.0.1:18888", "[::1]:0", "localhost:8080".
Result<ListenAddress> parse_listen(std::string_view text);

// SC-1: whoever can be reached from outside needs TLS or an explicit yes. load_config() asks it
// too.
Result<void> check_listen(const Config& config);

// docs/config.md, made from the schema.
std::string config_docs();

}  // namespace rouse
