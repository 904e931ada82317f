#include "agent/resting_summaries.h"

namespace rouse {
namespace {

constexpr Millis kSummaryRest = seconds(5);

}  // namespace

void RestingSummaries::improve_when_quiet(Session session, SummaryInput input) {
  const std::string id = session.conversation.str();
  const auto [at, is_new] = plain_.insert_or_assign(
      id, Plain{std::move(session), std::move(input), clock_.mono_now() + kSummaryRest});
  if (is_new) loop_.spawn("summary", improve(id));
}

Task<void> RestingSummaries::improve(std::string conversation) {
  while (true) {
    const MonoTime rest = plain_.at(conversation).at;
    if (!co_await clock_.wait_until(rest, stop_)) break;
    if (plain_.at(conversation).at == rest) break;
  }
  auto found = plain_.extract(conversation);
  if (stop_.stop_requested()) co_return;
  Plain& last = found.mapped();
  (void)co_await kernel_.improve_summary(std::move(last.session), std::move(last.input));
}

}  // namespace rouse
