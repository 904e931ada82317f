#include "gateway/routes/turn_question.h"

#include "base/text.h"

namespace rouse {

Result<std::optional<MessageView>> question_of(SessionKernel& kernel, TurnLedger& ledger,
                                               const Turn& turn) {
  if (turn.kind == TurnKind::kSessionOpen) return std::optional<MessageView>();
  TRY(auto row, ledger.message_of(turn));
  std::optional<Message> said;
  if (row && row->content) {
    said.emplace();
    said->session = turn.session;
    said->turn = turn.id;
    said->role = "user";
    said->source = std::move(row->channel);
    said->content = std::move(*row->content);
    said->created = row->received;
    said->meta = std::move(row->meta);
  } else if (turn.first_seq) {
    TRY(said, kernel.messages().at(turn.conversation, *turn.first_seq));
    if (!said) return fail(TurnErrc::kNotFound, "what this turn was asked is gone");
  }
  if (!said || said->role != "user") return std::optional<MessageView>();
  MessageView view = view_of(std::move(*said));
  view.turn_kind = turn_kind_name(turn.kind);
  return std::optional(std::move(view));
}

void shorten(MessageView& message, std::size_t bytes) {
  for (ContentBlock& block : message.content) {
    if (!block.text) continue;
    block.text = utf8_prefix(*block.text, bytes);
    bytes -= block.text->size();
  }
}

}  // namespace rouse
