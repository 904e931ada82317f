#include "store/schema.h"

#include <array>

#include "store/schema/step_01_foundation.h"
#include "store/schema/step_02_sessions.h"
#include "store/schema/step_03_turns.h"
#include "store/schema/step_04_approvals.h"
#include "store/schema/step_05_memory.h"
#include "store/schema/step_06_tasks.h"
#include "store/schema/step_07_compactions.h"
#include "store/schema/step_08_automations.h"
#include "store/schema/step_09_activity.h"
#include "store/schema/step_10_reading.h"
#include "store/schema/step_11_lifecycle.h"
#include "store/schema/step_12_lean_turns.h"

namespace rouse {

std::span<const Migration> schema() {
  static constexpr std::array kSteps{
      Migration{1, "foundation", schema_steps::kFoundation},
      Migration{2, "sessions", schema_steps::kSessions},
      Migration{3, "turns", schema_steps::kTurns},
      Migration{4, "approvals", schema_steps::kApprovals},
      Migration{5, "memory", schema_steps::kMemory},
      Migration{6, "tasks", schema_steps::kTasks},
      Migration{7, "compactions", schema_steps::kCompactions},
      Migration{8, "automations", schema_steps::kAutomations},
      Migration{9, "activity", schema_steps::kActivity},
      Migration{10, "reading", schema_steps::kReading},
      Migration{11, "lifecycle", schema_steps::kLifecycle},
      Migration{12, "lean_turns", schema_steps::kLeanTurns},
  };
  return kSteps;
}

}  // namespace rouse
