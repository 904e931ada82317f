// The chronicle: who writes the punchlines. When a conversation has come to rest for two minutes
// (S2-10), what was said in it since the last time becomes a row of the activity log: one for each
// chunk of work with the same cause, one for each run of an automation (U15). A run in a
// conversation that was at rest is told as soon as it is over: there is nothing to wait for.
//
// - Nothing is written when a turn closes. What is to be done is derived: messages have positions
//   in the order of their commits, and a durable cursor (index_cursors, 'activity') says up to
//   which one all is told. What lies behind it is found again by a start.
// - A conversation's own cursor (activity_cursors) says up to which of its messages it is told. It
//   moves in the write that brings the rows and their events, and only from where it was: a kill,
//   or a second writer, neither doubles a chunk nor loses one (S2-15).
// - A model is asked for the words, sterile: the last 4000 characters of what people and agents
//   said, no tools, no memory, no session (S2-12, S2-16). Without one, or when it fails, plain
//   rules write them.
// - A house in which nothing is said has no task and no timer here.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "session/event_log.h"
#include "session/session_kernel.h"
#include "session/summary/summariser.h"

namespace rouse {

inline constexpr Millis kActivityIdle = minutes(2);
// Where something happens each minute there is never rest: then what was said is told after this.
inline constexpr Millis kActivityLongestUnrest = minutes(10);
inline constexpr std::size_t kPunchlineCharacters = 4'000;     // of what was said, the last ones
inline constexpr std::size_t kPendingConversations = 100'000;  // that are known to have something
// What can't be written is tried again after a minute, then after twice as long, up to an hour; the
// model is asked once for it, not each time.
inline constexpr Millis kChronicleRetry = minutes(1);
inline constexpr Millis kChronicleLongestRetry = hours(1);

class Chronicle {
 public:
  struct Parts {
    Loop& loop;
    Clock& clock;
    Database& database;
    SessionKernel& kernel;
    Summariser& summariser;
    EventLog& events;
    const Log& log;
  };
  explicit Chronicle(Parts parts);
  ~Chronicle();
  Chronicle(const Chronicle&) = delete;
  Chronicle& operator=(const Chronicle&) = delete;

  // activity.idle_seconds: how long a conversation must rest. For what is said from now on.
  void configure(Millis idle);

  // What an earlier life left, if anything: one point read. Before messages_were_added().
  Result<void> start();

  // Called after each commit that appended to a transcript. Cheap: no read, no write.
  void messages_were_added();

  // Nothing begins after this. Answers when nothing runs any more, or after two seconds: a model
  // that hangs keeps nobody waiting, and what it was asked for is asked again by the next start.
  Task<void> stop();

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the work under way, which may outlive this
};

}  // namespace rouse
