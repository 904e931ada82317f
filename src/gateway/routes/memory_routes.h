// What an agent keeps, over the API: notes to list, ask for, add, change and forget, the standing
// instructions, and all of it as a file. `agent` names whose; without it, the default agent's.
#pragma once

#include "agent/memory/memory_exchange.h"
#include "agent/memory/memory_recall.h"
#include "gateway/route.h"
#include "session/workspaces.h"

namespace rouse {

struct NoteView {
  std::string id, agent, text;
  std::int64_t importance = kUsualImportance;
  std::string provenance;
  std::optional<std::string> conversation_id = {}, turn_id = {};
  std::string created_at, updated_at;
};
inline auto shape(const NoteView*) {
  return fields(
      field("id", &NoteView::id, "Its id"),
      field("agent", &NoteView::agent, "Whose; empty is the default agent"),
      field("text", &NoteView::text, "What is kept"),
      field("importance", &NoteView::importance, "1 to 5"),
      field("provenance", &NoteView::provenance, "Who stands behind it")
          .one_of({"owner", "sender", "agent", "untrusted"}),
      field("conversation_id", &NoteView::conversation_id,
            "Where it comes from; null if written by hand or the conversation was deleted")
          .or_null(),
      field("turn_id", &NoteView::turn_id, "The turn that saved it").or_null(),
      field("created_at", &NoteView::created_at, "When it was first saved"),
      field("updated_at", &NoteView::updated_at, "When it was last saved"));
}
struct NotePage {
  std::vector<NoteView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const NotePage*) {
  return fields(
      field("items", &NotePage::items,
            "The most important and newest first; with a query, the best match first"),
      field("next_cursor", &NotePage::next_cursor, "Null on the last page and with a query")
          .or_null());
}
struct NewNote {
  std::string text;
  std::optional<std::int64_t> importance = {};
  std::optional<std::string> agent = {};
};
inline auto shape(const NewNote*) {
  return fields(field("text", &NewNote::text, "What to keep, at most 2000 characters"),
                field("importance", &NewNote::importance, "1 to 5; 3 if left out"),
                field("agent", &NewNote::agent, "Whose; the default agent's if left out"));
}
struct NoteEdit {
  std::optional<std::string> text = {};
  std::optional<std::int64_t> importance = {};
};
inline auto shape(const NoteEdit*) {
  return fields(field("text", &NoteEdit::text, "Another text; the note is then the owner's"),
                field("importance", &NoteEdit::importance, "1 to 5"));
}
struct InstructionsView {
  std::string instructions, in_force, provenance, previous;
  std::optional<std::string> updated_at = {};
};
inline auto shape(const InstructionsView*) {
  return fields(
      field("instructions", &InstructionsView::instructions, "The newest, empty if there are none"),
      field("in_force", &InstructionsView::in_force,
            "What the agent is told: the newest, or the ones before if that is untrusted"),
      field("provenance", &InstructionsView::provenance, "Who wrote the newest; empty: nobody"),
      field("previous", &InstructionsView::previous, "The trusted ones before"),
      field("updated_at", &InstructionsView::updated_at, "When the newest were written").or_null());
}
struct InstructionsEdit {
  std::string instructions;
};
inline auto shape(const InstructionsEdit*) {
  return fields(field("instructions", &InstructionsEdit::instructions,
                      "How the agent should work, at most 4000 characters; empty takes them back"));
}
struct MarkdownBody {
  std::string markdown;
};
inline auto shape(const MarkdownBody*) {
  return fields(field("markdown", &MarkdownBody::markdown, "A MEMORY.md, as the export gives it"));
}
struct MemoryImportView {
  std::int64_t added = 0, renewed = 0, unchanged = 0;
  bool instructions_changed = false;
};
inline auto shape(const MemoryImportView*) {
  return fields(field("added", &MemoryImportView::added, "Notes that are new"),
                field("renewed", &MemoryImportView::renewed, "Notes that are changed"),
                field("unchanged", &MemoryImportView::unchanged, "Notes that were so already"),
                field("instructions_changed", &MemoryImportView::instructions_changed,
                      "Were there other instructions in the file?"));
}

class MemoryRoutes {
 public:
  MemoryRoutes(MemoryBook& book, MemoryRecall& recall, Workspaces& workspaces)
      : book_(book), recall_(recall), workspaces_(workspaces) {}
  void add_to(RouteTable& table);

 private:
  Result<MemoryOwner> asked_owner(const Call& call);
  Task<Result<NotePage>> list(Call& call);
  Task<Result<NoteView>> create(Call& call, NewNote wanted);
  Task<Result<NoteView>> change(Call& call, NoteEdit wanted);
  Task<Result<OkBody>> forget(Call& call);
  Result<InstructionsView> instructions(Call& call);
  Task<Result<InstructionsView>> set_instructions(Call& call, InstructionsEdit wanted);
  Result<Response> write_out(Call& call);
  Task<Result<MemoryImportView>> read_in(Call& call, MarkdownBody body);

  MemoryBook& book_;
  MemoryRecall& recall_;
  Workspaces& workspaces_;
};

}  // namespace rouse
