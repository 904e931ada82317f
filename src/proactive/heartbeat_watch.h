// Watches the watcher (HB-16): a heartbeat that should have beaten and didn't is told, because
// nothing else would say so. It asks the ledger alone: what was carried out, skipped or missed is
// recorded there, and the next instant has moved on; what is still due after its grace, or was
// begun and never ended, has stopped.
//
// It sleeps until the next instant at which one could be late; nothing wakes it before that but a
// change. A machine that slept is given a moment: first the scheduler catches up.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "session/notification/notification.h"
#include "store/database.h"

namespace rouse {

// How late a beat may be before somebody is told: a quarter of its interval, at least two minutes.
Millis beat_grace(Millis interval);

class HeartbeatWatch {
 public:
  struct Parts {
    Loop& loop;
    Clock& clock;
    Database& database;
    Notifications& notifications;
    const Log& log;
  };
  explicit HeartbeatWatch(Parts parts) : parts_(parts) {}
  ~HeartbeatWatch() { stop(); }
  HeartbeatWatch(const HeartbeatWatch&) = delete;
  HeartbeatWatch& operator=(const HeartbeatWatch&) = delete;

  // What a person should know, for the health of the house; "": all beat.
  void on_problem(std::function<void(const std::string&)> told) { on_problem_ = std::move(told); }
  // Nothing is expected while the scheduler is off.
  void configure(bool expected);

  void start();
  void stop();
  void nudge();  // a heartbeat came, went, or moved
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  struct Late {
    WorkspaceId workspace;
    std::string job_id;
    WallTime since;
  };
  struct Look {
    std::map<std::int64_t, Late> late;  // by the job's number
    std::optional<WallTime> next = {};  // when one could be
  };
  Result<Look> look();
  Result<WallTime> bound_of(std::int64_t job, WallTime next, Millis grace, WallTime& since);
  void keep_suspects(Look& look);
  Task<void> run();
  Task<void> tell(Look look);

  Parts parts_;
  std::function<void(const std::string&)> on_problem_;
  std::map<std::int64_t, Late> told_;
  std::set<std::int64_t> suspects_;  // late by one look: before an alarm it is looked again
  // Open ones that were claimed in a time that is still to come, since the clock was set back: by
  // the job, its instant and when it was first seen.
  std::map<std::int64_t, std::pair<std::int64_t, MonoTime>> ahead_;
  std::string problem_;
  bool expected_ = true;
  bool running_ = false;
  std::stop_source wake_, stopping_;
};

}  // namespace rouse
