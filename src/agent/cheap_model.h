// The cheap model as the rest of the house asks it: one question, one answer in text (summaries,
// drift, heartbeats; session/one_shot.h). A question is sterile: no tools, no history, no files,
// nothing of the conversation but what the asker wrote into it (S2-16).
//
// - At most three questions are with the model at a time; others wait, in the order they came,
//   within their own deadline.
// - The model is asked for with each question, so that a reloaded book is used from the next one.
// - At the end, stop() calls off what is asked and what waits.
// - The offline model can't read: with it there is no model here, and askers do without (S1-20).
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "agent/spend.h"
#include "base/clock.h"
#include "model/model.h"
#include "session/one_shot.h"

namespace rouse {

// Who is asked before a question costs something, and told what it cost.
class OneShotMeter {
 public:
  virtual ~OneShotMeter() = default;
  // Fails with ModelErrc::kSpendCap.
  virtual Result<SpendBook::Reservation> before(const OneShotQuestion& question,
                                                const ModelInfo& info, std::int64_t input_tokens,
                                                std::int64_t output_tokens) = 0;
  virtual Task<void> after(OneShotQuestion question, TurnSpend spend) = 0;
};

// Counts one-shots in the book, for the workspace they are asked for; a question that names none is
// not counted. A count that can't be written is dropped: the answer matters more.
class BookMeter final : public OneShotMeter {
 public:
  BookMeter(SpendBook& book, Database& database) : book_(book), database_(database) {}
  Result<SpendBook::Reservation> before(const OneShotQuestion& question, const ModelInfo& info,
                                        std::int64_t input_tokens,
                                        std::int64_t output_tokens) override;
  Task<void> after(OneShotQuestion question, TurnSpend spend) override;

 private:
  SpendBook& book_;
  Database& database_;
};

class CheapModel final : public OneShot {
 public:
  static constexpr std::size_t kAtOnce = 3;
  using FindModel = std::function<std::shared_ptr<Model>()>;
  // `meter` may be null; then nothing is counted.
  CheapModel(FindModel model, Clock& clock, OneShotMeter* meter = nullptr)
      : model_(std::move(model)), clock_(clock), meter_(meter) {}

  // Is there a model that can read? If not, don't ask: Summariser::use_model(nullptr).
  [[nodiscard]] bool available() const { return usable() != nullptr; }
  Task<Result<std::string>> ask(OneShotQuestion question) override;
  Task<Result<OneShotAnswer>> consult(OneShotQuestion question) override;
  // What a question may cost at most, in micros; none: the price is unknown, or there is no model.
  [[nodiscard]] std::optional<std::int64_t> price_of(const OneShotQuestion& question) const;
  // For good: running questions are cut off, later ones refused, all with Kind::kCancelled.
  void stop();

  [[nodiscard]] std::size_t asking() const { return gate_->inside; }
  [[nodiscard]] std::size_t waiting() const { return gate_->line.size(); }

 private:
  struct Waiter {
    std::stop_source called;  // a stopped wait is a call to come in
    bool let_in = false;
  };
  struct Gate {
    std::size_t inside = 0;
    std::deque<std::shared_ptr<Waiter>> line;
    std::stop_source stopping;
    void leave();
  };
  class Place;

  [[nodiscard]] std::shared_ptr<Model> usable() const;
  Task<bool> enter(MonoTime deadline);  // false: the deadline came first
  Task<Result<OneShotAnswer>> ask_model(std::shared_ptr<Model> model, OneShotQuestion question,
                                        MonoTime deadline);

  FindModel model_;
  Clock& clock_;
  OneShotMeter* meter_;
  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();  // a question may outlive the house
};

}  // namespace rouse
