#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>

#include "agent/memory/memory_file.h"
#include "app/cli/api_client.h"
#include "app/cli/command.h"
#include "app/cli/readable.h"
#include "base/files.h"
#include "base/text.h"
#include "gateway/routes/memory_routes.h"

namespace rouse::cli {
namespace {

constexpr Millis kImportDeadline = minutes(10);
constexpr std::size_t kShownCharacters = 100;

struct MemoryOptions {
  ServerOption server;
  bool json = false;
  std::string workspace, agent, query, cursor, text, id, file;
  std::int64_t limit = 50;
  std::optional<std::int64_t> importance;
};
using Options = std::shared_ptr<MemoryOptions>;
using Action = Result<void> (*)(const MemoryOptions&);

std::string path_of(const MemoryOptions& options, std::string_view rest, bool listing = false) {
  std::string path = fmt::format("/api/memory{}", rest);
  char mark = '?';
  const auto add = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    path += fmt::format("{}{}={}", std::exchange(mark, '&'), name, percent_encode(value));
  };
  add("workspace_id", options.workspace);
  add("agent", options.agent);
  if (listing) {
    add("query", options.query);
    add("cursor", options.cursor);
    add("limit", std::to_string(options.limit));
  }
  return path;
}

// The server's answer as it is, or a sentence.
Result<void> tell(const MemoryOptions& options, const std::string& raw, std::string_view sentence) {
  fmt::print("{}\n", options.json ? std::string_view(raw) : sentence);
  return {};
}

Result<void> list_notes(const MemoryOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const NotePage page, api.get<NotePage>(path_of(options, "", true)));
  if (options.json) {
    print_json(page);
    return {};
  }
  if (page.items.empty()) {
    fmt::print("{}\n", options.query.empty() ? "Nothing is kept yet." : "Nothing found.");
    return {};
  }
  std::vector<std::vector<std::string>> rows{{"ID", "IMPORTANCE", "FROM", "CHANGED", "NOTE"}};
  for (const NoteView& note : page.items) {
    rows.push_back({note.id, std::to_string(note.importance), note.provenance,
                    short_time(note.updated_at), one_line(note.text, kShownCharacters)});
  }
  fmt::print("{}", to_table(rows));
  if (page.next_cursor) fmt::print("More: rouse memory list --cursor {}\n", *page.next_cursor);
  return {};
}

Result<void> add_note(const MemoryOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  const NewNote wanted{.text = options.text, .importance = options.importance};
  TRY(const std::string raw, api.call("POST", path_of(options, ""), encode_json(wanted)));
  TRY(const NoteView note, decode_json<NoteView>(raw));
  return tell(options, raw, "kept as " + note.id);
}

Result<void> forget_note(const MemoryOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  const std::string rest = "/" + percent_encode(options.id);
  TRY(const std::string raw, api.call("DELETE", path_of(options, rest), ""));
  return tell(options, raw, "forgot " + safe_text(options.id));
}

Result<void> print_chunk(std::string_view chunk) {
  if (std::fwrite(chunk.data(), 1, chunk.size(), stdout) == chunk.size()) return {};
  return fail(Errc::kIo, "cannot write to standard output");
}

Result<void> export_notes(const MemoryOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  return api.download(path_of(options, "/export"), "", [](std::string_view) {}, print_chunk);
}

Result<void> import_notes(const MemoryOptions& options) {
  TRY(std::string markdown, read_file(options.file, kMemoryFileBytes));
  TRY(ApiClient api, ApiClient::find(options.server));
  api.set_deadline(kImportDeadline);
  TRY(const std::string raw, api.call("POST", path_of(options, "/import"),
                                      encode_json(MarkdownBody{std::move(markdown)})));
  TRY(const auto done, decode_json<MemoryImportView>(raw));
  return tell(
      options, raw,
      fmt::format("{} added, {} changed, {} as they were{}", done.added, done.renewed,
                  done.unchanged, done.instructions_changed ? "; the instructions are new" : ""));
}

