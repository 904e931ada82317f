#include "channel/reply_router.h"

#include <algorithm>

namespace rouse {

// Ids are the order in which replies are sent: two in one millisecond, or a clock set back, must
// not turn it around.
OutboxId ReplyRouter::next_id() {
  last_id_ = std::max(clock_.wall_now(), last_id_ + millis(1));
  return OutboxId::make(last_id_, random_);
}

Result<std::vector<Statement>> ReplyRouter::at_close(const Turn& turn, const Session& session,
                                                     const std::string& response,
                                                     const Verdict& verdict) {
  std::vector<Statement> none;
  if (verdict.kind == "silent" || response.empty() || !turn.inbound || !serves_) return none;
  // Only a conversation of many channels can have been written to from one that its key doesn't
  // name.
  if (session.key != SessionKey::unified() && !serves_(session.key.channel)) return none;
  TRY(const auto asked, ledger_.message_of(turn));
  if (!asked) return none;
  const std::string& channel = asked->channel;
  if (!serves_(channel)) return none;
  // In a conversation of many channels the key names nobody: the message itself says who wrote it.
  SessionKey to = session.key;
  if (asked->peer) to = {channel, *asked->peer};
  if (to.channel != channel) return none;
  const WallTime now = clock_.wall_now();
  waiting_.insert(turn.id);
  return std::vector{Outbox::insert({.id = next_id(),
                                     .workspace = turn.workspace,
                                     .conversation = turn.conversation,
                                     .turn = turn.id,
                                     .to = std::move(to),
                                     .account = asked->account,
                                     .text = response,
                                     .created = now,
                                     .next_try = now})};
}

void ReplyRouter::closed(const TurnId& turn) {
  if (waiting_.erase(turn) > 0 && on_committed_) on_committed_();
}

}  // namespace rouse
