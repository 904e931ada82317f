#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/api_client.h"
#include "app/cli/command.h"
#include "app/cli/readable.h"
#include "base/text.h"
#include "gateway/routes/chat_routes.h"

namespace rouse::cli {
namespace {

constexpr std::int64_t kListed = 20;
constexpr std::int64_t kMost = 10'000;
constexpr std::int64_t kPage = 200;

struct TurnOptions {
  ServerOption server;
  std::string id, conversation, workspace;
  std::int64_t limit = kListed;
  bool json = false;
};

std::string list_path(const TurnOptions& options, std::int64_t limit,
                      const std::optional<std::string>& cursor) {
  std::string path = fmt::format("/api/turns?limit={}", limit);
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) path += fmt::format("&{}={}", name, percent_encode(value));
  };
  add("conversation_id", options.conversation);
  add("workspace_id", options.workspace);
  add("cursor", cursor.value_or(""));
  return path;
}

Result<TurnList> fetch_turns(ApiClient& api, const TurnOptions& options) {
  TurnList out;
  do {
    const auto missing = options.limit - static_cast<std::int64_t>(out.items.size());
    TRY(TurnList page,
        api.get<TurnList>(list_path(options, std::min(missing, kPage), out.next_cursor)));
    std::ranges::move(page.items, std::back_inserter(out.items));
    out.next_cursor = std::move(page.next_cursor);
  } while (out.next_cursor && static_cast<std::int64_t>(out.items.size()) < options.limit);
  return out;
}

std::string outcome_of(const TurnView& turn) {
  if (!turn.verdict) return turn.state;
  const std::string reason = turn.reason.value_or("");
  return reason.empty() ? *turn.verdict : fmt::format("{} ({})", *turn.verdict, reason);
}

std::vector<std::string> row_of(const TurnView& turn, WallTime at) {
  return {turn.turn_id,
          turn.conversation_id,
          turn.kind,
          one_line(outcome_of(turn), 40),
          fmt::format("{}/{}", turn.tokens_in, turn.tokens_out),
          turn.cost_usd ? fmt::format("${:.4f}", *turn.cost_usd) : "-",
          ago(turn.queued_at, at)};
}

Result<void> list_turns(const TurnOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const TurnList list, fetch_turns(api, options));
  if (options.json) {
    print_json(list);
    return {};
  }
  if (list.items.empty()) {
    fmt::print("No turns yet. Say something: rouse chat\n");
    return {};
  }
  const WallTime at = now();
  std::vector<std::vector<std::string>> rows{
      {"ID", "CONVERSATION", "KIND", "OUTCOME", "TOKENS", "COST", "WHEN"}};
  for (const TurnView& turn : list.items) rows.push_back(row_of(turn, at));
  fmt::print("{}", to_table(rows));
  if (list.next_cursor) fmt::print("There are more: rouse turns --limit {}\n", options.limit * 10);
  return {};
}

Result<void> cancel_turn(const TurnOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const TurnView turn,
      api.post<TurnView>(fmt::format("/api/turns/{}/cancel", percent_encode(options.id)), ""));
  if (options.json) {
    print_json(turn);
  } else {
    fmt::print("{}: {}\n", turn.turn_id, safe_text(outcome_of(turn)));
  }
  return {};
}

}  // namespace

void add_turns(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<TurnOptions>();
  CLI::App& turns =
      add_command(root, "turns", "List what agents ran and how it ended; cancel what runs.",
                  {"rouse turns", "rouse turns --conversation terminal:default --json",
                   "rouse turns cancel turn_019a8c2f"});
  turns.require_subcommand(0, 1);
  turns
      .add_option("--conversation", options->conversation, "Only of this one, by any of its names")
      ->type_name("ID");
  turns.add_option("--workspace", options->workspace, "Whose; default yours")->type_name("ID");
  turns.add_option("--limit", options->limit, fmt::format("How many; default {}", kListed))
      ->check(CLI::Range(std::int64_t{1}, kMost).description(""))
      ->type_name("N");
  add_server_options(turns, options->server);
  add_json_flag(turns, options->json);

  CLI::App& cancel = add_command(turns, "cancel", "Stop a turn; what it has said is kept.",
                                 {"rouse turns cancel turn_019a8c2f"});
  cancel.add_option("ID", options->id, "turn_…")->required();
  add_server_options(cancel, options->server);
  add_json_flag(cancel, options->json);

  // Both run when the subcommand was named, the subcommand's first.
  turns.callback([options, &turns, &chosen] {
    if (!turns.get_subcommands().empty()) return;
    chosen.run = [options] { return finish(list_turns(*options)); };
  });
  cancel.callback(
      [options, &chosen] { chosen.run = [options] { return finish(cancel_turn(*options)); }; });
}

}  // namespace rouse::cli
