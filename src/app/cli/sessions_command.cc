#include "app/cli/sessions_command.h"

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/readable.h"
#include "base/text.h"
#include "gateway/routes/kernel_routes.h"
#include "gateway/routes/workspace_routes.h"

namespace rouse::cli {
namespace {

constexpr std::int64_t kListed = 50;
constexpr std::int64_t kPage = 200;
constexpr std::int64_t kMost = 1'000'000;

using Options = std::shared_ptr<SessionOptions>;
using Action = Result<void> (*)(const SessionOptions&);

CLI::App& add_action(CLI::App& parent, Chosen& chosen, const Options& options, Action action,
                     const std::string& name, const std::string& sentence,
                     const std::vector<std::string>& examples) {
  CLI::App& command = add_command(parent, name, sentence, examples);
  add_server_options(command, options->server);
  command.add_option("--workspace", options->workspace, "Whose; default yours")->type_name("ID");
  command.callback([options, action, &chosen] {
    chosen.run = [options, action] { return finish(action(*options)); };
  });
  return command;
}

void add_id(CLI::App& command, const Options& options) {
  command.add_option("ID", options->id, "sess_…, conv_… or a key like whatsapp:+15550001234")
      ->required();
}

void add_limit(CLI::App& command, const Options& options, const std::string& sentence) {
  command.add_option("--limit", options->limit, sentence)
      ->check(CLI::Range(std::int64_t{1}, kMost).description(""))
      ->type_name("N");
}

Result<std::string> workspace_of(ApiClient& api, const SessionOptions& options) {
  if (!options.workspace.empty()) return options.workspace;
  TRY(const WorkspaceView own, api.get<WorkspaceView>("/api/workspace"));
  return own.workspace_id;
}

struct Fetched {
  SessionList list;
  bool more = false;
};

Result<Fetched> fetch(ApiClient& api, const SessionOptions& options) {
  TRY(const std::string workspace, workspace_of(api, options));
  const std::int64_t wanted = options.limit > 0 ? options.limit : (options.all ? kMost : kListed);
  Fetched out;
  auto& sessions = out.list.sessions;
  const auto got = [&] { return static_cast<std::int64_t>(sessions.size()); };
  for (bool more = true; more && got() <= wanted;) {  // one more than wanted tells of the rest
    const auto asked = std::min(wanted + 1 - got(), kPage);
    std::string path =
        fmt::format("/kernel/sessions?workspace_id={}&limit={}", percent_encode(workspace), asked);
    if (!sessions.empty()) path += "&before=" + sessions.back().session_id;
    TRY(SessionList page, api.get<SessionList>(path));
    more = static_cast<std::int64_t>(page.sessions.size()) == asked;
    for (SessionView& one : page.sessions) sessions.push_back(std::move(one));
  }
  out.more = got() > wanted;
  if (out.more) sessions.pop_back();
  return out;
}

}  // namespace

std::string conversation_path(const SessionOptions& options, std::string_view rest,
                              std::string_view query) {
  std::string path = fmt::format("/api/conversations/{}{}", percent_encode(options.id), rest);
  if (!query.empty()) path += fmt::format("?{}", query);
  if (!options.workspace.empty()) {
    path += fmt::format("{}workspace_id={}", query.empty() ? "?" : "&",
                        percent_encode(options.workspace));
  }
  return path;
}

std::string session_id_of(const SessionOptions& options, const ConversationView& conversation) {
  return options.id.starts_with("sess_") ? options.id : conversation.session.session_id;
}

Result<void> list_sessions(const SessionOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const Fetched fetched, fetch(api, options));
  const SessionList& list = fetched.list;
  if (options.json) {
    print_json(list);
    return {};
  }
  if (list.sessions.empty()) {
    fmt::print("No sessions yet. The first message over a bridge or in the web app opens one.\n");
    return {};
  }
  const WallTime at = now();
  std::vector<std::vector<std::string>> rows{{"ID", "WHO", "STATUS", "TURNS", "LAST MESSAGE"}};
  for (const SessionView& one : list.sessions) {
    rows.push_back({one.session_id, one_line(one.channel + ":" + one.remote_jid, 48), one.status,
                    std::to_string(one.turn_count), ago(one.last_message_at, at)});
  }
  fmt::print("{}", to_table(rows));
  if (fetched.more) fmt::print("There are more: rouse sessions list --all\n");
  return {};
}

Result<void> close_session(const SessionOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  std::string id = options.id;
  if (!id.starts_with("sess_")) {
    TRY(const auto found, api.get<ConversationView>(conversation_path(options)));
    id = session_id_of(options, found);
  }
  TRY(const CloseAnswer closed,
      api.post<CloseAnswer>(fmt::format("/kernel/sessions/{}/close", percent_encode(id)), ""));
  if (options.json) {
    print_json(closed);
  } else {
    fmt::print("closed {}; the next message opens a new session\n", closed.session_id);
  }
  return {};
}

Result<void> export_session(const SessionOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  return run_export(api, conversation_path(options, "/export"), options.how);
}

void add_sessions(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<SessionOptions>();
  CLI::App& sessions = add_command(
      root, "sessions", "Look at conversations and their sessions: list, read, search, export.",
      {"rouse sessions list", "rouse sessions show whatsapp:+15550001234",
       "rouse why session whatsapp:+15550001234    # why it was opened, went on or ended"});
  sessions.require_subcommand(1);

  CLI::App& list = add_action(sessions, chosen, options, list_sessions, "list",
                              "List the sessions of a workspace, newest first.",
                              {"rouse sessions list", "rouse sessions list --all --json"});
  add_limit(list, options, fmt::format("How many; default {}", kListed));
  list.add_flag("--all", options->all, "All of them");
  add_json_flag(list, options->json);

  CLI::App& show = add_action(
      sessions, chosen, options, show_session, "show",
      "Show a session and the newest messages of its conversation.",
      {"rouse sessions show sess_019a8c2f", "rouse sessions show whatsapp:+15550001234"});
  add_id(show, options);
  add_json_flag(show, options->json);

  CLI::App& close = add_action(sessions, chosen, options, close_session, "close",
                               "Close a session; what was said stays readable.",
                               {"rouse sessions close sess_019a8c2f"});
  add_id(close, options);
  add_json_flag(close, options->json);

  CLI::App& write_out = add_action(sessions, chosen, options, export_session, "export",
                                   "Write out a whole conversation.",
                                   {"rouse sessions export sess_019a8c2f --format markdown",
                                    "rouse sessions export conv_019a8c2f --output talk.jsonl"});
  add_id(write_out, options);
  add_export_options(write_out, options->how);

  CLI::App& search = add_action(sessions, chosen, options, search_sessions, "search",
                                "Search everything that was said, newest first.",
                                {"rouse sessions search invoice",
                                 "rouse sessions search \"the blue one\" --in conv_019a8c2f"});
  search.add_option("TEXT", options->text, "What to look for")->required();
  search.add_option("--in", options->in, "Only in this conversation: sess_…, conv_… or its key")
      ->type_name("ID");
  add_limit(search, options, "How many; default 20");
  add_json_flag(search, options->json);
}

}  // namespace rouse::cli
