// What the settings page needs from whoever keeps the settings (app/config_keeper).
#pragma once

#include <map>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "base/result.h"
#include "model/model_book.h"

namespace rouse {

struct SettingView {
  std::string key;           // dotted, as in rouse.yaml
  boost::json::value value;  // secrets are masked
  std::string origin;        // "rouse.yaml line 12", "default" …
  bool pinned = false;       // set above settings.json: the API can't change it
  bool needs_restart = false;
  std::string doc;
};

// A model as it is in force: of its key people are told only where it came from (SC-10).
struct ConfiguredModel {
  std::string role;  // or a name
  ModelSettings settings;
  std::string key_origin;  // "environment OPENAI_API_KEY", "secrets/model-main"; "": no key
};

class SettingsSource {
 public:
  virtual ~SettingsSource() = default;
  [[nodiscard]] virtual std::vector<SettingView> list() const = 0;
  // All or nothing; durable when it returns.
  virtual Result<void> set(const std::map<std::string, boost::json::value>& changes) = 0;
  [[nodiscard]] virtual std::vector<ConfiguredModel> configured_models() const { return {}; }
};

}  // namespace rouse
