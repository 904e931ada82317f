// A question to a model that is answered once, without history or streaming: in text, which is what
// a summary or the drift gate needs, or by the one tool that the asker offers as its form. The
// rooms that ask own this interface; whoever has a model answers it. An answer may be slow, empty,
// nonsense or an error: the asker has a plan for each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.h"
#include "base/task.h"
#include "base/time.h"

namespace rouse {

// A form for the answer: nothing is run, its arguments are the answer.
struct OneShotForm {
  std::string name, description;
  std::string schema;  // JSON Schema of an object
};

struct OneShotQuestion {
  std::string instructions;  // the system prompt
  std::string text;
  std::int64_t max_tokens = 350;
  Millis deadline = seconds(20);
  std::optional<WorkspaceId> workspace = {};  // for which it is asked and which pays; none: nobody
  std::string zone = "UTC";                   // of that workspace: where its day ends
  std::optional<OneShotForm> form = {};       // offered; the model may answer in text all the same
};

struct OneShotAnswer {
  std::string text;                      // "": only the form was filled in
  std::optional<std::string> form = {};  // the JSON object it was filled in with
  std::string model = {};
  std::int64_t tokens_in = 0, tokens_out = 0;
  std::optional<std::int64_t> cost_micros = {};  // none: the price is unknown
};

class OneShot {
 public:
  virtual ~OneShot() = default;
  // The error says why there is no answer: Kind::kTimeout past the deadline, kRateLimited,
  // kUnavailable, kUnauthorized …
  virtual Task<Result<std::string>> ask(OneShotQuestion question) = 0;
  // The same with all that is known of the answer. Whoever has no forms answers in text.
  virtual Task<Result<OneShotAnswer>> consult(OneShotQuestion question) {
    CO_TRY(std::string text, co_await ask(std::move(question)));
    co_return OneShotAnswer{.text = std::move(text)};
  }
};

}  // namespace rouse
