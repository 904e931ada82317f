#include "model/known_models.h"

#include <algorithm>
#include <array>

#include "net/address.h"
#include "net/url.h"

namespace rouse {
namespace {

enum class Sees : std::uint8_t { kText, kImages };
enum class Where : std::uint8_t { kHosted, kLocal };

struct KnownModel {
  std::string_view prefix;
  std::int64_t context_window, max_output;
  std::optional<ModelPrice> price;
  Sees sees = Sees::kImages;
  Where where = Where::kHosted;
};

// Dollars for a million tokens, as price lists have them, with the cache's shares beside.
constexpr ModelPrice dollars(double in, double out, double cache_read, double cache_write) {
  const auto micro = [](double dollar) { return static_cast<std::int64_t>(dollar * 1e6 + 0.5); };
  return {micro(in), micro(out), micro(cache_read), micro(cache_write)};
}
// Anthropic: reading costs a tenth, writing a quarter more.
constexpr ModelPrice claude(double in, double out) { return dollars(in, out, in / 10, in * 1.25); }
// OpenAI: writing costs nothing extra.
constexpr ModelPrice gpt(double in, double out, double cached) {
  return dollars(in, out, cached, in);
}
// On one's own machine a token costs nothing; the window is what servers give by default at most,
// whatever the model could take.
constexpr KnownModel local(std::string_view prefix, std::int64_t context_window,
                           Sees sees = Sees::kText) {
  return {prefix, context_window, 4'096, ModelPrice{}, sees, Where::kLocal};
}

constexpr auto kModels = std::to_array<KnownModel>({
    {"claude-opus-4-6", 200'000, 128'000, claude(5, 25)},
    {"claude-opus-4-5", 200'000, 64'000, claude(5, 25)},
    {"claude-opus-4-1", 200'000, 32'000, claude(15, 75)},
    {"claude-opus-4-0", 200'000, 32'000, claude(15, 75)},
    {"claude-opus-4-20250514", 200'000, 32'000, claude(15, 75)},
    {"claude-sonnet-4-6", 200'000, 64'000, claude(3, 15)},
    {"claude-sonnet-4-5", 200'000, 64'000, claude(3, 15)},
    {"claude-sonnet-4-0", 200'000, 64'000, claude(3, 15)},
    {"claude-sonnet-4-20250514", 200'000, 64'000, claude(3, 15)},
    {"claude-haiku-4-5", 200'000, 64'000, claude(1, 5)},
    {"claude-3-7-sonnet", 200'000, 64'000, claude(3, 15)},
    {"claude-3-5-sonnet", 200'000, 8'192, claude(3, 15)},
    {"claude-3-5-haiku", 200'000, 8'192, claude(0.8, 4)},
    {"claude-3-opus", 200'000, 4'096, claude(15, 75)},
    {"claude-3-haiku", 200'000, 4'096, dollars(0.25, 1.25, 0.03, 0.3)},
    {"claude", 200'000, 8'192, std::nullopt},  // newer than this table

    {"gpt-5", 400'000, 128'000, gpt(1.25, 10, 0.125)},
    {"gpt-5-mini", 400'000, 128'000, gpt(0.25, 2, 0.025)},
    {"gpt-5-nano", 400'000, 128'000, gpt(0.05, 0.4, 0.005)},
    {"gpt-5-pro", 400'000, 128'000, gpt(15, 120, 15)},
    {"gpt-5-chat", 128'000, 16'384, gpt(1.25, 10, 0.125)},
    {"gpt-5.1", 400'000, 128'000, gpt(1.25, 10, 0.125)},
    {"gpt-5.1-codex-mini", 400'000, 128'000, gpt(0.25, 2, 0.025)},
    {"gpt-5.2", 400'000, 128'000, gpt(1.75, 14, 0.175)},
    {"gpt-4.1", 1'047'576, 32'768, gpt(2, 8, 0.5)},
    {"gpt-4.1-mini", 1'047'576, 32'768, gpt(0.4, 1.6, 0.1)},
    {"gpt-4.1-nano", 1'047'576, 32'768, gpt(0.1, 0.4, 0.025)},
    {"gpt-4o", 128'000, 16'384, gpt(2.5, 10, 1.25)},
    {"gpt-4o-mini", 128'000, 16'384, gpt(0.15, 0.6, 0.075)},
    {"chatgpt-4o", 128'000, 16'384, gpt(5, 15, 5)},
    {"gpt-4-turbo", 128'000, 4'096, gpt(10, 30, 10)},
    {"gpt-3.5-turbo", 16'385, 4'096, gpt(0.5, 1.5, 0.5), Sees::kText},
    {"o1", 200'000, 100'000, gpt(15, 60, 7.5)},
    {"o3", 200'000, 100'000, gpt(2, 8, 0.5)},
    {"o3-pro", 200'000, 100'000, gpt(20, 80, 20)},
    {"o3-mini", 200'000, 100'000, gpt(1.1, 4.4, 0.55), Sees::kText},
    {"o4-mini", 200'000, 100'000, gpt(1.1, 4.4, 0.275)},

    local("llama3", 8'192),
    local("llama3.1", 32'000),
    local("llama3.2", 32'000),
    local("llama3.2-vision", 32'000, Sees::kImages),
    local("llama3.3", 32'000),
    local("llama-3", 32'000),
    local("qwen2.5", 32'000),
    local("qwen2.5vl", 32'000, Sees::kImages),
    local("qwen3", 32'000),
    local("mistral", 32'000),
    local("mixtral", 32'000),
    local("gemma2", 8'192),
    local("gemma3", 32'000, Sees::kImages),
    local("phi4", 16'000),
    local("deepseek-r1", 32'000),
    local("gpt-oss", 32'000),
    local("llava", 4'096, Sees::kImages),
});

// Versions of hosted models follow a dash ("gpt-4o-2024-08-06"), so that "gpt-5" is not taken for
// "gpt-5.3"; local names run on in many ways ("llama3:8b", "mistral-nemo").
bool is_named_by(const KnownModel& model, std::string_view name) {
  if (!name.starts_with(model.prefix)) return false;
  if (model.where == Where::kLocal || name.size() == model.prefix.size()) return true;
  const char next = name[model.prefix.size()];
  return next == '-' || next == ':' || next == '@';
}

std::string plain_name(std::string_view name) {
  std::string out(name.substr(name.rfind('/') + 1));
  if (out.starts_with("claude")) std::ranges::replace(out, '.', '-');
  return out;
}

std::string_view default_name(std::string_view role, std::string_view provider) {
  const bool cheap = role == "cheap";
  if (provider == "anthropic") return cheap ? "claude-haiku-4-5" : "claude-sonnet-4-5";
  if (provider == "openai") return cheap ? "gpt-4.1-mini" : "gpt-4.1";
  return {};
}

}  // namespace

bool takes_pdfs(const ModelInfo& info) { return info.provider == "anthropic" && info.takes_images; }

bool is_loopback_url(std::string_view url) {
  const auto parsed = parse_url(url);
  if (!parsed) return false;
  return parsed->host == "localhost" || is_loopback(parsed->host);
}

ModelInfo known_model(std::string_view provider, std::string_view name, std::string_view base_url) {
  ModelInfo info;
  info.provider = provider;
  info.name = name;
  info.built_in = provider == "offline";
  const std::string plain = plain_name(name);
  const KnownModel* best = nullptr;
  for (const KnownModel& model : kModels) {
    if (!is_named_by(model, plain)) continue;
    if (best == nullptr || model.prefix.size() > best->prefix.size()) best = &model;
  }
  if (best == nullptr) return info;
  info.context_window = best->context_window;
  info.max_output = best->max_output;
  info.takes_images = best->sees == Sees::kImages;
  if (best->where == Where::kHosted || is_loopback_url(base_url)) info.price = best->price;
  return info;
}

ModelInfo model_info(std::string_view role, const ModelSettings& settings) {
  const std::string_view name = settings.model.empty() ? default_name(role, settings.provider)
                                                       : std::string_view(settings.model);
  ModelInfo info = known_model(settings.provider, name, settings.base_url);
  if (settings.context_window) info.context_window = *settings.context_window;
  if (settings.max_output) info.max_output = *settings.max_output;
  if (settings.price) info.price = settings.price;
  return info;
}

}  // namespace rouse
