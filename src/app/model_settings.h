// From the config to models with their keys in hand: which entry is which, where its key comes
// from, and what is missing. A key is a secret: it stands in ModelSettings::api_key and nowhere
// else; people are told only where it came from (SC-10).
//
// A key is looked for in this order: the variable (api_key_env) or file (api_key_file) that the
// entry names; the provider's own variable (ANTHROPIC_API_KEY, OPENAI_API_KEY), but only for its
// own address or that of OPENAI_BASE_URL, so that no key goes to a stranger; the key entered in the
// app (secrets/model-NAME); the key of `main`, if both are at the same place.
//
// Without `models.main` the environment alone is enough: a key of Anthropic, else one of OpenAI,
// else a key entered in the app. Nothing of it: the offline model.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/spend.h"
#include "app/config.h"
#include "model/model_book.h"

namespace rouse {

struct ModelSetup {
  std::map<std::string, ModelSettings> settings;   // for ModelBook
  std::map<std::string, std::string> key_origins;  // "environment OPENAI_API_KEY"; absent: no key
  std::vector<std::string> notices;                // what is not configured and why, for people
  std::vector<std::string> key_files;              // a change of one should lead to a reload
  [[nodiscard]] std::vector<std::string> keys() const;  // for Redactor::set_secrets()
  friend bool operator==(const ModelSetup&, const ModelSetup&) = default;
};

ModelSetup model_setup(const Config& config, const std::map<std::string, std::string>& environment,
                       const std::string& data_dir);

// Where a key entered in the app is kept (config_secrets.h): "model-main".
std::string model_secret_name(std::string_view model);

// "main: anthropic/claude-sonnet-4-5, key from environment ANTHROPIC_API_KEY": a line each for
// main and cheap, then the others.
std::vector<std::string> describe_models(const ModelSetup& setup);

// In millionths, as the book counts.
SpendCaps spend_caps(const Config& config);

}  // namespace rouse
