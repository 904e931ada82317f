#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/api_client.h"
#include "app/cli/automations_preview.h"
#include "app/cli/automations_reading.h"
#include "app/cli/automations_wish.h"
#include "app/cli/command.h"
#include "app/cli/readable.h"
#include "base/files.h"
#include "base/text.h"
#include "schedule/import/legacy_import.h"

namespace rouse::cli {
namespace {

constexpr std::int64_t kListed = 50;
constexpr std::int64_t kMost = 200;
constexpr Millis kImportDeadline = minutes(2);

struct AutomationOptions {
  ServerOption server;
  AutomationWords words;
  std::string id, run, workspace, cursor, reason, file;
  std::int64_t limit = kListed;
  bool json = false;
};
using Options = std::shared_ptr<AutomationOptions>;
using Action = Result<void> (*)(const AutomationOptions&);

// With what every request may say, and what a listing adds to it.
std::string path_to(const AutomationOptions& options, std::string path, bool listing = false) {
  char mark = '?';
  const auto add = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    path += fmt::format("{}{}={}", std::exchange(mark, '&'), name, percent_encode(value));
  };
  add("workspace_id", options.workspace);
  if (!listing) return path;
  add("limit", std::to_string(options.limit));
  add("cursor", options.cursor);
  if (options.id.empty()) add("session_key", options.words.session);
  return path;
}

std::string path_of_one(const AutomationOptions& options, std::string_view rest = {},
                        bool listing = false) {
  return path_to(options, fmt::format("/api/automations/{}{}", percent_encode(options.id), rest),
                 listing);
}

// Asks, and gives the answer as a document; with --json it is printed as it came, and null comes
// back.
Result<boost::json::value> ask(const AutomationOptions& options, const std::string& method,
                               const std::string& path, const std::string& body = {},
                               Millis deadline = seconds(5)) {
  TRY(ApiClient api, ApiClient::find(options.server));
  api.set_deadline(deadline);
  TRY(const std::string raw, api.call(method, path, body));
  if (!options.json) return parse_json(raw);
  fmt::print("{}\n", raw);
  return boost::json::value();
}

void tell_of_more(const boost::json::value& page) {
  const std::string cursor = text_at(page, "next_cursor");
  if (!cursor.empty()) fmt::print("There are more: --cursor {}\n", cursor);
}

Result<void> list_automations(const AutomationOptions& options) {
  TRY(const auto page, ask(options, "GET", path_to(options, "/api/automations", true)));
  if (options.json) return {};
  fmt::print("{}", automation_list(page));
  tell_of_more(page);
  return {};
}

Result<void> show_automation(const AutomationOptions& options) {
  TRY(const auto one, ask(options, "GET", path_of_one(options)));
  if (!options.json) fmt::print("{}", automation_card(one, now()));
  return {};
}

// What it is now, in words, and when it comes: whoever said it wrongly sees it here.
Result<void> tell_kept(const AutomationOptions& options, const boost::json::value& one) {
  if (options.json) return {};
  const std::string state = text_at(one, "state");
  fmt::print("{}  {}{}\n{}, {}\n{}", safe_text(text_at(one, "id")),
             one_line(text_at(one, "name"), 100),
             state == "active" ? "" : fmt::format("  ({})", state),
             safe_text(text_at(one, "words")), text_at(one, "zone"), next_fires(one, now()));
  // It is kept; what it costs is said if the server can say it (UX-2).
  const auto seen =
      ask(options, "POST", path_to(options, "/api/automations/preview"),
          fmt::format(R"({{"automation_id":"{}"}})", json_escape(text_at(one, "id"))));
  if (seen) fmt::print("{}", forecast_text(*seen, now()));
  return {};
}

Result<void> add_automation(const AutomationOptions& options) {
  TRY(const std::string body, creation_body(options.words, now()));
  TRY(const auto one, ask(options, "POST", path_to(options, "/api/automations"), body));
  return tell_kept(options, one);
}

Result<void> edit_automation(const AutomationOptions& options) {
  TRY(const std::string body, edit_body(options.words, now()));
  TRY(const auto one, ask(options, "PATCH", path_of_one(options), body));
  return tell_kept(options, one);
}

Result<void> pause_automation(const AutomationOptions& options) {
  const std::string body = options.reason.empty()
                               ? "{}"
                               : fmt::format(R"({{"reason":"{}"}})", json_escape(options.reason));
  TRY_VOID(ask(options, "POST", path_of_one(options, "/pause"), body));
  if (options.json) return {};
  fmt::print("{0} is paused. Go on: rouse automations resume {0}\n", safe_text(options.id));
  return {};
}

Result<void> resume_automation(const AutomationOptions& options) {
  TRY(const auto one, ask(options, "POST", path_of_one(options, "/resume"), "{}"));
  return tell_kept(options, one);
}

Result<void> remove_automation(const AutomationOptions& options) {
  TRY_VOID(ask(options, "DELETE", path_of_one(options)));
  if (!options.json) fmt::print("removed {}\n", safe_text(options.id));
  return {};
}

Result<void> show_runs(const AutomationOptions& options) {
  if (!options.run.empty()) {
    TRY(const auto run,
        ask(options, "GET", path_to(options, "/api/runs/" + percent_encode(options.run))));
    if (!options.json) fmt::print("{}", run_card(run));
    return {};
  }
  TRY(const auto page, ask(options, "GET", path_of_one(options, "/runs", true)));
  if (options.json) return {};
  fmt::print("{}", items_table(page, "items",
                               {{"RUN", "id"},
                                {"DUE", "scheduled_for", Cell::kTime},
                                {"STATUS", "status"},
                                {"REASON", "reason"},
                                {"LATE", "late"},
                                {"TOKENS IN", "tokens_in"},
                                {"OUT", "tokens_out"},
                                {"ENDED", "ended_at", Cell::kAgo}},
                               "It has not run yet.", now()));
  tell_of_more(page);
  return {};
}

Result<void> show_ledger(const AutomationOptions& options) {
  TRY(const auto ledger, ask(options, "GET", path_of_one(options, "/occurrences", true)));
  if (options.json) return {};
  fmt::print("{}", ledger_text(ledger, now()));
  tell_of_more(ledger);
  return {};
}

Result<void> import_automations(const AutomationOptions& options) {
  TRY(const std::string records, read_file(options.file, kImportedFileBytes));
  TRY(const auto report,
      ask(options, "POST", path_to(options, "/api/automations/import"), records, kImportDeadline));
  if (!options.json) fmt::print("{}", import_text(report));
  return {};
}

// --- the tree of commands ------------------------------------------------------------------------

void add_shared(CLI::App& command, const Options& options) {
  command.add_option("--workspace", options->workspace, "Whose; default yours")->type_name("ID");
  add_server_options(command, options->server);
  add_json_flag(command, options->json);
}

CLI::App& add_action(CLI::App& parent, Chosen& chosen, const Options& options, Action action,
                     const std::string& name, const std::string& sentence,
                     const std::vector<std::string>& examples) {
  CLI::App& command = add_command(parent, name, sentence, examples);
  add_shared(command, options);
  command.callback([options, action, &chosen] {
    chosen.run = [options, action] { return finish(action(*options)); };
  });
  return command;
}

// An action on one of them.
CLI::App& add_action_on(CLI::App& parent, Chosen& chosen, const Options& options, Action action,
                        const std::string& name, const std::string& sentence,
                        const std::vector<std::string>& examples) {
  CLI::App& command = add_action(parent, chosen, options, action, name, sentence, examples);
  command.add_option("ID", options->id, "As rouse automations list shows it")->required();
  return command;
}

void add_paging(CLI::App& command, const Options& options) {
  command.add_option("--limit", options->limit, fmt::format("How many; default {}", kListed))
      ->check(CLI::Range(std::int64_t{1}, kMost).description(""))
      ->type_name("N");
  command.add_option("--cursor", options->cursor, "The part after, as the command said")
      ->type_name("CURSOR");
}

void add_text(CLI::App& command, const char* name, std::string& text, const char* what,
              const char* type) {
  command.add_option(name, text, what)->type_name(type);
}

void add_list_filters(CLI::App& command, const Options& options) {
  add_text(command, "--session", options->words.session,
           "Only of this conversation, by any of its names", "ID");
  add_paging(command, options);
}

// What can be said about an automation, new or not.
void add_words(CLI::App& command, AutomationWords& words) {
  add_text(command, "--session", words.session,
           "The conversation it speaks into: conv_…, sess_… or a key like whatsapp:+15550001234",
           "ID");
  add_text(command, "--cron", words.cron, "When: a cron expression like \"0 8 * * 1-5\"", "EXPR");
  add_text(command, "--zone", words.zone,
           "Whose clock it follows, like Europe/Berlin; default the workspace's", "ZONE");
  add_text(command, "--every", words.every, "When: every so often, like 90s, 20m, 2h, 1d",
           "LENGTH");
  add_text(
      command, "--at", words.at,
      "When: once, at 2026-11-16T08:00 (local, or with Z or an offset), or from now on, like +20m",
      "TIME");
  add_text(command, "--name", words.name, "What you call it; default the start of the message",
           "NAME");
  add_text(command, "--catch-up", words.catch_up,
           "What was missed while rouse was down: latest (default), all or skip", "POLICY");
  command.add_option("--catch-up-max", words.catch_up_max, "With all: how many at most")
      ->type_name("N");
  add_text(command, "--window", words.window, "How late it may still run; default 7d", "LENGTH");
  add_text(command, "--timeout", words.timeout, "How long a run may take; default 10m", "LENGTH");
  add_text(command, "--gate", words.gate,
           "A command run first, in the sandbox; the agent is woken only if it ends with 0",
           "COMMAND");
  command.add_option("--tool", words.tools, "All the tools it may use; may be given often")
      ->type_name("NAME");
  add_text(command, "--output-file", words.output_file, "Isolated: a file for the output", "FILE");
  add_text(command, "--output-session", words.output_session,
           "Isolated: a conversation that is told the output", "ID");
  command.add_flag("--notify", words.notify, "Isolated: notify whoever watches");
  add_text(command, "--project", words.project_path, "Isolated: the folder it works in", "DIR");
}

void add_changes(CLI::App& automations, Chosen& chosen, const Options& options) {
  CLI::App& add = add_action(
      automations, chosen, options, add_automation, "add",
      "Add one: at its time the message comes into the conversation, and the agent answers there.",
      {"rouse automations add --session websocket:work --cron \"0 8 * * 1-5\" --zone Europe/Berlin "
       "\"Report "
       "what is new\"",
       "rouse automations add --session terminal:default --at +20m \"Remind me of the tea\"",
       "rouse automations add --isolated --every 1d --output-file week.md \"Sum up the week\""});
  AutomationWords& words = options->words;
  add.add_option("MESSAGE", words.message, "What the agent is told at its time")->required();
  add_words(add, words);
  add.add_flag("--isolated", words.isolated, "In a conversation of its own, gone afterwards");
  add_text(add, "--key", words.key, "Adding again with the same key changes nothing", "KEY");
  add.add_flag("--paused", words.paused, "It waits for: rouse automations resume");

  CLI::App& edit = add_action_on(automations, chosen, options, edit_automation, "edit",
                                 "Change one; what is not said stays.",
                                 {"rouse automations edit 3f2a91c0 --cron \"0 9 * * 1-5\"",
                                  "rouse automations edit 3f2a91c0 --message \"Be brief\""});
  add_text(edit, "--message", words.message, "What the agent is told at its time", "TEXT");
  add_words(edit, words);

  CLI::App& pause = add_action_on(automations, chosen, options, pause_automation, "pause",
                                  "Let it rest; what falls due meanwhile is skipped.",
                                  {"rouse automations pause 3f2a91c0 --reason holidays"});
  add_text(pause, "--reason", options->reason, "Why, for whoever asks later", "TEXT");
  add_action_on(automations, chosen, options, resume_automation, "resume", "Let it go on from now.",
                {"rouse automations resume 3f2a91c0"});
  add_action_on(automations, chosen, options, remove_automation, "remove", "Remove it for good.",
                {"rouse automations remove 3f2a91c0"});
}

}  // namespace

