// The section `models:` of the config: how an entry looks in JSON, and what is wrong with one.
// Strict on purpose: a misspelt key would leave a model half set, and a key that somebody wrote
// right into the file must not be carried around and shown as if it were a setting (SC-10).
#pragma once

#include <optional>

#include <boost/json/value.hpp>

#include "app/config.h"
#include "base/json.h"

namespace rouse {

inline auto shape(const Config::ModelEntry::Price*) {
  using Price = Config::ModelEntry::Price;
  return fields(field("in", &Price::in, "Dollars for a million tokens in"),
                field("out", &Price::out, "Dollars for a million tokens out"),
                field("cache_read", &Price::cache_read, "Read from the provider's cache"),
                field("cache_write", &Price::cache_write, "Written to the provider's cache"));
}
inline auto shape(const Config::ModelEntry*) {
  using Entry = Config::ModelEntry;
  return fields(field("provider", &Entry::provider, "Who serves it"),
                field("base_url", &Entry::base_url, "Where, if not at the provider's own address"),
                field("model", &Entry::model, "Its name there"),
                field("api_key_env", &Entry::api_key_env, "The variable that holds the key"),
                field("api_key_file", &Entry::api_key_file, "The file that holds the key"),
                field("context_window", &Entry::context_window, "Tokens it can read"),
                field("max_output", &Entry::max_output, "Tokens it may write"),
                field("price", &Entry::price, "What it costs"),
                field("fallback", &Entry::fallback, "Names of those to try after it"),
                field("concurrency", &Entry::concurrency, "Calls at a time"),
                field("retries", &Entry::retries, "How often a failed call is tried again"));
}

// The first thing that is wrong; no value of a wrong key is ever quoted.
std::optional<SettingFault> inspect_models(const boost::json::value& section);

// The entry as it stands in the file.
boost::json::value to_value(const std::map<std::string, Config::ModelEntry>& models);

// 1 to 40 of a-z, 0-9, '_' and '-'.
bool is_model_name(std::string_view name);

}  // namespace rouse
