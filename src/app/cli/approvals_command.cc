#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/api_client.h"
#include "app/cli/command.h"
#include "app/cli/readable.h"
#include "base/text.h"
#include "gateway/routes/approval_routes.h"

namespace rouse::cli {
namespace {

constexpr std::int64_t kListed = 20;
constexpr std::int64_t kMost = 200;

struct ApprovalOptions {
  ServerOption server;
  std::string id, state = "pending", conversation, workspace, scope, note;
  std::int64_t limit = kListed;
  bool json = false;
};
using Options = std::shared_ptr<ApprovalOptions>;

std::string path_to(const ApprovalOptions& options, std::string path) {
  char sign = '?';
  const auto add = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    path += fmt::format("{}{}={}", sign, name, percent_encode(value));
    sign = '&';
  };
  add("workspace_id", options.workspace);
  if (!options.id.empty()) return path;
  add("limit", std::to_string(options.limit));
  if (path.starts_with("/api/permissions")) return path;
  add("state", options.state == "all" ? "" : options.state);
  add("conversation_id", options.conversation);
  return path;
}

std::string path_of_one(const ApprovalOptions& options) {
  return path_to(options, "/api/approvals/" + percent_encode(options.id));
}

Result<void> list_approvals(const ApprovalOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const auto list, api.get<ApprovalList>(path_to(options, "/api/approvals")));
  if (options.json) {
    print_json(list);
    return {};
  }
  if (list.items.empty()) {
    fmt::print("{}\n", options.state == "pending" ? "Nothing waits for your word." : "None.");
    return {};
  }
  const WallTime at = now();
  std::vector<std::vector<std::string>> rows{{"ID", "STATE", "WHAT", "ASKED", "EXPIRES"}};
  for (const ApprovalDetail& one : list.items) {
    rows.push_back({one.approval_id, one.state, one_line(one.summary, 60), ago(one.created_at, at),
                    short_time(one.expires_at)});
  }
  fmt::print("{}", to_table(rows));
  if (list.next_cursor) fmt::print("There are older ones: rouse approvals --limit {}\n", kMost);
  return {};
}

void print_approval(const ApprovalDetail& one) {
  fmt::print("{}  {}\n", one.approval_id, one.state);
  const auto line = [](std::string_view name, std::string_view text) {
    if (!text.empty()) fmt::print("  {:<10} {}\n", name, hanging(safe_text(text), 13));
  };
  line("what", one.summary);
  line("tool", one.tool);
  line("arguments", one.arguments);
  line("folder", one.project_folder);
  line("why", one.why);
  line("asked", short_time(one.created_at));
  if (one.state == "pending") {
    line("until", short_time(one.expires_at));
    fmt::print("Answer: rouse approvals approve {0}, or: rouse approvals deny {0}\n",
               one.approval_id);
    return;
  }
  line("decided", fmt::format("{} by {}", short_time(one.decided_at.value_or("")),
                              one.decided_by.value_or("")));
  line("scope", one.scope.value_or(""));
  line("note", one.note.value_or(""));
}

Result<void> show_approval(const ApprovalOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const auto one, api.get<ApprovalDetail>(path_of_one(options)));
  if (options.json) {
    print_json(one);
  } else {
    print_approval(one);
  }
  return {};
}

Result<void> answer_approval(const ApprovalOptions& options, std::string decision) {
  ApprovalWord word{.decision = std::move(decision), .scope = {}, .note = {}};
  if (!options.scope.empty()) word.scope = options.scope;
  if (!options.note.empty()) word.note = options.note;
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const auto one, api.post<ApprovalDetail>(path_of_one(options), encode_json(word)));
  if (options.json) {
    print_json(one);
  } else {
    fmt::print("{} {}: {}\n", one.approval_id, one.state, one_line(one.summary, 100));
  }
  return {};
}

Result<void> list_permissions(const ApprovalOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const auto list, api.get<PermissionList>(path_to(options, "/api/permissions")));
  if (options.json) {
    print_json(list);
    return {};
  }
  if (list.items.empty()) {
    fmt::print("Nothing is allowed for longer than once.\n");
    return {};
  }
  std::vector<std::vector<std::string>> rows{{"ID", "TOOL", "CALL", "WHERE", "SINCE"}};
  for (const PermissionView& one : list.items) {
    rows.push_back({one.permission_id, one.tool, one_line(one.covers, 60),
                    one.conversation_id.value_or("everywhere"), short_time(one.created_at)});
  }
  fmt::print("{}", to_table(rows));
  return {};
}

