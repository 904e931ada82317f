#include <memory>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "app/cli/api_client.h"
#include "app/cli/command.h"
#include "app/cli/readable.h"
#include "base/text.h"
#include "gateway/routes/workspace_routes.h"

namespace rouse::cli {
namespace {

// All of a workspace may take a while to go.
constexpr Millis kDeleteDeadline = minutes(10);
constexpr std::size_t kPage = 200;

struct WorkspaceOptions {
  ServerOption server;
  bool json = false;
  bool yes = false;
  std::string id, name, type;
};
using Options = std::shared_ptr<WorkspaceOptions>;

Result<void> list_workspaces(const WorkspaceOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  WorkspaceList all;
  do {
    std::string path = fmt::format("/kernel/workspaces?limit={}", kPage);
    if (all.next_cursor) path += "&cursor=" + percent_encode(*all.next_cursor);
    TRY(WorkspaceList page, api.get<WorkspaceList>(path));
    for (WorkspaceView& one : page.items) all.items.push_back(std::move(one));
    all.next_cursor = page.next_cursor;
  } while (all.next_cursor);
  if (options.json) {
    print_json(all);
    return {};
  }
  std::vector<std::vector<std::string>> rows{{"ID", "TYPE", "NAME", "CREATED"}};
  for (const WorkspaceView& one : all.items) {
    rows.push_back({one.workspace_id, one_line(one.type, 20), one_line(one.name, 40),
                    short_time(one.created_at)});
  }
  fmt::print("{}", to_table(rows));
  return {};
}

Result<void> create_workspace(const WorkspaceOptions& options) {
  NewWorkspace wanted;
  if (!options.name.empty()) wanted.name = options.name;
  if (!options.type.empty()) wanted.type = options.type;
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const MadeWorkspace made, api.post<MadeWorkspace>("/kernel/workspaces", encode_json(wanted)));
  if (options.json) {
    print_json(made);
    return {};
  }
  fmt::print("{}\n", made.workspace_id);  // alone on stdout, so that a script can take it
  std::fflush(stdout);
  fmt::print(stderr, "To let somebody in: rouse token create NAME --workspace {}\n",
             made.workspace_id);
  return {};
}

// What can't be undone is typed out, not nodded through.
bool typed(const std::string& id) {
  if (::isatty(STDIN_FILENO) == 0) return false;
  fmt::print(stderr,
             "This deletes {} with all its conversations, for good. Type its id to go on: ", id);
  std::string answer;
  for (int c = std::getchar(); c != EOF && c != '\n'; c = std::getchar()) {
    answer += static_cast<char>(c);
  }
  return trim(answer) == id;
}

void print_deleted(const DeletedWorkspace& view) {
  fmt::print("deleted {}\n", view.workspace_id);
  const WorkspaceCounts& gone = view.deleted;
  for (const auto& [count, what] : {std::pair(gone.conversations, "conversations"),
                                    {gone.sessions, "sessions"},
                                    {gone.messages, "messages"},
                                    {gone.files, "files"},
                                    {gone.tokens, "tokens"}}) {
    if (count > 0) fmt::print("  {} {}\n", count, what);
  }
  fmt::print("{}\n", safe_text(view.message));
  for (const BackupEntry& copy : view.backups) {
    fmt::print("  {} ({} bytes)\n", safe_text(copy.file), copy.bytes);
  }
}

Result<void> delete_workspace(const WorkspaceOptions& options) {
  TRY(const WorkspaceId id, WorkspaceId::parse(options.id));
  TRY(ApiClient api, ApiClient::find(options.server));
  if (!options.yes && !typed(id.str())) {
    return fail(Errc::kCancelled, "nothing was deleted. To delete without a question: --yes");
  }
  api.set_deadline(kDeleteDeadline);
  TRY(const std::string raw, api.call("DELETE", "/kernel/workspaces/" + id.str(), ""));
  if (options.json) {
    fmt::print("{}\n", raw);
    return {};
  }
  const auto view = decode_json<DeletedWorkspace>(raw);
  if (!view) return fail(wrap("it is deleted, but the answer can't be read", view.error()));
  print_deleted(*view);
  return {};
}

using Action = Result<void> (*)(const WorkspaceOptions&);

CLI::App& add_action(CLI::App& parent, Chosen& chosen, const Options& options, Action action,
                     const std::string& name, const std::string& sentence,
                     const std::vector<std::string>& examples) {
  CLI::App& command = add_command(parent, name, sentence, examples);
  add_server_options(command, options->server);
  add_json_flag(command, options->json);
  command.callback([options, action, &chosen] {
    chosen.run = [options, action] { return finish(action(*options)); };
  });
  return command;
}

}  // namespace

void add_workspace(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<WorkspaceOptions>();
  CLI::App& workspace =
      add_command(root, "workspace", "List, make and delete workspaces: the walls between people.",
                  {"rouse workspace list", "rouse workspace create \"The office\" --type team"});
  workspace.require_subcommand(1);
  add_action(workspace, chosen, options, list_workspaces, "list", "List the workspaces.",
             {"rouse workspace list --json"});
  CLI::App& create = add_action(
      workspace, chosen, options, create_workspace, "create", "Make a workspace and print its id.",
      {"rouse workspace create Ida", "rouse workspace create Office --type team"});
  create.add_option("NAME", options->name, "What you call it");
  create.add_option("--type", options->type, "What it is for, in a word; default personal")
      ->type_name("WORD");
  CLI::App& remove = add_action(
      workspace, chosen, options, delete_workspace, "delete",
      "Delete a workspace and everything in it, for good.",
      {"rouse workspace delete ws_019a8c2f", "rouse workspace delete ws_019a8c2f --yes"});
  remove.add_option("ID", options->id, "From: rouse workspace list")->required();
  remove.add_flag("--yes", options->yes, "Don't ask");
}

}  // namespace rouse::cli
