#include "agent/cheap_model.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace rouse {
namespace {

// Nobody watches a one-shot: only its answer counts.
class DeafStream final : public ModelStream {
 public:
  void text(std::size_t, std::string_view) override {}
  void again() override {}
};

ModelRequest sterile_request(const OneShotQuestion& question, WallTime now, Millis left) {
  ModelRequest request;
  if (!question.instructions.empty()) request.system.push_back({question.instructions, false});
  PromptBlock& block = request.messages.emplace_back().blocks.emplace_back();
  block.text = question.text;
  if (question.form) {
    request.tools.push_back(
        {question.form->name, question.form->description, question.form->schema});
  }
  request.max_output_tokens = question.max_tokens;
  request.facts.now = now;
  request.facts.turn_kind = "one_shot";
  request.deadline = left;
  request.first_byte = std::min(request.first_byte, left);
  request.stall = std::min(request.stall, left);
  return request;
}

Error too_late(Millis deadline) {
  return {Errc::kTimeout, fmt::format("the cheap model gave no answer within {}; it is slow, or "
                                      "too many questions wait for it",
                                      to_words(deadline))};
}

Error called_off() { return {Errc::kCancelled, "rouse stops; the cheap model is not asked"}; }

// In the words that OneShot promises: a refused key is told apart from a model that is away.
Error as_promised(Error error) {
  if (error.is(ModelErrc::kUnauthorized) || error.is(ModelErrc::kNoCredit)) {
    return {Errc::kUnauthorized, std::move(error.message)};
  }
  return error;
}

}  // namespace

// --- counting ------------------------------------------------------------------------------------

Result<SpendBook::Reservation> BookMeter::before(const OneShotQuestion& question,
                                                 const ModelInfo& info, std::int64_t input_tokens,
                                                 std::int64_t output_tokens) {
  if (!question.workspace) return SpendBook::Reservation();
  return book_.reserve(*question.workspace, {}, question.zone, info, input_tokens, output_tokens,
                       {});
}

Task<void> BookMeter::after(OneShotQuestion question, TurnSpend spend) {
  if (!question.workspace) co_return;
  Write write{book_.record(*question.workspace, {}, question.zone, spend)};
  if (!write.statements.empty()) (void)co_await database_.write(std::move(write));
}

// --- three at a time -----------------------------------------------------------------------------

// A place inside, given to the next in line when it is left.
class CheapModel::Place {
 public:
  explicit Place(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}
  Place(Place&&) = delete;
  Place& operator=(Place&&) = delete;
  ~Place() { gate_->leave(); }

 private:
  std::shared_ptr<Gate> gate_;
};

void CheapModel::Gate::leave() {
  if (line.empty()) {
    --inside;
    return;
  }
  const std::shared_ptr<Waiter> next = std::move(line.front());
  line.pop_front();
  next->let_in = true;  // the place changes hands: nobody can slip in between
  next->called.request_stop();
}

Task<bool> CheapModel::enter(MonoTime deadline) {
  if (gate_->inside < kAtOnce) {
    ++gate_->inside;
    co_return true;
  }
  const auto self = std::make_shared<Waiter>();
  const auto gate = gate_;
  gate->line.push_back(self);
  (void)co_await clock_.wait_until(deadline, self->called.get_token());
  if (!self->let_in) std::erase(gate->line, self);
  co_return self->let_in;
}

void CheapModel::stop() {
  const auto gate = gate_;
  gate->stopping.request_stop();
  for (const auto& waiter : std::exchange(gate->line, {})) waiter->called.request_stop();
}

// --- asking --------------------------------------------------------------------------------------

std::shared_ptr<Model> CheapModel::usable() const {
  auto model = model_();
  return model && !model->info().built_in ? model : nullptr;
}

Task<Result<std::string>> CheapModel::ask(OneShotQuestion question) {
  CO_TRY(OneShotAnswer answer, co_await consult(std::move(question)));
  co_return std::move(answer.text);
}

Task<Result<OneShotAnswer>> CheapModel::consult(OneShotQuestion question) {
  const Millis length = question.deadline;
  const MonoTime deadline = clock_.mono_now() + length;
  const auto gate = gate_;  // after a stop() nothing else of this is touched any more
  if (gate->stopping.stop_requested()) co_return fail(called_off());
  if (!available()) {
    co_return fail(ModelErrc::kNotConfigured,
                   "no model is connected for short questions; set models.cheap or models.main");
  }
  const bool entered = co_await enter(deadline);
  if (!entered && gate->stopping.stop_requested()) co_return fail(called_off());
  if (!entered) co_return fail(too_late(length));
  const Place place(gate);
  if (gate->stopping.stop_requested()) co_return fail(called_off());
  const auto model = usable();  // the book may have changed while we waited
  if (!model) co_return fail(ModelErrc::kNotConfigured, "the cheap model was taken away");
  auto answer = co_await ask_model(model, std::move(question), deadline);
  if (!answer && gate->stopping.stop_requested()) co_return fail(called_off());
  if (!answer && answer.error().kind == Kind::kTimeout) co_return fail(too_late(length));
  co_return answer;
}

std::optional<std::int64_t> CheapModel::price_of(const OneShotQuestion& question) const {
  const auto model = usable();
  if (!model) return std::nullopt;
  const ModelRequest request = sterile_request(question, {}, question.deadline);
  return cost_of(model->info(), {.in = estimate_tokens(request), .out = request.max_output_tokens});
}

Task<Result<OneShotAnswer>> CheapModel::ask_model(std::shared_ptr<Model> model,
                                                  OneShotQuestion question, MonoTime deadline) {
  const Millis left = deadline - clock_.mono_now();
  if (left <= millis(0)) co_return fail(too_late(question.deadline));
  const ModelRequest request = sterile_request(question, clock_.wall_now(), left);
  const ModelInfo info = model->info();
  const auto reserved = meter_ == nullptr ? Result<SpendBook::Reservation>(SpendBook::Reservation())
                                          : meter_->before(question, info, estimate_tokens(request),
                                                           question.max_tokens);
  if (!reserved) co_return std::unexpected(reserved.error());
  DeafStream nobody;
  auto answer = co_await model->answer(request, nobody, gate_->stopping.get_token());
  if (!answer) co_return fail(as_promised(std::move(answer).error()));
  TurnSpend spend;
  spend.add(info, answer->usage, answer->model);
  OneShotAnswer out{.text = answer->text(), .model = answer->model};
  out.tokens_in = answer->usage.total() - answer->usage.out;
  out.tokens_out = answer->usage.out;
  if (!spend.price_unknown) out.cost_micros = spend.micros;
  // The first that is filled in counts (HB-15).
  for (const PromptBlock* call : answer->calls()) {
    if (!question.form || call->tool != question.form->name || out.form) continue;
    out.form = call->arguments;
  }
  if (meter_ != nullptr) co_await meter_->after(std::move(question), std::move(spend));
  if (answer->stop == StopReason::kRefusal) {
    co_return fail(ModelErrc::kRefused, "the cheap model declined to answer");
  }
  co_return out;
}

}  // namespace rouse
