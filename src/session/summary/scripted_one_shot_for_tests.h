// A model that answers by script: each question takes the next answer, in order. An answer may be a
// text, an error, late by the virtual clock, or hang until released. It keeps deadlines as a
// provider must: an answer later than the deadline is a timeout at the deadline.
#pragma once

#include <algorithm>
#include <deque>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "session/one_shot.h"

namespace rouse {

class ScriptedOneShot final : public OneShot {
 public:
  explicit ScriptedOneShot(Clock* clock = nullptr) : clock_(clock) {}  // needed to be late or hang

  ScriptedOneShot& answer(std::string text) { return then({std::move(text), {}}); }
  ScriptedOneShot& fail_with(Error error) { return then({fail(std::move(error)), {}}); }
  ScriptedOneShot& answer_after(Millis delay, std::string text) {
    return then({std::move(text), delay});
  }
  // Hangs until release() or the question's deadline, whichever is first.
  ScriptedOneShot& hang(std::string text_when_released = "") {
    return then({std::move(text_when_released), kForever});
  }
  void release() { released_.request_stop(); }

  [[nodiscard]] const std::vector<OneShotQuestion>& questions() const { return questions_; }

  Task<Result<std::string>> ask(OneShotQuestion question) override {
    const Millis deadline = question.deadline;
    questions_.push_back(std::move(question));
    if (script_.empty()) co_return fail(Errc::kUnavailable, "the script has no more answers");
    Step step = std::move(script_.front());
    script_.pop_front();
    if (step.delay.count > 0) {
      const bool on_time =
          co_await clock_->wait_for(std::min(step.delay, deadline), released_.get_token());
      if (on_time && step.delay > deadline) co_return fail(Errc::kTimeout, "no answer in time");
    }
    co_return std::move(step.answer);
  }

 private:
  struct Step {
    Result<std::string> answer;
    Millis delay;
  };
  static constexpr Millis kForever = days(36'500);

  ScriptedOneShot& then(Step step) {
    script_.push_back(std::move(step));
    return *this;
  }

  Clock* clock_;
  std::deque<Step> script_;
  std::vector<OneShotQuestion> questions_;
  std::stop_source released_;
};

}  // namespace rouse
