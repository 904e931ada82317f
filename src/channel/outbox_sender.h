// Empties the outbox: sends what is due and writes down what became of it. That a delivery is being
// sent is durable before its first byte leaves, so whatever happens it is sent once or known to be
// unknown, never twice by us (DL-1).
//
// - Replies of one conversation go in the order they were said: a later one waits for the earlier,
//   also while that is to be tried again. Conversations don't wait for one another.
// - Each channel has kSendsAtOnce sends of its own, so a bridge that hangs holds up nobody else
//   (DL-7).
// - What certainly didn't arrive is tried again after 5 s, 30 s, 2 min, 10 min and then every 30
//   min, kDeliveryAttempts times in all; what is older than kDeliveryLife is not sent any more.
// - It sleeps until something is due. Whoever put something into the outbox nudges it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "channel/channel_sender.h"
#include "session/delivery_list.h"
#include "session/outbox.h"

namespace rouse {

inline constexpr std::size_t kSendsAtOnce = 8;  // of one channel

// How long to wait after that many attempts that failed.
Millis delivery_backoff(std::int64_t attempts);

class OutboxSender {
 public:
  OutboxSender(Outbox& outbox, DeliveryList& list, Clock& clock, Loop& loop, const Log& log)
      : outbox_(outbox), list_(list), clock_(clock), loop_(loop), log_(log) {}

  void add(ChannelSender& channel) { channels_.push_back(&channel); }

  // Told after each durable change but `sending`, which lasts a moment.
  void on_change(std::function<void(const Delivery&)> told) { on_change_ = std::move(told); }

  // Recovers what an earlier life left, then sends until stop().
  Task<Result<void>> start();
  void nudge();
  // Begins nothing more, lets what is being sent end within the grace, then cuts it off. When it
  // returns nothing runs any more.
  Task<void> stop(Millis grace);

  [[nodiscard]] std::size_t sending() const;

 private:
  Task<Result<void>> recover();
  Task<void> run();
  enum class Left : std::uint8_t { kNothing, kForWantOfRoom };
  Task<Result<Left>> begin_due();
  Task<Result<bool>> begin(Delivery delivery);
  Task<void> deliver(Delivery delivery);
  Task<SendOutcome> send(Delivery delivery);
  Task<void> keep(Delivery& delivery, const SendOutcome& outcome);
  Task<Result<void>> write_down(const Delivery& delivery);
  Delivery after(Delivery delivery, const SendOutcome& outcome) const;
  Task<void> sleep(MonoTime until);
  void tell(const Delivery& delivery) const;

  Outbox& outbox_;
  DeliveryList& list_;
  Clock& clock_;
  Loop& loop_;
  const Log& log_;
  std::vector<ChannelSender*> channels_;
  std::function<void(const Delivery&)> on_change_;
  std::map<std::string, std::size_t> busy_;  // by channel
  bool running_ = false;
  bool nudged_ = false;
  std::stop_source wake_;      // of the present sleep
  std::stop_source stopping_;  // no new work
  std::stop_source cut_off_;   // of what is being sent
};

}  // namespace rouse
