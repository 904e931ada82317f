// Puts the reply of a turn into the outbox, in the write that closes the turn. Where it goes was
// settled when the message was accepted: the channel and account it came from and the peer of its
// conversation (DL-4, DL-5); there is no "last channel". A turn that nobody on a channel asked for
// has no such way back and puts nothing there.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "agent/close_participant.h"
#include "base/clock.h"
#include "base/random.h"
#include "session/outbox.h"

namespace rouse {

class ReplyRouter final : public CloseParticipant {
 public:
  ReplyRouter(TurnLedger& ledger, Clock& clock, Random& random)
      : ledger_(ledger), clock_(clock), random_(random) {}

  // Which channels bring replies at present; called for each turn that ends.
  void on_ask(std::function<bool(std::string_view channel)> serves) { serves_ = std::move(serves); }
  // Something to send is durable.
  void on_committed(std::function<void()> told) { on_committed_ = std::move(told); }

  Result<std::vector<Statement>> at_close(const Turn& turn, const Session& session,
                                          const std::string& response,
                                          const Verdict& verdict) override;
  void closed(const TurnId& turn) override;

 private:
  OutboxId next_id();

  TurnLedger& ledger_;
  Clock& clock_;
  Random& random_;
  std::function<bool(std::string_view)> serves_;
  std::function<void()> on_committed_;
  std::set<TurnId> waiting_;  // have a row in a write that is not durable yet
  WallTime last_id_;
};

}  // namespace rouse
