// Who else has something to write when a turn ends. Its statements are part of the one write that
// closes the turn, so they are durable exactly if the close is: a reply that a channel must bring
// is there with the transcript, or neither is (DL-1).
#pragma once

#include <string>
#include <vector>

#include "session/session.h"
#include "session/turn_ledger.h"
#include "store/database.h"

namespace rouse {

class CloseParticipant {
 public:
  virtual ~CloseParticipant() = default;
  // `response` is what was said last, "" if nothing was. Called before the write; may be called
  // again for the same turn when the write failed. An error: the close must wait, too.
  virtual Result<std::vector<Statement>> at_close(const Turn& turn, const Session& session,
                                                  const std::string& response,
                                                  const Verdict& verdict) = 0;
  // The write is durable.
  virtual void closed(const TurnId& turn) = 0;
  // The write can't be done in this life; the next one recovers the turn.
  virtual void given_up(const TurnId& turn) {}
};

}  // namespace rouse
