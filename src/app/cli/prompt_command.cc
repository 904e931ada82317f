#include <memory>

#include <CLI/CLI.hpp>

#include "agent/prompt/prompt_view.h"
#include "app/cli/api_client.h"
#include "app/cli/command.h"
#include "app/cli/readable.h"
#include "base/text.h"
#include "gateway/routes/conversation_views.h"

namespace rouse::cli {
namespace {

struct PromptOptions {
  ServerOption server;
  std::string conversation, turn, workspace;
  bool json = false, full = false;
};

std::string with_workspace(std::string path, const PromptOptions& options) {
  if (options.workspace.empty()) return path;
  return path + "?workspace_id=" + percent_encode(options.workspace);
}

std::string conversation_path(const PromptOptions& options) {
  return "/api/conversations/" + percent_encode(options.conversation);
}

std::string prompt_path(const PromptOptions& options) {
  return with_workspace(options.turn.empty()
                            ? conversation_path(options) + "/prompt"
                            : "/api/turns/" + percent_encode(options.turn) + "/prompt",
                        options);
}

// With --turn the conversation is only named for the reader; a wrong one would mislead them.
Result<void> check_conversation(ApiClient& api, const PromptOptions& options,
                                const PromptView& prompt) {
  if (options.turn.empty()) return {};
  TRY(const auto named,
      api.get<ConversationView>(with_workspace(conversation_path(options), options)));
  if (named.conversation_id == prompt.conversation_id) return {};
  return fail(Errc::kInvalid, fmt::format("{} is a turn of {}, not of {}", options.turn,
                                          prompt.conversation_id, options.conversation));
}

std::string seqs(const PromptHistoryView& history) {
  if (!history.first_seq || !history.last_seq) return "nothing yet";
  if (history.count == 1) return fmt::format("1 message, number {}", *history.first_seq);
  return fmt::format("{} messages, {} to {}", history.count, *history.first_seq, *history.last_seq);
}

void print_table(const PromptView& prompt) {
  std::vector<std::vector<std::string>> rows = {{"PART", "BYTES", "TOKENS", "CACHED", "NOTE"}};
  const auto add = [&](std::string part, std::int64_t bytes, std::int64_t tokens,
                       std::string cached, std::string note) {
    rows.push_back({std::move(part), std::to_string(bytes), std::to_string(tokens),
                    std::move(cached), std::move(note)});
  };
  for (const PromptSectionView& section : prompt.sections) {
    add(fmt::format("{} (v{})", safe_text(section.name), section.version), section.bytes,
        section.tokens, section.stable ? "yes" : "no", one_line(section.note, 200));
  }
  add("history", prompt.history.bytes, prompt.history.tokens, "", seqs(prompt.history));
  add("tools", prompt.tools.bytes, prompt.tools.tokens, "",
      fmt::format("{} tools", prompt.tools.count));
  add("total", prompt.total.bytes, prompt.total.tokens, "", "");
  fmt::print("{}", to_table(rows));
}

void print_texts(const PromptView& prompt) {
  for (const PromptSectionView& section : prompt.sections) {
    if (section.text.empty()) continue;
    fmt::print("\n--- {} ---\n{}\n", safe_text(section.name), safe_text(section.text));
  }
}

Result<void> show_prompt(const PromptOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const std::string raw, api.call("GET", prompt_path(options), ""));
  TRY(const auto prompt, decode_json<PromptView>(raw));
  TRY_VOID(check_conversation(api, options, prompt));
  if (options.json) {
    fmt::print("{}\n", raw);
    return {};
  }
  print_table(prompt);
  if (options.full) {
    print_texts(prompt);
  } else {
    fmt::print("\nThe text itself: add --full\n");
  }
  return {};
}

}  // namespace

void add_prompt(CLI::App& root, Chosen& chosen) {
  CLI::App& prompt = add_command(root, "prompt", "See what a model is told, with sizes.",
                                 {"rouse prompt show whatsapp:+15550001234"});
  prompt.require_subcommand(1);
  auto options = std::make_shared<PromptOptions>();
  CLI::App& show = add_command(
      prompt, "show", "What would be sent with the next message; or was, in a turn.",
      {"rouse prompt show conv_019a8c2f", "rouse prompt show whatsapp:+15550001234 --full",
       "rouse prompt show conv_019a8c2f --turn turn_019a8c30 --json"});
  show.add_option("CONVERSATION", options->conversation,
                  "conv_…, sess_…, or a key like whatsapp:+1555…")
      ->required();
  show.add_option("--turn", options->turn, "Rebuild the prompt of this turn instead")
      ->type_name("ID");
  show.add_flag("--full", options->full, "Print the text of each section too");
  show.add_option("--workspace", options->workspace, "Whose it is; default yours")->type_name("ID");
  add_server_options(show, options->server);
  add_json_flag(show, options->json);
  show.callback(
      [options, &chosen] { chosen.run = [options] { return finish(show_prompt(*options)); }; });
}

}  // namespace rouse::cli
