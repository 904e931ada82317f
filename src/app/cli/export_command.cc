#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/export_file.h"
#include "base/text.h"

namespace rouse::cli {
namespace {

struct WorkspaceExport {
  ServerOption server;
  ExportOptions how;
  std::string workspace;
};

Result<void> export_workspace(const WorkspaceExport& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  std::string path = "/api/export";
  if (!options.workspace.empty()) path += "?workspace_id=" + percent_encode(options.workspace);
  return run_export(api, path, options.how);
}

}  // namespace

void add_export(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<WorkspaceExport>();
  CLI::App& command = add_command(
      root, "export", "Write out every conversation of a workspace.",
      {"rouse export --output conversations.jsonl", "rouse export --format markdown | less",
       "rouse sessions export whatsapp:+15550001234    # one conversation"});
  command.add_option("--workspace", options->workspace, "Whose; default yours")->type_name("ID");
  add_export_options(command, options->how);
  add_server_options(command, options->server);
  command.callback([options, &chosen] {
    chosen.run = [options] { return finish(export_workspace(*options)); };
  });
}

}  // namespace rouse::cli
