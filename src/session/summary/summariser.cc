#include "session/summary/summariser.h"

#include <algorithm>
#include <utility>

#include "session/summary/digest.h"
#include "session/summary/observe.h"
#include "session/summary/plain_text.h"
#include "session/summary/profiles.h"
#include "session/summary/templates.h"

namespace rouse {

std::string template_summary(SummaryProfile profile, const SummaryInput& input) {
  return summary::profile_of(profile).by_rules(input);
}

struct ContextAhead::Heard {
  std::string previous, asked;
  summary::Hearing hearing{summary::digest_before(previous), asked};
};

ContextAhead::ContextAhead(std::string previous, std::string asked)
    : heard_(std::make_unique<Heard>(std::move(previous), std::move(asked))) {}
ContextAhead::ContextAhead(ContextAhead&&) noexcept = default;
ContextAhead::~ContextAhead() = default;

std::optional<std::string> ContextAhead::finish(const SummaryInput& input) && {
  if (input.exchanges.size() != 1 || input.previous != heard_->previous ||
      input.exchanges.front().user != heard_->asked) {
    return std::nullopt;
  }
  const TurnText& exchange = input.exchanges.front();
  summary::Digest digest =
      std::move(heard_->hearing).then(exchange.assistant, exchange.action_type);
  digest.turns = std::max<std::int64_t>(input.turn_count, 0);
  return write_five_lines(digest, kContextSummaryChars);
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
