// docs/config.md from the schema. Refresh it with: rouse config docs > docs/config.md
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "app/config.h"

namespace rouse {
namespace {

constexpr std::string_view kIntro = R"(# Settings

<!-- Made by `rouse config docs` from src/app/config_schema.cc. Don't edit it by hand. -->

rouse works without any settings. To change one, write it into `rouse.yaml` in the data folder
(`~/.rouse`, or what `--data` or `$ROUSE_HOME` says), or name a file with `rouse serve --config FILE`:

```yaml
public_url: https://rouse.example.com
trusted_proxies: [127.0.0.1]
session:
  timeout_minutes: 45
```

A running server reads the file again when you save it. A file with a mistake changes nothing: the last
good settings stay in force, and the log, the health page and `rouse config check` say what is wrong and
on which line. An unknown key is a warning that names the nearest one that exists.

The same setting can come from several places; the higher one wins:

1. a flag of `rouse serve`
2. an environment variable, where one is named below
3. `rouse.yaml`
4. `settings.json` in the data folder: what was set in the app (the app can't change what stands above)
5. the default

`rouse config show` prints every value in force and where it came from.

YAML is read strictly: one document, no key twice, no anchors, aliases or tags, at most 1 MiB.

## Secrets

Secrets don't stand in `rouse.yaml`. A setting names the environment variable (`…_env`) or the file
(`…_file`) that holds one. Such a file must be readable by its owner alone (`chmod 600`). Keys entered in
the app are kept in `secrets/` in the data folder, mode 0600.

## Models

Without a key the offline model answers. `ANTHROPIC_API_KEY` in the environment is enough to leave it, and so
is `OPENAI_API_KEY`; with `OPENAI_BASE_URL` and `OPENAI_MODEL` beside that, any server that speaks the same
language. A key entered in the app does too. More is said in `rouse.yaml`:

```yaml
models:
  main:                       # answers people
    provider: anthropic       # anthropic, openai or offline
    model: claude-sonnet-4-5
    api_key_env: MY_KEY       # or api_key_file: /etc/rouse/key (mode 0600); never the key itself
    fallback: [local]         # names of others, tried in order when this one fails
    price: {in: 3, out: 15, cache_read: 0.3, cache_write: 3.75}   # dollars per million tokens
    context_window: 200000    # tokens; for well-known models it and the price are known
    max_output: 8192          # tokens
    concurrency: 16           # calls at a time; more wait
    retries: 3
  cheap:                      # short questions of the server itself; without it main is asked
    provider: anthropic
    model: claude-haiku-4-5
  local:                      # any name: for fallback, or for agents that want it
    provider: openai          # also Ollama, llama.cpp, vLLM, OpenRouter …
    base_url: http://127.0.0.1:11434/v1
    model: llama3
```

Without `api_key_env` and `api_key_file` a model at its provider's own address takes the key from
`ANTHROPIC_API_KEY` or `OPENAI_API_KEY`. Such a key is never sent to another `base_url`.

What models may cost is capped by `spend`: a cap is checked before each call, what is under way counted in.

## Notifications

What rouse has to say outside of a conversation is shown in the app and in every browser that subscribed
there. Further places are named here; docs/notifications.md says more:

```yaml
notifications:
  targets:
    phone: {type: ntfy, url: https://ntfy.sh, topic: my-secret-topic, quiet_hours: "22:00-07:00"}
    hook: {type: webhook, url: https://example.com/hook, secret_env: HOOK_SECRET}
    desk: {type: desktop, kinds: [approval, heartbeat]}
    web: {type: push, privacy: subject}
    chat: {type: conversation, conversation: "whatsapp:+15551234567"}
```

## MCP servers

Servers of the Model Context Protocol give the agent further tools; docs/mcp.md says more:

```yaml
mcp_servers:
  files:                      # a program: started when it is first used, spoken to over its pipes
    command: [npx, -y, "@modelcontextprotocol/server-filesystem", /home/me/notes]
    env: {LOG_LEVEL: debug}   # beside PATH, HOME, LANG and TZ, all it gets
    cwd: /home/me
    read_only: [read_text_file, list_directory]   # by your word: run without asking
  issues:                     # an address: streamable HTTP
    url: https://mcp.example.com/mcp
    headers: {Authorization: {env: ISSUES_TOKEN, prefix: "Bearer "}}   # or {file: /etc/rouse/token}
    description: Our issue tracker
    timeout_seconds: 30       # of a call; 60 without it
    approve: auto             # ask (the default) asks you before each call
    enabled: true
```

## All settings
)";

std::string default_text(const SettingRow& row) {
  const boost::json::value value = row.get(Config{});
  if (value.is_null()) return "not set";
  const bool empty = value.is_array() && value.get_array().empty();
  return empty ? "`[]`" : fmt::format("`{}`", boost::json::serialize(value));
}

std::string type_text(const SettingRow& row) {
  return row.type == SettingType::kTextList ? "list of text" : allowed_values(row);
}

std::string section_of(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return std::string(dot == std::string_view::npos ? std::string_view() : key.substr(0, dot));
}

std::string describe_row(const SettingRow& row) {
  std::string out = fmt::format("\n#### `{}`\n\n{}\n\n", row.key, row.doc);
  out += fmt::format("- takes {}; default: {}\n", type_text(row), default_text(row));
  if (!row.example.empty()) out += fmt::format("- example: `{}`\n", row.example);
  if (!row.env.empty()) out += fmt::format("- environment: `{}`\n", row.env);
  out += row.live ? "- takes effect when the file is saved" : "- takes effect after a restart";
  out += row.api ? "; can be set in the app\n" : "\n";
  return out;
}

}  // namespace

std::string config_docs() {
  std::string out(kIntro);
  std::string section = "-";
  for (const SettingRow& row : config_schema()) {
    if (const std::string now = section_of(row.key); now != section) {
      section = now;
      out += section.empty() ? "\n### Top level\n" : fmt::format("\n### `{}`\n", section);
    }
    out += describe_row(row);
  }
  return out;
}

}  // namespace rouse
