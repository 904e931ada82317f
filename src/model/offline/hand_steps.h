// Files, pages, commands, skills, notifications: one call each, and what came of it in a few words.
// What a page or a file says is shown, quoted and bounded; it is never read as a wish.
#pragma once

#include "model/offline/scene.h"
#include "model/offline/steps.h"
#include "model/offline/understand.h"

namespace rouse::offline {

Step use_hands(const Intent& intent, const Scene& scene);

// The turn that follows a person's answer to an approval, or none in time: what came of it.
Step approval_told(const Scene& scene);

}  // namespace rouse::offline
