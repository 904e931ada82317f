// One life of the server in the box: everything between the doors and the store, put together and
// started in the order in which the server does it.
#pragma once

#include <memory>

#include "channel/outbox_sender.h"
#include "channel/reply_router.h"
#include "channel/whatsapp/whatsapp_door.h"
#include "proactive/proactive_house_for_tests.h"
#include "session/people.h"
#include "session/remove/conversation_delete.h"
#include "session/search/message_index.h"
#include "store/sqlite/sqlite_text_index.h"
#include "tests/sim/box/mind.h"
#include "tests/sim/box/phone.h"

namespace rouse::sim {

class NoBackups final : public BackupShelf {
 public:
  Task<Result<std::vector<BackupFile>>> since(WallTime) override {
    co_return std::vector<BackupFile>{};
  }
};

class House {
 public:
  struct Skips {  // steps of the start that a planted bug leaves out
    bool turns = false, deletes = false, receipts = false;
  };
  House(World& world, Database& database, Mind& mind, Outside& outside,
        const ProactiveHouseForTests::Files& files, ChannelSender& phone);

  Task<Result<void>> start(Skips skips);
  Task<void> stop();

  [[nodiscard]] AgentTurnRunner& runner() { return life.schedule.runner(); }
  [[nodiscard]] SessionKernel& kernel() { return life.schedule.agent.kernel.kernel; }
  [[nodiscard]] JobBook& book() { return life.schedule.book; }
  [[nodiscard]] ApprovalDesk& approvals() { return life.schedule.agent.house.approvals(); }

  ProactiveHouseForTests life;
  SqliteTextIndex text_index;
  MessageIndexer indexer;
  NoBackups shelf;
  ConversationDelete removal;
  People people;
  Outbox outbox;
  DeliveryList deliveries;
  OutboxSender sender;
  ReplyRouter router;
  WhatsAppDoor door;
  std::stop_source leaving;  // whoever waits for an answer goes
};

}  // namespace rouse::sim
