#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/api_client.h"
#include "app/cli/automations_reading.h"
#include "app/cli/command.h"
#include "app/cli/readable.h"
#include "app/cli/workflow_reading.h"
#include "base/text.h"
#include "gateway/routes/why_routes.h"

namespace rouse::cli {
namespace {

constexpr int kFiringsCounted = 200;

struct WhyOptions {
  ServerOption server;
  std::string id, workspace, cursor, at;
  bool json = false;
};

std::string path_of(const WhyOptions& options, std::string path) {
  char mark = '?';
  const auto add = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    path += fmt::format("{}{}={}", mark, name, percent_encode(value));
    mark = '&';
  };
  add("workspace_id", options.workspace);
  add("cursor", options.cursor);
  add("at", options.at);
  return path;
}

// What the rules of the house did there. They are an admin's to see; whoever is none gets the rest.
std::string rules_of(ApiClient& api, const WhyOptions& options, const StoryView& story) {
  std::string path = fmt::format("/api/conversations/{}/gates?limit={}",
                                 percent_encode(story.conversation_id), kFiringsCounted);
  if (!options.workspace.empty()) path += "&workspace_id=" + percent_encode(options.workspace);
  const auto gates = api.get<GateList>(path);
  return gates ? rules_story(gates->firings) : std::string();
}

Result<void> why_session(const WhyOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  const std::string path =
      path_of(options, fmt::format("/api/sessions/{}/why", percent_encode(options.id)));
  if (options.json) {
    TRY(const std::string raw, api.call("GET", path, ""));
    fmt::print("{}\n", raw);
    return {};
  }
  TRY(const StoryView story, api.get<StoryView>(path));
  fmt::print("{}  {}  {}\n\n", story.session.session_id, safe_text(story.session_key),
             story.session.status);
  for (const StoryEntryView& entry : story.story) {
    fmt::print("{}  {}\n", short_time(entry.at), safe_text(entry.sentence));
  }
  const std::string rules = options.cursor.empty() ? rules_of(api, options, story) : "";
  if (!rules.empty()) {
    fmt::print("\n{}All of it: rouse workflow trace {}\n", rules, story.conversation_id);
  }
  if (story.next_cursor) {
    fmt::print("\nWhat came before: rouse why session {} --cursor {}\n", story.session.session_id,
               *story.next_cursor);
  }
  return {};
}

Result<void> why_automation(const WhyOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  const std::string path = path_of(options, "/api/why/automation/" + percent_encode(options.id));
  TRY(const std::string raw, api.call("GET", path, ""));
  if (options.json) {
    fmt::print("{}\n", raw);
    return {};
  }
  TRY(const auto answer, parse_json(raw));
  fmt::print("{}\n", safe_text(text_at(answer, "text")));
  return {};
}

using Question = Result<void> (*)(const WhyOptions&);

CLI::App& add_question(CLI::App& why, Chosen& chosen, Question question, const std::string& name,
                       const std::string& sentence, const std::string& what_id,
                       const std::vector<std::string>& examples,
                       const std::shared_ptr<WhyOptions>& options) {
  CLI::App& command = add_command(why, name, sentence, examples);
  command.add_option("ID", options->id, what_id)->required();
  command.add_option("--workspace", options->workspace, "Whose it is; default yours")
      ->type_name("ID");
  add_server_options(command, options->server);
  add_json_flag(command, options->json);
  command.callback([options, question, &chosen] {
    chosen.run = [options, question] { return finish(question(*options)); };
  });
  return command;
}

}  // namespace

void add_why(CLI::App& root, Chosen& chosen) {
  CLI::App& why = add_command(root, "why", "Ask why something is the way it is.",
                              {"rouse why session whatsapp:+15550001234",
                               "rouse why automation 3f2a91c0 --at 2026-11-16T08:00:00Z"});
  why.require_subcommand(1);
  auto options = std::make_shared<WhyOptions>();
  add_question(
      why, chosen, why_session, "session",
      "Why a session was opened, went on and ended; in plain words.",
      "sess_…, or conv_… or a key like whatsapp:+1555… for the newest session there",
      {"rouse why session sess_019a8c2f", "rouse why session whatsapp:+15550001234 --json"},
      options)
      .add_option("--cursor", options->cursor, "The part before, as the command said")
      ->type_name("CURSOR");
  add_question(
      why, chosen, why_automation, "automation",
      "Why an automation ran, waits or didn't run; now, or at any moment.",
      "As rouse automations list shows it; of a removed one, too",
      {"rouse why automation 3f2a91c0", "rouse why automation 3f2a91c0 --at 2026-11-16T08:00:00Z"},
      options)
      .add_option("--at", options->at, "The moment it was due, or any other; default now")
      ->type_name("TIME");
}

}  // namespace rouse::cli
