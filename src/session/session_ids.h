// The ids of the conversation kernel: conv_…, sess_…, turn_….
#pragma once

#include "base/ids.h"

namespace rouse {

struct ConversationTag {
  static constexpr std::string_view prefix = "conv_";
  static constexpr std::string_view noun = "conversation";
};
struct SessionTag {
  static constexpr std::string_view prefix = "sess_";
  static constexpr std::string_view noun = "session";
};
struct TurnTag {
  static constexpr std::string_view prefix = "turn_";
  static constexpr std::string_view noun = "turn";
};
using ConversationId = Id<ConversationTag>;
using SessionId = Id<SessionTag>;
using TurnId = Id<TurnTag>;

}  // namespace rouse
