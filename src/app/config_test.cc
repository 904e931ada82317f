#include "app/config.h"

#include <set>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/json.h"

namespace rouse {
namespace {

ConfigLoad load_yaml(std::string yaml) {
  ConfigSources sources;
  sources.yaml = std::move(yaml);
  return load_config(sources);
}

std::string first_error(const ConfigLoad& load) {
  return load.errors.empty() ? "" : load.errors.front().str();
}
std::string first_warning(const ConfigLoad& load) {
  return load.warnings.empty() ? "" : load.warnings.front().str();
}
const EffectiveSetting& setting(const ConfigLoad& load, std::string_view key) {
  for (const EffectiveSetting& one : load.settings) {
    if (one.row->key == key) return one;
  }
  throw std::out_of_range(std::string(key));
}

TEST(Config, NothingGivenIsTheDefaults) {
  const ConfigLoad load = load_config({});
  EXPECT_TRUE(load.ok());
  EXPECT_EQ(load.config, Config{});
  EXPECT_EQ(load.settings.size(), config_schema().size());
  for (const EffectiveSetting& one : load.settings) EXPECT_EQ(one.origin.text, "default");
}

TEST(Config, EveryKeyIsReadFromTheFile) {
  const ConfigLoad load = load_yaml(R"(
listen: ["127.0.0.1:1", "[::1]:2"]
tls: {cert: /c, key: /k}
public_url: https://rouse.example.com
allowed_hosts: [a.example, "b.example:8443"]
trusted_proxies: [10.0.0.0/8, "::1"]
allow_plain_http: true
timezone: Europe/Berlin
locale: de-AT
log:
  level: debug
  format: json
session:
  timeout_minutes: 45
  drift_classifier: true
unified_session: true
models:
  main: {provider: offline}
spend: {day_usd: 5.5, day_tokens: 1000, conversation_usd: 20}
turns: {deadline_seconds: 60, stall_seconds: 30, max_model_calls: 3, join_running: true}
history: {messages: 10, tokens: 9}
automations: {enabled: false, at_once: 2, stagger_ms: 5, crash_hold_minutes: 0, dream: true, dream_at: "0 4 * * *"}
activity: {idle_seconds: 7}
session_open: {greeting: static}
notifications:
  targets:
    phone: {type: ntfy, url: "https://ntfy.sh", topic: t, kinds: [approval], quiet_hours: "22:00-07:00", zone: UTC, privacy: subject}
    main: {type: conversation, conversation: "whatsapp:+1555"}
  contact: mailto:me@example.com
projects:
  - {key: rouse, path: /src/rouse, alias: Rouse}
  - {key: garden, path: /home/me/garden}
people:
  "whatsapp:+1555": ws_default
bridges:
  whatsapp:
    secret_file: /s
    send_url: http://127.0.0.1:3000/send
    allow: ["+1555"]
    reply_wait_ms: 9000
tools:
  policy: {notify: ask}
  unattended: ask
  approval_expires_minutes: 5
  shell: {sandbox: "off", network: true, deadline_seconds: 9}
  fetch: {allow_hosts: [docs.example.com], fake_ip_ranges: [198.18.0.0/15]}
mcp_servers:
  files: {command: [npx, -y, name], approve: auto}
limits:
  requests_per_minute: 7
  sign_in_tries_per_minute: 3
  body_bytes: 2048
  connections: 100
shutdown:
  deadline_seconds: 0
)");
  ASSERT_TRUE(load.ok()) << load.error_text();
  EXPECT_TRUE(load.warnings.empty()) << first_warning(load);
  const Config& c = load.config;
  EXPECT_EQ(c.listen, (std::vector<std::string>{"127.0.0.1:1", "[::1]:2"}));
  EXPECT_EQ(c.tls.cert, "/c");
  EXPECT_EQ(c.tls.key, "/k");
  EXPECT_EQ(c.public_url, "https://rouse.example.com");
  EXPECT_EQ(c.allowed_hosts.size(), 2u);
  EXPECT_EQ(c.trusted_proxies.size(), 2u);
  EXPECT_TRUE(c.allow_plain_http);
  EXPECT_EQ(c.timezone, "Europe/Berlin");
  EXPECT_EQ(c.locale, "de-AT");
  EXPECT_EQ(c.log.level, LogLevel::kDebug);
  EXPECT_TRUE(c.log.json);
  EXPECT_EQ(c.session.timeout_minutes, 45);
  EXPECT_TRUE(c.session.drift_classifier);
  EXPECT_TRUE(c.unified_session);
  EXPECT_EQ(c.models.at("main").provider, "offline");
  EXPECT_EQ(c.spend, (Config::Spend{5.5, 20, 1000}));
  EXPECT_EQ(c.turns, (Config::Turns{60, 30, 3, true}));
  EXPECT_EQ(c.history, (Config::History{10, 9}));
  EXPECT_EQ(c.activity, (Config::Activity{7}));
  EXPECT_EQ(c.session_open, (Config::SessionOpen{Greeting::kStatic}));
  EXPECT_EQ(c.notifications.targets.size(), 2u);
  EXPECT_EQ(c.notifications.targets.at("phone").quiet_hours, "22:00-07:00");
  EXPECT_EQ(c.notifications.targets.at("phone").privacy, "subject");
  EXPECT_EQ(c.notifications.targets.at("main").conversation, "whatsapp:+1555");
  EXPECT_EQ(c.notifications.contact, "mailto:me@example.com");
  EXPECT_EQ(c.projects, (std::vector<Config::Project>{{"rouse", "/src/rouse", "Rouse"},
                                                      {"garden", "/home/me/garden", {}}}));
  EXPECT_EQ(c.people, (std::map<std::string, std::string>{{"whatsapp:+1555", "ws_default"}}));
  EXPECT_EQ(c.bridges.whatsapp.secret_file, "/s");
  EXPECT_EQ(c.bridges.whatsapp.send_url, "http://127.0.0.1:3000/send");
  EXPECT_EQ(c.bridges.whatsapp.allow, (std::vector<std::string>{"+1555"}));
  EXPECT_EQ(c.bridges.whatsapp.reply_wait_ms, 9000);
  EXPECT_EQ(c.tools, (Config::Tools{{false, true, 9},
                                    {"docs.example.com"},
                                    {"198.18.0.0/15"},
                                    {{"notify", "ask"}},
                                    true,
                                    5}));
  EXPECT_EQ(c.mcp_servers.at("files").approve, "auto");
  EXPECT_EQ(c.limits.requests_per_minute, 7);
  EXPECT_EQ(c.limits.sign_in_tries_per_minute, 3);
  EXPECT_EQ(c.limits.body_bytes, 2048);
  EXPECT_EQ(c.limits.connections, 100);
  EXPECT_EQ(c.shutdown.deadline_seconds, 0);
  for (const EffectiveSetting& one : load.settings) {
    EXPECT_EQ(one.origin.layer == Layer::kFile, one.row->key != "bridges.whatsapp.secret_env")
        << one.row->key;
  }
}

TEST(Config, TheHigherLayerWinsAndEveryValueKnowsItsOrigin) {
  ConfigSources sources;
  const auto origin = [&] {
    const ConfigLoad load = load_config(sources);
    EXPECT_TRUE(load.ok()) << load.error_text();
    const EffectiveSetting& one = setting(load, "session.timeout_minutes");
    EXPECT_EQ(one.value.as_int64(), load.config.session.timeout_minutes);
    return std::to_string(load.config.session.timeout_minutes) + " " + one.origin.text +
           (one.origin.pinned() ? " pinned" : "");
  };
  EXPECT_EQ(origin(), "30 default");
  sources.settings = R"({"session.timeout_minutes": 31})";
  EXPECT_EQ(origin(), "31 settings.json");
  sources.yaml_path = "/home/x/.rouse/rouse.yaml";
  sources.yaml = "# hello\nsession:\n  timeout_minutes: 32\n";
  EXPECT_EQ(origin(), "32 rouse.yaml line 3 pinned");
  sources.environment["SESSION_TIMEOUT_MINUTES"] = "33";
  EXPECT_EQ(origin(), "33 environment SESSION_TIMEOUT_MINUTES pinned");
  sources.flags["session.timeout_minutes"] = 34;
  EXPECT_EQ(origin(), "34 flag pinned");
}

TEST(Config, EnvironmentBoolsTakeTheWordsPeopleUse) {
  ConfigSources sources;
  const auto read = [&](std::string word) {
    sources.environment["ENABLE_SESSION_DRIFT_CLASSIFIER"] = std::move(word);
    return load_config(sources);
  };
  for (const char* word : {"true", "1", "yes", "TRUE", " Yes "}) {
    EXPECT_TRUE(read(word).config.session.drift_classifier) << word;
  }
  for (const char* word : {"false", "0", "no", "No", ""}) {
    const ConfigLoad load = read(word);
    EXPECT_TRUE(load.ok() && !load.config.session.drift_classifier) << word;
  }
  EXPECT_EQ(first_error(read("maybe")),
            "environment ENABLE_SESSION_DRIFT_CLASSIFIER: session.drift_classifier must be true or "
            "false, not 'maybe'");
}

TEST(Config, EnvironmentNumbersAreChecked) {
  ConfigSources sources;
  sources.environment["SESSION_TIMEOUT_MINUTES"] = "soon";
  EXPECT_EQ(
      first_error(load_config(sources)),
      "environment SESSION_TIMEOUT_MINUTES: session.timeout_minutes must be a whole number from "
      "1 to 10080, not 'soon'");
  sources.environment["SESSION_TIMEOUT_MINUTES"] = "0";
  EXPECT_NE(first_error(load_config(sources)).find("from 1 to 10080, not 0"), std::string::npos);
}

TEST(Config, UnknownKeysWarnWithLineAndNearestName) {  // UX-4
  ConfigSources sources;
  sources.yaml_path = "/x/rouse.yaml";
  const auto warning = [&](std::string yaml) {
    sources.yaml = std::move(yaml);
    const ConfigLoad load = load_config(sources);
    EXPECT_TRUE(load.ok());
    return first_warning(load);
  };
  EXPECT_EQ(warning("sesion:\n  timeout_minutes: 3\n"),
            "/x/rouse.yaml:1:1: unknown key 'sesion' is ignored; did you mean 'session'?");
  EXPECT_EQ(warning("session:\n  timout_minutes: 3\n"),
            "/x/rouse.yaml:2:3: unknown key 'session.timout_minutes' is ignored; did you mean "
            "'session.timeout_minutes'?");
  EXPECT_EQ(warning("timeout_minutes: 3\n"),
            "/x/rouse.yaml:1:1: unknown key 'timeout_minutes' is ignored; did you mean "
            "'session.timeout_minutes'?");
  EXPECT_EQ(warning("zzzzzzzzzz: 3\n"), "/x/rouse.yaml:1:1: unknown key 'zzzzzzzzzz' is ignored");
}

TEST(Config, WrongValuesSayWhatWasFoundAndWhatIsAllowed) {
  const auto error = [](std::string yaml) { return first_error(load_yaml(std::move(yaml))); };
  EXPECT_EQ(
      error("session:\n  timeout_minutes: 0\n"),
      "rouse.yaml:2:3: session.timeout_minutes must be a whole number from 1 to 10080, not 0");
  EXPECT_EQ(
      error("session:\n  timeout_minutes: \"30\"\n"),
      "rouse.yaml:2:3: session.timeout_minutes must be a whole number from 1 to 10080, not '30'");
  EXPECT_EQ(error("session: {timeout_minutes: 1.5}"),
            "rouse.yaml:1:11: session.timeout_minutes must be a whole number from 1 to 10080, not "
            "1.5");
  EXPECT_EQ(error("session: {timeout_minutes: 99999999999999999999}").substr(0, 16),
            "rouse.yaml:1:11:");
  EXPECT_EQ(error("allow_plain_http: yes\n"),
            "rouse.yaml:1:1: allow_plain_http must be true or false, not 'yes'");
  EXPECT_EQ(
      error("log: {level: inof}\n"),
      "rouse.yaml:1:7: log.level must be one of: debug, info, warn, error, not 'inof'; did you "
      "mean 'info'?");
  EXPECT_EQ(error("listen: 127.0.0.1:1\n"),
            "rouse.yaml:1:1: listen must be a list, like [\"127.0.0.1:18888\"], not '127.0.0.1:1'");
  EXPECT_EQ(error("listen: [{a: 1}]\n"),
            "rouse.yaml:1:1: listen must hold only text, entry 1 is a section");
  EXPECT_EQ(
      error("listen: [nonsense]\n"),
      "rouse.yaml:1:1: listen must be like 127.0.0.1:18888, [::1]:18888 or 0.0.0.0:18888, not "
      "'nonsense'");
  EXPECT_EQ(error("session: 5\n"),
            "rouse.yaml:1:10: session must be a section with keys below it, not '5'");
  EXPECT_EQ(error("locale:\n"),
            "rouse.yaml:1:1: locale has no value; it takes text. Remove the line for the default");
  EXPECT_EQ(error("- a\n"),
            "rouse.yaml:1:1: the file must hold keys and values (key: value), not a list");
  EXPECT_EQ(error("session: {timeout_minutes: 3}\nsession.timeout_minutes: 4\n"),
            "rouse.yaml:2:1: 'session.timeout_minutes' stands here twice");
  EXPECT_EQ(error("a: [\n").substr(0, 13), "rouse.yaml:2:");
}

TEST(Config, TextsAreCheckedByTheirRule) {
  const auto fails = [](const std::string& yaml) { return !load_yaml(yaml).ok(); };
  EXPECT_TRUE(fails("public_url: ftp://x\n"));
  EXPECT_TRUE(fails("public_url: https://x/path\n"));
  EXPECT_TRUE(fails("public_url: https://u:p@x\n"));
  EXPECT_FALSE(fails("public_url: https://x:8443\n"));
  EXPECT_FALSE(fails("public_url: \"\"\n"));
  EXPECT_TRUE(fails("allowed_hosts: [\"*\"]\n"));
  EXPECT_TRUE(fails("allowed_hosts: [\"https://x\"]\n"));
  EXPECT_FALSE(fails("allowed_hosts: [x, \"x:1\", \"[::1]:80\", \"::1\"]\n"));
  EXPECT_TRUE(fails("trusted_proxies: [10.0.0.0/99]\n"));
  EXPECT_TRUE(fails("timezone: Europe/Berln\n"));
  EXPECT_TRUE(fails("timezone: /etc/passwd\n"));
  EXPECT_TRUE(fails("timezone: ../../../etc/passwd\n"));
  EXPECT_FALSE(fails("timezone: UTC\n"));
  EXPECT_TRUE(fails("locale: \"de AT\"\n"));
  EXPECT_TRUE(fails("bridges: {whatsapp: {secret_env: \"a b\"}}\n"));
  EXPECT_TRUE(fails("bridges: {whatsapp: {allow: [\"\"]}}\n"));
  EXPECT_TRUE(fails("tls: {cert: \"a\\nb\", key: k}\n"));
}

TEST(Config, AnAbsentAllowListIsEverybodyAndAnEmptyOneIsNobody) {  // SC-6
  EXPECT_EQ(load_yaml("").config.bridges.whatsapp.allow, std::nullopt);
  const ConfigLoad empty = load_yaml("bridges:\n  whatsapp:\n    allow: []\n");
  ASSERT_TRUE(empty.ok());
  ASSERT_TRUE(empty.config.bridges.whatsapp.allow.has_value());
  EXPECT_TRUE(empty.config.bridges.whatsapp.allow->empty());
  // Neither of the two was said clearly, so neither is assumed.
  EXPECT_FALSE(load_yaml("bridges:\n  whatsapp:\n    allow:\n").ok());
}

TEST(Config, SectionsMayBeEmpty) {
  EXPECT_TRUE(load_yaml("session:\nbridges:\n  whatsapp:\n").ok());
  EXPECT_TRUE(load_yaml("# nothing yet\n").ok());
}

TEST(Config, TlsNeedsBothFiles) {
  EXPECT_EQ(first_error(load_yaml("tls:\n  cert: /c\n")),
            "rouse.yaml:2:3: tls.cert needs tls.key beside it; set both or none");
  EXPECT_EQ(first_error(load_yaml("tls:\n  key: /k\n")),
            "rouse.yaml:2:3: tls.key needs tls.cert beside it; set both or none");
}

TEST(Config, ABridgeHasOneSecret) {
  EXPECT_EQ(first_error(load_yaml("bridges: {whatsapp: {secret_env: A, secret_file: /b}}")),
            "rouse.yaml:1:37: bridges.whatsapp has both secret_env and secret_file; keep one");
}

TEST(Config, ListeningBeyondThisMachineNeedsTlsOrAnExplicitYes) {  // SC-1
  const auto from_file = [](const std::string& more) {
    return load_yaml("listen: [\"0.0.0.0:18888\"]\n" + more);
  };
  EXPECT_EQ(
      first_error(from_file("")),
      "rouse.yaml:1:1: 0.0.0.0:18888 can be reached from other machines, but there is no TLS. "
      "Set tls.cert and tls.key, or listen on 127.0.0.1 behind a proxy that has TLS, or set "
      "allow_plain_http: true if you trust the network");
  EXPECT_TRUE(from_file("allow_plain_http: true\n").ok());
  EXPECT_TRUE(from_file("tls: {cert: c, key: k}\n").ok());
  ConfigSources by_flag;
  by_flag.flags["listen"] = {"127.0.0.1:0", "[::]:18888"};
  EXPECT_EQ(first_error(load_config(by_flag)).substr(0, 34), "flag --listen: [::]:18888 can be r");
  ConfigSources by_settings;
  by_settings.settings = R"({"listen": ["192.168.1.5:80"]})";
  EXPECT_FALSE(load_config(by_settings).ok());
  for (const char* ours : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1"}) {
    ConfigSources local;
    local.flags["listen"] = boost::json::array{ours};
    EXPECT_TRUE(load_config(local).ok()) << ours;
  }
  for (const char* open : {"[::ffff:10.0.0.1]:1", "10.0.0.1:1", "[fe80::1]:1", "0.0.0.0:0"}) {
    ConfigSources outside;
    outside.flags["listen"] = boost::json::array{open};
    EXPECT_FALSE(load_config(outside).ok()) << open;
  }
}

TEST(Config, ListenAddressesAreReadStrictly) {
  EXPECT_EQ(*parse_listen("127.0.0.1:18888"), (ListenAddress{"127.0.0.1", 18888, true}));
  EXPECT_EQ(*parse_listen("[::1]:0"), (ListenAddress{"::1", 0, true}));
  EXPECT_EQ(*parse_listen("localhost:80"), (ListenAddress{"127.0.0.1", 80, true}));
  EXPECT_EQ(*parse_listen("0.0.0.0:80"), (ListenAddress{"0.0.0.0", 80, false}));
  for (const char* bad : {"", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
                          "::1:80", "[127.0.0.1]:80", "example.com:80", "*:80", "127.0.0.1:80x"}) {
    EXPECT_FALSE(parse_listen(bad)) << bad;
  }
  EXPECT_FALSE(load_yaml("listen: []\n").ok());
  EXPECT_EQ(first_error(load_yaml("listen: [\"127.0.0.1:80\", \"localhost:80\"]\n")),
            "rouse.yaml:1:1: listen names localhost:80 twice");
}

TEST(Config, ADamagedSettingsFileIsAnErrorNotAnEmptyOne) {
  ConfigSources sources;
  for (const char* text : {"", "{", "[]", "null", "{\"session.timeout_minutes\": \"x\"}"}) {
    sources.settings = text;
    EXPECT_FALSE(load_config(sources).ok()) << text;
  }
  sources.settings = "{\"nonsense\": 1}";
  EXPECT_EQ(first_warning(load_config(sources)),
            "settings.json: unknown key 'nonsense' is ignored");
}

TEST(Config, AllErrorsAreReportedAtOnce) {
  const ConfigLoad load =
      load_yaml("session: {timeout_minutes: 0}\nlog: {level: x}\nlocale: \"\x7e\"\n");
  EXPECT_EQ(load.errors.size(), 3u);
}

TEST(Config, SecretsAreMaskedAndNotQuotedInErrors) {  // SC-10
  const ConfigLoad load =
      load_yaml("bridges: {whatsapp: {send_url: \"https://h.example/hook?key=canary123\"}}");
  const EffectiveSetting& url = setting(load, "bridges.whatsapp.send_url");
  EXPECT_EQ(shown_value(*url.row, url.value).as_string(), "https://h.example/…");
  const std::string error =
      first_error(load_yaml("bridges: {whatsapp: {send_url: \"https://u:canary123@h/\"}}"));
  EXPECT_FALSE(error.empty());
  EXPECT_EQ(error.find("canary"), std::string::npos) << error;
  // The last two: a secret in the place of the variable's name.
  for (const char* yaml : {"bridges: {whatsapp: {send_url: [canary123]}}",
                           "bridges: {whatsapp: {secret_env: canary-1}}",
                           "bridges: {whatsapp: {secret_env: 0x1canary}}"}) {
    const std::string said = first_error(load_yaml(yaml));
    EXPECT_FALSE(said.empty()) << yaml;
    EXPECT_EQ(said.find("canary"), std::string::npos) << said;
  }
}

TEST(Config, ProjectsAndPeopleAreCheckedWhenTheyAreRead) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"projects: [{key: Big One, path: /x}]",
       "projects: 'key' must be 1 to 64 of a-z, 0-9, '_' and '-', not 'Big One'"},
      {"projects: [{key: x, path: src/x}]",
       "projects: 'path' must be absolute, like /home/me/project, not 'src/x'"},
      {"projects: [{key: x}]", "projects: '[0].path' is missing"},
      {"projects: [{key: x, path: /x}, {key: x, path: /y}]",
       "projects: the key 'x' stands there twice"},
      {"projects: {x: /x}",
       "projects must be a list of sections, like [{key: rouse, path: /home/me/rouse, alias: "
       "Rouse}], not a section"},
      {"people: {ida: ws_default}",
       "people: 'ida' is not a session key; they look like whatsapp:+15550001234"},
      {"people: {\"whatsapp:+1\": ida}",
       "people: 'ida' is not a workspace id; they look like ws_4f2a…"},
      {"people: [x]",
       "people must be a section, like {\"whatsapp:+15551234567\": ws_default}, not "
       "a list"}};
  for (const auto& [yaml, message] : wrong) {
    EXPECT_EQ(first_error(load_yaml(yaml)), "rouse.yaml:1:1: " + message);
  }
  EXPECT_TRUE(load_yaml("projects: []\npeople: {}\n").ok());
}

