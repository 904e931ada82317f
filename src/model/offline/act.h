// From a wish to a step: a call of a tool that is on offer, or the words of the answer. A wish is
// served in one round: when its tools have answered, their results become a sentence, whatever they
// are. Without the tool the answer says plainly that this can't be done yet.
#pragma once

#include "model/offline/scene.h"
#include "model/offline/steps.h"
#include "model/offline/understand.h"

namespace rouse::offline {

Step act(const Intent& intent, const Scene& scene);

// What a message means where it stands: an answer to a question of the assistant, or by itself.
Intent intent_of(const Scene& scene);

}  // namespace rouse::offline
