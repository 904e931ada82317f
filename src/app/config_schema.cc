#include <algorithm>
#include <concepts>
#include <set>
#include <utility>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "app/config.h"
#include "app/config_mcp.h"
#include "app/config_models.h"
#include "app/config_notifications.h"
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
json::value to_value(double v) { return v; }
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
  if constexpr (std::same_as<T, double>) return SettingType::kNumber;
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
  Setting inspected_by(std::optional<SettingFault> (*look)(const json::value&)) && {
    inspect = look;
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

std::optional<SettingFault> inspect_tool_policy(const json::value& section) {
  if (!section.is_object()) return std::nullopt;
  for (const auto& [tool, word] : section.get_object()) {
    if (word == "allow" || word == "ask" || word == "off") continue;
    return SettingFault{
        {std::string(tool)},
        fmt::format("tools.policy.{} must be allow, ask or off", std::string_view(tool))};
  }
  return std::nullopt;
}

Setting tool_policy() {
  Setting row("tools.policy", AT(tools.policy),
              "What a tool may do by its name: allow runs without asking what may be configured, "
              "ask always asks, off switches it off.");
  row.set = [](Config& config, const json::value& value) -> Result<void> {
    TRY(config.tools.policy, (from_json<std::map<std::string, std::string>>(value)));
    return {};
  };
  return row;
}

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

      Setting("models", AT(models),
              "The models by role or name, as described above; without any the environment "
              "decides, and without a key there the offline model answers.")
          .like("{main: {provider: anthropic, model: claude-sonnet-4-5, api_key_env: "
                "ANTHROPIC_API_KEY}}")
          .inspected_by(inspect_models)
          .by_api(),
      Setting("spend.day_usd", AT(spend.day_usd),
              "What a workspace may spend on models a day, in dollars; at the cap it pauses until "
              "midnight. A model without a known price counts only for spend.day_tokens.")
          .range(0, 1'000'000)
          .like("5.00")
          .by_api(),
      Setting("spend.day_tokens", AT(spend.day_tokens),
              "The same in tokens, for models whose price is not known.")
          .range(0, 1'000'000'000'000)
          .like("2000000")
          .by_api(),
      Setting("spend.conversation_usd", AT(spend.conversation_usd),
              "What one conversation may cost in all, in dollars.")
          .range(0, 1'000'000)
          .like("20")
          .by_api(),
      Setting("turns.deadline_seconds", AT(turns.deadline_seconds),
              "The longest a turn may take, all its model calls and tools included.")
          .range(10, 86'400)
          .by_api(),
      Setting("turns.stall_seconds", AT(turns.stall_seconds),
              "How long nothing may happen in a turn before it is ended.")
          .range(5, 86'400)
          .by_api(),
      Setting("turns.max_model_calls", AT(turns.max_model_calls),
              "How often a turn may ask the model, with tools in between.")
          .range(1, 1'000)
          .by_api(),
      Setting("turns.join_running", AT(turns.join_running),
              "Whether a message that arrives while a turn runs is seen at its next model call, "
              "instead of in a turn of its own.")
          .by_api(),
      Setting("automations.enabled", AT(automations.enabled),
              "Whether automations run. While they don't, their times are missed, and none can be "
              "made.")
          .by_api(),
      Setting("automations.at_once", AT(automations.at_once),
              "How many automations may run at the same time; others wait.")
          .range(1, 1'000)
          .by_api(),
      Setting("automations.stagger_ms", AT(automations.stagger_ms),
              "The time between the starts of automations that were missed and are made up for.")
          .range(0, 600'000)
          .by_api(),
      Setting("automations.crash_hold_minutes", AT(automations.crash_hold_minutes),
              "How long automations are held after three starts within 15 minutes that followed "
              "crashes; 0 never holds them.")
          .range(0, 1'440)
          .by_api(),
      Setting("automations.dream", AT(automations.dream),
              "Whether memory is tidied up at night: notes that say the same become one.")
          .by_api(),
      Setting("automations.dream_at", AT(automations.dream_at), "When it is, as a cron expression.")
          .by_api(),
      Setting("activity.idle_seconds", AT(activity.idle_seconds),
              "How long a conversation must rest before what was done in it is written into the "
              "activity log.")
          .range(1, 3'600)
          .by_api(),
      choice(
          "session_open.greeting", AT(session_open.greeting),
          "Who greets somebody who opens the app: the agent's model, rouse itself from what it "
          "gathered and without a model (static), or nobody.",
          std::vector<std::pair<std::string_view, Greeting>>{
              {"model", Greeting::kModel}, {"static", Greeting::kStatic}, {"off", Greeting::kOff}})
          .by_api(),
      Setting(
          "notifications.targets", AT(notifications.targets),
          "Where notifications are brought to beside the app, as described above; browsers that "
          "subscribed need no entry.")
          .like("{phone: {type: ntfy, url: https://ntfy.sh, topic: my-secret-topic}}")
          .inspected_by(inspect_targets)
          .masked(),
      Setting("notifications.contact", AT(notifications.contact),
              "Whom a push service can reach about messages from here; without it public_url.")
          .like("mailto:me@example.com")
          .obeys(rules::contact),
      Setting("history.messages", AT(history.messages),
              "How many messages of a conversation a turn is shown at most.")
          .range(1, 10'000)
          .by_api(),
      Setting("history.tokens", AT(history.tokens),
              "How many tokens of a conversation a turn is shown at most; 0 means what the "
              "model's window has room for.")
          .range(0, 100'000'000)
          .by_api(),

      tool_policy()
          .like("{write_file: allow, shell: off}")
          .inspected_by(inspect_tool_policy)
          .by_api(),
      choice(
          "tools.unattended", AT(tools.ask_when_unattended),
          "What becomes of a call that needs a yes in a turn nobody watches: deny it, or ask and "
          "leave it waiting.",
          std::vector<std::pair<std::string_view, bool>>{{"deny", false}, {"ask", true}})
          .by_api(),
      Setting("tools.approval_expires_minutes", AT(tools.approval_expires_minutes),
              "How long a call waits for your yes before it expires.")
          .range(1, 43'200)
          .by_api(),
      choice("tools.shell.sandbox", AT(tools.shell.sandbox),
             "Whether commands run inside of bubblewrap; off lets them do whatever rouse itself "
             "may do.",
             std::vector<std::pair<std::string_view, bool>>{{"on", true}, {"off", false}}),
      Setting("tools.shell.network", AT(tools.shell.network),
              "Whether commands in the sandbox may use the network, this machine's own services "
              "included."),
      Setting("tools.shell.deadline_seconds", AT(tools.shell.deadline_seconds),
              "How long a command may run before it is killed.")
          .range(1, 110)
          .by_api(),
      Setting("tools.fetch.allow_hosts", AT(tools.fetch_allow_hosts),
              "Hosts that http_fetch reads from without asking, private addresses included; "
              "without a port 80 and 443 are meant.")
          .like("[docs.example.com, \"127.0.0.1:8080\"]")
          .obeys(rules::fetch_host)
          .by_api(),
      Setting("tools.fetch.fake_ip_ranges", AT(tools.fetch_fake_ip_ranges),
              "Addresses that a local proxy answers name look-ups with in place of the real ones; "
              "http_fetch takes them for public.")
          .like("[198.18.0.0/15]")
          .obeys(rules::address_range),

      Setting("mcp_servers", AT(mcp_servers),
              "MCP servers whose tools the agent may use, by name, as described above.")
          .like("{files: {command: [npx, -y, \"@modelcontextprotocol/server-filesystem\", "
                "/home/me/notes]}}")
          .inspected_by(inspect_mcp_servers)
          .masked(),

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
      Setting("bridges.whatsapp.reply_wait_ms", AT(bridges.whatsapp.reply_wait_ms),
              "How long the webhook waits for the reply, in milliseconds, before it answers 202; 0 "
              "doesn't wait.")
          .range(0, 120'000)
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

}  // namespace rouse
