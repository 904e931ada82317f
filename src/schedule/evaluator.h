// Decides whether an answer is worth a message to somebody: what the old way asks before it
// delivers the result of an automation that belongs to no conversation. Results of bound
// automations never come here (S3-32).
//
// A model may be missing, slow or talk nonsense; what holds then is for the asker to say.
#pragma once

#include <string>

#include "base/ids.h"
#include "base/task.h"
#include "session/one_shot.h"

namespace rouse {

enum class WhenUnsure : std::uint8_t { kDeliver, kHold };

struct EvaluatedResponse {
  WorkspaceId workspace;
  std::string zone;  // of the workspace that pays
  std::string task, response;
  WhenUnsure when_unsure = WhenUnsure::kDeliver;
};

struct Evaluation {
  bool deliver = true;
  std::string reason;  // a word: "worth_it", "not_worth_it", "no_model", "unsure", an error's name
};

class Evaluator {
 public:
  void use_model(OneShot* model) { model_ = model; }  // null: there is none
  Task<Evaluation> evaluate_response(EvaluatedResponse asked);

 private:
  OneShot* model_ = nullptr;
};

}  // namespace rouse
