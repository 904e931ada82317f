#include "agent/conversation_tail.h"

#include <algorithm>

namespace rouse {
namespace {

bool is_visible(const Message& message) {
  return message.role != "tool" &&
         std::ranges::any_of(message.content,
                             [](const ContentBlock& block) { return block.type != "tool_call"; });
}

}  // namespace

Result<std::vector<Message>> ConversationTail::read(const Session& session,
                                                    std::optional<std::int64_t> before,
                                                    std::size_t limit) {
  TRY(auto all, messages_.tail(session.conversation, before, limit));
  const auto older =
      std::ranges::find_if(all, [&](const Message& m) { return m.session != session.id; });
  if (older == all.end()) return all;

  // Older sessions: behind the last hard boundary there is nothing, before it a few words.
  TRY(const Session oldest, sessions_.get(all.back().session));
  TRY(const std::int64_t boundary,
      sessions_.last_hard_boundary(session.conversation, oldest.epoch, session.epoch));
  std::size_t crossed = 0;
  auto end = older;
  SessionId looked_at;
  for (; end != all.end() && crossed < kSoftMessages; ++end) {
    if (end->session != looked_at) {
      looked_at = end->session;
      TRY(const Session theirs, sessions_.get(looked_at));
      if (theirs.epoch <= boundary) break;
    }
    if (is_visible(*end)) ++crossed;
  }
  all.erase(end, all.end());
  return all;
}

bool is_tainted(const std::vector<Message>& newest_first) {
  for (const Message& message : newest_first) {
    const auto is_from = [&](std::string_view whom) {
      return std::ranges::any_of(message.content,
                                 [&](const ContentBlock& block) { return block.from == whom; });
    };
    if (is_from(kFromUntrusted)) return true;
    if (message.role == "user" && is_from(kFromOwner)) return false;
  }
  return false;
}

}  // namespace rouse
