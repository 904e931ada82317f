// `rouse automations preview`: what a schedule means, in words and as its next instants. That is
// arithmetic and needs no server; what it meets and costs in a conversation the server knows.
#pragma once

#include "app/cli/command.h"

namespace rouse::cli {

void add_automations_preview(CLI::App& automations, Chosen& chosen);

}  // namespace rouse::cli
