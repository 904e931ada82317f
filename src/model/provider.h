// One provider behind a Model, and one try of a call at it. A chain (model_chain.h) decides whether
// a failed try is repeated, where, and when; so a failure says a little more here than the caller
// of a Model ever learns: how long the provider asked to wait, and whether the same request could
// end differently.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/task.h"
#include "model/model.h"

namespace rouse {

struct TryFailure {
  Error error;                             // a ModelErrc, with words for a person
  std::optional<Millis> retry_after = {};  // what the provider asked for; 0: at once
  bool repeatable = true;                  // false: the same request would fail the same way

  TryFailure() = default;
  TryFailure(Error failed) : error(std::move(failed)) {}  // NOLINT(google-explicit-constructor)
};

using TryResult = std::expected<ModelAnswer, TryFailure>;

class Provider {
 public:
  virtual ~Provider() = default;
  [[nodiscard]] virtual const ModelInfo& info() const = 0;
  // The request and the stream outlive the call. It ends within time_left.
  virtual Task<TryResult> ask(const ModelRequest& request, ModelStream& stream, Millis time_left,
                              std::stop_token stop) = 0;
};

// Reads one answer from its bytes, cut anywhere, and tells the stream what it says on the way.
class AnswerReader {
 public:
  virtual ~AnswerReader() = default;
  // An error ends the reading: the provider reported one, or broke its format.
  virtual Result<void> feed(std::string_view bytes) = 0;
  [[nodiscard]] virtual bool done() const = 0;  // the end marker was there; nothing can follow
  virtual TryResult finish() = 0;               // called once, when no more bytes come
};

}  // namespace rouse
