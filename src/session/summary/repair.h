// What a model answered, made to keep its profile's promises: format, length, one voice. A repair
// says what it did; an answer that holds nothing to repair comes back empty, with the reason.
#pragma once

#include <string>
#include <string_view>

#include "session/summary/summariser.h"

namespace rouse::summary {

struct Repaired {
  std::string text;  // "" if the answer is of no use
  std::string note;  // what was repaired, or why it is of no use; "" if it was right
};

// Five lines, reordered, missing ones from the template, TURNS as counted (S1-22).
Repaired repair_context(std::string_view answer, const SummaryInput& input);
// One line of at most two sentences.
Repaired repair_punchline(std::string_view answer, const SummaryInput& input);
Repaired repair_clear(std::string_view answer, const SummaryInput& input);
// Missing sections are added from the template.
Repaired repair_compact(std::string_view answer, const SummaryInput& input);

}  // namespace rouse::summary
