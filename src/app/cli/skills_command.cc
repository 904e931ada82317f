#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/api_client.h"
#include "app/cli/command.h"
#include "app/cli/readable.h"
#include "base/text.h"
#include "gateway/routes/skill_routes.h"

namespace rouse::cli {
namespace {

struct SkillsOptions {
  ServerOption server;
  std::string workspace, name;
  bool json = false;
};
using Options = std::shared_ptr<SkillsOptions>;

std::string path_of(const SkillsOptions& options) {
  std::string path = "/api/skills";
  if (!options.name.empty()) path += "/" + percent_encode(options.name);
  if (!options.workspace.empty()) path += "?workspace_id=" + percent_encode(options.workspace);
  return path;
}

void print_list(const SkillList& list) {
  if (list.items.empty() && list.problems.empty()) {
    fmt::print("No skills. Write one: skills/NAME/SKILL.md in the data folder\n");
    return;
  }
  std::vector<std::vector<std::string>> rows{{"NAME", "USED", "DESCRIPTION", "FILE"}};
  for (const SkillView& skill : list.items) {
    rows.push_back({one_line(skill.name, 64), skill.always_apply ? "always" : "on demand",
                    one_line(skill.description, 60), one_line(skill.file, 80)});
  }
  if (!list.items.empty()) fmt::print("{}", to_table(rows));
  for (const std::string& problem : list.problems) fmt::print("! {}\n", one_line(problem, 300));
}

Result<void> show_skills(const SkillsOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const std::string raw, api.call("GET", path_of(options), ""));
  if (options.json) {
    fmt::print("{}\n", raw);
  } else if (options.name.empty()) {
    TRY(const SkillList list, decode_json<SkillList>(raw));
    print_list(list);
  } else {
    TRY(const SkillView skill, decode_json<SkillView>(raw));
    fmt::print("{}\n", safe_text(skill.text.value_or("")));
  }
  return {};
}

void add_options(CLI::App& command, const Options& options) {
  command.add_option("--workspace", options->workspace, "Whose; default yours")->type_name("ID");
  add_server_options(command, options->server);
  add_json_flag(command, options->json);
}

}  // namespace

void add_skills(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<SkillsOptions>();
  CLI::App& skills =
      add_command(root, "skills", "The skills your agents have, and what is wrong with others.",
                  {"rouse skills", "rouse skills show weekly-report"});
  skills.require_subcommand(0, 1);
  add_options(skills, options);
  CLI::App& list = add_command(skills, "list", "List them.", {"rouse skills list --json"});
  add_options(list, options);
  CLI::App& show =
      add_command(skills, "show", "Print the text of one.", {"rouse skills show weekly-report"});
  show.add_option("NAME", options->name, "From: rouse skills")->required();
  add_options(show, options);
  // The same runs for all of them: with a name it is one skill.
  skills.callback(
      [options, &chosen] { chosen.run = [options] { return finish(show_skills(*options)); }; });
}

}  // namespace rouse::cli
