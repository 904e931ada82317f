#include "app/model_settings.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "app/config_rules.h"
#include "app/config_secrets.h"
#include "base/text.h"
#include "model/anthropic/anthropic_format.h"
#include "model/openai/openai_format.h"

namespace rouse {
namespace {

using Environment = std::map<std::string, std::string>;

constexpr const char* kAnthropicKey = "ANTHROPIC_API_KEY";
constexpr const char* kOpenAiKey = "OPENAI_API_KEY";
constexpr const char* kOpenAiUrl = "OPENAI_BASE_URL";
constexpr const char* kOpenAiModel = "OPENAI_MODEL";

// Variables set to nothing are as good as not set.
std::string variable(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : std::string(trim(found->second));
}

std::int64_t micros(double dollars) { return std::llround(dollars * 1e6); }

ModelPrice price_of(const Config::ModelEntry::Price& price) {
  return {.in = micros(price.in),
          .out = micros(price.out),
          .cache_read = micros(price.cache_read.value_or(price.in)),
          .cache_write = micros(price.cache_write.value_or(price.in))};
}

std::string default_model(const std::string& provider, std::string_view role) {
  const bool cheap = role == "cheap";
  if (provider == "anthropic") return cheap ? "claude-haiku-4-5" : "claude-sonnet-4-5";
  if (provider == "openai") return cheap ? "gpt-4o-mini" : "gpt-4o";
  return "";
}

// "" for a provider that needs none.
std::string key_variable(const std::string& provider) {
  if (provider == "anthropic") return kAnthropicKey;
  return provider == "openai" ? kOpenAiKey : "";
}

// At the provider's own address, which asks for a key; a server of one's own may well ask for none.
bool needs_key(const ModelSettings& one) {
  if (one.provider == "openai") return is_openai_itself(one.base_url);
  return one.provider == "anthropic" && anthropic_url(one.base_url) == anthropic_url("");
}

class Setup {
 public:
  Setup(const Environment& environment, const std::string& data_dir)
      : environment_(environment), data_dir_(data_dir), openai_url_(checked_openai_url()) {}

  ModelSetup run(const Config& config) {
    for (const auto& [name, entry] : config.models) add(name, entry);
    if (!config.models.contains("main")) add_from_surroundings();
    lend_keys_of_main();
    for (auto& [name, one] : out_.settings) finish(name, one);
    std::ranges::sort(out_.key_files);
    return std::move(out_);
  }

 private:
  // OPENAI_BASE_URL, "" if it isn't set or no address.
  std::string checked_openai_url() {
    std::string url = variable(environment_, kOpenAiUrl);
    if (url.empty() || rules::base_url(url).empty()) return url;
    openai_url_broken_ = true;
    out_.notices.push_back(
        fmt::format("{} in the environment {}; models at OpenAI's address are not used until it "
                    "is mended",
                    kOpenAiUrl, rules::base_url(url)));
    return "";
  }

  void add(const std::string& name, const Config::ModelEntry& entry) {
    ModelSettings one;
    one.provider = entry.provider;
    one.base_url = entry.base_url.value_or(entry.provider == "openai" ? openai_url_ : "");
    one.model = entry.model.value_or(default_model(entry.provider, name));
    one.context_window = entry.context_window;
    one.max_output = entry.max_output;
    if (entry.price) one.price = price_of(*entry.price);
    one.fallback = entry.fallback.value_or(std::vector<std::string>());
    one.concurrency = entry.concurrency.value_or(one.concurrency);
    one.retries = entry.retries.value_or(one.retries);
    if (entry.provider != "offline") find_key(name, entry, one);
    out_.settings.emplace(name, std::move(one));
  }

  void find_key(const std::string& name, const Config::ModelEntry& entry, ModelSettings& one) {
    if (entry.api_key_env || entry.api_key_file) {
      if (entry.api_key_file) out_.key_files.push_back(*entry.api_key_file);
      auto key = resolve_secret(entry.api_key_env.value_or(""), entry.api_key_file.value_or(""),
                                environment_);
      if (!key) {
        out_.notices.push_back(
            fmt::format("models.{} is not configured: {}", name, key.error().message));
        named_but_missing_.insert(name);
        return;
      }
      take_key(
          name, one, std::move(**key),
          entry.api_key_env ? "environment " + *entry.api_key_env : "file " + *entry.api_key_file);
      return;
    }
    const std::string own = key_variable(entry.provider);
    // To another address that somebody wrote down only goes a key that was meant for it.
    const bool at_home = !entry.base_url || needs_key(one);
    if (std::string key = variable(environment_, own.c_str());
        at_home && !key.empty() && !(own == kOpenAiKey && openai_url_broken_)) {
      take_key(name, one, std::move(key), "environment " + own);
      return;
    }
    if (auto key = entered_key(name)) take_key(name, one, std::move(*key), entered_origin(name));
  }

