#include "gateway/routes/memory_routes.h"

#include <charconv>
#include <stdexcept>

#include "agent/memory/memory_file.h"
#include "gateway/routes/asked_workspace.h"
#include "session/content.h"
#include "session/projects.h"

namespace rouse {
namespace {

constexpr std::uint64_t kImportBodyBytes = kMemoryFileBytes + (kMemoryFileBytes >> 2);

NoteView view_of(Note note) {
  NoteView out{.id = note.id.str(),
               .agent = std::move(note.owner.agent),
               .text = std::move(note.text),
               .importance = note.importance,
               .provenance = std::move(note.provenance),
               .created_at = to_iso(note.created),
               .updated_at = to_iso(note.updated)};
  if (note.conversation) out.conversation_id = note.conversation->str();
  if (note.turn) out.turn_id = note.turn->str();
  return out;
}

InstructionsView view_of(Instructions found) {
  InstructionsView out{.instructions = found.text,
                       .in_force = found.in_force(),
                       .provenance = found.provenance,
                       .previous = found.previous};
  if (!found.provenance.empty()) out.updated_at = to_iso(found.updated);
  return out;
}

Result<std::optional<std::int64_t>> place_of(const std::optional<std::string>& cursor) {
  if (!cursor) return std::nullopt;
  std::int64_t place = 0;
  const char* end = cursor->data() + cursor->size();
  const auto [at, ec] = std::from_chars(cursor->data(), end, place);
  if (ec == std::errc{} && at == end && place > 0) return place;
  return fail(Errc::kInvalid, "'cursor' must be the next_cursor of the page before");
}

Task<Result<void>> pass_on(ResponseStream& out, std::string piece, bool& gone) {
  auto written = co_await out.write(std::move(piece));
  gone = gone || !written;
  co_return written;
}

Task<void> send_file(MemoryBook& book, MemoryOwner owner, ResponseStream& out) {
  bool gone = false;
  const auto sent = co_await export_memory(
      book, std::move(owner),
      [&out, &gone](std::string piece) { return pass_on(out, std::move(piece), gone); });
  // Thrown, so that the answer ends without its last chunk.
  if (!sent && !gone) throw std::runtime_error("an export broke off: " + sent.error().message);
}

RouteInfo info(std::string method, std::string pattern, std::string summary) {
  return {.method = std::move(method),
          .pattern = std::move(pattern),
          .summary = std::move(summary),
          .tag = "memory",
          .query = {workspace_parameter(), {"agent", "Whose; the default agent's if left out"}}};
}

}  // namespace

void MemoryRoutes::add_to(RouteTable& table) {
  RouteInfo listing = info("GET", "/api/memory", "What an agent keeps");
  listing.query.push_back({"query", "A question or words; without it all notes are listed"});
  listing.query.push_back({"limit", "How many, 1 to 200"});
  listing.query.push_back({"cursor", "next_cursor of the page before"});
  table.add(answer<NotePage>(std::move(listing), [this](Call& call) { return list(call); }));
  RouteInfo creating = info("POST", "/api/memory", "Keep a note; the same text renews the old one");
  creating.success = 201;
  table.add(exchange<NewNote, NoteView>(std::move(creating), [this](Call& call, NewNote wanted) {
    return create(call, std::move(wanted));
  }));
  table.add(exchange<NoteEdit, NoteView>(
      info("PATCH", "/api/memory/{id}", "Change a note"),
      [this](Call& call, NoteEdit wanted) { return change(call, std::move(wanted)); }));
  table.add(answer<OkBody>(info("DELETE", "/api/memory/{id}", "Forget a note"),
                           [this](Call& call) { return forget(call); }));
  table.add(answer<InstructionsView>(
      info("GET", "/api/memory/instructions", "How the person wants an agent to work"),
      [this](Call& call) { return instructions(call); }));
  table.add(exchange<InstructionsEdit, InstructionsView>(
      info("PUT", "/api/memory/instructions", "Replace the instructions"),
      [this](Call& call, InstructionsEdit wanted) {
        return set_instructions(call, std::move(wanted));
      }));
  RouteInfo exporting = info("GET", "/api/memory/export", "All an agent keeps, as MEMORY.md");
  exporting.produces = "text/markdown";
  table.add(answer<Response>(std::move(exporting), [this](Call& call) { return write_out(call); }));
  RouteInfo importing = info("POST", "/api/memory/import", "Read a MEMORY.md; adds and renews");
  importing.max_body = kImportBodyBytes;
  table.add(exchange<MarkdownBody, MemoryImportView>(
      std::move(importing),
      [this](Call& call, MarkdownBody body) { return read_in(call, std::move(body)); }));
}

Result<MemoryOwner> MemoryRoutes::asked_owner(const Call& call) {
  TRY(auto workspace, asked_workspace(call, workspaces_));
  MemoryOwner owner{std::move(workspace), call.query("agent").value_or("")};
  if (!owner.agent.empty()) TRY_VOID(check_short_name("agent", owner.agent));
  return owner;
}

Task<Result<NotePage>> MemoryRoutes::list(Call& call) {
  CO_TRY(MemoryOwner owner, asked_owner(call));
  CO_TRY(const std::size_t limit, call.limit());
  CO_TRY(const auto before, place_of(call.query("cursor")));
  const std::string question = call.query("query").value_or("");
  Result<std::vector<Note>> found;
  if (question.empty()) {
    found = co_await book_.page(std::move(owner), before, limit + 1);
  } else {
    found = co_await recall_.find({std::move(owner), question, limit});
  }
  if (!found) co_return std::unexpected(found.error());
  NotePage out;
  const bool more = found->size() > limit;
  if (more) found->pop_back();
  if (more) out.next_cursor = std::to_string(found->back().place);
  for (Note& note : *found) out.items.push_back(view_of(std::move(note)));
  co_return out;
}

Task<Result<NoteView>> MemoryRoutes::create(Call& call, NewNote wanted) {
  CO_TRY(MemoryOwner owner, asked_owner(call));
  if (wanted.agent && !wanted.agent->empty()) {
    CO_TRY_VOID(check_short_name("agent", *wanted.agent));
    owner.agent = *wanted.agent;
  }
  CO_TRY(KeptNote kept,
         co_await book_.save(std::move(owner), {.text = std::move(wanted.text),
                                                .importance = wanted.importance,
                                                .provenance = std::string(kFromOwner)}));
  co_return view_of(std::move(kept.note));
}

Task<Result<NoteView>> MemoryRoutes::change(Call& call, NoteEdit wanted) {
  CO_TRY(auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(auto id, NoteId::parse(call.parameters.at(0)));
  CO_TRY(Note note, co_await book_.change(std::move(workspace), std::move(id),
                                          std::move(wanted.text), wanted.importance));
  co_return view_of(std::move(note));
}

Task<Result<OkBody>> MemoryRoutes::forget(Call& call) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(const auto id, NoteId::parse(call.parameters.at(0)));
  CO_TRY(Note note, book_.get(workspace, id));
  CO_TRY_VOID(co_await book_.forget(std::move(note)));
  co_return OkBody{};
}

Result<InstructionsView> MemoryRoutes::instructions(Call& call) {
  TRY(const MemoryOwner owner, asked_owner(call));
  TRY(auto found, book_.instructions(owner));
  return view_of(std::move(found));
}

Task<Result<InstructionsView>> MemoryRoutes::set_instructions(Call& call, InstructionsEdit wanted) {
  CO_TRY(MemoryOwner owner, asked_owner(call));
  CO_TRY(auto set, co_await book_.set_instructions(std::move(owner), std::move(wanted.instructions),
                                                   std::string(kFromOwner)));
  co_return view_of(std::move(set));
}

Result<Response> MemoryRoutes::write_out(Call& call) {
  TRY(MemoryOwner owner, asked_owner(call));
  Response response;
  response.headers = {{"Content-Type", "text/markdown; charset=utf-8"},
                      {"Content-Disposition", "attachment; filename=\"MEMORY.md\""},
                      {"Cache-Control", "no-store"},
                      {"X-Content-Type-Options", "nosniff"}};
  response.stream = [this, owner = std::move(owner)](ResponseStream& out) {
    return send_file(book_, owner, out);
  };
  return response;
}

Task<Result<MemoryImportView>> MemoryRoutes::read_in(Call& call, MarkdownBody body) {
  CO_TRY(MemoryOwner owner, asked_owner(call));
  CO_TRY(const MemoryImport done,
         co_await import_memory(book_, std::move(owner), std::move(body.markdown)));
  co_return MemoryImportView{done.notes.added, done.notes.renewed, done.notes.unchanged,
                             done.instructions_changed};
}

}  // namespace rouse
