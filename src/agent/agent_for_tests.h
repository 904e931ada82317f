// The agent's house over a simulated world, with a model that plays a script and tools that count
// how often they really ran.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/agent_house.h"
#include "model/scripted_model_for_tests.h"
#include "session/kernel_for_tests.h"

namespace rouse {

// What happened in the world outside, which no crash takes back.
struct OutsideForTests {
  std::map<std::string, int> done;  // by the id of the call
};

class ToolForTests final : public Tool {
 public:
  ToolForTests(std::string name, bool side_effects, OutsideForTests& outside) : outside_(outside) {
    info_.name = std::move(name);
    info_.description = "For tests.";
    info_.schema = R"({"type":"object","properties":{}})";
    info_.tool_class = side_effects ? ToolClass::kEdit : ToolClass::kRead;
    info_.side_effects = side_effects;
  }
  [[nodiscard]] const ToolInfo& info() const override { return info_; }
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override {
    ++outside_.done[call.id];
    co_return ToolResult{.text = info_.name + " done"};
  }

 private:
  ToolInfo info_;
  OutsideForTests& outside_;
};

class PlainPromptForTests final : public PromptBuilder {
 public:
  Prompt build(const PromptInput& input) override {
    Prompt out;
    PromptSection section;
    section.name = "identity";
    section.text = "You are a test.";
    out.sections.push_back(std::move(section));
    return out;
  }
};

class AgentHouseForTests {
 public:
  AgentHouseForTests(sim::World& world, Database& database, std::shared_ptr<Model> model,
                     OutsideForTests& outside)
      : world_(world),
        kernel(world, database),
        agents(database, world.clock()),
        blobs(database, world.clock()),
        log([this] { return world_.clock().wall_now(); }, redactor,
            [this](std::string_view line) {
              if (on_log_line) on_log_line(line);
            }),
        house({world.loop(), world.clock(), database, kernel.kernel, kernel.workspaces, agents,
               blobs, kernel.summariser, prompts, log, world.random()},
              std::make_shared<ModelBook>(
                  std::map<std::string, std::shared_ptr<Model>, std::less<>>{{"main", model}})) {
    house.tools().add(std::make_unique<ToolForTests>("look", false, outside));
    house.tools().add(std::make_unique<ToolForTests>("change", true, outside));
  }

  // As the server starts: nothing is admitted before this is through.
  Task<Result<void>> start() {
    CO_TRY_VOID(co_await kernel.workspaces.ensure_default());
    CO_TRY_VOID(kernel.kernel.load());
    CO_TRY_VOID(co_await house.recover());
    const auto resumed = co_await house.runner().resume_waiting();
    if (!resumed) co_await house.runner().stop(Millis{0});  // some of them may run by now
    co_return resumed;
  }
  TurnRunner& runner() { return house.runner(); }

 private:
  sim::World& world_;

 public:
  Redactor redactor;
  std::function<void(std::string_view)> on_log_line;
  KernelHouse kernel;
  Agents agents;
  Blobs blobs;
  PlainPromptForTests prompts;
  Log log;
  AgentHouse house;
};

inline InboundMessage chat_from(std::string peer, std::string text,
                                std::optional<std::string> id = {}) {
  InboundMessage message = message_from(std::move(peer), std::move(text), std::move(id), "api");
  message.heeds_reset_phrases = false;
  message.content.front().from = kFromOwner;
  return message;
}

}  // namespace rouse
