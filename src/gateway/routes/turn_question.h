// What a turn was asked: the message it answers, wherever that is. While the turn waits or runs it
// stands in the inbound ledger and has no number yet (seq 0); after the close it is in the
// transcript. The prompt that opens a session is nobody's message and never shown (AP-7).
#pragma once

#include "gateway/routes/conversation_views.h"
#include "session/turn_ledger.h"

namespace rouse {

// Of the words of a turn that is not over, so much is shown; the whole comes with its end.
inline constexpr std::size_t kShownQuestionBytes = 16 * 1024;

// Nothing: it answers no message that anybody sees. kNotFound: the message was deleted since.
[[nodiscard]] Result<std::optional<MessageView>> question_of(SessionKernel& kernel,
                                                             TurnLedger& ledger, const Turn& turn);

// Lets go of what is over the bound.
void shorten(MessageView& message, std::size_t bytes);

}  // namespace rouse
