#include <algorithm>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <boost/json/serialize.hpp>

#include "app/cli/api_client.h"
#include "app/cli/command.h"
#include "app/cli/readable.h"
#include "app/cli/workflow_check.h"
#include "app/cli/workflow_dry_run.h"
#include "app/cli/workflow_reading.h"
#include "base/text.h"
#include "lifecycle/docs/workflow_docs.h"

namespace rouse::cli {
namespace {

constexpr int kFiringsAsked = 50;
constexpr int kFiringsPage = 200;

struct WorkflowOptions {
  ServerOption server;
  std::vector<std::string> files;
  std::string file, name, conversation, workspace;
  DryWish wish;
  bool json = false, all = false;
};
using Options = std::shared_ptr<WorkflowOptions>;
using Action = int (*)(const WorkflowOptions&);

// --- of a running server -------------------------------------------------------------------------

Result<void> list_them(const WorkflowOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const std::string raw, api.call("GET", "/api/workflows", ""));
  if (options.json) {
    fmt::print("{}\n", raw);
    return {};
  }
  TRY(const WorkflowList list, decode_json<WorkflowList>(raw));
  fmt::print("{}", workflow_table(list));
  return {};
}

// As the server has it, or where none runs, as the next start would read it.
Result<std::string> text_of(const WorkflowOptions& options) {
  auto api = ApiClient::find(options.server);
  if (!api) {
    if (!api.error().is(CliErrc::kNotRunning) || !options.server.url.empty()) {
      return fail(std::move(api).error());
    }
    TRY(const std::string data, options.server.data.dir());
    TRY(const WorkflowText found, named_workflow(data, options.name));
    return found.text;
  }
  TRY(const auto workflow,
      api->get<WorkflowView>("/api/workflows/" + percent_encode(options.name)));
  return workflow.text.value_or("");
}

Result<void> show_one(const WorkflowOptions& options) {
  TRY(const std::string text, text_of(options));
  fmt::print("{}{}", safe_text(text), text.ends_with('\n') ? "" : "\n");
  return {};
}

std::string gates_path(const WorkflowOptions& options, const std::string& cursor) {
  std::string path =
      fmt::format("/api/conversations/{}/gates?limit={}", percent_encode(options.conversation),
                  options.all ? kFiringsPage : kFiringsAsked);
  if (!options.workspace.empty()) path += "&workspace_id=" + percent_encode(options.workspace);
  if (!cursor.empty()) path += "&cursor=" + percent_encode(cursor);
  return path;
}

Result<void> show_trace(const WorkflowOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(GateList gates, api.get<GateList>(gates_path(options, "")));
  while (options.all && gates.next_cursor) {
    TRY(GateList more, api.get<GateList>(gates_path(options, *gates.next_cursor)));
    std::ranges::move(more.firings, std::back_inserter(gates.firings));
    gates.next_cursor = more.next_cursor;
  }
  if (options.json) {
    print_json(gates);
    return {};
  }
  if (gates.firings.empty()) {
    fmt::print("No workflow fired in this conversation. What is in force: rouse workflow list\n");
    return {};
  }
  if (gates.next_cursor) {
    fmt::print("There is more before this: rouse workflow trace {} --all\n",
               safe_text(options.conversation));
  }
  fmt::print("{}", firings_text(std::move(gates.firings)));
  return {};
}

int run_list(const WorkflowOptions& options) { return finish(list_them(options)); }
int run_show(const WorkflowOptions& options) { return finish(show_one(options)); }
int run_trace(const WorkflowOptions& options) { return finish(show_trace(options)); }

// --- of files ------------------------------------------------------------------------------------

int run_check(const WorkflowOptions& options) {
  std::vector<std::string> files = options.files;
  const auto data = options.server.data.dir();
  if (files.empty() && !data) return report(data.error());
  const CheckedWorkflows checked =
      files.empty() ? check_workflow_folder(*data) : check_workflow_files(files);
  if (options.json) {
    print_json(checked);
  } else {
    fmt::print("{}", checked_text(checked));
  }
  return checked.ok ? kOk : kFailed;
}

// A file, or the name of a workflow: the owner's before rouse's own.
Result<WorkflowText> wanted_text(const WorkflowOptions& options) {
  auto file = read_workflow_file(options.file);
  if (file) return file;
  const bool may_be_name = options.file.find_first_of("/.") == std::string::npos;
  if (!may_be_name) return file;
  TRY(const std::string data, options.server.data.dir());
  return named_workflow(data, options.file);
}

int run_test(const WorkflowOptions& options) {
  const auto text = wanted_text(options);
  if (!text) return report(text.error());
  LoadedWorkflow loaded = load_workflow(text->file, text->text);
  for (const WorkflowProblem& problem : loaded.problems) {
    fmt::print(stderr, "{}\n", safe_text(problem.str()));
  }
  if (!loaded.workflow) return kFailed;
  DryWish wish = options.wish;
  wish.workflow = std::make_shared<const Workflow>(std::move(*loaded.workflow));
  const auto tried = dry_run(wish);
  if (!tried) return report(tried.error());
  if (options.json) return print_json(*tried);
  fmt::print("{}", dry_run_text(*tried));
  return kOk;
}

int run_docs(const WorkflowOptions&) {
  fmt::print("{}", workflow_docs());
  return kOk;
}

// --- the tree of commands ------------------------------------------------------------------------

CLI::App& add_action(CLI::App& parent, Chosen& chosen, const Options& options, Action action,
                     const std::string& name, const std::string& sentence,
                     const std::vector<std::string>& examples) {
  CLI::App& command = add_command(parent, name, sentence, examples);
  command.callback(
      [options, action, &chosen] { chosen.run = [options, action] { return action(*options); }; });
  return command;
}

void add_test(CLI::App& workflow, Chosen& chosen, const Options& options) {
  CLI::App& test = add_action(
      workflow, chosen, options, run_test, "test",
      "Try an event on a workflow without a server: every step, its conditions, the decision.",
      {R"(rouse workflow test mine.yaml --event on_before_tool --data '{"tool_name": "shell", "tool_input": {"command": "pip install x"}}')",
       R"(rouse workflow test headless-lifecycle --event on_before_tool --set plan_mode=true --data '{"tool_name": "write_file", "project": {"git": true}}')",
       R"(rouse workflow test headless-lifecycle --event on_stop --data '{"project": {"git": true}, "task": {"number": 7, "title": "Mend it"}}')"});
  test.add_option("FILE", options->file, "A file, - for stdin, or the name of a workflow")
      ->required();
  test.add_option("--event", options->wish.event, "The trigger, such as on_before_tool")
      ->required()
      ->type_name("NAME");
  test.add_option("--data", options->wish.data,
                  "What it is about: tool_name, tool_class, tool_input, tool_result, tool_failed, "
                  "prompt, answer, reason, project, task, turn (docs/workflows.md)")
      ->type_name("JSON");
  test.add_option("--set", options->wish.set, "A variable of the session; can be given often")
      ->type_name("NAME=JSON")
      ->allow_extra_args(false);
  test.add_option("--source", options->wish.source, "Whose session; default the workflow's first")
      ->type_name("NAME");
  test.add_option("--home", options->server.data.given,
                  "Data folder to look for a workflow by its name; else $ROUSE_HOME, else ~/.rouse")
      ->type_name("DIR");
  add_json_flag(test, options->json);
}

void add_of_server(CLI::App& workflow, Chosen& chosen, const Options& options) {
  CLI::App& list = add_action(workflow, chosen, options, run_list, "list",
                              "List the workflows, whose sessions they are for, their problems.",
                              {"rouse workflow list", "rouse workflow list --json"});
  add_server_options(list, options->server);
  add_json_flag(list, options->json);

  CLI::App& show = add_action(
      workflow, chosen, options, run_show, "show", "Print the text of one.",
      {"rouse workflow show headless-lifecycle",
       "rouse workflow show headless-lifecycle > ~/.rouse/workflows/headless-lifecycle.yaml"});
  show.add_option("NAME", options->name, "From: rouse workflow list")->required();
  add_server_options(show, options->server);

  CLI::App& trace = add_action(
      workflow, chosen, options, run_trace, "trace",
      "What workflows did in a conversation: what fired, what was refused and why; newest last.",
      {"rouse workflow trace conv_019a8c2f", "rouse workflow trace whatsapp:+15550001234 --all"});
  trace.add_option("CONVERSATION", options->conversation, "conv_… or a key like whatsapp:+1555…")
      ->required();
  trace.add_flag("--all", options->all, "All that is kept, not only the newest");
  trace.add_option("--workspace", options->workspace, "Whose; default yours")->type_name("ID");
  add_server_options(trace, options->server);
  add_json_flag(trace, options->json);
}

}  // namespace

void add_workflow(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<WorkflowOptions>();
  CLI::App& workflow = add_command(
      root, "workflow", "The rules of a session's life: list, check, test and trace workflows.",
      {"rouse workflow list", "rouse workflow check mine.yaml",
       "rouse workflow trace conv_019a8c2f    # what was refused there, and why"});
  workflow.require_subcommand(1);
  add_of_server(workflow, chosen, options);

  CLI::App& check = add_action(workflow, chosen, options, run_check, "check",
                               "Say what is wrong with workflow files, each with its line.",
                               {"rouse workflow check mine.yaml", "rouse workflow check",
                                "rouse workflow check - < mine.yaml"});
  check.add_option("FILE", options->files,
                   "Files, or - for stdin; default: all of workflows/ in the data folder");
  add_data_option(check, options->server.data);
  add_json_flag(check, options->json);

  add_test(workflow, chosen, options);
  add_action(workflow, chosen, options, run_docs, "docs",
             "Print the page about workflows (docs/workflows.md).",
             {"rouse workflow docs > docs/workflows.md"});
}

}  // namespace rouse::cli
