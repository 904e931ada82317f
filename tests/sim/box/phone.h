// The bridge to people's phones, seen from the server: it takes replies, refuses them, asks for
// patience, takes them and loses the answer, or says nothing for a while. What reached the person
// is known outside, whatever the server was told.
#pragma once

#include <fmt/format.h>

#include "base/clock.h"
#include "channel/channel_sender.h"
#include "tests/sim/box/outside.h"
#include "tests/sim/box/plan.h"

namespace rouse::sim {

class Phone final : public ChannelSender {
 public:
  Phone(Outside& outside, Clock& clock) : outside_(outside), clock_(clock) {}
  [[nodiscard]] bool serves(std::string_view channel) const override {
    return channel == "whatsapp";
  }

  Task<SendOutcome> send(Delivery delivery, std::stop_token stop) override {
    const std::uint64_t chance =
        mixed(mixed(outside_.seed, delivery.text), static_cast<std::uint64_t>(delivery.attempts));
    const std::uint64_t roll = outside_.kind ? 99 : chance % 100;
    if (roll < 4) {
      outside_.counts.hit("bridge refuses");
      co_return SendOutcome::refused("no such number");
    }
    if (roll < 16) {
      outside_.counts.hit("bridge is not ready");
      co_return SendOutcome::not_yet("try again");
    }
    // The person has it before the bridge says so.
    const bool arrives = roll >= 20;
    if (arrives) arrive(delivery);
    if (roll < 26 || roll >= 90) {
      const Millis wait = millis(static_cast<std::int64_t>(50 + chance % 9'000));
      (void)co_await clock_.wait_for(wait, stop);
    }
    if (roll < 26) {
      outside_.counts.hit(arrives ? "bridge took it and doesn't say" : "bridge says nothing");
      co_return SendOutcome::unknown("no answer");
    }
    outside_.counts.hit("reply delivered");
    co_return SendOutcome::delivered("r-" + delivery.id.str());
  }

 private:
  void arrive(const Delivery& delivery) {
    if (++outside_.arrived[delivery.id.str()] > 1) {
      outside_.broke("4: a reply reaches a person at most once",
                     fmt::format("{} came twice: {}", delivery.id.str(), delivery.text));
    }
    outside_.brought.push_back(
        {delivery.id.str(), "r-" + delivery.id.str(), delivery.to.peer, delivery.text});
  }
  Outside& outside_;
  Clock& clock_;
};

}  // namespace rouse::sim
