#include "agent/failure_words.h"

#include <fmt/format.h>

#include "base/text.h"
#include "model/model.h"

namespace rouse {
namespace {

std::string_view advice(const Error& error) {
  if (error.is(ModelErrc::kUnauthorized)) return "Please check the model's API key.";
  if (error.is(ModelErrc::kNoCredit)) return "Please check the billing of the model's account.";
  if (error.is(ModelErrc::kNotConfigured)) return "Please check `models` in rouse.yaml.";
  if (error.is(ModelErrc::kRateLimited) || error.is(ModelErrc::kOverloaded)) {
    return "Please try again in a moment.";
  }
  if (error.is(ModelErrc::kContextFull)) {
    return "This conversation is too long for the model; /clear starts fresh.";
  }
  return "Your message is kept; please try again.";
}

}  // namespace

std::string failure_words(const Error& error) {
  if (error.is(ModelErrc::kSpendCap)) return error.message;
  std::string_view what = trim(error.message);
  while (what.ends_with('.')) what.remove_suffix(1);
  return fmt::format("I could not answer: {}. {}", what, advice(error));
}

std::string stopped_words(std::string_view reason) {
  if (reason == "deadline") return "I ran out of time and stopped here.";
  if (reason == "inactive") return "Nothing moved for too long, so I stopped here.";
  return "Stopped.";
}

}  // namespace rouse
