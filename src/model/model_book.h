// The models of this server by role: `main` answers people, `cheap` answers sterile one-shots
// (summaries, drift, heartbeats). More can stand beside them under names of their own, for agents
// that want one. A book is made from settings; when these change, a new one takes its place and
// calls under way go on with what they have.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "model/model.h"

namespace rouse {

class HttpClient;
class Redactor;

// One entry of `models:` in rouse.yaml, with the key in hand.
struct ModelSettings {
  std::string provider = "offline";  // anthropic, openai, offline
  std::string base_url = {};         // "" = the provider's own
  std::string model = {};
  std::string api_key = {};  // a secret: never logged, never returned
  std::optional<std::int64_t> context_window = {}, max_output = {};
  std::optional<ModelPrice> price = {};
  std::vector<std::string> fallback = {};  // names of other entries, tried in order
  std::int64_t concurrency = 16;           // calls at a time; more wait
  std::int64_t retries = 3;
  friend bool operator==(const ModelSettings&, const ModelSettings&) = default;
};

class ModelBook {
 public:
  // `main` is there even if the settings don't name it: then it is the offline model. `cheap`
  // without settings is `main`. What `known` knows stays out of errors, beside the keys.
  ModelBook(std::map<std::string, ModelSettings> settings, HttpClient& http, Clock& clock,
            Random& random, const Redactor* known = nullptr);

  // Of models that are there already; `main` must be among them.
  explicit ModelBook(std::map<std::string, std::shared_ptr<Model>, std::less<>> models)
      : by_name_(std::move(models)) {}

  // A role or a name; null if there is none.
  [[nodiscard]] std::shared_ptr<Model> find(std::string_view name) const;
  [[nodiscard]] std::shared_ptr<Model> main() const { return find("main"); }
  [[nodiscard]] std::shared_ptr<Model> cheap() const { return find("cheap"); }
  [[nodiscard]] bool is_offline() const;  // main is the offline model

 private:
  std::map<std::string, std::shared_ptr<Model>, std::less<>> by_name_;
};

}  // namespace rouse
