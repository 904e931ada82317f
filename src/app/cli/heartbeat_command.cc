#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/api_client.h"
#include "app/cli/automations_reading.h"
#include "app/cli/command.h"
#include "app/cli/edit_text.h"
#include "app/cli/heartbeat_reading.h"
#include "app/cli/readable.h"
#include "base/files.h"
#include "base/text.h"

namespace rouse::cli {
namespace {

constexpr std::int64_t kListed = 20;
constexpr std::int64_t kMost = 200;
constexpr std::size_t kFileBytes = 256 * 1024;
constexpr Millis kBeatDeadline = minutes(15);  // it waits for a busy conversation, too

struct HeartbeatOptions {
  ServerOption server;
  std::string name, workspace, cursor, from;
  std::int64_t limit = kListed;
  bool json = false, orders = false;
};
using Options = std::shared_ptr<HeartbeatOptions>;
using Action = Result<void> (*)(const HeartbeatOptions&);

void add_to_query(std::string& path, std::string_view name, const std::string& value) {
  if (value.empty()) return;
  path += fmt::format("{}{}={}", path.find('?') == std::string::npos ? '?' : '&', name,
                      percent_encode(value));
}

std::string path_to(const HeartbeatOptions& options, std::string path) {
  add_to_query(path, "workspace_id", options.workspace);
  return path;
}

Result<std::string> ask(const HeartbeatOptions& options, const std::string& method,
                        const std::string& path, const std::string& body = {},
                        Millis deadline = seconds(5)) {
  TRY(ApiClient api, ApiClient::find(options.server));
  api.set_deadline(deadline);
  return api.call(method, path, body);
}

Result<void> show_status(const HeartbeatOptions& options) {
  TRY(const std::string raw, ask(options, "GET", path_to(options, "/api/heartbeat")));
  if (options.json) {
    fmt::print("{}\n", raw);
    return {};
  }
  TRY(const auto answer, parse_json(raw));
  fmt::print("{}", heartbeat_status(answer, options.name, now()));
  return {};
}

Result<void> run_beat(const HeartbeatOptions& options) {
  const std::string body =
      options.name.empty() ? "{}" : fmt::format(R"({{"name":"{}"}})", json_escape(options.name));
  TRY(const std::string raw,
      ask(options, "POST", path_to(options, "/api/heartbeat/run"), body, kBeatDeadline));
  if (options.json) {
    fmt::print("{}\n", raw);
    return {};
  }
  TRY(const auto beat, parse_json(raw));
  fmt::print("{}", beat_text(beat));
  return {};
}

Result<void> show_history(const HeartbeatOptions& options) {
  std::string path = path_to(options, "/api/heartbeat/history");
  add_to_query(path, "limit", std::to_string(options.limit));
  add_to_query(path, "cursor", options.cursor);
  add_to_query(path, "name", options.name);
  TRY(const std::string raw, ask(options, "GET", path));
  if (options.json) {
    fmt::print("{}\n", raw);
    return {};
  }
  TRY(const auto page, parse_json(raw));
  fmt::print("{}", heartbeat_history(page, now()));
  const std::string cursor = text_at(page, "next_cursor");
  if (!cursor.empty()) fmt::print("There are more: --cursor {}\n", cursor);
  return {};
}

// --- edit ----------------------------------------------------------------------------------------

// A file as the server has it, or would begin it.
struct EditedFile {
  std::string name, text, etag;
};

// Several heartbeats may follow the same orders, so the file is found by way of the heartbeat.
Result<std::string> orders_of(const HeartbeatOptions& options, const boost::json::value& answer) {
  const auto* all = answer.get_object().if_contains("heartbeats");
  if (all == nullptr || !all->is_array() || all->get_array().empty()) {
    return fail(Errc::kNotFound,
                "there is no heartbeat; heartbeat.json makes one: rouse heartbeat "
                "edit");
  }
  for (const auto& one : all->get_array()) {
    const bool wanted = options.name.empty() || text_at(one, "name") == options.name;
    if (wanted) return text_at(one, "orders_file");
  }
  return fail(Errc::kNotFound, fmt::format("there is no heartbeat '{}'", options.name));
}

Result<EditedFile> wanted_file(const HeartbeatOptions& options) {
  TRY(const std::string raw, ask(options, "GET", path_to(options, "/api/heartbeat")));
  TRY(const auto answer, parse_json(raw));
  const auto* files = answer.is_object() ? answer.get_object().if_contains("files") : nullptr;
  if (files == nullptr || !files->is_array()) {
    return fail(Errc::kForbidden, "only an admin's token may edit the files of heartbeats");
  }
  std::string name = "heartbeat.json";
  if (options.orders) {
    TRY(name, orders_of(options, answer));
  }
  for (const auto& one : files->get_array()) {
    if (text_at(one, "name") != name) continue;
    return EditedFile{name, text_at(one, "text"), text_at(one, "etag")};
  }
  const std::string problem = text_at(answer, "problem");  // what can't be read isn't listed
  return fail(Errc::kInvalid, fmt::format("{} can't be edited here{}{}", name,
                                          problem.empty() ? "" : ": ", problem));
}

Result<std::string> save(const HeartbeatOptions& options, const EditedFile& file,
                         const std::string& text) {
  const std::string body =
      fmt::format(R"({{"file":"{}","text":"{}","if_match":"{}"}})", json_escape(file.name),
                  json_escape(text), json_escape(file.etag));
  return ask(options, "PUT",
             path_to(options, options.orders ? "/api/heartbeat/orders" : "/api/heartbeat"), body);
}

Result<void> tell_saved(const HeartbeatOptions& options, const EditedFile& file,
                        const std::string& raw) {
  if (options.json) {
    fmt::print("{}\n", raw);
    return {};
  }
  TRY(const auto answer, parse_json(raw));
  fmt::print("{} is saved.\n\n{}", safe_text(file.name),
             heartbeat_status(answer, options.name, now()));
  return {};
}

void keep_work(TextCopy& copy, const EditedFile& file) {
  copy.keep();
  fmt::print(stderr, "The old {} stays in force; yours is in {}\n", safe_text(file.name),
             copy.path());
}

// Until it is right, or the person has enough of it. What they wrote is never lost, also when the
// editor ends badly.
Result<void> edit_here(const HeartbeatOptions& options, const EditedFile& file) {
  TRY(TextCopy copy, TextCopy::make(file.text, options.orders ? ".md" : ".json"));
  while (true) {
    const auto edited = copy.edit();
    if (!edited) {
      const auto written = read_file(copy.path(), kFileBytes);
      if (!written || *written != file.text) keep_work(copy, file);
      return std::unexpected(edited.error());
    }
    const std::string& text = *edited;
    if (text == file.text) {
      fmt::print("Nothing was changed.\n");
      return {};
    }
    const auto saved = save(options, file, text);
    if (saved) return tell_saved(options, file, *saved);
    fmt::print(stderr, "rouse: {}\n", safe_text(saved.error().message));
    if (saved.error().kind == Kind::kInvalid && confirm("Edit again?")) continue;
    keep_work(copy, file);
    return std::unexpected(saved.error());
  }
}

Result<void> edit_file(const HeartbeatOptions& options) {
  if (options.from.empty() && !stdin_is_terminal()) {
    return fail(Errc::kInvalid,
                fmt::format("there is no terminal for an editor; use --from FILE, or change {} in "
                            "the data folder: rouse reads it at once",
                            options.orders ? "heartbeat-prompt.md" : "heartbeat.json"));
  }
  TRY(const EditedFile file, wanted_file(options));
  if (options.from.empty()) return edit_here(options, file);
  TRY(const std::string text, read_file(options.from, kFileBytes));
  TRY(const std::string saved, save(options, file, text));
  return tell_saved(options, file, saved);
}

// --- the tree of commands ------------------------------------------------------------------------

void add_shared(CLI::App& command, const Options& options) {
  command.add_option("--name", options->name, "Of several heartbeats this one")->type_name("NAME");
  command.add_option("--workspace", options->workspace, "Whose; default yours")->type_name("ID");
  add_server_options(command, options->server);
  add_json_flag(command, options->json);
}

CLI::App& add_action(CLI::App& parent, Chosen& chosen, const Options& options, Action action,
                     const std::string& name, const std::string& sentence,
                     const std::vector<std::string>& examples) {
  CLI::App& command = add_command(parent, name, sentence, examples);
  add_shared(command, options);
  command.callback([options, action, &chosen] {
    chosen.run = [options, action] { return finish(action(*options)); };
  });
  return command;
}

}  // namespace

void add_heartbeat(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<HeartbeatOptions>();
  CLI::App& heartbeat = add_command(
      root, "heartbeat", "How rouse looks around on its own: status, run, edit, history.",
      {"rouse heartbeat", "rouse heartbeat run", "rouse heartbeat edit --orders"});
  heartbeat.require_subcommand(0, 1);
  add_shared(heartbeat, options);
  // Runs also when a subcommand was named, after the subcommand's.
  heartbeat.callback([options, &heartbeat, &chosen] {
    if (!heartbeat.get_subcommands().empty()) return;
    chosen.run = [options] { return finish(show_status(*options)); };
  });

  add_action(heartbeat, chosen, options, show_status, "status",
             "When it beats next, what the last beat came to, what today cost.",
             {"rouse heartbeat status", "rouse heartbeat status --name work --json"});
  add_action(heartbeat, chosen, options, run_beat, "run",
             "Let it beat now, exactly as its timer would.",
             {"rouse heartbeat run", "rouse heartbeat run --name work"});
  CLI::App& edit =
      add_action(heartbeat, chosen, options, edit_file, "edit",
                 "Edit heartbeat.json, or with --orders what it looks after, in your editor.",
                 {"rouse heartbeat edit", "rouse heartbeat edit --orders",
                  "rouse heartbeat edit --from heartbeat.json    # without an editor"});
  edit.add_flag("--orders", options->orders, "The standing orders: heartbeat-prompt.md");
  edit.add_option("--from", options->from, "Take the text of this file")->type_name("FILE");
  CLI::App& history = add_action(heartbeat, chosen, options, show_history, "history",
                                 "Every beat and every skipped one with its reason, newest first.",
                                 {"rouse heartbeat history --limit 50"});
  history.add_option("--limit", options->limit, fmt::format("How many; default {}", kListed))
      ->check(CLI::Range(std::int64_t{1}, kMost).description(""))
      ->type_name("N");
  history.add_option("--cursor", options->cursor, "The part after, as the command said")
      ->type_name("CURSOR");
}

}  // namespace rouse::cli
