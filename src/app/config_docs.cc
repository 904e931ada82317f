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
