#include "channel/outbox_sender.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "base/fault.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::array kBackoff{seconds(5), seconds(30), minutes(2), minutes(10), minutes(30)};
// How many due rows are looked at in one go: more than any one channel may be busy with.
constexpr std::size_t kDueAtOnce = 128;
// How long to leave a store alone that refused.
constexpr Millis kStorePause = seconds(5);
constexpr std::size_t kLeftoversTold = 1000;
constexpr std::size_t kErrorBytes = 500;

bool is_too_old(const Delivery& delivery, WallTime now) {
  return now - delivery.created >= kDeliveryLife;
}

bool is_over(const Delivery& delivery) {
  return delivery.state != "pending" && delivery.state != "sending";
}

}  // namespace

Millis delivery_backoff(std::int64_t attempts) {
  const auto last = static_cast<std::int64_t>(kBackoff.size());
  return kBackoff.at(static_cast<std::size_t>(std::clamp<std::int64_t>(attempts, 1, last) - 1));
}

Task<Result<void>> OutboxSender::start() {
  CO_TRY_VOID(co_await recover());
  running_ = true;
  loop_.spawn("outbox", run());
  co_return Result<void>{};
}

// DL-2: however many there were, one line says so.
Task<Result<void>> OutboxSender::recover() {
  const WallTime now = clock_.wall_now();
  CO_TRY(auto left, list_.unfinished(kLeftoversTold));
  CO_TRY_VOID(co_await outbox_.recover());
  std::int64_t unknown = 0, expired = 0;
  for (Delivery& one : left) {
    const bool was_sending = one.state == "sending";
    if (!was_sending && !is_too_old(one, now)) continue;
    one.state = was_sending ? "unknown" : "expired";
    one.ended = now;
    ++(was_sending ? unknown : expired);
    tell(one);
  }
  if (unknown + expired > 0) {
    log_.warn("outbox.recovered", {{"unknown", unknown}, {"expired", expired}});
  }
  co_return Result<void>{};
}

void OutboxSender::nudge() {
  nudged_ = true;
  wake_.request_stop();
}

Task<void> OutboxSender::stop(Millis grace) {
  stopping_.request_stop();
  nudge();
  const MonoTime until = clock_.mono_now() + grace;
  while ((running_ || sending() > 0) && clock_.mono_now() < until) co_await sleep(until);
  cut_off_.request_stop();
  while (running_ || sending() > 0) co_await sleep(kNever);
}

std::size_t OutboxSender::sending() const {
  return std::accumulate(busy_.begin(), busy_.end(), std::size_t{0},
                         [](std::size_t sum, const auto& one) { return sum + one.second; });
}

void OutboxSender::tell(const Delivery& delivery) const {
  if (on_change_) on_change_(delivery);
}

// Until then or until the next nudge. Both the pump and stop() sleep here, one after the other:
// whoever is woken nudges again when there is more to wait for.
Task<void> OutboxSender::sleep(MonoTime until) {
  if (!std::exchange(nudged_, false)) {
    wake_ = std::stop_source();
    co_await clock_.wait_until(until, wake_.get_token());
    nudged_ = false;
  }
}

Task<void> OutboxSender::run() {
  while (!stopping_.stop_requested()) {
    nudged_ = false;
    const auto left = co_await begin_due();
    Result<std::optional<WallTime>> next = std::unexpected(Error());
    if (left) next = outbox_.next_due();
    MonoTime until = kNever;
    if (!next) {
      log_.warn("outbox.store", {{"message", (left ? next.error() : left.error()).message}});
      until = clock_.mono_now() + kStorePause;
    } else if (*next && *left == Left::kNothing) {
      until = clock_.mono_now() + std::max(**next - clock_.wall_now(), Millis{0});
    }
    if (!stopping_.stop_requested()) co_await sleep(until);
  }
  running_ = false;
  nudge();
}

Task<Result<OutboxSender::Left>> OutboxSender::begin_due() {
  std::int64_t expired = 0;
  Left left = Left::kNothing;
  for (bool more = true; more && !stopping_.stop_requested();) {
    CO_TRY(const auto due, outbox_.due(clock_.wall_now(), kDueAtOnce));
    more = false;
    left = Left::kNothing;
    for (const Delivery& one : due) {
      if (is_too_old(one, clock_.wall_now())) {
        CO_TRY(const bool done, co_await begin(one));
        expired += done ? 1 : 0;
        more = true;
      } else if (busy_[one.to.channel] < kSendsAtOnce) {
        CO_TRY_VOID(co_await begin(one));
        more = true;
      } else {
        left = Left::kForWantOfRoom;
      }
      if (stopping_.stop_requested()) break;
    }
  }
  if (expired > 0) log_.warn("outbox.expired", {{"replies", expired}});
  co_return left;
}

