// The summaries that need no model, one a profile, all over the same digest (observe.h). Pure.
#pragma once

#include <string>
#include <vector>

#include "session/summary/digest.h"
#include "session/summary/summariser.h"

namespace rouse::summary {

inline constexpr std::size_t kPunchlineBytes = 280;
inline constexpr std::size_t kClearBytes = 1500;
inline constexpr std::size_t kCompactBytes = 4000;

// The summary so far and what was said since, as fields. A previous text that is none of our forms
// is kept as the goal's words, so an older format is not lost.
Digest digest_of(const SummaryInput& input);
Digest digest_before(std::string_view previous);  // the first half of it

std::string context_by_rules(const SummaryInput& input);
std::string punchline_by_rules(const SummaryInput& input);
std::string clear_by_rules(const SummaryInput& input);
std::string compact_by_rules(const SummaryInput& input);

// The handoff in parts: "Goal", "Facts", "Decisions", "Open", "Last exchange".
struct Section {
  std::string_view title;
  std::string body;
};
std::vector<Section> compact_sections(const SummaryInput& input);
std::string write_section(const Section& section);

}  // namespace rouse::summary