struct Model {
  std::string provider;
  std::optional<std::int64_t> context_window;
};
auto shape(const Model*) {
  return fields(field("provider", &Model::provider, "Who serves it"),
                field("context_window", &Model::context_window, "Tokens it can read"));
}

TEST(Config, ALaterReleaseAddsASectionOfObjectsByAddingARow) {
  std::map<std::string, Model> models;
  SettingRow row;
  row.key = "models";
  row.type = SettingType::kObject;
  row.set = [&](Config&, const boost::json::value& value) -> Result<void> {
    TRY(models, (from_json<std::map<std::string, Model>>(value)));
    return {};
  };
  row.get = [](const Config&) -> boost::json::value { return nullptr; };
  ConfigSources sources;
  sources.yaml = "models:\n  main:\n    provider: offline\n    context_window: 8000\n";
  const ConfigLoad load = load_config(sources, {&row, 1});
  ASSERT_TRUE(load.ok()) << load.error_text();
  EXPECT_EQ(models.at("main").provider, "offline");
  EXPECT_EQ(models.at("main").context_window, 8000);
  sources.yaml = "models:\n  main:\n    provider: 5\n";
  EXPECT_EQ(first_error(load_config(sources, {&row, 1})),
            "rouse.yaml:1:1: models: 'main.provider' must be text, not a number");
}

TEST(ConfigSchema, EveryRowIsCompleteAndItsDefaultPassesItsOwnCheck) {
  std::set<std::string_view> keys, variables;
  for (const SettingRow& row : config_schema()) {
    EXPECT_TRUE(keys.insert(row.key).second) << row.key;
    EXPECT_TRUE(row.doc.ends_with('.')) << row.key;
    if (!row.env.empty()) {
      EXPECT_TRUE(variables.insert(row.env).second) << row.env;
    }
    const boost::json::value value = row.get(Config{});
    if (value.is_null()) continue;
    EXPECT_TRUE(check_setting(row, value)) << row.key;
    Config config;
    ASSERT_TRUE(row.set(config, value));
    EXPECT_EQ(config, Config{}) << row.key;
  }
}

TEST(ConfigDocs, ThePageIsWhatTheSchemaSays) {
  const auto page = read_file(std::string(ROUSE_SOURCE_DIR) + "/docs/config.md", 1 << 20);
  ASSERT_TRUE(page) << page.error();
  EXPECT_TRUE(*page == config_docs())
      << "docs/config.md is stale. Refresh it with: build/dev/rouse config docs > docs/config.md";
}

}  // namespace
}  // namespace rouse
