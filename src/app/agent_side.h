// The agent's side of the server: models, tools, prompts, the runner, and the doors that lead to
// them. Part of the wiring: concrete classes are named here, nothing is decided here.
#pragma once

#include <memory>
#include <string>

#include "agent/agent_house.h"
#include "agent/cheap_model.h"
#include "agent/prompt/person_files.h"
#include "agent/prompt/standard_prompt.h"
#include "agent/prompt_desk.h"
#include "app/config.h"
#include "app/config_keeper.h"
#include "app/model_settings.h"
#include "app/tool_side.h"
#include "channel/outbox_sender.h"
#include "channel/reply_router.h"
#include "channel/whatsapp/whatsapp_door.h"
#include "channel/whatsapp/whatsapp_sender.h"
#include "gateway/chat_door.h"
#include "gateway/live_hub.h"
#include "gateway/routes/chat_routes.h"
#include "gateway/routes/delivery_routes.h"
#include "gateway/routes/prompt_routes.h"
#include "gateway/routes/usage_routes.h"
#include "gateway/routes/whatsapp_routes.h"
#include "net/http_client.h"
#include "session/outbox.h"
#include "session/people.h"
#include "session/resolver/drift_gate.h"
#include "store/text_index.h"

namespace rouse {

class AgentSide {
 public:
  struct Parts {
    Loop& loop;
    Clock& clock;
    Random& random;
    Database& database;
    SessionKernel& kernel;
    Workspaces& workspaces;
    Agents& agents;
    Blobs& blobs;
    People& people;
    Summariser& summariser;
    DriftGate& drift;
    Projects& projects;
    const TextIndex& text_index;
    const WordIndex& word_index;
    BlockingPool& pool;
    const Log& log;
    const Redactor& redactor;
    std::string data_dir;
  };
  AgentSide(Parts parts, ClientOptions client);

  // Before anything is admitted.
  Task<Result<void>> recover();
  // When the server listens: goes on with what waited, sends what is due.
  Task<Result<void>> start();
  Task<void> stop(Millis deadline);

  void apply(const Config& config, const ModelSetup& models, const BridgeSecrets& secrets);
  void add_routes(RouteTable& table);
  [[nodiscard]] LiveParts live_parts();
  AgentHouse& house() { return house_; }
  ChatDoor& chat_door() { return chat_door_; }
  // A model that is not configured, to try it.
  std::shared_ptr<Model> model_of(ModelSettings one);
  MemoryBook& memory() { return tools_.memory(); }
  MemoryRecall& recall() { return tools_.recall(); }
  TaskBook& tasks() { return tools_.tasks(); }
  PersonFiles& files() { return files_; }
  McpServers& mcp_servers() { return tools_.mcp_servers(); }
  [[nodiscard]] std::string zone_of(const Workspace& workspace) const;
  // For short questions, by role; null: no such model can read.
  OneShot* one_shot(std::string_view role = "cheap");
  [[nodiscard]] std::optional<std::int64_t> price_of(std::string_view role,
                                                     const OneShotQuestion& question) const {
    return (role == "main" ? main_ : cheap_).price_of(question);
  }
  // May messages be sent over this channel, and: one waits in the outbox.
  [[nodiscard]] bool serves(std::string_view channel) const {
    return whatsapp_sender_.serves(channel);
  }
  void nudge_outbox() { outbox_sender_.nudge(); }
  // Another way out of the house; before start().
  void add_channel(ChannelSender& channel) { outbox_sender_.add(channel); }

 private:
  Task<void> prune_events(WorkspaceId workspace);

  Parts parts_;
  std::unique_ptr<HttpClient> http_;
  std::map<std::string, ModelSettings> model_settings_;
  PersonFiles files_;
  StandardPrompt prompt_;
  AgentHouse house_;
  ToolSide tools_;
  BookMeter meter_;
  CheapModel cheap_, main_;
  PromptDesk prompt_desk_;
  Outbox outbox_;
  DeliveryList deliveries_;
  WhatsAppSender whatsapp_sender_;
  OutboxSender outbox_sender_;
  ReplyRouter reply_router_;
  WhatsAppDoor whatsapp_door_;
  ChatDoor chat_door_;
  ChatRoutes chat_routes_;
  PromptRoutes prompt_routes_;
  UsageRoutes usage_routes_;
  DeliveryRoutes delivery_routes_;
  WhatsAppRoutes whatsapp_routes_;
  std::string default_zone_ = "UTC";
};

}  // namespace rouse
