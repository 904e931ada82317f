// What called for a turn that nobody asked for by a message: a schedule, or somebody who opened the
// app. The house above knows the occasion (schedule/, proactive/session_open.h); the runner and the
// prompt only need to know what to do differently.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "session/inbound.h"
#include "session/turn_ledger.h"

namespace rouse {

// Somebody opened the app: what the agent is told of them. Nothing said before goes along (S0-34).
struct AppOpening {
  bool is_new_user = false;
  std::optional<WallTime> last_message_at = {};
  std::string context = {};  // gathered without a model (S0-C8)
  bool untrusted = false;    // foreign words are in it (rule 8)
};

struct Occasion {
  // What the model is told in place of the message that stands in the transcript; "": the message.
  std::string prompt = {};
  // Everything said after this message belongs into the prompt, across soft boundaries too.
  std::optional<std::int64_t> since = {};
  std::optional<Millis> deadline = {};                 // in place of the usual one
  std::optional<std::vector<std::string>> tools = {};  // all it may use; none: everything
  std::optional<std::string> model = {};               // in place of the conversation's
  std::optional<std::string> folder = {};              // where file tools and the shell work
  std::optional<std::string> ready = {};  // the answer is known already: no model is asked
  std::optional<AppOpening> opening = {};
};

// How a turn came out, before it is closed.
struct OccasionEnd {
  Verdict verdict;
  std::string words;        // of the answer
  Millis retry_after = {};  // failed: what the model's provider asked to wait
};

class Occasions {
 public:
  virtual ~Occasions() = default;
  // nullopt: a turn like any other.
  virtual Result<std::optional<Occasion>> of_turn(const Turn& turn) = 0;
  // The words and the verdict with which it is closed: a failure in a few words, a status line for
  // an empty answer (S3-34). `error` is the whole story.
  virtual OccasionEnd closing(const Turn& turn, OccasionEnd end, const std::string& error) = 0;
};

}  // namespace rouse
