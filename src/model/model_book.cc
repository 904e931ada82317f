#include "model/model_book.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/anthropic/anthropic_format.h"
#include "model/known_models.h"
#include "model/model_chain.h"
#include "model/offline/offline_model.h"
#include "model/openai/openai_format.h"

namespace rouse {
namespace {

using Settings = std::map<std::string, ModelSettings>;

// A model of this process in the place of a provider.
class InnerProvider final : public Provider {
 public:
  explicit InnerProvider(std::shared_ptr<Model> model) : model_(std::move(model)) {}
  [[nodiscard]] const ModelInfo& info() const override { return model_->info(); }
  Task<TryResult> ask(const ModelRequest& request, ModelStream& stream, Millis time_left,
                      std::stop_token stop) override {
    ModelRequest copy = request;
    copy.deadline = time_left;
    auto answer = co_await model_->answer(copy, stream, std::move(stop));
    if (!answer) co_return fail(std::move(answer).error());
    co_return *std::move(answer);
  }

 private:
  std::shared_ptr<Model> model_;
};

// An entry that can't work as it is written says so when it is asked, and the next one may answer.
class UnsetProvider final : public Provider {
 public:
  UnsetProvider(ModelInfo info, std::string problem)
      : info_(std::move(info)), problem_(std::move(problem)) {}
  [[nodiscard]] const ModelInfo& info() const override { return info_; }
  Task<TryResult> ask(const ModelRequest& /*request*/, ModelStream& /*stream*/,
                      Millis /*time_left*/, std::stop_token /*stop*/) override {
    co_return fail(ModelErrc::kNotConfigured, problem_);
  }

 private:
  ModelInfo info_;
  std::string problem_;
};

std::string what_is_missing(const std::string& name, const ModelSettings& settings) {
  if (settings.provider != "anthropic" && settings.provider != "openai") {
    return fmt::format("models.{}: there is no provider '{}'; use anthropic, openai or offline",
                       name, settings.provider);
  }
  // Other servers of the same format may well want no key.
  const bool their_own = settings.provider == "anthropic"
                             ? anthropic_url(settings.base_url) == anthropic_url("")
                             : is_openai_itself(settings.base_url);
  if (settings.api_key.empty() && their_own) {
    return fmt::format(
        "models.{}: there is no key for {}; set api_key_env, or {} in the environment", name,
        settings.provider,
        settings.provider == "anthropic" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY");
  }
  return {};
}

struct BookParts {
  HttpClient& http;
  Clock& clock;
  Random& random;
  const Redactor* known;
};

std::unique_ptr<Provider> make_provider(const std::string& name, const ModelSettings& settings,
                                        const std::shared_ptr<Model>& offline,
                                        const BookParts& parts) {
  if (settings.provider == "offline") return std::make_unique<InnerProvider>(offline);
  ModelInfo info = model_info(name, settings);
  if (std::string problem = what_is_missing(name, settings); !problem.empty()) {
    return std::make_unique<UnsetProvider>(std::move(info), std::move(problem));
  }
  auto format = settings.provider == "anthropic"
                    ? make_anthropic_format(settings.base_url, settings.api_key)
                    : make_openai_format(settings.base_url, settings.api_key);
  return std::make_unique<HttpProvider>(std::move(info), std::move(format), settings.api_key,
                                        parts.http, parts.clock, parts.random, parts.known);
}

}  // namespace

ModelBook::ModelBook(Settings settings, HttpClient& http, Clock& clock, Random& random,
                     const Redactor* known) {
  settings.try_emplace("main");
  const std::shared_ptr<Model> offline = make_offline_model();
  const BookParts parts{http, clock, random, known};
  std::map<std::string, std::shared_ptr<ProviderSeat>> seats;
  for (const auto& [name, entry] : settings) {
    seats[name] = std::make_shared<ProviderSeat>(make_provider(name, entry, offline, parts),
                                                 entry.concurrency, entry.retries);
  }
  for (const auto& [name, entry] : settings) {
    if (entry.provider == "offline") {
      by_name_[name] = offline;
      continue;
    }
    std::vector<std::shared_ptr<ProviderSeat>> chain{seats.at(name)};
    for (const std::string& next : entry.fallback) {
      const auto seat = seats.find(next);
      if (seat == seats.end() || std::ranges::find(chain, seat->second) != chain.end()) continue;
      chain.push_back(seat->second);
    }
    by_name_[name] = std::make_shared<ModelChain>(std::move(chain), clock, random);
  }
}

std::shared_ptr<Model> ModelBook::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return found->second;
  return name == "cheap" ? find("main") : nullptr;
}

bool ModelBook::is_offline() const {
  const auto model = main();
  return model != nullptr && model->info().built_in;
}

}  // namespace rouse
