#include "app/config.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/yaml.h"
#include "net/address.h"

namespace rouse {
namespace json = boost::json;
namespace {

// --- from the text of a file or variable to a value
// ------------------------------------------------

std::optional<bool> bool_from_env(std::string_view text) {
  const std::string word = lower_ascii(trim(text));
  if (word == "true" || word == "1" || word == "yes" || word == "on") return true;
  if (word == "false" || word == "0" || word == "no" || word == "off") return false;
  return std::nullopt;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (ec != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> real_number(std::string_view text) {
  double real = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), real);
  const bool finite = real - real == 0;
  if (ec != std::errc() || end != text.data() + text.size() || !finite) return std::nullopt;
  return real;
}

// What the variable says, as the row wants it. A text that fits no number or truth stays a text,
// and check_setting() then says what was found and what is allowed.
json::value value_from_env(const SettingRow& row, std::string_view text) {
  switch (row.type) {
    case SettingType::kBool:
      if (const auto truth = bool_from_env(text)) return *truth;
      return json::value(text);
    case SettingType::kInteger:
      if (const auto number = whole_number(trim(text))) return *number;
      return json::value(text);
    case SettingType::kNumber:
      if (const auto number = real_number(trim(text))) return *number;
      return json::value(text);
    case SettingType::kTextList: {
      json::array list;
      for (const std::string_view item : split(text, ',')) {
        if (!trim(item).empty()) list.emplace_back(trim(item));
      }
      return list;
    }
    case SettingType::kText:
    case SettingType::kChoice:
    case SettingType::kObject:
    case SettingType::kObjectList:
      break;
  }
  return json::value(trim(text));
}

// A scalar nobody gave a type to, by YAML's own rules.
json::value value_of_plain(const YamlNode& node) {
  if (node.quoted) return json::value(node.text);
  if (node.text == "true" || node.text == "false") return node.text == "true";
  if (const auto number = whole_number(node.text)) return *number;
  if (const auto number = real_number(node.text)) return *number;
  return json::value(node.text);
}

json::value value_of_tree(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return nullptr;
    case YamlNode::Kind::kScalar:
      return value_of_plain(node);
    case YamlNode::Kind::kList: {
      json::array list;
      for (const YamlNode& item : node.items) list.push_back(value_of_tree(item));
      return list;
    }
    case YamlNode::Kind::kMap:
      break;
  }
  json::object object;
  for (const YamlEntry& entry : node.entries) object[entry.key] = value_of_tree(entry.value);
  return object;
}

json::value value_from_yaml(const SettingRow& row, const YamlNode& node) {
  if (row.type == SettingType::kObject || row.type == SettingType::kObjectList) {
    return value_of_tree(node);
  }
  if (node.kind == YamlNode::Kind::kScalar) {
    const bool typed = row.type == SettingType::kBool || row.type == SettingType::kInteger ||
                       row.type == SettingType::kNumber;
    return typed ? value_of_plain(node) : json::value(node.text);
  }
  if (node.kind == YamlNode::Kind::kList && row.type == SettingType::kTextList) {
    json::array list;
    for (const YamlNode& item : node.items) {
      list.push_back(item.kind == YamlNode::Kind::kScalar ? json::value(item.text)
                                                          : value_of_tree(item));
    }
    return list;
  }
  return value_of_tree(node);
}

// --- putting the layers on each other
// ---------------------------------------------------------------

class Loader {
 public:
  Loader(const ConfigSources& sources, std::span<const SettingRow> schema)
      : sources_(sources), schema_(schema) {
    for (const SettingRow& row : schema) {
      load_.settings.push_back({&row, row.get(load_.config), {}});
      wheres_.emplace_back();
    }
  }

  ConfigLoad run() {
    read_settings();
    read_yaml();
    read_environment();
    read_flags();
    if (load_.ok()) apply();
    if (load_.ok()) check_together();
    return std::move(load_);
  }

 private:
  struct Where {
    std::string text;
    int line = 0;
    int column = 0;
  };

  void error(const Where& where, std::string message) {
    load_.errors.push_back({where.text, where.line, where.column, std::move(message)});
  }
  void warn(const Where& where, std::string message) {
    load_.warnings.push_back({where.text, where.line, where.column, std::move(message)});
  }

  [[nodiscard]] std::optional<std::size_t> index_of(std::string_view key) const {
    const auto found = std::ranges::find(schema_, key, &SettingRow::key);
    if (found == schema_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - schema_.begin());
  }

  void put(std::size_t index, json::value value, Origin origin, Where where) {
    const SettingRow& row = schema_[index];
    if (auto checked = check_setting(row, value); !checked) {
      error(where, checked.error().message);
      return;
    }
    load_.settings[index].value = std::move(value);
    load_.settings[index].origin = std::move(origin);
    wheres_[index] = std::move(where);
  }

