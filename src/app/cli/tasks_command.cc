#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/api_client.h"
#include "app/cli/command.h"
#include "app/cli/readable.h"
#include "base/text.h"
#include "gateway/routes/task_routes.h"

namespace rouse::cli {
namespace {

constexpr std::size_t kPage = 200;

struct TasksOptions {
  ServerOption server;
  std::string workspace, state = "active", project;
  std::string title, detail, number, by, reason;
  std::vector<std::string> commits;
  std::string action;  // of a change
  bool json = false, all = false;
};
using Options = std::shared_ptr<TasksOptions>;

std::string with_workspace(std::string path, const TasksOptions& options) {
  if (!options.workspace.empty()) path += "?workspace_id=" + percent_encode(options.workspace);
  return path;
}

std::optional<std::string> if_given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// Older tasks are a page further; nobody reads more at a terminal.
std::string list_path(const TasksOptions& options) {
  std::string path = fmt::format("/api/tasks?limit={}", kPage);
  if (!options.all) path += "&state=" + percent_encode(options.state);
  if (!options.project.empty()) path += "&project=" + percent_encode(options.project);
  if (!options.workspace.empty()) path += "&workspace_id=" + percent_encode(options.workspace);
  return path;
}

Result<void> list_tasks(const TasksOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  if (options.json) {
    TRY(const std::string raw, api.call("GET", list_path(options), ""));
    fmt::print("{}\n", raw);
    return {};
  }
  TRY(const TaskPage page, api.get<TaskPage>(list_path(options)));
  if (page.items.empty()) {
    fmt::print("No tasks. Add one: rouse tasks add \"buy milk\"\n");
    return {};
  }
  const WallTime at = now();
  std::vector<std::vector<std::string>> rows{
      {"NUMBER", "STATE", "TITLE", "BY", "PROJECT", "CHANGED"}};
  for (const TaskView& task : page.items) {
    rows.push_back({fmt::format("#{}", task.number), safe_text(task.state),
                    one_line(task.title, 60), one_line(task.claimed_by.value_or("-"), 20),
                    safe_text(task.project.value_or("-")), ago(task.updated_at, at)});
  }
  fmt::print("{}", to_table(rows));
  if (page.next_cursor) fmt::print("These are the newest {}.\n", kPage);
  return {};
}

Result<void> print_task(const TasksOptions& options, const std::string& answer) {
  if (options.json) {
    fmt::print("{}\n", answer);
    return {};
  }
  TRY(const TaskView task, decode_json<TaskView>(answer));
  fmt::print("#{} {}: {}\n", task.number, safe_text(task.state), one_line(task.title, 200));
  return {};
}

Result<void> add_task(const TasksOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  const TaskAsk wanted{options.title, if_given(options.detail), if_given(options.project)};
  TRY(const std::string answer,
      api.call("POST", with_workspace("/api/tasks", options), encode_json(wanted)));
  return print_task(options, answer);
}

Result<void> change_task(const TasksOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TaskPatch wanted{options.action, if_given(options.by), if_given(options.reason), {}};
  if (!options.commits.empty()) wanted.commits = options.commits;
  const std::string_view given = options.number;
  const std::string number = percent_encode(given.starts_with('#') ? given.substr(1) : given);
  TRY(const std::string answer,
      api.call("PATCH", with_workspace("/api/tasks/" + number, options), encode_json(wanted)));
  return print_task(options, answer);
}

using Action = Result<void> (*)(const TasksOptions&);

CLI::App& add_action(CLI::App& parent, Chosen& chosen, const Options& options, Action action,
                     const std::string& name, const std::string& sentence,
                     const std::string& example) {
  CLI::App& command = add_command(parent, name, sentence, {example});
  command.add_option("--workspace", options->workspace, "Whose; default yours")->type_name("ID");
  add_server_options(command, options->server);
  add_json_flag(command, options->json);
  command.callback([options, action, name, &chosen] {
    options->action = name;
    chosen.run = [options, action] { return finish(action(*options)); };
  });
  return command;
}

void add_filters(CLI::App& command, const Options& options) {
  command
      .add_option("--state", options->state, "open, claimed, done, closed or active; the default")
      ->type_name("STATE");
  command.add_option("--project", options->project, "Only of this one")->type_name("KEY");
  command.add_flag("--all", options->all, "Ended ones, too");
}

}  // namespace

void add_tasks(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<TasksOptions>();
  CLI::App& tasks = add_command(
      root, "tasks", "What is to be done: list, add, claim, complete and close tasks.",
      {"rouse tasks", "rouse tasks add \"buy milk\"", "rouse tasks complete 7 --commit 3f2a91c"});
  tasks.require_subcommand(0, 1);
  add_filters(tasks, options);
  tasks.add_option("--workspace", options->workspace, "Whose; default yours")->type_name("ID");
  add_server_options(tasks, options->server);
  add_json_flag(tasks, options->json);
  tasks.callback([options, &tasks, &chosen] {
    if (!tasks.get_subcommands().empty()) return;
    chosen.run = [options] { return finish(list_tasks(*options)); };
  });

  add_filters(add_action(tasks, chosen, options, list_tasks, "list",
                         "List tasks, the newest first.", "rouse tasks list --all --json"),
              options);
  CLI::App& add = add_action(tasks, chosen, options, add_task, "add", "Add a task.",
                             "rouse tasks add \"buy milk\" --detail \"two bottles\"");
  add.add_option("TITLE", options->title, "What is to be done, in a line")->required();
  add.add_option("--detail", options->detail, "The rest of it")->type_name("TEXT");
  add.add_option("--project", options->project, "Key of a project")->type_name("KEY");
  CLI::App& claim =
      add_action(tasks, chosen, options, change_task, "claim",
                 "Say that you work on it; the first one wins.", "rouse tasks claim 7");
  claim.add_option("--by", options->by, "Who; default the name of the token")->type_name("NAME");
  CLI::App& complete = add_action(tasks, chosen, options, change_task, "complete", "It is done.",
                                  "rouse tasks complete 7 --commit 3f2a91c");
  CLI::App& close =
      add_action(tasks, chosen, options, change_task, "close", "It won't be done, and why.",
                 "rouse tasks close 7 --reason obsolete");
  complete.add_option("--reason", options->reason, "How")->type_name("TEXT");
  close.add_option("--reason", options->reason, "Why")->type_name("TEXT")->required();
  for (CLI::App* command : {&claim, &complete, &close}) {
    command->add_option("NUMBER", options->number, "7 or #7")->required();
    if (command == &claim) continue;
    command->add_option("--commit", options->commits, "That did it; may be given often")
        ->type_name("ID");
  }
}

}  // namespace rouse::cli
