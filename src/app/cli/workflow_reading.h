// What the server says about workflows, for people to read.
#pragma once

#include <string>
#include <vector>

#include "gateway/routes/workflow_routes.h"

namespace rouse::cli {

std::string workflow_table(const WorkflowList& list);

// One line a firing, with what was done below; the newest last.
std::string firings_text(std::vector<Firing> newest_first);

// How often each workflow fired in a conversation, and what was refused and why; "" if none did.
std::string rules_story(const std::vector<Firing>& newest_first);

}  // namespace rouse::cli
