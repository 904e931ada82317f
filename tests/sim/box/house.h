// One life of the server in the box: everything between the doors and the store, put together and
// started in the order in which the server does it.
#pragma once

#include <memory>

#include "channel/outbox_sender.h"
#include "channel/reply_router.h"
#include "channel/whatsapp/whatsapp_door.h"
#include "channel/whatsapp/whatsapp_sender.h"
#include "lifecycle/engine/engine.h"
#include "proactive/proactive_house_for_tests.h"
#include "proactive/session_open.h"
#include "session/people.h"
#include "session/remove/conversation_delete.h"
#include "session/search/message_index.h"
#include "store/sqlite/sqlite_text_index.h"
#include "tests/sim/box/mind.h"
#include "tests/sim/box/phone.h"
#include "tests/sim/box/rule_watch.h"

namespace rouse::sim {

class NoBackups final : public BackupShelf {
 public:
  Task<Result<std::vector<BackupFile>>> since(WallTime) override {
    co_return std::vector<BackupFile>{};
  }
};

class House {
 public:
  struct Skips {                                            // what a planted bug leaves out
    bool turns = false, deletes = false, receipts = false;  // steps of the start
    bool clean_results = false;                             // of tools
    bool new_rules = false;                                 // when the workflow was edited
    bool last_good_rules = false;                           // when that broke it
    bool new_beats = false;                                 // when heartbeat.json was edited
    bool new_caps = false;                                  // when the configuration was
  };
  House(World& world, Database& database, Mind& mind, Outside& outside, HttpClient& phone,
        Skips skips);

  Task<Result<void>> start();
  Task<void> stop();

  // --- what the server does when a file was edited
  std::vector<WorkflowProblem> read_workflow();
  Task<std::string> read_beats();
  void read_config();

  [[nodiscard]] AgentTurnRunner& runner() { return life.schedule.runner(); }
  [[nodiscard]] SessionKernel& kernel() { return life.schedule.agent.kernel.kernel; }
  [[nodiscard]] JobBook& book() { return life.schedule.book; }
  [[nodiscard]] ApprovalDesk& approvals() { return life.schedule.agent.house.approvals(); }

 private:
  Task<void> prune_events(WorkspaceId workspace);
  Outside& outside_;
  Skips skips_;
  ProactiveHouseForTests::Files files_;  // as this life knows them

 public:
  ProactiveHouseForTests life;
  SqliteTextIndex text_index;
  MessageIndexer indexer;
  NoBackups shelf;
  ConversationDelete removal;
  SessionOpen opens;
  WorkflowBook workflows;
  LifecycleEngine engine;
  RuleWatch rules;
  People people;
  Outbox outbox;
  DeliveryList deliveries;
  WhatsAppSender bridge;
  OutboxSender sender;
  ReplyRouter router;
  WhatsAppDoor door;
  std::stop_source leaving;  // whoever waits for an answer goes
};

}  // namespace rouse::sim
