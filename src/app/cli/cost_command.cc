#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

#include "app/cli/api_client.h"
#include "app/cli/command.h"
#include "app/cli/readable.h"
#include "base/text.h"
#include "gateway/routes/usage_routes.h"

namespace rouse::cli {
namespace {

struct CostOptions {
  ServerOption server;
  std::string workspace, conversation, cursor;
  bool json = false;
};

std::string path_of(const CostOptions& options) {
  const bool one = !options.conversation.empty();
  std::string path =
      one ? fmt::format("/api/conversations/{}/usage", percent_encode(options.conversation))
          : "/api/usage?limit=31";
  char mark = one ? '?' : '&';
  const auto add = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    path += fmt::format("{}{}={}", std::exchange(mark, '&'), name, percent_encode(value));
  };
  add("workspace_id", options.workspace);
  if (!one) add("cursor", options.cursor);
  return path;
}

// "$4.98"; a lower bound is said to be one.
std::string money(const UsageView& usage) {
  const std::string amount = fmt::format("${:.{}f}", usage.usd, usage.usd < 1 ? 4 : 2);
  return usage.price_unknown ? "at least " + amount : amount;
}

std::vector<std::string> row_of(const std::string& name, const UsageView& usage) {
  return {name, std::to_string(usage.turns),
          std::to_string(usage.tokens_in + usage.cache_read + usage.cache_write),
          std::to_string(usage.tokens_out), money(usage)};
}
const std::vector<std::string> kHead{"WHEN", "TURNS", "TOKENS IN", "TOKENS OUT", "COST"};

std::string cap_words(const CapsView& caps) {
  std::vector<std::string> words;
  if (caps.day_usd) words.push_back(fmt::format("${:.2f} a day", *caps.day_usd));
  if (caps.day_tokens) words.push_back(fmt::format("{} tokens a day", *caps.day_tokens));
  if (caps.conversation_usd) {
    words.push_back(fmt::format("${:.2f} a conversation", *caps.conversation_usd));
  }
  if (words.empty()) return "none (set spend.day_usd in rouse.yaml)";
  return fmt::format("{}", fmt::join(words, ", "));
}

void print_workspace(const WorkspaceUsage& usage) {
  std::vector<std::vector<std::string>> rows{kHead, row_of("today", usage.today),
                                             row_of("this month", usage.month)};
  for (const UsageView& one : usage.items) {
    rows.push_back(row_of(safe_text(one.day.value_or("")), one));
  }
  fmt::print("{}\nCap: {}\n", to_table(rows), cap_words(usage.caps));
  if (usage.paused_reason) fmt::print("Paused: {}\n", safe_text(*usage.paused_reason));
  if (usage.next_cursor) {
    fmt::print("Earlier days: rouse cost --cursor {}\n", safe_text(*usage.next_cursor));
  }
}

void print_conversation(const ConversationUsage& usage) {
  fmt::print("{}", to_table({kHead, row_of(safe_text(usage.conversation_id), usage.total)}));
  if (usage.cap_usd) fmt::print("\nCap: ${:.2f}\n", *usage.cap_usd);
}

Result<void> show_cost(const CostOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  if (options.json) {
    TRY(const std::string raw, api.call("GET", path_of(options), ""));
    fmt::print("{}\n", raw);
    return {};
  }
  if (options.conversation.empty()) {
    TRY(const WorkspaceUsage usage, api.get<WorkspaceUsage>(path_of(options)));
    print_workspace(usage);
  } else {
    TRY(const ConversationUsage usage, api.get<ConversationUsage>(path_of(options)));
    print_conversation(usage);
  }
  return {};
}

}  // namespace

void add_cost(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<CostOptions>();
  CLI::App& command = add_command(
      root, "cost", "What the models cost: today, this month, each day, and the caps.",
      {"rouse cost", "rouse cost --conversation whatsapp:+15550001234", "rouse cost --json"});
  command.add_option("--conversation", options->conversation, "conv_…, or a key like telegram:42")
      ->type_name("ID");
  command.add_option("--workspace", options->workspace, "Whose; default yours")->type_name("ID");
  command.add_option("--cursor", options->cursor, "Earlier days, as the command said")
      ->type_name("DAY");
  add_server_options(command, options->server);
  add_json_flag(command, options->json);
  command.callback(
      [options, &chosen] { chosen.run = [options] { return finish(show_cost(*options)); }; });
}

}  // namespace rouse::cli
