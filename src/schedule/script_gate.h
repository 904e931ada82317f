// Asks a job's script whether the agent shall be woken, before any model is asked: status 0 wakes
// it, 1 to 125 is a no, anything else is an error, and so is a script that doesn't end in time. It
// runs shut in (tool/shell/sandbox.h), always without a network; where there is no sandbox there is
// no gate, and what has one is not run.
//
// For the owner's workspace only, and never for a job that an agent made: a gate runs without a
// person's word at each due instant.
#pragma once

#include <memory>
#include <set>
#include <stop_token>
#include <string>

#include "base/blocking_pool.h"
#include "base/clock.h"
#include "base/loop.h"
#include "schedule/job.h"
#include "tool/shell/sandbox.h"

namespace rouse {

inline constexpr std::size_t kGatesAtOnce = 4;

class GateRunner {
 public:
  GateRunner(Loop& loop, Clock& clock, std::string data_dir)
      : loop_(loop), clock_(clock), data_dir_(std::move(data_dir)) {}
  ~GateRunner();  // kills what runs
  GateRunner(const GateRunner&) = delete;
  GateRunner& operator=(const GateRunner&) = delete;

  // Of the shell only the sandbox is used.
  void configure(ShellSettings settings) { settings_ = std::move(settings); }

  // Fits Scheduler::GateKeeper.
  Task<Result<bool>> ask(Job job, std::stop_token stop);

 private:
  Task<Result<ChildEnd>> run(ChildSpec spec, Millis deadline, std::stop_token stop);

  Loop& loop_;
  Clock& clock_;
  std::string data_dir_;
  ShellSettings settings_;
  std::set<std::shared_ptr<KillSwitch>> running_;
  BlockingPool pool_{kGatesAtOnce, 256};
};

}  // namespace rouse
