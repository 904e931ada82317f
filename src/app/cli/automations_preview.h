// `rouse automations preview`: what a schedule means, in words and as its next instants. Arithmetic
// only: it needs no server and no data folder.
#pragma once

#include "app/cli/command.h"

namespace rouse::cli {

void add_automations_preview(CLI::App& automations, Chosen& chosen);

}  // namespace rouse::cli
