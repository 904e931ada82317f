// What the agent is told when an automation comes due, and what the conversation's history shows of
// it. The prompt is a named, versioned template (S3-29): history keeps a reference to it and the
// readable trigger; the rendered text is in the run's record only.
#pragma once

#include <string>

#include "schedule/job.h"
#include "schedule/occurrence_ledger.h"

namespace rouse {

struct TriggerPrompt {
  PromptRef ref;
  std::string variables;  // JSON
  std::string text;       // rendered; ends with "Automation: <message>"
};

// `late`: it was due a while ago and is made up for now.
TriggerPrompt render_trigger(const Job& job, WallTime due, WallTime now, bool late);

// "Scheduled automation triggered: <name>\n\n<message>" (S3-27).
std::string trigger_words(const Job& job);

// What the trigger message and its answer carry, as JSON: _automation_turn, automation_id …
std::string trigger_meta(const Job& job, const std::string& run_id, const PromptRef& ref,
                         WallTime due);

}  // namespace rouse