Result<void> show_instructions(const MemoryOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const auto found, api.get<InstructionsView>(path_of(options, "/instructions")));
  if (options.json) {
    print_json(found);
    return {};
  }
  fmt::print("{}\n", found.in_force.empty() ? "There are none." : safe_text(found.in_force));
  if (found.in_force != found.instructions) {
    fmt::print("\nNot in force, because untrusted text was there when they were written:\n{}\n",
               safe_text(found.instructions));
  }
  return {};
}

Result<void> set_instructions(const MemoryOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const std::string raw, api.call("PUT", path_of(options, "/instructions"),
                                      encode_json(InstructionsEdit{options.text})));
  return tell(options, raw, "the instructions are set");
}

void add_shared(CLI::App& command, const Options& options) {
  add_server_options(command, options->server);
  command.add_option("--workspace", options->workspace, "Whose; default yours")->type_name("ID");
  command.add_option("--agent", options->agent, "Which agent's; else the default agent's")
      ->type_name("NAME");
  add_json_flag(command, options->json);
}

void add_listing(CLI::App& command, const Options& options) {
  command.add_option("--query", options->query, "A question or words: the best matches")
      ->type_name("TEXT");
  command.add_option("--limit", options->limit, "How many; default 50")
      ->check(CLI::Range(1, 200).description(""))
      ->type_name("N");
  command.add_option("--cursor", options->cursor, "The next page, as the command said")
      ->type_name("N");
}

// Runs the action if the line ends with this command.
void run_if_last(CLI::App& command, Chosen& chosen, const Options& options, Action action) {
  command.callback([options, action, &chosen, &command] {
    if (!command.get_subcommands().empty()) return;
    chosen.run = [options, action] { return finish(action(*options)); };
  });
}

CLI::App& add_action(CLI::App& parent, Chosen& chosen, const Options& options, Action action,
                     const std::string& name, const std::string& sentence,
                     const std::vector<std::string>& examples) {
  CLI::App& command = add_command(parent, name, sentence, examples);
  add_shared(command, options);
  run_if_last(command, chosen, options, action);
  return command;
}

}  // namespace

void add_memory(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<MemoryOptions>();
  CLI::App& memory = add_action(
      root, chosen, options, list_notes, "memory",
      "What an agent keeps about you: list, add, forget, export, import.",
      {"rouse memory", "rouse memory list --query \"my dog\"", "rouse memory export > MEMORY.md"});
  add_listing(memory, options);
  add_listing(
      add_action(memory, chosen, options, list_notes, "list",
                 "List notes, the most important and newest first.", {"rouse memory list --json"}),
      options);
  CLI::App& add = add_action(memory, chosen, options, add_note, "add", "Keep a note.",
                             {"rouse memory add \"My dog is called Rex\" --importance 5"});
  add.add_option("TEXT", options->text, "What to keep")->required();
  add.add_option("--importance", options->importance, "1 to 5; default 3")
      ->check(CLI::Range(kLeastImportance, kMostImportance).description(""))
      ->type_name("N");
  CLI::App& forget = add_action(memory, chosen, options, forget_note, "forget",
                                "Delete a note, for good.", {"rouse memory forget note_019a8c2f"});
  forget.add_option("ID", options->id, "From: rouse memory list")->required();
  add_action(memory, chosen, options, export_notes, "export",
             "Print notes and instructions as MEMORY.md.", {"rouse memory export > MEMORY.md"});
  CLI::App& import = add_action(memory, chosen, options, import_notes, "import",
                                "Read a MEMORY.md; adds and changes, takes nothing away.",
                                {"rouse memory import MEMORY.md"});
  import.add_option("FILE", options->file, "A MEMORY.md")->required();
  CLI::App& instructions = add_action(
      memory, chosen, options, show_instructions, "instructions",
      "How the agent should work with you: show or set.",
      {"rouse memory instructions", "rouse memory instructions set \"Answer in German.\""});
  add_action(instructions, chosen, options, show_instructions, "show", "Show the instructions.",
             {"rouse memory instructions show"});
  CLI::App& set =
      add_action(instructions, chosen, options, set_instructions, "set",
                 "Replace the instructions.", {"rouse memory instructions set \"Be brief.\""});
  set.add_option("TEXT", options->text, "All of them; \"\" takes them back")->required();
}

}  // namespace rouse::cli
