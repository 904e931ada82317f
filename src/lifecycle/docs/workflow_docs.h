// docs/workflows.md, made from the very tables that the loader and the engine work with: triggers,
// actions and their arguments, values, functions, names of tools. Refresh it with:
// rouse workflow docs > docs/workflows.md
#pragma once

#include <string>

namespace rouse {

std::string workflow_docs();

}  // namespace rouse
