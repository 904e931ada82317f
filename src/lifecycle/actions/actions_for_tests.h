// One action at work in a simulated world: a real store, a virtual clock, a conversation of the
// project "web", whose folder is real. Git and models play a script.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_dir_for_tests.h"
#include "lifecycle/actions/all_actions.h"
#include "session/kernel_for_tests.h"
#include "session/summary/scripted_one_shot_for_tests.h"
#include "store/sqlite/sqlite_word_index.h"

namespace rouse {

class ScriptedGit final : public GitView {
 public:
  [[nodiscard]] bool is_repository(const std::string& folder) const override { return repository; }
  Task<Result<std::vector<std::string>>> dirty_files(std::string folder) override {
    if (!broken.empty()) co_return fail(Errc::kUnavailable, broken);
    co_return dirty;
  }
  Task<Result<std::vector<Commit>>> commits_since(std::string folder, WallTime since) override {
    if (!broken.empty()) co_return fail(Errc::kUnavailable, broken);
    co_return commits;
  }
  Task<Result<std::string>> branch(std::string folder) override {
    if (!broken.empty()) co_return fail(Errc::kUnavailable, broken);
    co_return "trunk";
  }

  bool repository = true;
  std::string broken;
  std::vector<std::string> dirty;
  std::vector<Commit> commits;
};

class ActionHouse {
 public:
  explicit ActionHouse(std::string folder = "", std::uint64_t seed = 1) : world(seed) {
    auto opened = world.open_store();
    EXPECT_TRUE(opened) << opened.error();
    database = *opened;
    events = std::make_unique<EventLog>(*database);
    kernel = std::make_unique<KernelHouse>(world, *database);
    EXPECT_TRUE(world.run(kernel->start()));
    kernel->kernel.record_events(events.get());
    memory = std::make_unique<MemoryBook>(*database, index, world.clock(), world.random());
    recall = std::make_unique<MemoryRecall>(*database, index, *memory, world.clock());
    tasks = std::make_unique<TaskBook>(*database, world.clock(), world.random(), *events);
    notifications =
        std::make_unique<Notifications>(*database, world.clock(), world.random(), *events);
    files = std::make_unique<PersonFiles>(data.path(), world.clock());
    hands.clock = &world.clock();
    hands.database = database;
    hands.kernel = &kernel->kernel;
    hands.tasks = tasks.get();
    hands.memory = memory.get();
    hands.recall = recall.get();
    hands.files = files.get();
    hands.notifications = notifications.get();
    hands.summariser = &kernel->summariser;
    hands.git = &git;
    hands.loop = &world.loop();
    hands.events = events.get();
    hands.data_dir = data.path();
    begin_conversation();
    event.turn.project_folder = folder.empty() ? project.path() : std::move(folder);
  }

  // One exchange of the conversation.
  void exchange(std::string said, std::string answer) {
    auto resolved = world.run(kernel->kernel.resolve(message_from("ada", said, {}, "websocket")));
    ASSERT_TRUE(resolved) << resolved.error();
    auto recorded = world.run(kernel->kernel.record_turn({.session = resolved->session.id,
                                                          .workspace = Workspaces::default_id(),
                                                          .user_message = std::move(said),
                                                          .assistant_response = std::move(answer),
                                                          .action_type = {},
                                                          .message_id = {}}));
    ASSERT_TRUE(recorded) << recorded.error();
    event.turn.session = resolved->session.id;
    event.turn.conversation = resolved->session.conversation;
  }
  // A message as a turn with tools leaves it.
  void append(std::string role, Content content) {
    Message message;
    message.position = kernel->kernel.numbers().next_message();
    message.conversation = event.turn.conversation;
    message.seq = *kernel->kernel.messages().last_seq(event.turn.conversation) + 1;
    message.session = event.turn.session;
    message.role = std::move(role);
    message.source = "websocket";
    message.content = std::move(content);
    message.created = world.clock().wall_now();
    ASSERT_TRUE(world.run(database->write(Write{{Messages::append(message)}})));
  }

  Conversation conversation() {
    return *kernel->kernel.conversations().get(event.turn.workspace, event.turn.conversation);
  }
  Session session() { return *kernel->kernel.sessions().get(event.turn.session); }
  MemoryOwner owner() { return {event.turn.workspace, event.turn.agent}; }

  Note save(std::string text, std::int64_t importance = 3,
            std::string_view provenance = kFromOwner) {
    auto kept = world.run(memory->save(owner(), {.text = std::move(text),
                                                 .importance = importance,
                                                 .provenance = std::string(provenance)}));
    EXPECT_TRUE(kept) << kept.error();
    return kept ? kept->note : Note{};
  }
  std::vector<Note> notes() { return *world.run(memory->page(owner(), {}, 1'000)); }
  TaskItem add_task(std::string title, std::optional<std::string> of = "web",
                    std::string_view provenance = kFromOwner) {
    auto added =
        world.run(tasks->add(event.turn.workspace, {.title = std::move(title),
                                                    .project = std::move(of),
                                                    .provenance = std::string(provenance)}));
    EXPECT_TRUE(added) << added.error();
    return added ? *added : TaskItem{};
  }
  std::vector<TaskItem> all_tasks() {
    return *world.run(tasks->page(event.turn.workspace, {}, 1'000));
  }

  // --- the call
  ActionHouse& with(std::string name, boost::json::value value) {
    ActionArguments::Argument argument;
    argument.value = std::move(value);
    arguments.put(std::move(name), std::move(argument));
    return *this;
  }
  ActionHouse& with_template(std::string name, std::string_view text) {
    auto words = TextTemplate::parse(text);
    EXPECT_TRUE(words) << words.error();
    ActionArguments::Argument argument;
    argument.words = std::move(*words);
    arguments.put(std::move(name), std::move(argument));
    return *this;
  }
  // Afterwards `end` tells what came of it; the arguments are gone.
  Result<void> run(const ActionKind& kind) {
    end = {};
    LifecycleScope scope(event, variables, hands);
    ActionCall call{event, arguments, variables, scope, hands, end};
    Result<void> done = world.run(kind.run(call));
    arguments = {};
    return done;
  }
  // Of an action that must not fail.
  std::string told_by(const ActionKind& kind) {
    const auto done = run(kind);
    EXPECT_TRUE(done) << done.error();
    return end.inject;
  }

  TempDir data, project;
  sim::World world;
  Database* database = nullptr;
  std::unique_ptr<EventLog> events;
  std::unique_ptr<KernelHouse> kernel;
  SqliteWordIndex index;
  std::unique_ptr<MemoryBook> memory;
  std::unique_ptr<MemoryRecall> recall;
  std::unique_ptr<TaskBook> tasks;
  std::unique_ptr<Notifications> notifications;
  std::unique_ptr<PersonFiles> files;
  ScriptedGit git;
  LifecycleHands hands;
  LifecycleEvent event;
  SessionVariables variables;
  ActionArguments arguments;
  ActionEnd end;

 private:
  void begin_conversation() {
    event.turn.workspace = Workspaces::default_id();
    event.turn.turn = *TurnId::parse("turn_1");
    event.turn.kind = "user";
    exchange("Please repair the login page", "I will look at it.");
    Conversation now = conversation();
    now.project = "web";
    EXPECT_TRUE(world.run(database->write(Write{{ConversationTable::set_details(now)}})));
  }
};

class ActionTest : public testing::Test {
 protected:
  ActionHouse house_;
};

}  // namespace rouse
