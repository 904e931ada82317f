// What the person tells about themselves and asks about it: kept with save_memory and found with
// search_memory where they are on offer, and read from the conversation in any case.
#pragma once

#include "model/offline/scene.h"
#include "model/offline/steps.h"
#include "model/offline/understand.h"

namespace rouse::offline {

Step tell_self(const Intent& intent, const Scene& scene);
Step remember(const Intent& intent, const Scene& scene);
Step ask_name(const Scene& scene);
Step ask_known(const Intent& intent, const Scene& scene);

}  // namespace rouse::offline
