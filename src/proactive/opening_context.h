// What is in flight for somebody who comes back, gathered before the agent is asked and without a
// model (S0-C8): what waits for a yes or no, what failed, what happened meanwhile, what was not
// read, what comes up, what is open. All sources are read at the same time; what is not there
// within kGatherDeadline says "(unavailable)", and a source that has nothing is left out. The text
// is bounded, and what others wrote stands in it as data (beat_prompt.h, as_data()).
//
// One more source is one function for its line and one row in kSources.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/loop.h"
#include "model/offline/welcome.h"
#include "store/database.h"

namespace rouse {

inline constexpr Millis kGatherDeadline = seconds(2);
inline constexpr std::size_t kOpeningContextBytes = 4'096;

// For whom, and since when they were away.
struct OpeningAsk {
  WorkspaceId workspace;
  WallTime now, since;
  std::string zone = "UTC";
};

struct OpeningContext {
  std::vector<offline::NewsSection> news;  // in the order of their weight
  bool untrusted = false;                  // foreign words are in it (rule 8)

  [[nodiscard]] std::string text() const;  // for the prompt; "": there is nothing
};

// When the person was last there, in any conversation: they wrote, or were greeted. Bounded: who
// was away for longer than a week is told of a week.
Result<WallTime> last_seen(Database& database, const WorkspaceId& workspace, WallTime now);

Task<OpeningContext> gather_opening(Loop& loop, Clock& clock, Database& database, OpeningAsk ask);

}  // namespace rouse