  std::optional<std::string> entered_key(const std::string& name) {
    auto key = read_secret(data_dir_, model_secret_name(name));
    if (key) return std::move(*key);
    out_.notices.push_back(
        fmt::format("the key of models.{} can't be read: {}", name, key.error().message));
    return std::nullopt;
  }
  static std::string entered_origin(const std::string& name) {
    return "secrets/" + model_secret_name(name);
  }

  void take_key(const std::string& name, ModelSettings& one, std::string key, std::string origin) {
    one.api_key = std::move(key);
    out_.key_origins[name] = std::move(origin);
  }

  // No models.main: the environment, else a key entered in the app.
  void add_from_surroundings() {
    if (!variable(environment_, kAnthropicKey).empty()) {
      add_pair("anthropic");
    } else if (!variable(environment_, kOpenAiKey).empty() && !openai_url_broken_) {
      add_pair("openai");
    } else if (const auto key = entered_key("main")) {
      add_pair(key->starts_with("sk-ant-") ? "anthropic" : "openai");
    }
  }

  void add_pair(const std::string& provider) {
    Config::ModelEntry main;
    main.provider = provider;
    const bool elsewhere = provider == "openai" && !openai_url_.empty();
    if (elsewhere) {
      const std::string named = variable(environment_, kOpenAiModel);
      main.model = named.empty() ? "gpt-4o" : named;
    }
    add("main", main);
    // Nobody knows which small model stands elsewhere: there main is asked.
    if (elsewhere || out_.settings.contains("cheap")) return;
    Config::ModelEntry cheap;
    cheap.provider = provider;
    add("cheap", cheap);
  }

  void lend_keys_of_main() {
    const auto main = out_.settings.find("main");
    if (main == out_.settings.end() || main->second.api_key.empty()) return;
    for (auto& [name, one] : out_.settings) {
      if (!one.api_key.empty() || named_but_missing_.contains(name)) continue;
      if (one.provider != main->second.provider || one.base_url != main->second.base_url) continue;
      take_key(name, one, main->second.api_key, out_.key_origins.at("main"));
    }
  }

  void finish(const std::string& name, ModelSettings& one) {
    std::erase_if(one.fallback,
                  [&](const std::string& other) { return !out_.settings.contains(other); });
    if (!needs_key(one) || !one.api_key.empty() || named_but_missing_.contains(name)) return;
    out_.notices.push_back(
        fmt::format("models.{} is not configured: it has no key. Set {} or models.{}.api_key_env, "
                    "or enter a key in the settings",
                    name, key_variable(one.provider), name));
  }

  const Environment& environment_;
  const std::string& data_dir_;
  ModelSetup out_;
  bool openai_url_broken_ = false;
  std::string openai_url_;  // after the two above: it is made with them
  std::set<std::string> named_but_missing_;
};

std::string describe(const std::string& name, const ModelSetup& setup) {
  const ModelSettings& one = setup.settings.at(name);
  if (one.provider == "offline") return fmt::format("{}: the offline model", name);
  std::string out = fmt::format("{}: {}/{}", name, one.provider, one.model);
  if (!one.base_url.empty()) out += fmt::format(" at {}", one.base_url);
  const auto key = setup.key_origins.find(name);
  if (key != setup.key_origins.end()) return out + ", key from " + key->second;
  return out + (needs_key(one) ? ", without a key" : ", no key");
}

}  // namespace

std::vector<std::string> ModelSetup::keys() const {
  std::set<std::string> out;
  for (const auto& [name, one] : settings) {
    if (!one.api_key.empty()) out.insert(one.api_key);
  }
  return {out.begin(), out.end()};
}

ModelSetup model_setup(const Config& config, const Environment& environment,
                       const std::string& data_dir) {
  return Setup(environment, data_dir).run(config);
}

std::string model_secret_name(std::string_view model) { return fmt::format("model-{}", model); }

std::vector<std::string> describe_models(const ModelSetup& setup) {
  std::vector<std::string> out;
  const bool has_main = setup.settings.contains("main");
  out.push_back(has_main ? describe("main", setup) : "main: the offline model");
  out.push_back(setup.settings.contains("cheap") ? describe("cheap", setup)
                                                 : "cheap: the same as main");
  for (const auto& [name, one] : setup.settings) {
    if (name != "main" && name != "cheap") out.push_back(describe(name, setup));
  }
  return out;
}

SpendCaps spend_caps(const Config& config) {
  SpendCaps caps;
  if (config.spend.day_usd) caps.day_micros = micros(*config.spend.day_usd);
  caps.day_tokens = config.spend.day_tokens;
  if (config.spend.conversation_usd) {
    caps.conversation_micros = micros(*config.spend.conversation_usd);
  }
  return caps;
}

}  // namespace rouse
