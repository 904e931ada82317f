#include "app/cli/command.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/text.h"

namespace rouse::cli {

ErrorInfo error_info(CliErrc) { return {Kind::kUnavailable, "not_running"}; }

int report(const Error& error) {
  std::fflush(stdout);
  const bool names_us = error.message.starts_with("rouse ");
  fmt::print(stderr, "{}{}\n", names_us ? "" : "rouse: ", error.message);
  if (error.is(CliErrc::kNotRunning)) return kNotReachable;
  const bool refused = error.kind == Kind::kUnauthorized || error.kind == Kind::kForbidden;
  return refused ? kNotAuthorised : kFailed;
}

Result<std::string> DataOption::dir() const {
  std::string path = given;
  if (path.empty()) {
    if (const char* home = std::getenv("ROUSE_HOME"); home != nullptr) path = home;
  }
  if (path.empty()) {
    const char* home = std::getenv("HOME");
    if (home == nullptr || *home == '\0') {
      const passwd* entry = ::getpwuid(::geteuid());
      home = entry != nullptr ? entry->pw_dir : nullptr;
    }
    if (home == nullptr || *home == '\0') {
      return fail(Errc::kNotFound, "there is no home folder; name the data folder with --data DIR");
    }
    path = std::string(home) + "/.rouse";
  }
  std::error_code ec;
  std::string absolute = std::filesystem::absolute(path, ec).lexically_normal().string();
  if (ec) return fail(Errc::kInvalid, fmt::format("{}: {}", path, ec.message()));
  while (absolute.size() > 1 && absolute.ends_with('/')) absolute.pop_back();
  return absolute;
}

void add_data_option(CLI::App& command, DataOption& option) {
  command.add_option("--data", option.given, "Data folder; else $ROUSE_HOME, else ~/.rouse")
      ->type_name("DIR");
}

void add_server_options(CLI::App& command, ServerOption& option) {
  add_data_option(command, option.data);
  command
      .add_option("--url", option.url,
                  "Another server than the one of the data folder; its token is $ROUSE_TOKEN")
      ->type_name("URL");
}

void add_json_flag(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "Print JSON, for programs");
}

CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& sentence,
                      const std::vector<std::string>& examples) {
  CLI::App* command = parent.add_subcommand(name, sentence);
  std::string footer = examples.size() > 1 ? "Examples:" : "Example:";
  for (const std::string& example : examples) footer += "\n  " + example;
  if (!examples.empty()) command->footer(footer);
  return *command;
}

namespace {}  // namespace

std::string to_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], count_characters(row[i]));
    }
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - count_characters(row[i]) + 2, ' ');
    }
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
  }
  return out;
}

bool confirm(const std::string& question) {
  if (::isatty(STDIN_FILENO) == 0) return false;
  fmt::print(stderr, "{} [y/N] ", question);
  std::string answer;
  for (int c = std::getchar(); c != EOF && c != '\n'; c = std::getchar()) {
    answer += static_cast<char>(c);
  }
  const std::string word = lower_ascii(trim(answer));
  return word == "y" || word == "yes";
}

}  // namespace rouse::cli
