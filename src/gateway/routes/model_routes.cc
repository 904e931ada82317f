#include "gateway/routes/model_routes.h"

#include <algorithm>

#include "base/text.h"

namespace rouse {
namespace json = boost::json;
namespace {

constexpr Millis kTestDeadline = seconds(15);
constexpr std::int64_t kTestTokens = 16;
constexpr std::size_t kTestBytes = 200;
constexpr std::string_view kSetting = "models";

// Only the whole answer is of interest.
class UnheardStream final : public ModelStream {
 public:
  void text(std::size_t /*block*/, std::string_view /*delta*/) override {}
  void again() override {}
};

SettingView setting_of(const SettingsSource& settings) {
  for (SettingView& one : settings.list()) {
    if (one.key == kSetting) return std::move(one);
  }
  return {};
}

// The entries as they stand in the settings.
json::object entries_of(const SettingsSource& settings) {
  SettingView found = setting_of(settings);
  return found.value.is_object() ? std::move(found.value.get_object()) : json::object();
}

std::optional<ConfiguredModel> find_model(const SettingsSource& settings, std::string_view role) {
  for (ConfiguredModel& one : settings.configured_models()) {
    if (one.role == role) return std::move(one);
  }
  if (role == "main") return ConfiguredModel{"main", {}, ""};
  return std::nullopt;
}

std::string key_setting(const std::string& role) { return fmt::format("models.{}.api_key", role); }

bool is_entered(const std::string& key_origin) { return key_origin.starts_with("secrets/"); }

// Where an entry sends its key, or nothing if it isn't there.
std::string place_of(const json::object& entries, const std::string& role) {
  const json::value* entry = entries.if_contains(role);
  if (entry == nullptr || !entry->is_object()) return {};
  std::string out;
  for (const char* part : {"provider", "base_url"}) {
    const json::value* value = entry->get_object().if_contains(part);
    if (value != nullptr && value->is_string()) out += std::string_view(value->get_string());
    out += ' ';
  }
  return out;
}

std::vector<ModelChoice> choices() {
  return {
      {"Anthropic", "anthropic", "", "claude-sonnet-4-5", true},
      {"OpenAI", "openai", "", "gpt-4o", true},
      {"On this machine (Ollama, llama.cpp …)", "openai", "http://127.0.0.1:11434/v1", "", false},
      {"The offline model", "offline", "", "", false}};
}

ModelView view_of(const ConfiguredModel& one) {
  ModelView out{.role = one.role,
                .provider = one.settings.provider,
                .model = one.settings.model,
                .base_url = one.settings.base_url,
                .has_key = !one.key_origin.empty(),
                .offline = one.settings.provider == "offline",
                .in_use = one.role == "main" || one.role == "cheap",
                .key_from = {}};
  if (out.has_key) out.key_from = one.key_origin;
  return out;
}

}  // namespace

void ModelRoutes::add_to(RouteTable& table) {
  const std::string one = "/api/models/{role}";
  table.add(answer<ModelList>({.pattern = "/api/models",
                               .access = Access::kAdmin,
                               .summary = "The models that are set up, without their keys",
                               .tag = "settings"},
                              [this](Call&) -> Result<ModelList> { return list(); }));
  table.add(exchange<ModelAsk, Response>(
      {.method = "POST",
       .pattern = "/api/models/test",
       .access = Access::kAdmin,
       .summary = "Ask a model for one word, within 15 seconds; one that is set up or another",
       .tag = "settings",
       .max_body = 16'384},
      [this](Call&, ModelAsk ask) { return test(std::move(ask)); }));
  table.add(exchange<ModelAsk, ModelList>(
      {.method = "PUT",
       .pattern = one,
       .access = Access::kAdmin,
       .summary = "Connect a model; its key is kept in a file of its own",
       .tag = "settings",
       .max_body = 16'384},
      [this](Call& call, const ModelAsk& ask) { return put(call, ask); }));
  table.add(answer<ModelList>({.method = "DELETE",
                               .pattern = one,
                               .access = Access::kAdmin,
                               .summary = "Forget what was connected here, and its key",
                               .tag = "settings"},
                              [this](Call& call) { return remove(call); }));
}

ModelList ModelRoutes::list() const {
  const SettingView setting = setting_of(settings_);
  ModelList out{.items = {},
                .choices = choices(),
                .origin = setting.origin,
                .pinned = setting.pinned,
                .restart_needed = setting.needs_restart};
  const auto models = settings_.configured_models();
  out.items.push_back(view_of(*find_model(settings_, "main")));
  for (const ConfiguredModel& one : models) {
    if (one.role != "main") out.items.push_back(view_of(one));
  }
  for (const ConfiguredModel& one : models) {
    if (one.role != "main" && one.role != "cheap") continue;
    for (ModelView& item : out.items) {
      const auto& next = one.settings.fallback;
      if (std::ranges::find(next, item.role) != next.end()) item.in_use = true;
    }
  }
  return out;
}

// A key that is kept goes only where it was meant for.
Result<ModelSettings> ModelRoutes::asked_for(const ModelAsk& ask) const {
  std::optional<ConfiguredModel> known;
  if (ask.role) {
    known = find_model(settings_, *ask.role);
    if (!known) {
      return fail(Errc::kNotFound, fmt::format("there is no model '{}'", *ask.role));
    }
  }
  if (!known && !ask.provider) {
    return fail(Errc::kInvalid, "name a 'role' that is set up, or a 'provider' to try");
  }
  ModelSettings out;
  if (known) out = known->settings;
  if (ask.provider) out.provider = *ask.provider;
  if (ask.base_url || ask.provider) out.base_url = ask.base_url.value_or("");
  if (ask.model && !ask.model->empty()) out.model = *ask.model;
  const bool moved = known && (out.provider != known->settings.provider ||
                               out.base_url != known->settings.base_url);
  if (moved) out.api_key.clear();
  if (ask.api_key && !ask.api_key->empty()) out.api_key = *ask.api_key;
  out.fallback.clear();  // it is this one that shall answer, and now
  out.retries = 0;
  return out;
}

Task<Result<Response>> ModelRoutes::test(ModelAsk ask) {
  if (const auto wait = tests_.take("test", clock_.mono_now())) {
    co_return too_many_requests(*wait);
  }
  CO_TRY(ModelSettings wanted, asked_for(ask));
  const std::shared_ptr<Model> model = make_(std::move(wanted));
  ModelRequest request;
  PromptBlock words;
  words.text = "Answer with one word: ready";
  request.messages.push_back({PromptRole::kUser, {std::move(words)}});
  request.max_output_tokens = kTestTokens;
  request.facts.now = clock_.wall_now();
  request.deadline = request.first_byte = request.stall = kTestDeadline;
  UnheardStream nobody;
  const MonoTime began = clock_.mono_now();
  const auto answer = co_await model->answer(request, nobody, {});
  ModelTried out{.ok = answer.has_value(), .text = {}, .error = {}, .message = {}};
  out.latency_ms = (clock_.mono_now() - began).count;
  if (answer) {
    out.text = utf8_prefix(answer->text(), kTestBytes);
  } else {
    out.error = answer.error().name;
    out.message = answer.error().message;
  }
  co_return json_text(200, encode_json(out));
}

Result<ModelList> ModelRoutes::put(const Call& call, const ModelAsk& ask) {
  const std::string& role = call.parameters.at(0);
  if (!ask.provider) return fail(Errc::kInvalid, "'provider' is missing");
  json::object models = entries_of(settings_);
  const std::string before = place_of(models, role);
  json::object entry{{"provider", *ask.provider}};
  if (ask.base_url && !ask.base_url->empty()) entry["base_url"] = *ask.base_url;
  if (ask.model && !ask.model->empty()) entry["model"] = *ask.model;
  if (const json::value* old = models.if_contains(role); old != nullptr && old->is_object()) {
    if (const json::value* next = old->get_object().if_contains("fallback")) {
      entry["fallback"] = *next;
    }
  }
  models[role] = std::move(entry);
  const bool moved = place_of(models, role) != before;
  std::map<std::string, json::value> changes;
  const auto known = find_model(settings_, role);
  if (ask.api_key && !ask.api_key->empty()) {
    changes[key_setting(role)] = *ask.api_key;
  } else if (moved && known && is_entered(known->key_origin)) {
    changes[key_setting(role)] = nullptr;  // it was meant for another address
  }
  changes[std::string(kSetting)] = std::move(models);
  TRY_VOID(settings_.set(changes));
  log_.info("model.connected",
            {{"role", role}, {"provider", *ask.provider}, {"by", call.principal.token.str()}});
  return list();
}

Result<ModelList> ModelRoutes::remove(const Call& call) {
  const std::string& role = call.parameters.at(0);
  json::object models = entries_of(settings_);
  const auto known = find_model(settings_, role);
  std::map<std::string, json::value> changes;
  if (known && is_entered(known->key_origin)) changes[key_setting(role)] = nullptr;
  models.erase(role);
  json::value& left = changes[std::string(kSetting)];
  if (!models.empty()) left = std::move(models);
  TRY_VOID(settings_.set(changes));
  log_.info("model.disconnected", {{"role", role}, {"by", call.principal.token.str()}});
  return list();
}

}  // namespace rouse
