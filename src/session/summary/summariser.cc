#include "session/summary/summariser.h"

#include <utility>

#include "session/summary/digest.h"
#include "session/summary/plain_text.h"
#include "session/summary/profiles.h"
#include "session/summary/templates.h"

namespace rouse {

std::string template_summary(SummaryProfile profile, const SummaryInput& input) {
  return summary::profile_of(profile).by_rules(input);
}

Task<Summary> Summariser::summarise(SummaryProfile id, SummaryInput input) {
  const summary::Profile& profile = summary::profile_of(id);
  Summary out;
  if (model_ != nullptr) {
    OneShotQuestion question;
    question.instructions = profile.instructions;
    question.text = summary::question_text(profile, input);
    question.max_tokens = profile.max_tokens;
    question.workspace = input.workspace;
    const Result<std::string> answer = co_await model_->ask(std::move(question));
    if (answer) {
      summary::Repaired repaired = profile.repair(*answer, input);
      out = {std::move(repaired.text), true, std::move(repaired.note)};
    } else {
      out.note = answer.error().message;
    }
  }
  if (out.text.empty()) out = {profile.by_rules(input), false, std::move(out.note)};
  co_return out;
}

std::string carried_over(std::string_view context_summary) {
  SummaryInput nothing_new;
  nothing_new.previous = summary::clean_lines(context_summary);
  return nothing_new.previous.empty() ? "" : summary::context_by_rules(nothing_new);
}

}  // namespace rouse
