// Models over the API: which are in force, whether one answers, and connecting one. What is changed
// here is a setting like any other (settings_source.h): the entry goes to settings.json, the key to
// secrets/, rouse.yaml goes first, and it counts at once. A key comes in and never goes out again.
#pragma once

#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/log.h"
#include "gateway/rate_limit.h"
#include "gateway/route.h"
#include "gateway/settings_source.h"

namespace rouse {

struct ModelView {
  std::string role, provider, model, base_url;
  bool has_key = false, offline = false, in_use = false;
  std::optional<std::string> key_from;
};
inline auto shape(const ModelView*) {
  return fields(field("role", &ModelView::role, "main, cheap, or a name of its own"),
                field("provider", &ModelView::provider, "anthropic, openai or offline"),
                field("model", &ModelView::model, "Its name there"),
                field("base_url", &ModelView::base_url, "Empty: the provider's own address"),
                field("has_key", &ModelView::has_key, "Whether there is a key for it"),
                field("offline", &ModelView::offline, "It is the built-in one"),
                field("in_use", &ModelView::in_use, "main, cheap, or what these fall back to"),
                field("key_from", &ModelView::key_from, "Where its key comes from").or_null());
}

struct ModelChoice {
  std::string name, provider, base_url, model;
  bool needs_key = false;
};
inline auto shape(const ModelChoice*) {
  return fields(field("name", &ModelChoice::name, "For people"),
                field("provider", &ModelChoice::provider, "As PUT takes it"),
                field("base_url", &ModelChoice::base_url, "As PUT takes it"),
                field("model", &ModelChoice::model, "A good one to begin with, if there is one"),
                field("needs_key", &ModelChoice::needs_key, "Whether it asks for a key"));
}

struct ModelList {
  std::vector<ModelView> items;
  std::vector<ModelChoice> choices;
  std::string origin;
  bool pinned = false, restart_needed = false;
};
inline auto shape(const ModelList*) {
  return fields(
      field("items", &ModelList::items, "main first"),
      field("choices", &ModelList::choices, "What can be connected"),
      field("origin", &ModelList::origin, "Where the models are set"),
      field("pinned", &ModelList::pinned, "Set in rouse.yaml: it can't be changed here"),
      field("restart_needed", &ModelList::restart_needed, "A change counts from the next start"));
}

struct ModelAsk {
  std::optional<std::string> role, provider, base_url, model, api_key;
};
inline auto shape(const ModelAsk*) {
  return fields(
      field("role", &ModelAsk::role, "For a test: of one that is set up").length(1, 40),
      field("provider", &ModelAsk::provider, "anthropic, openai or offline").length(1, 40),
      field("base_url", &ModelAsk::base_url, "Where it is, if not there").length(0, 2'000),
      field("model", &ModelAsk::model, "Its name there").length(0, 200),
      field("api_key", &ModelAsk::api_key, "Its key; absent: the one it has, at its own address")
          .length(0, 4'000));
}

struct ModelTried {
  bool ok = false;
  std::int64_t latency_ms = 0;
  std::optional<std::string> text, error, message;
};
inline auto shape(const ModelTried*) {
  return fields(field("ok", &ModelTried::ok, "It answered"),
                field("latency_ms", &ModelTried::latency_ms, "How long that took"),
                field("text", &ModelTried::text, "What it said"),
                field("error", &ModelTried::error, "A stable name of what went wrong"),
                field("message", &ModelTried::message, "The same for people"));
}

class ModelRoutes {
 public:
  using Make = std::function<std::shared_ptr<Model>(ModelSettings settings)>;

  ModelRoutes(SettingsSource& settings, Make make, Clock& clock, const Log& log)
      : settings_(settings), make_(std::move(make)), clock_(clock), log_(log) {}
  void add_to(RouteTable& table);

 private:
  [[nodiscard]] ModelList list() const;
  Task<Result<Response>> test(ModelAsk ask);
  Result<ModelList> put(const Call& call, const ModelAsk& ask);
  Result<ModelList> remove(const Call& call);
  [[nodiscard]] Result<ModelSettings> asked_for(const ModelAsk& ask) const;

  SettingsSource& settings_;
  Make make_;
  Clock& clock_;
  const Log& log_;
  RateLimit tests_{20};
};

}  // namespace rouse
