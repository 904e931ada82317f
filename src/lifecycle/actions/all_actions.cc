#include "lifecycle/actions/all_actions.h"

#include <algorithm>

namespace rouse {

const std::vector<ActionKind>& all_actions() {
  static const std::vector<ActionKind> all{
      actions::block_stop(),
      actions::block_tools(),
      actions::capture_baseline_dirty_files(),
      actions::detect_plan_mode_from_context(),
      actions::extract_handoff_context(),
      actions::force_allow_stop(),
      actions::generate_summary(),
      actions::increment_variable(),
      actions::inject_context(),
      actions::memory_extraction_gate(),
      actions::memory_recall_relevant(),
      actions::memory_sync_export(),
      actions::memory_sync_import(),
      actions::notify(),
      actions::reset_memory_injection_tracking(),
      actions::set_variable(),
      actions::synthesize_title(),
      actions::task_sync_export(),
      actions::task_sync_import(),
      actions::track_claimed_task(),
      actions::track_discovery_step(),
      actions::track_schema_lookup(),
  };
  return all;
}

const ActionKind* find_action(std::string_view name) {
  const auto& all = all_actions();
  const auto found = std::ranges::find(all, name, &ActionKind::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace rouse
