// A prompt as a person looks at it: what would be sent, section by section, with sizes. Looking is
// free of effects; nothing is sent and nothing is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/prompt/prompt.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/task.h"
#include "session/messages.h"

namespace rouse {

struct PromptSectionView {
  std::string name;
  std::int64_t version = 1, bytes = 0, tokens = 0;
  bool stable = true;
  std::string note, text;
};
inline auto shape(const PromptSectionView*) {
  return fields(
      field("name", &PromptSectionView::name, "Which section"),
      field("version", &PromptSectionView::version, "Of its wording"),
      field("bytes", &PromptSectionView::bytes, "Size of its text"),
      field("tokens", &PromptSectionView::tokens, "The same, estimated in tokens"),
      field("stable", &PromptSectionView::stable,
            "The same from turn to turn, so that a provider can cache it"),
      field("note", &PromptSectionView::note, "What was cut or couldn't be read; or \"\""),
      field("text", &PromptSectionView::text, "What the model reads"));
}

struct PromptHistoryView {
  std::int64_t count = 0, bytes = 0, tokens = 0;
  std::optional<std::int64_t> first_seq, last_seq;
};
inline auto shape(const PromptHistoryView*) {
  return fields(
      field("count", &PromptHistoryView::count, "Messages of the conversation's tail"),
      field("bytes", &PromptHistoryView::bytes, "Their size"),
      field("tokens", &PromptHistoryView::tokens, "The same, estimated in tokens"),
      field("first_seq", &PromptHistoryView::first_seq, "Number of the first; null: none")
          .or_null(),
      field("last_seq", &PromptHistoryView::last_seq, "Number of the last; null: none").or_null());
}

struct PromptToolsView {
  std::int64_t count = 0, bytes = 0, tokens = 0;
};
inline auto shape(const PromptToolsView*) {
  return fields(field("count", &PromptToolsView::count, "Tools the model is offered"),
                field("bytes", &PromptToolsView::bytes, "Names, descriptions and schemas"),
                field("tokens", &PromptToolsView::tokens, "The same, estimated in tokens"));
}

struct PromptTotalView {
  std::int64_t bytes = 0, tokens = 0;
};
inline auto shape(const PromptTotalView*) {
  return fields(field("bytes", &PromptTotalView::bytes, "Sections, history and tools"),
                field("tokens", &PromptTotalView::tokens, "The same, estimated in tokens"));
}

struct PromptView {
  std::string conversation_id;
  std::optional<std::string> turn_id;
  std::vector<PromptSectionView> sections;
  PromptHistoryView history;
  PromptToolsView tools;
  PromptTotalView total;
};
inline auto shape(const PromptView*) {
  return fields(
      field("conversation_id", &PromptView::conversation_id, "Of which conversation"),
      field("turn_id", &PromptView::turn_id, "Rebuilt for this turn; null: for the next one")
          .or_null(),
      field("sections", &PromptView::sections, "The instructions, in the order they are sent"),
      field("history", &PromptView::history, "What was said before"),
      field("tools", &PromptView::tools, "What can be called"),
      field("total", &PromptView::total, "All of it"));
}

// The view of a prompt with what goes along: the chosen tail (choose_tail) and the tools offered.
PromptView describe_prompt(const Prompt& prompt, const Transcript& tail,
                           const std::vector<const ToolInfo*>& tools);

// Whoever builds prompts shows them. kNotFound for what isn't in this workspace.
class PromptPreview {
 public:
  virtual ~PromptPreview() = default;
  // As it would be for a user's next message.
  virtual Task<Result<PromptView>> of_conversation(WorkspaceId workspace,
                                                   ConversationId conversation) = 0;
  // Rebuilt as it was, as far as the files and settings of today allow.
  virtual Task<Result<PromptView>> of_turn(WorkspaceId workspace, TurnId turn) = 0;
};

}  // namespace rouse
