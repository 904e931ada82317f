// Every action there is: one function each, in a file of its own name, and one line in
// all_actions.cc.
#pragma once

#include "lifecycle/engine/call.h"

namespace rouse::actions {

ActionKind block_stop();
ActionKind block_tools();
ActionKind capture_baseline_dirty_files();
ActionKind detect_plan_mode_from_context();
ActionKind extract_handoff_context();
ActionKind force_allow_stop();
ActionKind generate_summary();
ActionKind increment_variable();
ActionKind inject_context();
ActionKind memory_extraction_gate();
ActionKind memory_recall_relevant();
ActionKind memory_sync_export();
ActionKind memory_sync_import();
ActionKind notify();
ActionKind reset_memory_injection_tracking();
ActionKind set_variable();
ActionKind synthesize_title();
ActionKind task_sync_export();
ActionKind task_sync_import();
ActionKind track_claimed_task();
ActionKind track_discovery_step();
ActionKind track_schema_lookup();

}  // namespace rouse::actions
