// Plays a scenario over the whole gateway: virtual clock, real store on a simulated disk, no
// sockets. A request takes no time at all, so "30 minutes and 1 ms later" is exactly that.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "gateway/agent_gateway_for_tests.h"
#include "tests/scenario/placeholder.h"
#include "tests/scenario/scenario.h"

namespace rouse::scenario {

class PlayerTest : public AgentGatewayTest {
 protected:
  void SetUp() override;

  // Nothing if all of it holds; else what a person needs to see: file, line, expected, got.
  std::optional<std::string> play(const Scenario& scenario);

 private:
  using Problem = std::optional<std::string>;
  Problem act(const Exchange& exchange);
  Problem act(const Wait& wait);
  Problem act(const ClockStep& step);
  Problem act(const SessionTimeout& timeout);
  Problem act(const Restart& restart);
  Problem act(const PowerCut& cut);
  Problem act(const Speaker& speaker);

  Result<Ask> request_of(const Exchange& exchange) const;
  Problem compare(const Exchange& exchange, const Ask& ask, const Answer& answer);
  Problem after_start() const;

  Names names_{[this] { return world_.clock().wall_now(); }};
  KernelOptions kernel_;                       // as in the config file: kept over a restart
  std::string token_{kOwnerToken};             // who speaks; empty: nobody
  std::map<std::string, std::string> tokens_;  // "user of ws_x" -> its token
};

}  // namespace rouse::scenario
