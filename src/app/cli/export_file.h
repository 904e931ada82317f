// Exports as a command gets them: streamed to standard output or to a file that is there whole or
// not at all, and checked for their end, so that half an export never passes for one.
#pragma once

#include <string>

#include "app/cli/api_client.h"

namespace rouse::cli {

struct ExportOptions {
  std::string format = "jsonl";
  std::string output;  // empty: standard output
};
void add_export_options(CLI::App& command, ExportOptions& options);

// GET path (which may have a query already) with the chosen format.
Result<void> run_export(ApiClient& api, const std::string& path, const ExportOptions& options);

}  // namespace rouse::cli
