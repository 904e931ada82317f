// What an automation would mean before anybody has it (UX-2): how often it runs, which others of
// its conversation come due in the same minute, and what a month of it costs. Arithmetic on what is
// handed in, bounded; the cost is that of the past carried on, and a guess is called one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "schedule/job.h"
#include "schedule/occurrence_ledger.h"
#include "session/turn_queue.h"

namespace rouse {

inline constexpr std::size_t kFiresCompared = 20;   // of the automation, with those of others
inline constexpr std::size_t kOthersCompared = 50;  // automations of the conversation
inline constexpr std::size_t kRunsAveraged = 20;

struct FireOverlap {
  std::string automation_id, name;
  WallTime at;             // the first minute they share
  std::int64_t times = 1;  // among the fires that were compared
};

struct RunForecast {
  std::int64_t runs = 0;  // in the 30 days to come
  std::vector<FireOverlap> overlaps = {};
  std::string basis = {};                        // "past_runs", "conversation", "guess"
  std::int64_t averaged = 0;                     // over how many runs or turns
  std::int64_t tokens_in = 0, tokens_out = 0;    // in those 30 days
  std::optional<std::int64_t> cost_micros = {};  // none: somebody's price is unknown
  std::string words = {};                        // all of it for a person
};

// What is known of the past: the automation's own runs count, else the conversation's turns, else
// the size of a request to this model.
struct ForecastFacts {
  std::vector<Job> others = {};  // bound to the same conversation
  std::vector<Run> runs = {};
  std::vector<Turn> turns = {};
  std::optional<ModelInfo> model = {};
  std::size_t message_bytes = 0;
};

RunForecast forecast(const Schedule& schedule, WallTime from, const ForecastFacts& facts);

}  // namespace rouse
