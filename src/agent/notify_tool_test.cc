#include "agent/notify_tool.h"

#include <gtest/gtest.h>

#include "session/workspaces.h"
#include "tests/sim/world.h"

namespace rouse {
namespace {

TEST(NotifyTool, IsADurableEventThatEveryPageHears) {
  sim::World world{6};
  Database& database = **world.open_store();
  EventLog events(database);
  int heard = 0;
  events.on_commit([&](const WorkspaceId&) { ++heard; });
  Notifications notifications(database, world.clock(), world.random(), events);
  NotifyTool tool(notifications);
  ToolCall call{.id = "call_1",
                .arguments = R"({"text":"The build is green.","title":"Build"})",
                .workspace = Workspaces::default_id(),
                .conversation = *ConversationId::parse("conv_1"),
                .session = *SessionId::parse("sess_1"),
                .turn = *TurnId::parse("turn_1"),
                .turn_kind = "user",
                .zone = "UTC"};
  const ToolResult result = world.run(tool.run(call, {}));
  EXPECT_FALSE(result.failed);
  EXPECT_TRUE(result.text.contains("not said in a channel")) << result.text;
  EXPECT_EQ(heard, 1);
  call.tainted = true;
  call.arguments = R"({"text":"Click here","untrusted":false})";
  world.run(tool.run(call, {}));
  const auto kept = *events.after(Workspaces::default_id(), 0, 10);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].type, "notification");
  EXPECT_EQ(kept[0].conversation, "conv_1");
  EXPECT_EQ(kept[0].body,
            R"({"number":1,"kind":"agent","text":"The build is green.","subject":"Build",)"
            R"("title":"Build"})");
  EXPECT_EQ(kept[1].body,
            R"({"number":2,"kind":"agent","text":"Click here","subject":"","untrusted":true})");
  call.arguments = R"({"text":""})";
  EXPECT_TRUE(world.run(tool.run(call, {})).failed);
  EXPECT_EQ(heard, 2);
  // The conversation of an isolated run goes; what it said to the person stays.
  call.turn_kind = "isolated";
  call.arguments = R"({"text":"Found one"})";
  EXPECT_FALSE(world.run(tool.run(call, {})).failed);
  EXPECT_EQ(events.after(Workspaces::default_id(), 0, 10)->back().conversation, "");
}

}  // namespace
}  // namespace rouse
