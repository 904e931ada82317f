// What a person wants of a task: added, claimed, done, closed. Named by its number or its words.
#pragma once

#include "model/offline/scene.h"
#include "model/offline/steps.h"
#include "model/offline/understand.h"

namespace rouse::offline {

Step change_task(const Intent& intent, const Scene& scene);

}  // namespace rouse::offline
