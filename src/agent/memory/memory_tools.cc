#include "agent/memory/memory_tools.h"

#include <fmt/format.h>

#include "agent/prompt/text_cut.h"
#include "base/json.h"
#include "session/content.h"

namespace rouse {
namespace {

constexpr std::size_t kFoundNotes = 10;
constexpr std::size_t kFoundCharacters = 1'000;  // of each

// The arguments of all four; each tool's schema says which it takes.
struct MemoryArguments {
  std::optional<std::string> text, query, id, instructions;
  std::optional<std::int64_t> importance;
};
auto shape(const MemoryArguments*) {
  return fields(field("text", &MemoryArguments::text, ""),
                field("query", &MemoryArguments::query, ""), field("id", &MemoryArguments::id, ""),
                field("instructions", &MemoryArguments::instructions, ""),
                field("importance", &MemoryArguments::importance, ""));
}

ToolResult failed(const Error& error) { return {.text = error.message, .failed = true}; }

MemoryOwner owner_of(const ToolCall& call) { return {call.workspace, call.agent}; }

std::string provenance_of(const ToolCall& call) {
  return std::string(call.tainted ? kFromUntrusted : kFromAgent);
}

std::string line_of(const Note& note) {
  const std::string_view text = first_characters(note.text, kFoundCharacters);
  return fmt::format("- {}{} [{}{}]\n", text, text.size() < note.text.size() ? "…" : "",
                     note.id.str(), note.untrusted() ? ", untrusted" : "");
}

Result<Note> own_note(MemoryBook& book, const ToolCall& call, const std::string& id) {
  TRY(const NoteId parsed, NoteId::parse(id));
  TRY(Note note, book.get(call.workspace, parsed));
  if (note.owner.agent == call.agent) return note;
  return fail(MemoryErrc::kNotFound, fmt::format("there is no note {}", parsed.str()));
}

ToolInfo edit(std::string name, std::string description, std::string schema) {
  return {.name = std::move(name),
          .description = std::move(description),
          .schema = std::move(schema),
          .tool_class = ToolClass::kEdit,
          .side_effects = true};
}

}  // namespace

const ToolInfo& SaveMemory::info() const {
  static const ToolInfo info =
      edit("save_memory", "Keep one fact about the user for all later conversations.",
           R"({"type":"object","properties":{"text":{"type":"string","minLength":1,)"
           R"("maxLength":2000},"importance":{"type":"integer","minimum":1,"maximum":5,)"
           R"("description":"3 if left out"}},"required":["text"],"additionalProperties":false})");
  return info;
}

Task<ToolResult> SaveMemory::run(ToolCall call, std::stop_token stop) {
  const auto arguments = decode_json<MemoryArguments>(call.arguments);
  if (!arguments) co_return failed(arguments.error());
  NoteDraft draft{.text = arguments->text.value_or(""),
                  .importance = arguments->importance,
                  .provenance = provenance_of(call),
                  .conversation = call.conversation,
                  .turn = call.turn};
  const auto kept = co_await book_.save(owner_of(call), std::move(draft));
  if (!kept) co_return failed(kept.error());
  co_return ToolResult{
      .text = fmt::format("{} {}", kept->how == Kept::kAdded ? "saved as" : "already kept as",
                          kept->note.id.str())};
}

const ToolInfo& SearchMemory::info() const {
  static const ToolInfo info{
      .name = "search_memory",
      .description = "Find what you have kept about the user, best match first.",
      .schema = R"({"type":"object","properties":{"query":{"type":"string","minLength":1,)"
                R"("maxLength":500,"description":"a question or words"}},"required":["query"],)"
                R"("additionalProperties":false})"};
  return info;
}

Task<ToolResult> SearchMemory::run(ToolCall call, std::stop_token stop) {
  const auto arguments = decode_json<MemoryArguments>(call.arguments);
  if (!arguments) co_return failed(arguments.error());
  std::string query = arguments->query.value_or("");
  const auto found = co_await recall_.find({owner_of(call), query, kFoundNotes});
  if (!found) co_return failed(found.error());
  ToolResult result;
  for (const Note& note : *found) {
    result.text += line_of(note);
    result.untrusted = result.untrusted || note.untrusted();
  }
  if (found->empty()) result.text = "nothing found for: " + query;
  co_return result;
}

const ToolInfo& ForgetMemory::info() const {
  static const ToolInfo info =
      edit("forget_memory", "Delete a note for good.",
           R"({"type":"object","properties":{"id":{"type":"string","maxLength":64,)"
           R"("description":"note_… from search_memory"}},"required":["id"],)"
           R"("additionalProperties":false})");
  return info;
}

Task<ToolResult> ForgetMemory::run(ToolCall call, std::stop_token stop) {
  const auto arguments = decode_json<MemoryArguments>(call.arguments);
  if (!arguments) co_return failed(arguments.error());
  auto note = own_note(book_, call, arguments->id.value_or(""));
  if (!note) co_return failed(note.error());
  const std::string id = note->id.str();
  const auto forgotten = co_await book_.forget(std::move(*note));
  if (!forgotten) co_return failed(forgotten.error());
  co_return ToolResult{.text = "forgot " + id};
}

const ToolInfo& UpdateInstructions::info() const {
  static const ToolInfo info =
      edit("update_instructions",
           "Replace the standing instructions on how the user wants you to work. Give all of them.",
           R"({"type":"object","properties":{"instructions":{"type":"string","maxLength":4000}},)"
           R"("required":["instructions"],"additionalProperties":false})");
  return info;
}

Task<ToolResult> UpdateInstructions::run(ToolCall call, std::stop_token stop) {
  const auto arguments = decode_json<MemoryArguments>(call.arguments);
  if (!arguments) co_return failed(arguments.error());
  const auto set = co_await book_.set_instructions(
      owner_of(call), arguments->instructions.value_or(""), provenance_of(call));
  if (!set) co_return failed(set.error());
  if (call.tainted) {
    co_return ToolResult{
        .text =
            "kept, but not in force: untrusted text was in this conversation. The user can put "
            "them in force with `rouse memory instructions set`."};
  }
  co_return ToolResult{.text = "the instructions are updated"};
}

void add_memory_tools(ToolRegistry& tools, MemoryBook& book, MemoryRecall& recall) {
  tools.add(std::make_unique<SaveMemory>(book));
  tools.add(std::make_unique<SearchMemory>(recall));
  tools.add(std::make_unique<ForgetMemory>(book));
  tools.add(std::make_unique<UpdateInstructions>(book));
}

}  // namespace rouse
