// A notification whose place is a conversation is said there: as a turn whose answer is known
// already, so no model is asked and it reads like anything else the agent said, on whatever channel
// the conversation has. What is to be said stands in the outbox; the message that brings it names
// the row, so a restart in between changes nothing.
//
// It stands before the schedule's Occasions and hands on every turn that isn't its own.
#pragma once

#include <string>

#include "agent/occasion.h"
#include "agent/turn_runner.h"
#include "channel/channel_sender.h"
#include "session/notification/notification.h"
#include "session/session_kernel.h"

namespace rouse {

class SpokenNotifications final : public Occasions {
 public:
  SpokenNotifications(Database& database, SessionKernel& kernel, TurnRunner& runner,
                      Occasions* next)
      : database_(database), kernel_(kernel), runner_(runner), next_(next) {}

  Task<SendOutcome> say(Delivery delivery, NotificationParcel parcel, std::string session_key);

  Result<std::optional<Occasion>> of_turn(const Turn& turn) override;
  OccasionEnd closing(const Turn& turn, OccasionEnd end, const std::string& error) override;

 private:
  Result<InboundMessage> message_for(const Delivery& delivery, const NotificationParcel& parcel,
                                     const std::string& session_key);
  Result<std::optional<std::string>> words_of(const Turn& turn);

  Database& database_;
  SessionKernel& kernel_;
  TurnRunner& runner_;
  Occasions* next_;
};

}  // namespace rouse
