// Takes what was said in one turn into the digest, by plain rules:
//
//   goal       the first real objective, and after "; now: " the latest. Greetings, answers,
//   choices
//              and follow-ups ("and its population?") keep it as it is.
//   decisions  what the user chose, agreed to, declined or answered, and what the agent did.
//   pending    questions nobody answered yet, promises, reminders. Each says whose it is.
//   entities   names on both sides; the user's count as newer, so they outlive the agent's.
//
// Older knowledge is merged, never recomputed: the digest is all that is kept between turns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "session/summary/digest.h"
#include "session/summary/said.h"
#include "session/summary/summariser.h"

namespace rouse::summary {

void observe(Digest& digest, const TurnText& exchange);

// The same in two steps: what the user said is heard while the agent still works on its answer.
class Hearing {
 public:
  Hearing(Digest before, std::string_view user);
  Digest then(std::string_view assistant, std::string_view action_type) &&;

 private:
  Digest digest_;
  Message message_;
  std::vector<std::string> names_;  // that it mentions
};

// The objective in a user's message, in its own words, or "" if it has none.
std::string objective_in(std::string_view message);
// What the agent reports to have done: "booked Hotel Memmo". At most three.
std::vector<std::string> acts_in(std::string_view reply);
// An action type that names an act and not mere talk.
bool is_telling_action(std::string_view action_type);

}  // namespace rouse::summary
