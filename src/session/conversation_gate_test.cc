#include "session/conversation_gate.h"

#include <gtest/gtest.h>

#include "tests/sim/world.h"

namespace rouse {
namespace {

struct Trace {
  std::string text;
  int inside = 0;
};

Task<void> visit(ConversationGate& gate, Clock& clock, SessionKey key, std::string name,
                 Trace& trace) {
  const auto pass = co_await gate.enter(*WorkspaceId::parse("ws_a"), key);
  EXPECT_EQ(trace.inside++, 0) << name << " is not alone";
  trace.text += name;
  co_await clock.wait_for(millis(10));
  --trace.inside;
}

// SE-8
TEST(ConversationGate, LetsThemThroughOneByOneInTheOrderTheyCame) {
  sim::World world(1);
  ConversationGate gate;
  Trace trace;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    world.loop().spawn(name, visit(gate, world.clock(), {"whatsapp", "1"}, name, trace));
  }
  world.run_for(seconds(1));
  EXPECT_EQ(trace.text, "abcde");
  EXPECT_EQ(gate.held(), 0U) << "nothing is kept for a conversation nobody is in";
}

// SE-8
TEST(ConversationGate, DifferentConversationsDontMeet) {
  sim::World world(1);
  ConversationGate gate;
  Trace one, two;
  const MonoTime start = world.clock().mono_now();
  world.loop().spawn("one", visit(gate, world.clock(), {"whatsapp", "1"}, "1", one));
  world.loop().spawn("two", visit(gate, world.clock(), {"whatsapp", "2"}, "2", two));
  world.run_until(start + millis(10));
  world.settle();
  EXPECT_EQ(one.text + two.text, "12");
  EXPECT_EQ(gate.held(), 0U);
}

Task<void> outlive(std::unique_ptr<ConversationGate>& gate) {
  const auto pass = co_await gate->enter(*WorkspaceId::parse("ws_a"), {"whatsapp", "1"});
  gate.reset();
}

TEST(ConversationGate, APassMayOutliveTheGate) {
  sim::World world(1);
  auto gate = std::make_unique<ConversationGate>();
  world.run(outlive(gate));
  EXPECT_EQ(gate, nullptr);
}

}  // namespace
}  // namespace rouse
