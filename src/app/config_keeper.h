// Keeps the settings of a running server. The files on disk may be wrong at any moment; what
// config() gives never is: a bad file leaves the last good settings in force and shows in problem()
// (UX-4). Used on the loop only. It returns what happened and logs nothing; whoever calls reload()
// logs it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "app/config.h"
#include "app/config_mcp.h"
#include "app/model_settings.h"
#include "gateway/settings_source.h"

namespace rouse {

// Where the layers of the config come from.
struct ConfigPlace {
  std::string data_dir;
  std::optional<std::string> config_file;  // --config; then it must exist
  std::map<std::string, boost::json::value> flags;
  std::map<std::string, std::string> environment;

  [[nodiscard]] std::string yaml_path() const;
  [[nodiscard]] std::string settings_path() const;
};

// Reads the files. A file that is not there is absent, one that can't be read is an error.
Result<ConfigSources> read_sources(const ConfigPlace& place);

// The environment of this process.
std::map<std::string, std::string> process_environment();

struct BridgeSecrets {
  std::optional<std::string> whatsapp;        // absent: the bridge is off
  std::map<std::string, std::string> notify;  // of notification targets, by name
  McpSetup mcp;                               // MCP servers with their secrets in hand
  friend bool operator==(const BridgeSecrets&, const BridgeSecrets&) = default;
};

class ConfigKeeper final : public SettingsSource {
 public:
  // Fails when the config is not valid: a server doesn't start with settings nobody asked for. The
  // message has a line a problem.
  static Result<std::unique_ptr<ConfigKeeper>> open(ConfigPlace place);

  [[nodiscard]] const Config& config() const { return load_.config; }
  [[nodiscard]] const ConfigLoad& load() const { return load_; }
  [[nodiscard]] const BridgeSecrets& secrets() const { return secrets_; }
  [[nodiscard]] const ModelSetup& models() const { return models_; }
  // Every value that must not appear in a log or answer, for Redactor::set_secrets().
  [[nodiscard]] std::vector<std::string> secret_values() const;

  // Why the files on disk are not in force, for health and the log; empty when they are.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  // What works, but perhaps not as meant: unknown keys, a secret that can't be read, a vanished
  // file.
  [[nodiscard]] std::vector<std::string> notices() const;

  // The files whose change should lead to reload(). May differ after each reload.
  [[nodiscard]] std::vector<std::string> watched_files() const;

  struct Reload {
    bool ok = true;                          // false: see problem()
    std::vector<std::string> changed;        // keys with another value than before
    std::vector<std::string> needs_restart;  // those of them that wait for a restart
    bool secrets_changed = false;
    bool models_changed = false;  // their settings or keys: make a new ModelBook
  };
  Reload reload();

  // Called after settings or secrets changed, also by set(). Not called for a bad file.
  using Listener = std::function<void(const Reload& what)>;
  void on_change(Listener listener) { listeners_.push_back(std::move(listener)); }

  [[nodiscard]] std::vector<SettingView> list() const override;
  // A null value goes back to the default. Refuses unknown keys, keys that only a person at the
  // machine may set, and keys that stand in a higher layer ("pinned by rouse.yaml line 12").
  // models.NAME.api_key goes to secrets/, not to settings.json, and is never given back.
  Result<void> set(const std::map<std::string, boost::json::value>& changes) override;
  [[nodiscard]] std::vector<ConfiguredModel> configured_models() const override;

 private:
  explicit ConfigKeeper(ConfigPlace place) : place_(std::move(place)) {}
  Reload adopt(ConfigLoad fresh);
  void read_secrets();
  void read_notify_secrets();
  [[nodiscard]] Result<void> check_change(const std::string& key,
                                          const boost::json::value& value) const;
  [[nodiscard]] Result<void> check_pinned_keys(
      const std::map<std::string, boost::json::value>& changes, const Config& fresh) const;
  [[nodiscard]] Result<void> check_moved_keys(
      const std::map<std::string, boost::json::value>& changes, const Config& fresh) const;
  [[nodiscard]] SettingView key_view(const std::string& model) const;

  ConfigPlace place_;
  ConfigLoad load_;
  BridgeSecrets secrets_;
  ModelSetup models_;
  std::string problem_;
  std::vector<std::string> secret_notices_;
  bool had_file_ = false;
  bool file_vanished_ = false;
  std::vector<Listener> listeners_;
};

}  // namespace rouse