Result<void> forget_permission(const ApprovalOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY_VOID(
      api.call("DELETE", path_to(options, "/api/permissions/" + percent_encode(options.id)), ""));
  fmt::print("{} is forgotten: the call asks again\n", options.id);
  return {};
}

CLI::App& add_part(CLI::App& parent, ApprovalOptions& options, const std::string& name,
                   const std::string& sentence, const std::string& example) {
  CLI::App& out = add_command(parent, name, sentence, {example});
  add_server_options(out, options.server);
  out.add_option("--workspace", options.workspace, "Whose; default yours")->type_name("ID");
  return out;
}

void add_list_options(CLI::App& command, ApprovalOptions& options) {
  command.add_option("--limit", options.limit, fmt::format("How many; default {}", kListed))
      ->check(CLI::Range(std::int64_t{1}, kMost).description(""))
      ->type_name("N");
  add_json_flag(command, options.json);
}

void add_filters(CLI::App& command, ApprovalOptions& options) {
  command
      .add_option("--state", options.state,
                  "pending (default), approved, denied, expired, withdrawn or all")
      ->type_name("STATE");
  command
      .add_option("--conversation", options.conversation, "Only of this one, by any of its names")
      ->type_name("ID");
  add_list_options(command, options);
}

void run_with(CLI::App& command, Chosen& chosen, const Options& options,
              std::function<Result<void>(const ApprovalOptions&)> work) {
  command.callback([options, &chosen, work = std::move(work)] {
    chosen.run = [options, work] { return finish(work(*options)); };
  });
}

void add_answers(CLI::App& approvals, Chosen& chosen, const Options& options) {
  for (const std::string decision : {"approve", "deny"}) {
    const bool yes = decision == "approve";
    CLI::App& answer =
        add_part(approvals, *options, decision, yes ? "Let it run." : "Don't let it run.",
                 "rouse approvals " + decision + " apr_019a8c2f");
    answer.add_option("ID", options->id, "apr_…")->required();
    if (yes) {
      answer
          .add_option("--for", options->scope,
                      "How long this very call is allowed: once (default), conversation, always")
          ->type_name("SCOPE");
    }
    answer.add_option("--note", options->note, "What the agent is told with it")->type_name("TEXT");
    add_json_flag(answer, options->json);
    run_with(answer, chosen, options,
             [decision](const ApprovalOptions& given) { return answer_approval(given, decision); });
  }
}

}  // namespace

void add_approvals(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<ApprovalOptions>();
  CLI::App& approvals = add_command(
      root, "approvals", "See what waits for your word, and answer it.",
      {"rouse approvals", "rouse approvals show apr_019a8c2f",
       "rouse approvals approve apr_019a8c2f --for conversation", "rouse approvals permissions"});
  approvals.require_subcommand(0, 1);
  add_server_options(approvals, options->server);
  approvals.add_option("--workspace", options->workspace, "Whose; default yours")->type_name("ID");
  add_filters(approvals, *options);
  // Runs also when a subcommand was named, after the subcommand's.
  approvals.callback([options, &approvals, &chosen] {
    if (!approvals.get_subcommands().empty()) return;
    chosen.run = [options] { return finish(list_approvals(*options)); };
  });

  CLI::App& list =
      add_part(approvals, *options, "list", "List them.", "rouse approvals list --state all");
  add_filters(list, *options);
  run_with(list, chosen, options, list_approvals);

  CLI::App& show = add_part(approvals, *options, "show", "Show one with everything it would do.",
                            "rouse approvals show apr_019a8c2f");
  show.add_option("ID", options->id, "apr_…")->required();
  add_json_flag(show, options->json);
  run_with(show, chosen, options, show_approval);

  add_answers(approvals, chosen, options);

  CLI::App& permissions =
      add_part(approvals, *options, "permissions", "List what is allowed for longer than once.",
               "rouse approvals permissions --json");
  add_list_options(permissions, *options);
  run_with(permissions, chosen, options, list_permissions);

  CLI::App& forget = add_part(approvals, *options, "forget", "Take a permission back.",
                              "rouse approvals forget perm_019a8c2f");
  forget.add_option("ID", options->id, "perm_…")->required();
  run_with(forget, chosen, options, forget_permission);
}

}  // namespace rouse::cli
