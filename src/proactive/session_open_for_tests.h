// Who greets whoever opens the app, over a simulated house, put together as the server does it.
#pragma once

#include <string>
#include <vector>

#include "agent/agent_for_tests.h"
#include "proactive/session_open.h"
#include "store/sqlite/sqlite_text_index.h"

namespace rouse {

class NoBackupsForTests final : public BackupShelf {
 public:
  Task<Result<std::vector<BackupFile>>> since(WallTime) override {
    co_return std::vector<BackupFile>();
  }
};

class OpensForTests {
 public:
  OpensForTests(sim::World& world, Database& database, AgentHouseForTests& agent)
      : indexer(database, index, world.clock(), world.loop()),
        removal(database, world.clock(), agent.kernel.kernel, indexer, backups),
        opens({world.loop(), world.clock(), world.random(), database, agent.kernel.kernel,
               agent.house.prompts(), agent.house.ledger(), agent.house.runner(), removal,
               agent.log}) {
    agent.house.runner().add_participant(opens);
  }

  // The address of a message that nobody wrote.
  static InboundMessage door(const std::string& peer) {
    InboundMessage out = chat_from(peer, "");
    out.content.clear();
    return out;
  }

  SqliteTextIndex index;
  NoBackupsForTests backups;
  MessageIndexer indexer;
  ConversationDelete removal;
  SessionOpen opens;
};

}  // namespace rouse