void add_automations(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<AutomationOptions>();
  CLI::App& automations = add_command(
      root, "automations", "What agents do on a schedule: list, add, change, and see how it went.",
      {"rouse automations",
       "rouse automations add --session websocket:work --every 2h \"Check the build\"",
       "rouse automations preview \"0 10,14 * * 1-5\" --zone Europe/Berlin",
       "rouse why automation 3f2a91c0 --at 2026-11-16T08:00:00Z    # why it ran, or didn't"});
  automations.require_subcommand(0, 1);
  add_list_filters(automations, options);
  add_shared(automations, options);
  // Runs also when a subcommand was named, after the subcommand's.
  automations.callback([options, &automations, &chosen] {
    if (!automations.get_subcommands().empty()) return;
    chosen.run = [options] { return finish(list_automations(*options)); };
  });

  add_list_filters(add_action(automations, chosen, options, list_automations, "list",
                              "List them, with when they come next and how the last one went.",
                              {"rouse automations list --session work --json"}),
                   options);
  add_action_on(automations, chosen, options, show_automation, "show", "Show one with everything.",
                {"rouse automations show 3f2a91c0"});
  add_changes(automations, chosen, options);

  CLI::App& runs =
      add_action_on(automations, chosen, options, show_runs, "runs",
                    "List its runs, newest first; or show one with what the agent was told.",
                    {"rouse automations runs 3f2a91c0",
                     "rouse automations runs 3f2a91c0 3f2a91c0:1770000000000"});
  runs.add_option("RUN", options->run, "One run, in full");
  add_paging(runs, options);
  add_paging(add_action_on(automations, chosen, options, show_ledger, "ledger",
                           "Every moment it was due, and what became of it; newest first.",
                           {"rouse automations ledger 3f2a91c0 --json"}),
             options);
  CLI::App& import = add_action(automations, chosen, options, import_automations, "import",
                                "Take over the jobs.json of another system; twice changes nothing.",
                                {"rouse automations import ~/old/cron/jobs.json"});
  import.add_option("FILE", options->file, "{\"jobs\":[…]}")->required();
  add_automations_preview(automations, chosen);
}

}  // namespace rouse::cli
