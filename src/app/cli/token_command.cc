#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/api_client.h"
#include "app/cli/command.h"
#include "app/config_keeper.h"
#include "app/owner_token.h"
#include "base/ids.h"
#include "gateway/routes/token_routes.h"

namespace rouse::cli {
namespace {

struct LinkAnswer {
  std::string url, expires_at;
};
auto shape(const LinkAnswer*) {
  return fields(field("url", &LinkAnswer::url, ""),
                field("expires_at", &LinkAnswer::expires_at, ""));
}
struct OwnerView {
  std::string token, origin;
};
auto shape(const OwnerView*) {
  return fields(field("token", &OwnerView::token, ""), field("origin", &OwnerView::origin, ""));
}
struct RevokedView {
  bool ok = true;
  std::string id;
};
auto shape(const RevokedView*) {
  return fields(field("ok", &RevokedView::ok, ""), field("id", &RevokedView::id, ""));
}

struct TokenOptions {
  ServerOption server;
  bool json = false;
  std::string name, role, workspace, id;
};
using Options = std::shared_ptr<TokenOptions>;

Result<void> print_owner(const TokenOptions& options) {
  TRY(const std::string dir, options.server.data.dir());
  SystemRandom random;
  TRY(const OwnerToken owner, ensure_owner_token(dir, process_environment(), random));
  if (options.json) {
    print_json(OwnerView{owner.token, owner.origin});
  } else {
    fmt::print("{}\n", owner.token);
  }
  return {};
}

Result<void> list_tokens(const TokenOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const TokenList list, api.get<TokenList>("/api/tokens"));
  if (options.json) {
    print_json(list);
    return {};
  }
  std::vector<std::vector<std::string>> rows{{"ID", "NAME", "ROLE", "WORKSPACE", "CREATED"}};
  for (const TokenView& one : list.items) {
    rows.push_back({one.id, one.name, one.role, one.workspace, one.created_at.value_or("-")});
  }
  fmt::print("{}", to_table(rows));
  return {};
}

Result<void> create_token(const TokenOptions& options) {
  NewToken wanted;
  wanted.name = options.name;
  if (!options.role.empty()) wanted.role = options.role;
  if (!options.workspace.empty()) wanted.workspace = options.workspace;
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const MadeToken made, api.post<MadeToken>("/api/tokens", encode_json(wanted)));
  if (options.json) {
    print_json(made);
    return {};
  }
  fmt::print("{}\n", made.token);  // alone on stdout, so that a script can take it
  std::fflush(stdout);
  fmt::print(stderr,
             "Keep it now, it is not shown again. It acts as {} in {}.\nTo revoke it: rouse token "
             "revoke {}\n",
             made.role, made.workspace, made.id);
  return {};
}

Result<void> revoke_token(const TokenOptions& options) {
  TRY(const TokenId id, TokenId::parse(options.id));
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY_VOID(api.call("DELETE", "/api/tokens/" + id.str(), ""));
  if (options.json) {
    print_json(RevokedView{true, id.str()});
  } else {
    fmt::print("revoked {}\n", id.str());
  }
  return {};
}

Result<void> print_link(const TokenOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const LinkAnswer link, api.post<LinkAnswer>("/api/signin/codes", "{}"));
  if (options.json) {
    print_json(link);
    return {};
  }
  fmt::print("{}\n", link.url);
  std::fflush(stdout);
  fmt::print(stderr, "Open it in a browser. It works once, until {}.\n", link.expires_at);
  return {};
}

using Action = Result<void> (*)(const TokenOptions&);

CLI::App& add_action(CLI::App& parent, Chosen& chosen, const Options& options, Action action,
                     const std::string& name, const std::string& sentence,
                     const std::vector<std::string>& examples) {
  CLI::App& command = add_command(parent, name, sentence, examples);
  add_server_options(command, options->server);
  add_json_flag(command, options->json);
  command.callback([options, action, &chosen] {
    chosen.run = [options, action] { return finish(action(*options)); };
  });
  return command;
}

}  // namespace

void add_token(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<TokenOptions>();
  CLI::App& token = add_command(root, "token", "Print the owner's token, or manage further tokens.",
                                {"rouse token",
                                 "curl -H \"Authorization: Bearer $(rouse token)\" "
                                 "http://127.0.0.1:18888/api/me"});
  add_data_option(token, options->server.data);
  add_json_flag(token, options->json);
  token.callback([options, &chosen, &token] {
    if (!token.get_subcommands().empty()) return;
    chosen.run = [options] { return finish(print_owner(*options)); };
  });

  add_action(token, chosen, options, list_tokens, "list", "List the tokens that are in use.",
             {"rouse token list --json"});
  CLI::App& create = add_action(token, chosen, options, create_token, "create",
                                "Make a token and print it, this once.",
                                {"rouse token create phone", "rouse token create ci --role admin"});
  create.add_option("NAME", options->name, "What you call it")->required();
  create
      .add_option("--role", options->role,
                  "admin may do everything, user works in one workspace; default user")
      ->check(CLI::IsMember({"admin", "user"}).description(""))
      ->type_name("admin|user");
  create.add_option("--workspace", options->workspace, "Whose workspace; default yours")
      ->type_name("ID");
  CLI::App& revoke = add_action(token, chosen, options, revoke_token, "revoke",
                                "Make a token useless, at once.", {"rouse token revoke tok_4f2a"});
  revoke.add_option("ID", options->id, "From: rouse token list")->required();
  add_action(token, chosen, options, print_link, "link",
             "Print a link that signs a browser in, once.", {"rouse token link"});
}

}  // namespace rouse::cli