  // --- settings.json
  void read_settings() {
    if (!sources_.settings) return;
    const Where where{sources_.settings_path};
    auto parsed = parse_json(*sources_.settings);
    if (!parsed) {
      error(where, fmt::format("the file is damaged ({}). Mend it or move it away; it is not "
                               "overwritten",
                               parsed.error().message));
      return;
    }
    if (!parsed->is_object()) {
      error(where, "the file must hold one JSON object");
      return;
    }
    for (const auto& [key, value] : parsed->get_object()) {
      const auto index = index_of(key);
      if (!index) {
        warn(where, unknown_key(key, nearest_setting(key)));
        continue;
      }
      put(*index, value, {Layer::kSettings, file_name(sources_.settings_path)}, where);
    }
  }

  // --- rouse.yaml
  void read_yaml() {
    if (!sources_.yaml) return;
    const auto tree = parse_yaml(*sources_.yaml);
    if (!tree) {
      error(in_yaml(tree.error().line, tree.error().column), tree.error().message);
      return;
    }
    if (tree->kind == YamlNode::Kind::kNull) return;
    if (tree->kind != YamlNode::Kind::kMap) {
      error(
          in_yaml(tree->line, tree->column),
          fmt::format("the file must hold keys and values (key: value), not {}", describe(*tree)));
      return;
    }
    read_section(*tree, "");
  }

  void read_section(const YamlNode& section, const std::string& prefix) {
    for (const YamlEntry& entry : section.entries) {
      const std::string key = prefix + entry.key;
      if (const auto index = index_of(key)) {
        read_value(*index, entry);
      } else if (is_section(key)) {
        if (entry.value.kind == YamlNode::Kind::kMap) {
          read_section(entry.value, key + ".");
        } else if (entry.value.kind != YamlNode::Kind::kNull) {
          error(in_yaml(entry.value.line, entry.value.column),
                fmt::format("{} must be a section with keys below it, not {}", key,
                            describe(entry.value)));
        }
      } else {
        warn(in_yaml(entry.line, entry.column), unknown_key(key, nearest_below(prefix, entry.key)));
      }
    }
  }

  void read_value(std::size_t index, const YamlEntry& entry) {
    const SettingRow& row = schema_[index];
    const Where where = in_yaml(entry.line, entry.column);
    if (!in_file_.insert(row.key).second) {  // once as a section, once dotted
      error(where, fmt::format("'{}' stands here twice", row.key));
      return;
    }
    if (entry.value.kind == YamlNode::Kind::kNull) {
      error(where, fmt::format("{} has no value; it takes {}. Remove the line for the default",
                               row.key, allowed_values(row)));
      return;
    }
    const std::string name = file_name(sources_.yaml_path);
    const json::value value = value_from_yaml(row, entry.value);
    put(index, value, {Layer::kFile, fmt::format("{} line {}", name, entry.line)},
        place_of_fault(row, value, entry));
  }

  // The line of what is wrong inside a section; the section's own if nothing is.
  [[nodiscard]] Where place_of_fault(const SettingRow& row, const json::value& value,
                                     const YamlEntry& section) const {
    const YamlEntry* at = &section;
    const bool looks = row.inspect != nullptr && value.is_object();
    if (const auto fault = looks ? row.inspect(value) : std::nullopt) {
      for (const std::string& step : fault->path) {
        const auto below = std::ranges::find(at->value.entries, step, &YamlEntry::key);
        if (below == at->value.entries.end()) break;
        at = &*below;
      }
    }
    return in_yaml(at->line, at->column);
  }

  [[nodiscard]] bool is_section(std::string_view key) const {
    return std::ranges::any_of(schema_, [&](const SettingRow& row) {
      return row.key.starts_with(key) && row.key.substr(key.size()).starts_with('.');
    });
  }

  // A name on the same level first: most typos are there.
  [[nodiscard]] std::optional<std::string> nearest_below(const std::string& prefix,
                                                         std::string_view word) const {
    std::vector<std::string_view> names;
    for (const SettingRow& row : schema_) {
      if (!row.key.starts_with(prefix)) continue;
      const std::string_view rest = row.key.substr(prefix.size());
      names.push_back(rest.substr(0, rest.find('.')));
    }
    if (const auto near = nearest(word, names)) return prefix + std::string(*near);
    return nearest_setting(prefix + std::string(word));
  }

