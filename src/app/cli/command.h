// What the commands of the command line share. A command is one file with one function that adds it
// to the tree; cli.cc lists them. Parsing only chooses what to run: nothing happens before the
// whole line was understood.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/result.h"

namespace CLI {
class App;
}

namespace rouse::cli {

// In --help and docs; scripts rely on them.
enum ExitCode : int { kOk = 0, kFailed = 1, kUsage = 2, kNotReachable = 3, kNotAuthorised = 4 };

enum class CliErrc : std::uint8_t { kNotRunning };
ErrorInfo error_info(CliErrc code);

// "rouse: <message>" on stderr, and the exit code that fits the failure.
int report(const Error& error);
inline int finish(const Result<void>& done) { return done ? kOk : report(done.error()); }

// What was chosen; the last callback to run fills it.
struct Chosen {
  std::function<int()> run;
  const CLI::App* root = nullptr;
};

// --data, as given or by $ROUSE_HOME or ~/.rouse; absolute.
struct DataOption {
  std::string given;
  [[nodiscard]] Result<std::string> dir() const;
};
void add_data_option(CLI::App& command, DataOption& option);

// --data and --url: a running server.
struct ServerOption {
  DataOption data;
  std::string url;
};
void add_server_options(CLI::App& command, ServerOption& option);

void add_json_flag(CLI::App& command, bool& json);
// One sentence for the list of commands, examples for the command's own help.
CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& sentence,
                      const std::vector<std::string>& examples);

// "--json" output: one line.
template <class T>
int print_json(const T& value) {
  fmt::print("{}\n", encode_json(value));
  return kOk;
}

// Columns as wide as their widest cell; the first row is the head.
std::string to_table(const std::vector<std::vector<std::string>>& rows);

// Asks on the terminal; false at the end of input or when there is no terminal.
bool confirm(const std::string& question);

// --- the commands, in the order of the help
// --------------------------------------------------------

void add_serve(CLI::App& root, Chosen& chosen);
void add_chat(CLI::App& root, Chosen& chosen);
void add_turns(CLI::App& root, Chosen& chosen);
void add_approvals(CLI::App& root, Chosen& chosen);
void add_automations(CLI::App& root, Chosen& chosen);
void add_activity(CLI::App& root, Chosen& chosen);
void add_heartbeat(CLI::App& root, Chosen& chosen);
void add_notifications(CLI::App& root, Chosen& chosen);
void add_tasks(CLI::App& root, Chosen& chosen);
void add_skills(CLI::App& root, Chosen& chosen);
void add_memory(CLI::App& root, Chosen& chosen);
void add_token(CLI::App& root, Chosen& chosen);
void add_sessions(CLI::App& root, Chosen& chosen);
void add_why(CLI::App& root, Chosen& chosen);
void add_prompt(CLI::App& root, Chosen& chosen);
void add_cost(CLI::App& root, Chosen& chosen);
void add_export(CLI::App& root, Chosen& chosen);
void add_workflow(CLI::App& root, Chosen& chosen);
void add_workspace(CLI::App& root, Chosen& chosen);
void add_config(CLI::App& root, Chosen& chosen);
void add_doctor(CLI::App& root, Chosen& chosen);
void add_backup(CLI::App& root, Chosen& chosen);
void add_restore(CLI::App& root, Chosen& chosen);
void add_completion(CLI::App& root, Chosen& chosen);
void add_version(CLI::App& root, Chosen& chosen);

}  // namespace rouse::cli
