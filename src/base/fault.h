// Named places in the product, for whoever tests it.
//
// FAULT_POINT("turn.after_intent") stands between two steps where a death hurts: a test may cut the
// power there, throw, or only count. SOMETIMES("turn.parked") stands where something rare happens
// that a long run of the simulator must have met, or its seeds prove less than they say. All names
// are in the lists below, so that a run can tell which it never came to.
//
// In a release build both are nothing at all. Elsewhere they ask the hook a test installed.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace rouse {

struct FaultPoint {
  std::string_view name;
  bool in_the_box = true;  // the simulated world (tests/sim/box) comes by here, and dies of it
};

inline constexpr std::array kFaultPoints{
    FaultPoint{"store.before_commit"},             // of a batch of writes, on the writer's thread
    FaultPoint{"store.after_commit"},              // durable, and nobody was answered
    FaultPoint{"store.before_checkpoint", false},  //
    FaultPoint{"store.before_epoch_commit"},       // two may think that they own the store
    FaultPoint{"store.upgrade_ran", false},        // and is not committed
    FaultPoint{"store.restore_moved_one", false},
    FaultPoint{"message.after_accept"},   // durable, and its turn is not launched
    FaultPoint{"turn.after_answer"},      // paid for, and nothing of it is kept
    FaultPoint{"turn.after_intent"},      // kept, and the tool has not run
    FaultPoint{"turn.after_tool"},        // it ran, and its result is not kept
    FaultPoint{"turn.before_close"},      //
    FaultPoint{"turn.after_close"},       // durable, and nobody was told
    FaultPoint{"outbox.after_begin"},     // known as being sent, and no byte has left
    FaultPoint{"outbox.after_send"},      // it left, and nobody wrote that down
    FaultPoint{"delete.after_hide"},      // gone for readers, and all its rows are there
    FaultPoint{"schedule.before_claim"},  //
    FaultPoint{"schedule.after_claim"},   // claimed, and nothing is begun
    FaultPoint{"schedule.before_begin"},  //
    FaultPoint{"schedule.after_begin"},   //
    FaultPoint{"output.after_destroy",
               false},                   // the run's conversation is gone, its words not told
    FaultPoint{"heartbeat.before_end"},  // a beat was paid for, and there is no row of it
    FaultPoint{"heartbeat.after_end"},   //
};

inline constexpr std::array<std::string_view, 7> kSometimes{
    "turn.never_was",        // it had begun, and its message could not be kept
    "turn.parked",           // it took the process down twice
    "turn.put_back",         // a stop in good order came between
    "turn.close_again",      // the store refused the close, and it was tried again
    "schedule.claim_alone",  // a page of claims met a change, and each was written by itself
    "index.from_memory",     // messages were indexed without reading them again
    "outbox.left_sending",   // a start found one that nobody knows the end of
};

consteval bool is_fault_point(std::string_view name) {
  return std::ranges::any_of(kFaultPoints, [&](const FaultPoint& one) { return one.name == name; });
}
consteval bool is_sometimes(std::string_view name) {
  return std::ranges::find(kSometimes, name) != kSometimes.end();
}

}  // namespace rouse

#ifdef ROUSE_FAULT_POINTS

#include <functional>

namespace rouse {

using FaultHook = std::function<void(std::string_view point)>;
void set_fault_hook(FaultHook hook);  // tests only; empty removes it
void hit_fault_point(std::string_view point);

}  // namespace rouse

#define FAULT_POINT(name)                       \
  static_assert(::rouse::is_fault_point(name)); \
  ::rouse::hit_fault_point(name)
#define SOMETIMES(name)                       \
  static_assert(::rouse::is_sometimes(name)); \
  ::rouse::hit_fault_point(name)
#else
#define FAULT_POINT(name) static_assert(::rouse::is_fault_point(name))
#define SOMETIMES(name) static_assert(::rouse::is_sometimes(name))
#endif
