#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/export_file.h"
#include "app/cli/readable.h"
#include "app/system_zone.h"
#include "base/local_time.h"
#include "base/text.h"
#include "gateway/routes/activity_routes.h"

namespace rouse::cli {
namespace {

constexpr std::int64_t kListed = 20, kMost = 10'000, kPage = 200;
constexpr std::size_t kAliasCharacters = 20;
constexpr Millis kLookAgain = seconds(1);

struct ActivityOptions {
  ServerOption server;
  std::string workspace, type, project, conversation, since, until, search;
  ExportOptions file{.format = "", .output = ""};
  std::int64_t limit = kListed;
  bool json = false, follow = false;
};

// The server reads the times: "today" is today where the workspace is.
std::string path_of(const ActivityOptions& options, std::string_view rest) {
  std::string path = fmt::format("/api/activity{}", rest);
  const auto add = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    path += fmt::format("{}{}={}", path.contains('?') ? '&' : '?', name, percent_encode(value));
  };
  add("workspace_id", options.workspace);
  add("type", options.type);
  add("project", options.project);
  add("conversation", options.conversation);
  add("since", options.since);
  add("until", options.until);
  add("q", options.search);
  return path;
}

// Over as many pages as it takes; one may be empty while a search goes on.
Result<ActivityList> fetch_rows(ApiClient& api, const ActivityOptions& options) {
  ActivityList out;
  do {
    const auto missing = options.limit - static_cast<std::int64_t>(out.items.size());
    std::string query = fmt::format("?limit={}", std::min(missing, kPage));
    if (out.next_cursor) query += "&cursor=" + *out.next_cursor;
    TRY(ActivityList page, api.get<ActivityList>(path_of(options, query)));
    std::ranges::move(page.items, std::back_inserter(out.items));
    out.last_id = std::max(out.last_id, page.last_id);
    out.next_cursor = std::move(page.next_cursor);
  } while (out.next_cursor && static_cast<std::int64_t>(out.items.size()) < options.limit);
  return out;
}

std::string line_of(const ActivityView& row, const std::string& zone) {
  const LocalTime at = local_time({row.ts_ms}, zone);
  const std::string project = row.project_alias.value_or(row.project.value_or(""));
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}  {:<10}  {}{}{}\n", at.year, at.month, at.day,
                     at.hour, at.minute, row.type, one_line(project, kAliasCharacters),
                     project.empty() ? "" : ": ", safe_text(row.summary));
}

void print_rows(const std::vector<ActivityView>& rows, const ActivityOptions& options,
                const std::string& zone) {
  for (const ActivityView& row : rows) {
    fmt::print("{}", options.json ? encode_json(row) + "\n" : line_of(row, zone));
  }
  std::fflush(stdout);
}

// Until somebody ends it. A server that is away for a moment is asked again.
Result<void> follow_rows(ApiClient& api, const ActivityOptions& options, std::int64_t after) {
  const std::string zone = system_zone();
  while (true) {
    api.pause(kLookAgain);
    const auto found =
        api.get<ActivityList>(path_of(options, fmt::format("?after={}&limit={}", after, kPage)));
    if (!found && found.error().kind != Kind::kUnavailable) return std::unexpected(found.error());
    if (!found) continue;
    print_rows(found->items, options, zone);
    after = found->last_id;
  }
}

Result<void> show_activity(const ActivityOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  if (!options.file.format.empty()) {
    return run_export(api, path_of(options, "/export"), options.file);
  }
  TRY(ActivityList list, fetch_rows(api, options));
  if (options.follow) {
    std::ranges::reverse(list.items);
    print_rows(list.items, options, system_zone());
    return follow_rows(api, options, list.last_id);
  }
  if (options.json) {
    print_json(list);
    return {};
  }
  if (list.items.empty()) {
    fmt::print(
        "Nothing here{}. What conversations, automations and heartbeats did appears here, in a\n"
        "sentence or two, once a conversation has been at rest for two minutes.\n",
        path_of(options, "") == "/api/activity" ? " yet" : " that fits");
    return {};
  }
  print_rows(list.items, options, system_zone());
  if (list.next_cursor && options.limit < kMost) {
    fmt::print("There are more: --limit {}\n", std::min(options.limit * 10, kMost));
  } else if (list.next_cursor) {
    fmt::print("There are more: --export csv writes all of them\n");
  }
  return {};
}

}  // namespace

void add_activity(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<ActivityOptions>();
  CLI::App& command =
      add_command(root, "activity",
                  "What happened, in a sentence or two each: conversations, runs, heartbeats.",
                  {"rouse activity --since today", "rouse activity --type heartbeat --since 7d",
                   "rouse activity --follow", "rouse activity --export csv --output activity.csv"});
  const auto text = [&command](const std::string& name, std::string& value,
                               const std::string& sentence, const std::string& kind) {
    command.add_option(name, value, sentence)->type_name(kind);
  };
  text("--type", options->type, "message, heartbeat, scheduled, background or system", "TYPE");
  text("--project", options->project, "Only of this project, by its key", "KEY");
  text("--conversation", options->conversation, "Only of this one, by any of its names", "ID");
  text("--since", options->since, "From then on: 2026-11-16T09:00, today, 2h, 7d", "TIME");
  text("--until", options->until, "Before then, written the same way", "TIME");
  text("--search", options->search, "Only with these words", "TEXT");
  text("--workspace", options->workspace, "Whose; default yours", "ID");
  CLI::Option* const limit =
      command.add_option("--limit", options->limit, fmt::format("How many; default {}", kListed))
          ->check(CLI::Range(std::int64_t{1}, kMost).description(""))
          ->type_name("N");
  CLI::Option* const follow =
      command.add_flag("--follow", options->follow, "Go on with what is written from now on");
  follow->excludes(command.get_option("--until"));
  CLI::Option* const as_file =
      command.add_option("--export", options->file.format, "All of it as a file: csv or json")
          ->check(CLI::IsMember({"csv", "json"}).description(""))
          ->type_name("csv|json")
          ->excludes(follow)
          ->excludes(limit);  // a file has all of it
  text("-o,--output", options->file.output, "Write the export to this file", "FILE");
  command.get_option("--output")->needs(as_file);
  add_server_options(command, options->server);
  add_json_flag(command, options->json);
  command.callback(
      [options, &chosen] { chosen.run = [options] { return finish(show_activity(*options)); }; });
}

}  // namespace rouse::cli