// False when somebody else has dealt with it, a deleted conversation for one.
Task<Result<bool>> OutboxSender::begin(Delivery delivery) {
  const bool expires = is_too_old(delivery, clock_.wall_now());
  if (expires) {
    delivery.state = "expired";
    delivery.error = "it was too old to be of use";
    delivery.ended = clock_.wall_now();
  }
  const auto written =
      expires ? co_await write_down(delivery) : co_await outbox_.begin_sending(delivery.id);
  if (!written && written.error().is(StoreErrc::kConflict)) co_return false;
  if (!written) co_return std::unexpected(written.error());
  if (expires) {
    tell(delivery);
    co_return true;
  }
  delivery.state = "sending";
  ++delivery.attempts;
  ++busy_[delivery.to.channel];
  loop_.spawn("delivery", deliver(std::move(delivery)));
  co_return true;
}

Task<void> OutboxSender::deliver(Delivery delivery) {
  FAULT_POINT("outbox.after_begin");
  const SendOutcome outcome = co_await send(delivery);
  FAULT_POINT("outbox.after_send");
  co_await keep(delivery, outcome);
  --busy_[delivery.to.channel];
  nudge();
}

// A bug in a channel costs one delivery, not one of the channel's places.
Task<SendOutcome> OutboxSender::send(Delivery delivery) {
  const std::string channel = delivery.to.channel;
  const auto serving = std::ranges::find_if(
      channels_, [&](const ChannelSender* one) { return one->serves(channel); });
  if (serving == channels_.end()) {
    co_return SendOutcome::not_yet(fmt::format("nothing brings replies to {} at present", channel));
  }
  try {
    co_return co_await (*serving)->send(std::move(delivery), cut_off_.get_token());
  } catch (const std::exception& e) {
    log_.error("outbox.bug", {{"channel", channel}, {"what", e.what()}});
    co_return SendOutcome::unknown("something broke inside rouse while this was being sent");
  }
}

// What happened outside has happened: it is written down as soon as the store takes it. If it never
// does, the next start finds `sending` and says `unknown`.
Task<void> OutboxSender::keep(Delivery& delivery, const SendOutcome& outcome) {
  delivery = after(std::move(delivery), outcome);
  while (true) {
    const auto written = co_await write_down(delivery);
    if (written) break;
    if (written.error().is(StoreErrc::kConflict)) co_return;  // its conversation is gone
    log_.warn("outbox.store", {{"message", written.error().message}});
    if (!co_await clock_.wait_for(kStorePause, cut_off_.get_token())) co_return;
  }
  if (is_over(delivery) && delivery.state != "delivered") {
    log_.warn("outbox.not_delivered", {{"delivery", delivery.id.str()},
                                       {"channel", delivery.to.channel},
                                       {"state", delivery.state},
                                       {"message", delivery.error.value_or("")}});
  }
  tell(delivery);
}

Delivery OutboxSender::after(Delivery delivery, const SendOutcome& outcome) const {
  const WallTime now = clock_.wall_now();
  delivery.receipt = outcome.receipt;
  delivery.error.reset();
  if (!outcome.error.empty()) delivery.error = utf8_prefix(outcome.error, kErrorBytes);
  switch (outcome.kind) {
    case SendOutcome::Kind::kDelivered:
      delivery.state = "delivered";
      break;
    case SendOutcome::Kind::kRefused:
      delivery.state = "failed";
      break;
    case SendOutcome::Kind::kUnknown:
      delivery.state = "unknown";
      break;
    case SendOutcome::Kind::kNotYet:
      if (delivery.attempts >= kDeliveryAttempts) {
        delivery.state = "failed";
        break;
      }
      delivery.state = "pending";
      delivery.next_try = now + std::max(delivery_backoff(delivery.attempts),
                                         outcome.retry_after.value_or(Millis{0}));
      // Not later than its end: then it expires.
      delivery.next_try = std::min(delivery.next_try, delivery.created + kDeliveryLife);
      return delivery;
  }
  delivery.ended = now;
  return delivery;
}

Task<Result<void>> OutboxSender::write_down(const Delivery& delivery) {
  if (delivery.state == "delivered") return outbox_.delivered(delivery.id, delivery.receipt);
  const std::string error = delivery.error.value_or("");
  if (delivery.state == "pending") {
    return outbox_.try_again(delivery.id, error, delivery.next_try);
  }
  return outbox_.give_up(delivery.id, delivery.state, error);
}

}  // namespace rouse
