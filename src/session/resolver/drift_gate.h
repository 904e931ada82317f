// Does a message belong to the session it arrives in, or did the person start on something else?
// Asked last, after the reset phrases and the timeout (S1-08), and only if switched on (S1-13). A
// model judges, and it has to be sure: 0.80 or more. Whatever goes wrong — no model, an error, an
// answer that can't be read, doubt — means the session goes on, with the reason recorded.
#pragma once

#include <string>

#include "base/task.h"
#include "session/one_shot.h"

namespace rouse {

inline constexpr double kDriftThreshold = 0.80;

struct DriftVerdict {
  bool drifted = false;
  double confidence = 0;  // of the model that the topic changed; 0 if it did not say so
  // topic_drift, or why the session goes on: classifier_disabled, no_existing_context, no_model,
  // api_error, parse_error, below_threshold.
  std::string reason;
  std::string words;  // the model's own explanation or the error's, at most 200 bytes
};

class DriftGate {
 public:
  explicit DriftGate(OneShot* model = nullptr) : model_(model) {}
  void use_model(OneShot* model) { model_ = model; }
  void set_enabled(bool on) { enabled_ = on; }  // off by default (S1-34)
  [[nodiscard]] bool enabled() const { return enabled_; }

  Task<DriftVerdict> judge(std::string context_summary, std::string message);

 private:
  OneShot* model_;
  bool enabled_ = false;
};

}  // namespace rouse