  // --- environment and flags
  void read_environment() {
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      if (schema_[i].env.empty()) continue;
      const auto found = sources_.environment.find(std::string(schema_[i].env));
      // Compose files and units often set a variable to nothing: that is not a choice.
      if (found == sources_.environment.end() || trim(found->second).empty()) continue;
      const std::string origin = fmt::format("environment {}", schema_[i].env);
      put(i, value_from_env(schema_[i], found->second), {Layer::kEnvironment, origin}, {origin});
    }
  }

  void read_flags() {
    for (const auto& [key, value] : sources_.flags) {
      const Where where{fmt::format("flag --{}", key)};
      if (const auto index = index_of(key)) {
        put(*index, value, {Layer::kFlag, "flag"}, where);
      } else {
        error(where, unknown_key(key, nearest_setting(key)));
      }
    }
  }

  // --- the end
  void apply() {
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      const EffectiveSetting& setting = load_.settings[i];
      if (setting.origin.layer == Layer::kDefault) continue;
      if (auto set = schema_[i].set(load_.config, setting.value); !set) {
        error(wheres_[i], set.error().message);
      }
    }
  }

  void check_together() {
    const Config& config = load_.config;
    if (config.tls.cert.empty() != config.tls.key.empty()) {
      const std::string_view given = config.tls.cert.empty() ? "tls.key" : "tls.cert";
      const std::string_view missing = config.tls.cert.empty() ? "tls.cert" : "tls.key";
      error(where_of(given),
            fmt::format("{} needs {} beside it; set both or none", given, missing));
      return;
    }
    if (!config.bridges.whatsapp.secret_env.empty() &&
        !config.bridges.whatsapp.secret_file.empty()) {
      error(where_of("bridges.whatsapp.secret_file"),
            "bridges.whatsapp has both secret_env and secret_file; keep one");
    }
    if (auto allowed = check_listen(config); !allowed) {
      error(where_of("listen"), allowed.error().message);
    }
  }

  [[nodiscard]] Where where_of(std::string_view key) const {
    const auto index = index_of(key);
    if (!index || wheres_[*index].text.empty()) return {"default"};
    return wheres_[*index];
  }
  [[nodiscard]] Where in_yaml(int line, int column) const {
    return {fmt::format("{}:{}:{}", sources_.yaml_path, line, column), line, column};
  }
  static std::string file_name(const std::string& path) {
    return std::filesystem::path(path).filename().string();
  }
  static std::string unknown_key(std::string_view key, const std::optional<std::string>& near) {
    const std::string shown(utf8_prefix(key, 80));
    return near ? fmt::format("unknown key '{}' is ignored; did you mean '{}'?", shown, *near)
                : fmt::format("unknown key '{}' is ignored", shown);
  }

  const ConfigSources& sources_;
  std::span<const SettingRow> schema_;
  ConfigLoad load_;
  std::vector<Where> wheres_;
  std::set<std::string_view> in_file_;
};

}  // namespace

std::string ConfigLoad::error_text() const {
  std::string out;
  for (const ConfigProblem& problem : errors) {
    if (!out.empty()) out += '\n';
    out += problem.str();
  }
  return out;
}

ConfigLoad load_config(const ConfigSources& sources) {
  return load_config(sources, config_schema());
}

ConfigLoad load_config(const ConfigSources& sources, std::span<const SettingRow> schema) {
  return Loader(sources, schema).run();
}

Result<ListenAddress> parse_listen(std::string_view text) {
  const auto broken = [&] {
    return fail(Errc::kInvalid,
                fmt::format("'{}' is not an address to listen on; write HOST:PORT, like "
                            "127.0.0.1:18888 or [::1]:18888",
                            utf8_prefix(text, 80)));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return broken();
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (ec != std::errc() || end != digits.data() + digits.size()) return broken();
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  const bool is_v6 = host.find(':') != std::string_view::npos;
  if (is_v6 != bracketed || !parse_address(host)) return broken();
  return ListenAddress{std::string(host), port, is_loopback(host)};
}

Result<void> check_listen(const Config& config) {
  if (config.listen.empty()) {
    return fail(Errc::kInvalid, "listen is empty; name at least one HOST:PORT");
  }
  std::set<std::string> seen;
  for (const std::string& text : config.listen) {
    TRY(const ListenAddress address, parse_listen(text));
    if (address.port != 0 &&
        !seen.insert(fmt::format("{} {}", address.host, address.port)).second) {
      return fail(Errc::kInvalid, fmt::format("listen names {} twice", text));
    }
    if (address.loopback || config.tls.enabled() || config.allow_plain_http) continue;
    return fail(Errc::kForbidden,
                fmt::format("{} can be reached from other machines, but there is no TLS. Set "
                            "tls.cert and tls.key, or listen on 127.0.0.1 behind a proxy that has "
                            "TLS, or set allow_plain_http: true if you trust the network",
                            text));
  }
  return {};
}

}  // namespace rouse
