// One life of a whole server in a canonical scenario: everything between the doors and the store,
// put together and started in the order in which the server does it, with a model, a cheap model
// and a channel that do what the scenario says. And few words for what people do to it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/memory/memory_book.h"
#include "agent/memory/memory_recall.h"
#include "agent/task/task_book.h"
#include "channel/outbox_sender.h"
#include "channel/reply_router.h"
#include "channel/whatsapp/whatsapp_door.h"
#include "gateway/token_book.h"
#include "proactive/proactive_house_for_tests.h"
#include "schedule/dream.h"
#include "schedule/file/schedule_file.h"
#include "schedule/output/output_router.h"
#include "session/projects.h"
#include "session/remove/conversation_delete.h"
#include "session/search/message_index.h"
#include "store/sqlite/sqlite_text_index.h"
#include "store/sqlite/sqlite_word_index.h"
#include "tests/sim/kill_at_every_write.h"

namespace rouse::sim::canon {

class Life;

// What happened in the world outside, which no crash takes back.
struct Outside {
  OutsideForTests tools;
  std::map<std::string, int> arrived;  // replies, by the id of the delivery
};

// The world around the server in a scenario. What the model says may depend only on what it is
// told, and on whether this is the life that dies: after a restart it goes on from any point.
struct Setting {
  using Answer = std::function<ScriptedAnswer(const Life&, const ModelRequest&)>;
  Answer model = {};                                            // none: it says "done"
  Answer cheap = {};                                            // none: there is no such model
  std::function<SendOutcome(const Delivery&)> channel = {};     // none: everything arrives
  std::function<void(Life&)> configure = {};                    // before the start
  std::string heartbeat = R"({"enabled":false})", orders = {};  // the person's files
};

class Life {
 public:
  enum class Phase : std::uint8_t { kPrepares, kActs, kRecovers };
  Life(World& world, Database& database, const Setting& setting, Outside& outside, Phase phase);
  ~Life();
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  bool start();  // false if the disk died on the way
  void stop();   // in good order, as far as the disk lets it

  // Until the task has ended, the disk is dead, or it takes longer than anything should.
  template <class T>
  Result<T> finish(Task<Result<T>> task) {
    const auto result = std::make_shared<std::optional<Result<T>>>();
    world.loop().spawn("canon", keep(std::move(task), result));
    run_until([&] { return result->has_value(); });
    if (*result) return std::move(**result);
    return fail(Errc::kUnavailable, "it didn't come to its end");
  }
  void rest(Millis length);

  // --- what people do. What they are told goes into the ledger: "m1" when it is acknowledged,
  // "m1 answered" when its turn is over.
  bool chat(Ledger& ledger, const std::string& peer, const std::string& text,
            const std::string& id);
  bool submit(Ledger& ledger, InboundMessage message);  // and doesn't wait for the answer
  bool phones(Ledger& ledger, const std::string& peer, const std::string& text,
              const std::string& id);
  // Long talk that others had before, a write for each exchange.
  Session talked(const std::string& peer, int exchanges, std::size_t bytes);
  void note(Ledger& ledger, std::string fact, bool is_so) const;
  void edit_heartbeat(std::string json) { files_["heartbeat.json"] = std::move(json); }
  Task<Result<void>> reload();  // after that

  // --- what is there
  [[nodiscard]] std::int64_t number(std::string_view sql, std::vector<Value> params = {}) const;
  [[nodiscard]] std::string text(std::string_view sql) const;  // all rows, a line each
  [[nodiscard]] std::string transcript(const std::string& key) const;
  Job job(const std::string& id);

  [[nodiscard]] AgentTurnRunner& runner() { return house.schedule.runner(); }
  [[nodiscard]] SessionKernel& kernel() { return house.schedule.agent.kernel.kernel; }
  [[nodiscard]] Workspaces& workspaces() { return house.schedule.agent.kernel.workspaces; }
  [[nodiscard]] AgentHouse& agent() { return house.schedule.agent.house; }
  [[nodiscard]] JobBook& book() { return house.schedule.book; }
  [[nodiscard]] Notifications& notifications() { return agent().notifications(); }
  [[nodiscard]] bool acts() const { return phase == Phase::kActs; }

  World& world;
  Database& database;
  const Phase phase;

 private:
  template <class T>
  static Task<void> keep(Task<T> task, std::shared_ptr<std::optional<T>> result) {
    *result = co_await std::move(task);
  }
  void run_until(const std::function<bool()>& done);
  Task<Result<void>> start_in_order();
  Task<Result<void>> stop_in_order();
  Task<Result<void>> forget(WorkspaceId workspace);

  class Channel;
  class NoBackups;
  const Setting& setting_;
  std::unique_ptr<BackupShelf> shelf_;
  std::unique_ptr<Channel> channel_;
  ProactiveHouseForTests::Files files_;

 public:
  const WorkspaceId here = Workspaces::default_id();
  std::shared_ptr<ScriptedModel> model, cheap;
  ProactiveHouseForTests house;
  SqliteTextIndex text_index;
  SqliteWordIndex word_index;
  MessageIndexer indexer;
  ConversationDelete removal;
  People people;
  Outbox outbox;
  DeliveryList deliveries;
  OutboxSender sender;
  ReplyRouter router;
  WhatsAppDoor door;
  MemoryBook memory;
  MemoryRecall recall;
  TaskBook tasks;
  Projects projects;
  TokenBook tokens;
  Dream dream;
  ScheduleFile schedule_file;
  Evaluator evaluator;
  OutputRouter outputs;
  std::stop_source leaving;  // whoever waits for an answer goes
};

}  // namespace rouse::sim::canon
