#include "agent/prompt/opening.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "agent/prompt/text_cut.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kBootstrapCharacters = 8'000;

constexpr std::string_view kSessionOpenBootstrap =
    R"(## Session Open
This is the first time you are meeting this user: they have opened the app and written nothing yet. Always greet them.
- Warmly introduce yourself in two or three sentences: who you are and what you can do for them.
- Ask, as one does in a conversation and not as a form, what matters to them right now and how they like you to write.
- When they answer, keep what you learn with save_memory, and how they want you to work with update_instructions.)";

// {time_context}, {bootstrap_context}
constexpr std::string_view kSessionOpenReturning =
    R"(## Session Open
The user has come back to the app and has written nothing yet. {}

What is in flight, gathered just now:
{}

- If something needs attention, greet in 2 to 4 sentences and state the facts. Don't fetch again what is listed above; check your tools (tasks, reminders, emails) only for what is not.
- If nothing needs attention and the last interaction was less than 30 minutes ago, answer with exactly WAKEUP_SILENT and nothing else. Less than 5 minutes ago, do so unless something material has changed.)";

constexpr std::string_view kOnboarding =
    R"(## Onboarding
You don't know this user yet. Answer their message first. Then introduce yourself in a sentence and ask, as one does in a conversation, what matters to them and how they like you to write. Keep what you learn with save_memory, and how they want you to work with update_instructions.)";

// Where a person can write before anything opened a session for them (S0-23).
constexpr std::array<std::string_view, 5> kOnboardingTransports = {"web", "websocket", "telegram",
                                                                   "terminal", "api"};

std::string returning_guidance(const PromptInput& input) {
  const std::string_view gathered = trim(input.bootstrap_context);
  const std::string_view shown = first_characters(gathered, kBootstrapCharacters);
  return fmt::format(kSessionOpenReturning, time_context(input.last_message_at, input.now),
                     gathered.empty() ? "(nothing was gathered)" : shown);
}

}  // namespace

std::string time_context(std::optional<WallTime> last_message_at, WallTime now) {
  if (!last_message_at) return "This is the first time opening this session.";
  const std::int64_t minutes_ago = (now - *last_message_at).count / minutes(1).count;
  if (minutes_ago < 2) return "Your last interaction was less than 2 minutes ago.";
  if (minutes_ago < 60)
    return fmt::format("Your last interaction was {} minutes ago.", minutes_ago);
  const std::int64_t hours_ago = minutes_ago / 60;
  return fmt::format("Your last interaction was {} hour{} ago.", hours_ago,
                     hours_ago == 1 ? "" : "s");
}

std::string opening_guidance(const PromptInput& input) {
  const bool is_new =
      input.new_user && trim(input.memory).empty() && trim(input.instructions).empty();
  if (input.turn.kind == "session_open") {
    return is_new ? std::string(kSessionOpenBootstrap) : returning_guidance(input);
  }
  const bool met_here =
      std::ranges::find(kOnboardingTransports, input.turn.transport) != kOnboardingTransports.end();
  return is_new && met_here && input.turn.kind == "user" ? std::string(kOnboarding) : "";
}

}  // namespace rouse
