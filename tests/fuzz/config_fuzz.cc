// Any bytes as rouse.yaml and settings.json: load_config() answers with a config or with errors
// that have a message, never with a crash, and what it accepts passes its own rules.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "app/config.h"
#include "base/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The first zero byte parts the two files; most inputs have none and are all YAML.
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t border = bytes.find('\0');
  rouse::ConfigSources sources;
  sources.yaml = std::string(bytes.substr(0, border));
  if (border != std::string_view::npos) sources.settings = std::string(bytes.substr(border + 1));

  const rouse::ConfigLoad load = rouse::load_config(sources);
  for (const rouse::ConfigProblem& problem : load.errors) {
    if (problem.message.empty() || problem.where.empty() || !rouse::is_utf8(problem.str())) {
      std::abort();
    }
  }
  if (!load.ok()) return 0;
  if (!rouse::check_listen(load.config)) std::abort();
  for (const rouse::EffectiveSetting& setting : load.settings) {
    if (setting.origin.layer == rouse::Layer::kDefault) continue;
    if (!rouse::check_setting(*setting.row, setting.value)) std::abort();
  }
  return 0;
}
