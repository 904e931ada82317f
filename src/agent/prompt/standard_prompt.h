// The prompt every turn gets. Its sections, in this order, which never changes:
//
//   identity      who the agent is: SOUL.md or our own paragraph, AGENTS.md, the agent's profile
//   channel       how to write here, and what called for the turn
//   memory        what is known about the person
//   instructions  how the person wants the agent to work
//   user          USER.md
//   skills        those that always apply in full, the others by name
//   tools         what tools want said beyond their descriptions
//   opening       meeting a person (section 8 of the seed)
//   date          weekday, date and zone
//   summary       of what came before the tail
//   injected      by hooks
//   time          the time of day, to the minute
//
// What is the same from turn to turn comes first; from `opening` on it changes. A section with
// nothing to say is not there, one with only a note for a person adds nothing to the text. A
// section's version rises when its wording does, so that a stored prompt can be told from today's.
#pragma once

#include "agent/prompt/person_files.h"
#include "agent/prompt/prompt.h"

namespace rouse {

inline constexpr std::size_t kMemoryCharacters = 4'000;       // S0-C10
inline constexpr std::size_t kInstructionCharacters = 2'000;  // S0-C10
inline constexpr std::size_t kSkillSectionBytes = 32 * 1024;  // what doesn't fit is only noted
inline constexpr std::size_t kInjectedCharacters = 16'000;    // of hooks, and of the summary

class StandardPrompt final : public PromptBuilder {
 public:
  explicit StandardPrompt(PersonFiles& files) : files_(files) {}
  Prompt build(const PromptInput& input) override;

 private:
  PersonFiles& files_;
};

}  // namespace rouse
