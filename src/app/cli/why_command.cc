#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/api_client.h"
#include "app/cli/command.h"
#include "app/cli/readable.h"
#include "base/text.h"
#include "gateway/routes/why_routes.h"

namespace rouse::cli {
namespace {

struct WhyOptions {
  ServerOption server;
  std::string id, workspace, cursor;
  bool json = false;
};

std::string path_of(const WhyOptions& options) {
  std::string path = fmt::format("/api/sessions/{}/why", percent_encode(options.id));
  char mark = '?';
  const auto add = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    path += fmt::format("{}{}={}", mark, name, percent_encode(value));
    mark = '&';
  };
  add("workspace_id", options.workspace);
  add("cursor", options.cursor);
  return path;
}

Result<void> why_session(const WhyOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  if (options.json) {
    TRY(const std::string raw, api.call("GET", path_of(options), ""));
    fmt::print("{}\n", raw);
    return {};
  }
  TRY(const StoryView story, api.get<StoryView>(path_of(options)));
  fmt::print("{}  {}  {}\n\n", story.session.session_id, safe_text(story.session_key),
             story.session.status);
  for (const StoryEntryView& entry : story.story) {
    fmt::print("{}  {}\n", short_time(entry.at), safe_text(entry.sentence));
  }
  if (story.next_cursor) {
    fmt::print("\nWhat came before: rouse why session {} --cursor {}\n", story.session.session_id,
               *story.next_cursor);
  }
  return {};
}

}  // namespace

void add_why(CLI::App& root, Chosen& chosen) {
  CLI::App& why = add_command(root, "why", "Ask why something is the way it is.",
                              {"rouse why session whatsapp:+15550001234"});
  why.require_subcommand(1);
  auto options = std::make_shared<WhyOptions>();
  CLI::App& session = add_command(
      why, "session", "Why a session was opened, went on and ended; in plain words.",
      {"rouse why session sess_019a8c2f", "rouse why session whatsapp:+15550001234 --json"});
  session
      .add_option("ID", options->id,
                  "sess_…, or conv_… or a key like whatsapp:+1555… for the newest session there")
      ->required();
  session.add_option("--workspace", options->workspace, "Whose it is; default yours")
      ->type_name("ID");
  session.add_option("--cursor", options->cursor, "The part before, as the command said")
      ->type_name("CURSOR");
  add_server_options(session, options->server);
  add_json_flag(session, options->json);
  session.callback(
      [options, &chosen] { chosen.run = [options] { return finish(why_session(*options)); }; });
}

}  // namespace rouse::cli
