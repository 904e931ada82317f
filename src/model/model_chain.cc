#include "model/model_chain.h"

#include <algorithm>

#include <fmt/format.h>

namespace rouse {
namespace {

constexpr Millis kFirstPause = millis(500);
constexpr Millis kLongestPause = seconds(30);

// Knows whether anything was streamed since the last try began.
class NotedStream final : public ModelStream {
 public:
  explicit NotedStream(ModelStream& to) : to_(to) {}
  void text(std::size_t block, std::string_view delta) override {
    spoke_ = true;
    to_.text(block, delta);
  }
  void again() override {
    if (std::exchange(spoke_, false)) to_.again();
  }
  void expect_quiet(Millis length) override { to_.expect_quiet(length); }
  void asked_to_wait(Millis length) override { to_.asked_to_wait(length); }

 private:
  ModelStream& to_;
  bool spoke_ = false;
};

bool can_help(const Error& error) {  // another try
  return error.is(ModelErrc::kRateLimited) || error.is(ModelErrc::kOverloaded) ||
         error.is(ModelErrc::kServerError) || error.is(ModelErrc::kUnreachable) ||
         error.is(ModelErrc::kTimeout) || error.is(ModelErrc::kBroken);
}

bool ends_the_call(const Error& error) {
  return error.is(ModelErrc::kContextFull) || error.is(ModelErrc::kCancelled) ||
         error.is(ModelErrc::kSpendCap);
}

}  // namespace

struct ModelChain::Call {
  const ModelRequest& request;
  NotedStream stream;
  Clock& clock;
  MonoTime until;
  std::stop_token stop;

  [[nodiscard]] Millis time_left() const { return until - clock.mono_now(); }
  [[nodiscard]] bool cancelled() const { return stop.stop_requested(); }
  [[nodiscard]] static Error cancellation() {
    return Error(ModelErrc::kCancelled, "the call was cancelled");
  }
  [[nodiscard]] Error out_of_time(std::string_view model) const {
    return Error(ModelErrc::kTimeout,
                 fmt::format("{}: no answer within {}", model, to_words(request.deadline)));
  }
};

Task<Result<ModelAnswer>> ModelChain::answer(const ModelRequest& request, ModelStream& stream,
                                             std::stop_token stop) {
  Call call{.request = request,
            .stream = NotedStream(stream),
            .clock = clock_,
            .until = clock_.mono_now() + request.deadline,
            .stop = std::move(stop)};
  std::string story;           // why those before did not answer
  std::optional<Millis> wait;  // what the most patient of them asked for
  for (std::size_t i = 0;; ++i) {
    const bool others_follow = i + 1 < seats_.size();
    TryResult result = co_await ask(*seats_[i], call, others_follow);
    if (result) co_return *std::move(result);
    const Millis asked = result.error().retry_after.value_or(millis(0));
    wait = std::min(wait.value_or(asked), asked);
    Error error = std::move(result).error().error;
    const bool over = !others_follow || ends_the_call(error) || call.time_left() <= millis(0);
    story += (story.empty() ? "" : "; then ") + error.message;
    if (!over) continue;
    if (*wait > millis(0)) call.stream.asked_to_wait(*wait);
    if (!error.is(ModelErrc::kCancelled)) error.message = std::move(story);
    co_return fail(std::move(error));
  }
}

Task<TryResult> ModelChain::ask(ProviderSeat& seat, Call& call, bool others_follow) {
  for (std::int64_t tries = 0;; ++tries) {
    TryResult result = co_await try_once(seat, call);
    if (result) co_return result;
    // Whatever a try failed with when it was stopped, the stop is the reason.
    if (call.cancelled()) co_return fail(Call::cancellation());
    if (tries >= seat.retries) co_return result;
    const auto pause = pause_after(std::move(result).error(), tries, call, others_follow);
    if (!pause) co_return std::unexpected(pause.error());
    call.stream.expect_quiet(*pause);
    if (!co_await clock_.wait_for(*pause, call.stop)) co_return fail(Call::cancellation());
  }
}

Task<TryResult> ModelChain::try_once(ProviderSeat& seat, Call& call) {
  call.stream.expect_quiet(call.time_left());
  const auto slot = co_await seat.slots.take(clock_, call.until, call.stop);
  if (call.cancelled()) co_return fail(Call::cancellation());
  if (!slot || call.time_left() <= millis(0)) {
    co_return fail(call.out_of_time(seat.provider->info().full_name()));
  }
  call.stream.again();
  call.stream.expect_quiet(call.request.first_byte);
  co_return co_await seat.provider->ask(call.request, call.stream, call.time_left(), call.stop);
}

std::expected<Millis, TryFailure> ModelChain::pause_after(TryFailure failure, std::int64_t tries,
                                                          const Call& call, bool others_follow) {
  if (!failure.repeatable || !can_help(failure.error)) return std::unexpected(std::move(failure));
  const Millis asked = failure.retry_after.value_or(millis(0));
  // A long pause is worth it only if nobody else could answer meanwhile.
  if (others_follow && asked > kLongestPause) return std::unexpected(std::move(failure));
  const bool at_once = failure.retry_after && tries == 0;
  const Millis pause = at_once ? asked : std::max(asked, backoff(tries));
  if (pause < call.time_left()) return pause;
  if (failure.retry_after && asked >= call.time_left()) {
    failure.error.message +=
        fmt::format("; it asks to wait {}, longer than the {} that are left for this answer",
                    to_words(asked), to_words(std::max(millis(0), call.time_left())));
  }
  return std::unexpected(std::move(failure));
}

// Between half of it and all: many calls that failed together don't come back together.
Millis ModelChain::backoff(std::int64_t tries) {
  const std::int64_t doublings = std::min<std::int64_t>(tries, 10);
  const Millis longest = std::min(kLongestPause, kFirstPause * (std::int64_t{1} << doublings));
  const auto half = static_cast<std::uint64_t>(longest.count / 2);
  return millis(static_cast<std::int64_t>(half + random_.below(half + 1)));
}

}  // namespace rouse
