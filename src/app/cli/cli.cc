#include "app/cli/cli.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/cli/command.h"
#include "base/text.h"

namespace rouse {
namespace {

using cli::kFailed, cli::kOk, cli::kUsage;

constexpr std::string_view kWelcome =
    R"(rouse gives AI agents a life between messages: one small server that keeps every conversation.

Start here:
  rouse serve         start the server; it prints a link to sign in with
  rouse token link    make another sign-in link while it runs
  rouse doctor        check that everything is in order

All commands: rouse --help
)";

constexpr const char* kFooter = R"(Exit codes:
  0 done   1 failed   2 wrong usage   3 server not reachable   4 not authorised

Help for one command: rouse COMMAND --help)";

struct Command {
  std::string_view name;
  void (*add)(CLI::App&, cli::Chosen&);
};
constexpr Command kCommands[] = {{"serve", cli::add_serve},
                                 {"chat", cli::add_chat},
                                 {"turns", cli::add_turns},
                                 {"approvals", cli::add_approvals},
                                 {"automations", cli::add_automations},
                                 {"activity", cli::add_activity},
                                 {"heartbeat", cli::add_heartbeat},
                                 {"notifications", cli::add_notifications},
                                 {"tasks", cli::add_tasks},
                                 {"skills", cli::add_skills},
                                 {"memory", cli::add_memory},
                                 {"token", cli::add_token},
                                 {"sessions", cli::add_sessions},
                                 {"why", cli::add_why},
                                 {"prompt", cli::add_prompt},
                                 {"cost", cli::add_cost},
                                 {"export", cli::add_export},
                                 {"workflow", cli::add_workflow},
                                 {"workspace", cli::add_workspace},
                                 {"config", cli::add_config},
                                 {"doctor", cli::add_doctor},
                                 {"backup", cli::add_backup},
                                 {"restore", cli::add_restore},
                                 {"completion", cli::add_completion},
                                 {"version", cli::add_version}};

// Each costs a start a tenth of a millisecond or more, so a line that names one gets only that.
// Help, hints about wrong words and completion need all.
void add_commands(CLI::App& root, cli::Chosen& chosen, std::string_view named) {
  const auto one = std::ranges::find(kCommands, named, &Command::name);
  if (one != std::ranges::end(kCommands) && named != "completion") return one->add(root, chosen);
  for (const Command& command : kCommands) command.add(root, chosen);
}

// The command the line got to, so that help and hints are about it.
const CLI::App& deepest(const CLI::App& app) {
  const auto below = app.get_subcommands();
  return below.empty() ? app : deepest(*below.front());
}

std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? "rouse" : path_of(*app.get_parent()) + " " + app.get_name();
}

// The words that would have been right in the place of a wrong one.
std::vector<std::string> right_words(const CLI::App& app, bool option) {
  std::vector<std::string> out;
  if (!option) {
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
      out.push_back(sub->get_name());
    }
    return out;
  }
  for (const CLI::Option* one : app.get_options()) {
    for (const std::string& name : one->get_lnames()) out.push_back("--" + name);
  }
  return out;
}

std::string unexpected_word(const CLI::App& app, const std::string& word) {
  const bool option = word.starts_with('-');
  const std::vector<std::string> words = right_words(app, option);
  const std::vector<std::string_view> views(words.begin(), words.end());
  const auto near = nearest(word.substr(0, word.find('=')), views);
  const std::string hint = near ? fmt::format(" Did you mean: {} {}", path_of(app), *near) : "";
  if (option) return fmt::format("there is no option '{}'.{}", word, hint);
  if (words.empty()) return fmt::format("'{}' is too much here.", word);
  return fmt::format("there is no command '{}'.{}", word, hint);
}

int usage_error(const CLI::App& app, const std::string& what) {
  fmt::print(stderr, "rouse: {}\nTry: {} --help\n", what, path_of(app));
  return kUsage;
}

int unexpected(const CLI::App& root, const CLI::ParseError& error) {
  const std::vector<std::string> rest = root.remaining(true);
  const CLI::App& app = deepest(root);
  return usage_error(app, rest.empty() ? error.what() : unexpected_word(app, rest.front()));
}

int missing(const CLI::App& root, const CLI::ParseError& error) {
  const CLI::App& app = deepest(root);
  const std::vector<std::string> words = right_words(app, false);
  if (words.empty()) return usage_error(app, error.what());
  return usage_error(app,
                     fmt::format("{} needs a command: {}", path_of(app), fmt::join(words, ", ")));
}

std::string help_of(const CLI::App& app) {
  return app.help(app.get_parent() == nullptr ? "" : path_of(*app.get_parent()));
}

int parse_and_run(int argc, char** argv) {
  CLI::App root(
      "rouse gives AI agents a life between messages: one small server that keeps every "
      "conversation.",
      "rouse");
  root.footer(kFooter);
  root.set_version_flag("--version", "rouse " ROUSE_VERSION, "Print the version");
  root.set_help_flag("-h,--help", "Show this help");
  const auto format = root.get_formatter();
  format->column_width(30);
  format->label("SUBCOMMAND", "COMMAND");
  format->label("Subcommands", "Commands");
  cli::Chosen chosen;
  chosen.root = &root;
  add_commands(root, chosen, argc > 1 ? argv[1] : "");
  if (argc <= 1) {
    fmt::print("{}", kWelcome);
    return kOk;
  }
  try {
    root.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", help_of(deepest(root)));
    return kOk;
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return kOk;
  } catch (const CLI::ExtrasError& error) {
    return unexpected(root, error);
  } catch (const CLI::RequiredError& error) {
    return missing(root, error);
  } catch (const CLI::ParseError& error) {
    return usage_error(deepest(root), error.what());
  }
  return chosen.run ? chosen.run() : kUsage;
}

}  // namespace

int run_cli(int argc, char** argv) {
  try {
    const int code = parse_and_run(argc, argv);
    // A full disk behind a redirect must not pass for success.
    if (std::fflush(stdout) != 0 && code == kOk) {
      std::fputs("rouse: cannot write to standard output\n", stderr);
      return kFailed;
    }
    return code;
  } catch (const std::exception& e) {  // a bug or exhaustion; everything else is a value
    std::fprintf(stderr, "rouse: %s\n", e.what());
    return kFailed;
  }
}

}  // namespace rouse
