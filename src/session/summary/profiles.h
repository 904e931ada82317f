// The four profiles as one table: how much goes in, how much may come out, what the model is told,
// which template stands in for it and how its answer is repaired. Adding a profile is adding a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "session/summary/repair.h"
#include "session/summary/summariser.h"

namespace rouse::summary {

struct Profile {
  SummaryProfile id;
  std::size_t max_bytes;       // of the summary
  std::size_t previous_bytes;  // of the summary so far, as the model sees it (S1-C5)
  std::size_t message_bytes;   // of each message, as the model sees it
  std::size_t max_exchanges;   // the first and the newest
  std::int64_t max_tokens;
  std::string_view instructions;
  std::string (*by_rules)(const SummaryInput&);
  Repaired (*repair)(std::string_view answer, const SummaryInput&);
};

const Profile& profile_of(SummaryProfile id);

// What the model is asked to summarise: one line a message, so nobody can speak for another.
std::string question_text(const Profile& profile, const SummaryInput& input);

}  // namespace rouse::summary
