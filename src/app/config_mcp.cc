#include "app/config_mcp.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/config_models.h"
#include "app/config_rules.h"
#include "app/config_secrets.h"
#include "base/text.h"

namespace rouse {
namespace json = boost::json;
namespace {

constexpr std::size_t kTextBytes = 4096;
constexpr std::size_t kArguments = 256;
constexpr std::int64_t kLongestCall = 110;  // a tool has two minutes in all

std::string_view text_of(const json::value& value) { return value.get_string(); }

// A word of a command or a value of a variable. YAML takes 3000 for a number, and it is meant.
std::optional<std::string> word_of(const json::value& value) {
  if (value.is_int64()) return std::to_string(value.get_int64());
  if (value.is_bool()) return value.get_bool() ? "true" : "false";
  if (!value.is_string()) return std::nullopt;
  return std::string(text_of(value));
}

bool is_word(const json::value& value) {
  const auto word = word_of(value);
  return word && word->size() <= kTextBytes &&
         std::ranges::none_of(*word, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}
bool is_line(const json::value& value) {
  return value.is_string() && is_word(value) && !trim(text_of(value)).empty();
}
bool is_word_list(const json::value& value) {
  return value.is_array() && value.get_array().size() <= kArguments &&
         std::ranges::all_of(value.get_array(), is_word);
}

// --- each answers with what is wrong, to follow the name of the key, or with nothing
// --------------

std::string check_command(const json::value& value) {
  const bool fine = is_line(value) || (is_word_list(value) && !value.get_array().empty() &&
                                       is_line(value.get_array().front()));
  return fine ? "" : "must be a program, or a list of it and its arguments, like [npx, -y, name]";
}
std::string check_args(const json::value& value) {
  return is_word_list(value) ? "" : "must be a list of words; write fractions in quotes";
}
std::string check_cwd(const json::value& value) {
  return is_line(value) && text_of(value).starts_with('/') ? "" : "must be a path from / on";
}
std::string check_url(const json::value& value) {
  return is_line(value) ? rules::url(text_of(value)) : "must be text";
}
std::string check_text(const json::value& value) { return is_line(value) ? "" : "must be text"; }
std::string check_timeout(const json::value& value) {
  const bool fine = value.is_int64() && value.get_int64() >= 1 && value.get_int64() <= kLongestCall;
  return fine ? "" : fmt::format("must be a whole number from 1 to {}", kLongestCall);
}
std::string check_bool(const json::value& value) {
  return value.is_bool() ? "" : "must be true or false";
}
std::string check_approve(const json::value& value) {
  return value == "auto" || value == "ask" ? "" : "must be auto or ask";
}
std::string check_names(const json::value& value) {
  const bool fine = value.is_array() && value.get_array().size() <= 1000 &&
                    std::ranges::all_of(value.get_array(), is_line);
  return fine ? "" : "must be a list of names of tools";
}
std::string check_section(const json::value& value) {
  return value.is_object() ? "" : "must be a section of names and values";
}

struct EntryKey {
  std::string_view name;
  std::string (*check)(const json::value&);
};
constexpr EntryKey kKeys[] = {{"command", check_command},  {"args", check_args},
                              {"env", check_section},      {"cwd", check_cwd},
                              {"url", check_url},          {"headers", check_section},
                              {"description", check_text}, {"timeout_seconds", check_timeout},
                              {"enabled", check_bool},     {"approve", check_approve},
                              {"read_only", check_names}};

std::string unknown_key(std::string_view key) {
  std::vector<std::string_view> names;
  for (const EntryKey& one : kKeys) names.push_back(one.name);
  const auto near = nearest(key, names);
  return near ? fmt::format("is not known; did you mean '{}'?", *near) : "is not known";
}

SettingFault fault(std::vector<std::string> path, std::string_view problem) {
  std::string message = fmt::format("mcp_servers.{} {}", fmt::join(path, "."), problem);
  return {std::move(path), std::move(message)};
}

// --- env and headers
// ------------------------------------------------------------------------------

bool sounds_secret(std::string_view name) {
  constexpr std::array<std::string_view, 9> kWords{"token",   "secret",     "password",
                                                   "passwd",  "apikey",     "api_key",
                                                   "api-key", "credential", "cookie"};
  const std::string lower = lower_ascii(name);
  return lower == "authorization" || lower.ends_with("_key") || lower.ends_with("-key") ||
         std::ranges::any_of(kWords, [&](std::string_view word) { return lower.contains(word); });
}

std::string check_header_name(std::string_view name) {
  constexpr std::array<std::string_view, 8> kOurs{
      "host",   "content-length", "content-type",   "transfer-encoding",
      "accept", "connection",     "mcp-session-id", "mcp-protocol-version"};
  if (std::ranges::find(kOurs, lower_ascii(name)) != kOurs.end()) return "is set by rouse itself";
  const bool fine = !name.empty() && name.size() <= 100 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
  return fine ? "" : "can't be the name of a header";
}

// {env: NAME} or {file: PATH}, with a prefix if need be.
std::string check_pointer(const json::object& value) {
  constexpr const char* kWords =
      "must be text, {env: VARIABLE} or {file: /path}, with prefix: \"Bearer \" if need be";
  for (const auto& [key, part] : value) {
    const bool known = key == "env" || key == "file" || key == "prefix";
    if (!known || !is_line(part)) return kWords;
  }
  if (value.contains("env") == value.contains("file")) return kWords;
  return value.contains("env") ? rules::env_name(text_of(value.at("env"))) : "";
}

std::string check_value(std::string_view name, const json::value& value) {
  if (value.is_object()) return check_pointer(value.get_object());
  if (!is_word(value)) return "must be text; write it in quotes";
  if (!sounds_secret(name) || word_of(value)->empty()) return "";
  return "sounds like a secret, and that does not stand in the settings, where others may read "
         "it: write {env: VARIABLE}, or {file: /path} (mode 0600)";
}

std::optional<SettingFault> check_values(const std::string& server, const json::object& entry) {
  for (const char* section : {"env", "headers"}) {
    const json::value* values = entry.if_contains(section);
    if (values == nullptr) continue;
    for (const auto& [key, value] : values->get_object()) {
      const std::string_view name(key);
      std::string problem =
          section == std::string_view("env") ? rules::env_name(name) : check_header_name(name);
      if (problem.empty()) problem = check_value(name, value);
      if (!problem.empty()) {
        return fault({server, section, std::string(utf8_prefix(name, 60))}, problem);
      }
    }
  }
  return std::nullopt;
}

std::optional<SettingFault> check_together(const std::string& name, const json::object& entry) {
  const bool program = entry.contains("command");
  if (program == entry.contains("url")) {
    return fault({name}, program ? "has both command and url; keep one"
                                 : "needs a command, like [npx, -y, name], or a url");
  }
  for (const char* key : {"args", "env", "cwd"}) {
    if (!program && entry.contains(key))
      return fault({name, key}, "goes with command, not with url");
  }
  if (program && entry.contains("headers")) {
    return fault({name, "headers"}, "goes with url, not with command");
  }
  return check_values(name, entry);
}

std::optional<SettingFault> inspect_entry(const std::string& name, const json::value& value) {
  if (!is_model_name(name)) {
    return fault({name}, "must have a name of 1 to 40 of a-z, 0-9, '_' and '-'");
  }
  if (!value.is_object())
    return fault({name}, "must be a section, like {command: [npx, -y, name]}");
  for (const auto& [key, part] : value.get_object()) {
    const auto* known = std::ranges::find(kKeys, std::string_view(key), &EntryKey::name);
    const std::string problem = known == std::end(kKeys) ? unknown_key(key) : known->check(part);
    if (!problem.empty()) {
      return fault({name, std::string(utf8_prefix(std::string_view(key), 40))}, problem);
    }
  }
  return check_together(name, value.get_object());
}

// --- from the entry to what is started -----------------------------------------------------------

class Reader {
 public:
  Reader(const std::map<std::string, std::string>& environment, McpSetup& setup)
      : environment_(environment), setup_(setup) {}

  McpServerSettings read(const std::string& name, const Config::McpEntry& entry) {
    McpServerSettings out;
    out.name = name;
    out.description = entry.description.value_or("");
    out.place.url = entry.url.value_or("");
    out.place.folder = entry.cwd.value_or("");
    if (entry.command) read_command(entry, out);
    if (entry.headers) {
      for (const auto& [key, value] : *entry.headers) {
        out.place.headers.emplace_back(key, value_of(value, out));
      }
    }
    out.timeout = seconds(entry.timeout_seconds.value_or(60));
    out.enabled = entry.enabled.value_or(true);
    out.calls_ask = entry.approve.value_or("ask") == "ask";
    out.read_only = entry.read_only.value_or(std::vector<std::string>());
    keep_secret_parts(out.place.url);
    return out;
  }

 private:
  void read_command(const Config::McpEntry& entry, McpServerSettings& out) {
    const auto add = [this, &out](const json::value& word) {
      out.place.command.push_back(word_of(word).value_or(""));
      keep_secret_parts(out.place.command.back());
    };
    if (entry.command->is_array()) {
      for (const json::value& word : entry.command->get_array()) add(word);
    } else {
      add(*entry.command);
    }
    if (entry.args) std::ranges::for_each(*entry.args, add);
    std::map<std::string, std::string> all{{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
    for (const char* name : {"PATH", "HOME", "LANG", "TZ"}) {
      const auto found = environment_.find(name);
      if (found != environment_.end()) all[name] = found->second;
    }
    if (entry.env) {
      for (const auto& [key, value] : *entry.env) all[key] = value_of(value, out);
    }
    for (const auto& [key, value] : all) out.place.environment.push_back(key + "=" + value);
  }

  std::string value_of(const json::value& value, McpServerSettings& server) {
    if (!value.is_object()) return word_of(value).value_or("");
    const auto at = [&value](std::string_view key) {
      const json::value* found = value.get_object().if_contains(key);
      return found == nullptr ? std::string() : std::string(text_of(*found));
    };
    if (!at("file").empty()) setup_.files.push_back(at("file"));
    auto secret = resolve_secret(at("env"), at("file"), environment_);
    if (!secret || !*secret) {
      server.trouble = secret ? "a secret is missing" : secret.error().message;
      return "";
    }
    setup_.secrets.push_back(**secret);
    return at("prefix") + **secret;
  }

  // A database's address with a password in it is a usual argument.
  void keep_secret_parts(std::string_view text) {
    if (!text.contains("://")) return;
    for (std::string& part : secrets_in_url(text)) setup_.secrets.push_back(std::move(part));
  }

  const std::map<std::string, std::string>& environment_;
  McpSetup& setup_;
};

}  // namespace

std::optional<SettingFault> inspect_mcp_servers(const json::value& section) {
  if (!section.is_object()) return std::nullopt;  // the type is checked before
  for (const auto& [name, value] : section.get_object()) {
    if (auto found = inspect_entry(std::string(name), value)) return found;
  }
  return std::nullopt;
}

json::value to_value(const std::map<std::string, Config::McpEntry>& servers) {
  json::object out;
  for (const auto& [name, entry] : servers) {
    auto value = parse_json(encode_json(entry));
    if (value) out[name] = std::move(*value);
  }
  return out;
}

McpSetup mcp_setup(const Config& config, const std::map<std::string, std::string>& environment) {
  McpSetup out;
  Reader reader(environment, out);
  for (const auto& [name, entry] : config.mcp_servers) {
    out.servers.push_back(reader.read(name, entry));
    const McpServerSettings& server = out.servers.back();
    if (server.trouble.empty() || !server.enabled) continue;
    out.notices.push_back(
        fmt::format("the MCP server {} can't be started: {}", name, server.trouble));
  }
  return out;
}

}  // namespace rouse
