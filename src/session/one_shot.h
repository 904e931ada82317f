// A question to a model that is answered once, in text, without tools, history or streaming:
// what a summary or the drift gate needs. The rooms that ask own this interface; whoever has a
// model answers it. An answer may be slow, empty, nonsense or an error: the asker has a plan for
// each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.h"
#include "base/task.h"
#include "base/time.h"

namespace rouse {

struct OneShotQuestion {
  std::string instructions;  // the system prompt
  std::string text;
  std::int64_t max_tokens = 350;
  Millis deadline = seconds(20);
  std::optional<WorkspaceId> workspace = {};  // for which it is asked and which pays; none: nobody
  std::string zone = "UTC";                   // of that workspace: where its day ends
};

class OneShot {
 public:
  virtual ~OneShot() = default;
  // The error says why there is no answer: Kind::kTimeout past the deadline, kRateLimited,
  // kUnavailable, kUnauthorized …
  virtual Task<Result<std::string>> ask(OneShotQuestion question) = 0;
};

}  // namespace rouse
