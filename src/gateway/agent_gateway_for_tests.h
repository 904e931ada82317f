// The gateway with an agent behind it: the offline model, or one that plays a script.
#pragma once

#include <memory>
#include <string>

#include "agent/agent_house.h"
#include "agent/prompt/person_files.h"
#include "agent/prompt/standard_prompt.h"
#include "channel/reply_router.h"
#include "channel/whatsapp/whatsapp_door.h"
#include "gateway/chat_door.h"
#include "gateway/gateway_for_tests.h"
#include "gateway/routes/chat_routes.h"
#include "gateway/routes/whatsapp_routes.h"
#include "model/offline/offline_model.h"
#include "model/scripted_model_for_tests.h"
#include "session/outbox.h"
#include "session/people.h"
#include "tool/calculator.h"
#include "tool/clock_tool.h"

namespace rouse {

inline constexpr std::string_view kBridgeSecret = "secret-of-the-bridge";

class AgentGatewayTest : public GatewayTest {
 protected:
  void SetUp() override {
    options_.bridge_secrets["whatsapp"] = kBridgeSecret;
    GatewayTest::SetUp();
    if (HasFatalFailure()) return;
    if (!model_) model_ = make_offline_model();
    doors_ = std::make_unique<Doors>(*this);
    ASSERT_TRUE(world_.run(doors_->agent.recover()));
    ASSERT_TRUE(world_.run(doors_->agent.runner().resume_waiting()));
  }
  void leave_house() override { doors_.reset(); }

  struct Doors {
    explicit Doors(AgentGatewayTest& test)
        : files("/nowhere", test.world_.clock()),
          prompt(files),
          agent({test.world_.loop(), test.world_.clock(), *test.database_, test.house_->kernel,
                 test.house_->workspaces, test.house_->agents, test.house_->blobs,
                 test.house_->summariser, prompt, test.house_->log, test.world_.random()},
                std::make_shared<ModelBook>(
                    std::map<std::string, std::shared_ptr<Model>, std::less<>>{
                        {"main", test.model_}})),
          people(*test.database_, test.world_.clock(), test.world_.random(),
                 test.house_->workspaces),
          outbox(*test.database_, test.world_.clock()),
          chat(test.house_->kernel, test.house_->agents, test.house_->blobs, agent.prompts(),
               agent.runner()),
          whatsapp(agent.runner(), test.house_->kernel, people, outbox, test.world_.clock(),
                   test.world_.loop(), test.house_->log),
          chat_routes(chat, agent.runner(), agent.ledger(), agent.stage(), test.house_->kernel,
                      test.house_->workspaces, test.world_.clock()),
          whatsapp_routes(whatsapp) {
      agent.tools().add(std::make_unique<Calculator>());
      agent.tools().add(std::make_unique<ClockTool>(test.world_.clock()));
      chat_routes.add_to(test.house_->table);
      whatsapp_routes.add_to(test.house_->table);
    }
    PersonFiles files;
    StandardPrompt prompt;
    AgentHouse agent;
    People people;
    Outbox outbox;
    ChatDoor chat;
    WhatsAppDoor whatsapp;
    ChatRoutes chat_routes;
    WhatsAppRoutes whatsapp_routes;
  };

  std::shared_ptr<Model> model_;  // the offline one, unless a test says otherwise before SetUp()
  std::unique_ptr<Doors> doors_;
};

}  // namespace rouse
