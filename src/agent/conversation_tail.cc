#include "agent/conversation_tail.h"

#include <algorithm>

namespace rouse {
namespace {

bool is_visible(const Message& message) {
  return message.role != "tool" &&
         std::ranges::any_of(message.content, [](const ContentBlock& block) {
           return block.type != kToolCallBlock;
         });
}

bool is_from(const Message& message, std::string_view whom) {
  return std::ranges::any_of(message.content,
                             [&](const ContentBlock& block) { return block.from == whom; });
}
bool is_owners(const Message& message) {
  return message.role == "user" && is_from(message, kFromOwner);
}

// None: it has to be looked further back.
std::optional<bool> tells_of_taint(const Message& message) {
  if (is_from(message, kFromUntrusted)) return true;
  if (is_owners(message)) return false;
  return std::nullopt;
}

}  // namespace

// Most often it is known (live_conversations.h), and nothing is read.
Result<Transcript> ConversationTail::newest(const ConversationId& conversation,
                                            std::optional<std::int64_t> before, std::size_t limit) {
  const LiveConversation* live = before ? nullptr : kernel_.live(conversation);
  if (live != nullptr && live->knows_newest(limit)) {
    const std::size_t count = std::min(limit, live->tail.size());
    return Transcript(live->tail.rbegin(),
                      live->tail.rbegin() + static_cast<std::ptrdiff_t>(count));
  }
  TRY(auto read, kernel_.messages().tail(conversation, before, limit));
  Transcript out;
  out.reserve(read.size());
  for (Message& message : read) out.push_back(std::make_shared<Message>(std::move(message)));
  if (live != nullptr) {
    kernel_.gate().live().learn_tail(conversation, Transcript(out.rbegin(), out.rend()));
  }
  return out;
}

Result<Transcript> ConversationTail::read(const Session& session,
                                          std::optional<std::int64_t> before, std::size_t limit,
                                          std::optional<std::int64_t> since) {
  TRY(auto all, newest(session.conversation, before, limit));
  const auto older =
      std::ranges::find_if(all, [&](const MessagePtr& m) { return m->session != session.id; });
  if (older == all.end()) return all;

  // Older sessions: behind the last hard boundary there is nothing, before it a few words.
  TRY(const Session oldest, kernel_.sessions().get(all.back()->session));
  TRY(const std::int64_t boundary,
      kernel_.sessions().last_hard_boundary(session.conversation, oldest.epoch, session.epoch));
  std::size_t crossed = 0;
  auto end = older;
  SessionId looked_at;
  for (; end != all.end(); ++end) {
    const bool is_new = since && (*end)->seq > *since;
    if (!is_new && crossed == kSoftMessages) break;
    if ((*end)->session != looked_at) {
      looked_at = (*end)->session;
      TRY(const Session theirs, kernel_.sessions().get(looked_at));
      if (theirs.epoch <= boundary) break;
    }
    if (!is_new && is_visible(**end)) ++crossed;
  }
  all.erase(end, all.end());
  return all;
}

bool is_tainted(const Transcript& newest_first) {
  for (const MessagePtr& message : newest_first) {
    if (const auto tells = tells_of_taint(*message)) return *tells;
  }
  return false;
}

bool is_tainted(const Message& now, const Transcript& before) {
  auto tells = tells_of_taint(now);
  for (auto at = before.rbegin(); !tells && at != before.rend(); ++at) {
    tells = tells_of_taint(**at);
  }
  return tells.value_or(false);
}

}  // namespace rouse
