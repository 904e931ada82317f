// Any interleaving of messages, resets, timeouts, closes and restarts leaves at most one active
// session a conversation, turn_count equal to the turns, and every message in exactly one session.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/sim/session_life.h"

namespace rouse::sim {
namespace {

enum class Do : std::uint8_t {
  kSay,
  kReset,
  kNewTask,
  kRedeliver,
  kAnswer,
  kClose,
  kWaitShort,
  kWaitLong,
  kStepBack,
  kStepOn,
  kRestart,
  kKill,
  kPowerCut,
  kPowerCutNothingKept,
};

void act(SessionLife& life, Do what, int sender) {
  switch (what) {
    case Do::kSay:
      return life.say(sender, "what about the bees?");
    case Do::kReset:
      return life.say(sender, "please reset");
    case Do::kNewTask:
      return life.say(sender, "new task: count the bees");
    case Do::kRedeliver:
      return life.redeliver();
    case Do::kAnswer:
      return life.answer();
    case Do::kClose:
      return life.close(sender);
    case Do::kWaitShort:
      return life.wait(seconds(40));
    case Do::kWaitLong:
      return life.wait(minutes(31));
    case Do::kStepBack:
      return life.step_clock(hours(-3));
    case Do::kStepOn:
      return life.step_clock(hours(2));
    case Do::kRestart:
      return life.restart();
    case Do::kKill:
      return life.kill(sqlite::Unsynced::kKeepAll);
    case Do::kPowerCut:
      return life.kill(sqlite::Unsynced::kKeepSome);
    case Do::kPowerCutNothingKept:
      return life.kill(sqlite::Unsynced::kKeepNone);
  }
}

// Words more often than faults, and often several at once.
rc::Gen<std::pair<Do, int>> any_step() {
  return rc::gen::pair(rc::gen::weightedElement<Do>({{30, Do::kSay},
                                                     {4, Do::kReset},
                                                     {4, Do::kNewTask},
                                                     {12, Do::kRedeliver},
                                                     {25, Do::kAnswer},
                                                     {5, Do::kClose},
                                                     {10, Do::kWaitShort},
                                                     {5, Do::kWaitLong},
                                                     {1, Do::kStepBack},
                                                     {1, Do::kStepOn},
                                                     {2, Do::kRestart},
                                                     {2, Do::kKill},
                                                     {2, Do::kPowerCut},
                                                     {1, Do::kPowerCutNothingKept}}),
                       rc::gen::inRange(0, 3));
}

void any_life() {
  const auto steps = *rc::gen::container<std::vector<std::pair<Do, int>>>(any_step());
  SessionLife life(*rc::gen::arbitrary<std::uint64_t>());
  for (const auto& [what, sender] : steps) {
    act(life, what, sender);
    life.check_sender(sender);
  }
  life.wait(seconds(1));
  life.check("at the end");
  for (int i = 0; i < 2; ++i) {  // the bridges go on until they were heard
    life.repeat_what_got_no_answer();
    life.wait(seconds(1));
  }
  life.check("when all was answered");
  life.check_everything_was_answered();
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(Sessions, KeepTheirPromisesInAnyOrderOfEvents) {
  EXPECT_TRUE(rc::check("any order of events", any_life));
}

}  // namespace
}  // namespace rouse::sim
