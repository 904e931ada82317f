#include "lifecycle/engine/engine.h"

#include <gtest/gtest.h>

#include "agent/agent_for_tests.h"

namespace rouse {
namespace {

constexpr std::string_view kRules = R"yaml(
name: rules
variables:
  looked: false
  seen: 0
triggers:
  on_before_agent:
    - action: increment_variable
      name: seen
    - action: inject_context
      when: "variables.get('seen') == 1"
      template: "You are watched."
  on_before_tool:
    - action: block_tools
      rules:
        - tools: [change]
          when: "not variables.get('looked')"
          reason: "Look before you {{ tool_name }}."
  on_after_tool:
    - action: set_variable
      when: "tool_name == 'look'"
      name: looked
      value: true
  on_stop:
    - action: block_stop
      when: "'bye' not in answer"
      reason: "Say bye."
)yaml";

class EngineTest : public testing::Test {
 protected:
  void SetUp() override {
    model_ = std::make_shared<ScriptedModel>();
    files_ = {{"headless-lifecycle.yaml", ""},
              {"session-lifecycle.yaml", ""},
              {"rules.yaml", std::string(kRules)}};
    begin();
  }
  void TearDown() override { end(); }
  void begin() {
    database_ = *world_.open_store();
    house_ = std::make_unique<AgentHouseForTests>(world_, *database_, model_, outside_);
    book_ = std::make_unique<WorkflowBook>(world_.clock());
    const auto problems = book_->use(files_);
    ASSERT_TRUE(problems.empty()) << problems.front().str();
    LifecycleHands hands;
    hands.clock = &world_.clock();
    hands.kernel = &house_->kernel.kernel;
    engine_ = std::make_unique<LifecycleEngine>(
        LifecycleEngine::Parts{world_.clock(), *database_, house_->kernel.kernel,
                               house_->house.tools(), *book_, hands, house_->log});
    house_->house.hooks().plug_in(engine_.get());
    house_->house.runner().add_participant(*engine_);
    house_->kernel.kernel.on_session_closed([this](const Session& session) {
      world_.loop().spawn("session end", engine_->session_ended(session));
    });
    const auto started = world_.run(house_->start());
    ASSERT_TRUE(started) << started.error();
  }
  void end() {
    world_.run(stopping());
    house_.reset();
    engine_.reset();
  }
  void restart() {
    end();
    world_.close_store();
    begin();
  }
  Task<void> stopping() { co_await house_->house.runner().stop(seconds(1)); }

  std::string say(std::string text, std::string channel = "api") {
    InboundMessage message = chat_from("a", std::move(text));
    message.key.channel = std::move(channel);
    auto taken = world_.run(house_->runner().submit(std::move(message)));
    EXPECT_TRUE(taken) << taken.error();
    session_ = taken->resolved.session;
    const auto outcome = world_.run(house_->runner().wait(*taken->resolved.turn, {}));
    return outcome ? outcome->response : outcome.error().message;
  }
  boost::json::object variables() {
    TurnContext turn;
    turn.workspace = session_.workspace;
    turn.conversation = session_.conversation;
    turn.session = session_.id;
    return *engine_->variables_of(turn);
  }
  // "event decision, …", oldest first.
  std::string fired() {
    const auto page = world_.run(engine_->records().firings(session_.conversation, {}, 100));
    EXPECT_TRUE(page) << page.error();
    std::string out;
    for (auto one = page->firings.rbegin(); one != page->firings.rend(); ++one) {
      out += one->event.substr(3) + " " + one->decision + ", ";
    }
    return out;
  }
  void use(std::string text) {
    files_.back().text = std::move(text);
    (void)book_->use(files_);
  }

  sim::World world_{11};
  Database* database_ = nullptr;
  OutsideForTests outside_;
  std::shared_ptr<ScriptedModel> model_;
  std::unique_ptr<AgentHouseForTests> house_;
  std::vector<WorkflowFile> files_;
  std::unique_ptr<WorkflowBook> book_;
  std::unique_ptr<LifecycleEngine> engine_;
  Session session_;
};

TEST_F(EngineTest, RulesHoldForAModelThatDisobeys) {
  model_->then(ScriptedAnswer::calls_tool("c1", "change"));  // before it looked
  model_->then(ScriptedAnswer::calls_tool("c2", "look"));
  model_->then(ScriptedAnswer::calls_tool("c3", "change"));
  model_->then(ScriptedAnswer::says("done"));  // without the word
  model_->then(ScriptedAnswer::says("bye"));
  EXPECT_EQ(say("go"), "bye");
  EXPECT_EQ(outside_.done, (std::map<std::string, int>{{"c2", 1}, {"c3", 1}}));
  EXPECT_EQ(model_->requests[1].messages.back().blocks[0].text, "Look before you change.");
  EXPECT_EQ(model_->requests[4].messages.back().blocks[0].text, "Say bye.");
  EXPECT_EQ(model_->requests[0].system.back().text, "You are watched.");
  EXPECT_EQ(fired(),
            "before_agent inject, before_tool block, before_tool allow, after_tool allow, "
            "before_tool allow, after_tool allow, stop block, stop allow, ");
}

TEST_F(EngineTest, AModelThatNeverGivesInIsLetGoInTheEnd) {
  for (int i = 0; i < 4; ++i) model_->then(ScriptedAnswer::says("no"));
  EXPECT_EQ(say("go"), "no");
  EXPECT_EQ(model_->requests.size(), 4U);
}

TEST_F(EngineTest, VariablesOutliveARestartAndAreOfTheirSession) {
  model_->then(ScriptedAnswer::calls_tool("c1", "look"));
  model_->then(ScriptedAnswer::says("bye"));
  say("go");
  restart();
  EXPECT_EQ(variables(), (boost::json::object{{"looked", true}, {"seen", 1}}));
  model_->then(ScriptedAnswer::calls_tool("c2", "change"));
  model_->then(ScriptedAnswer::says("bye"));
  say("again");
  EXPECT_EQ(outside_.done.at("c2"), 1);
  EXPECT_EQ(variables().at("seen"), 2);
  world_.run(house_->kernel.kernel.close(session_.id, "api_close"));
  model_->then(ScriptedAnswer::says("bye"));
  say("something new");
  EXPECT_EQ(variables(), (boost::json::object{{"looked", false}, {"seen", 1}}));
}

TEST_F(EngineTest, ADefaultThatIsEditedReachesSessionsThatNeverSetIt) {
  model_->then(ScriptedAnswer::says("bye"));
  say("go");
  EXPECT_EQ(variables(), (boost::json::object{{"looked", false}, {"seen", 1}}));
  use("name: rules\nvariables: {seen: 7, looked: maybe}\ntriggers: {on_stop: []}\n");
  EXPECT_EQ(variables(), (boost::json::object{{"looked", "maybe"}, {"seen", 1}}));
}

TEST_F(EngineTest, ARuleSeesHowFarTheSessionIs) {
  use("name: rules\ntriggers:\n  on_before_agent:\n"
      "    - {action: inject_context, when: session.turns > 0, template: Again.}\n"
      "    - {action: inject_context, template: '{{ session.turns }} of {{ session.title }}'}\n");
  const auto told = [this](const std::string& words) {
    model_->then(ScriptedAnswer::says("bye"));
    say(words);
    return model_->requests.back().system.back().text;
  };
  EXPECT_EQ(told("go"), "0 of go");
  EXPECT_EQ(told("on"), "Again.\n\n1 of go");  // known without a read
  restart();
  EXPECT_EQ(told("and on"), "Again.\n\n2 of go");
}

constexpr std::string_view kCounts = R"(
name: rules
description: "counts"
type: lifecycle
variables: {seen: 0, ended: 0}
triggers:
  on_before_agent:
    - action: increment_variable
      name: seen
  on_stop:
    - action: increment_variable
      name: ended
)";

// ADR 20: the model is asked while the message is on its way, but no rule's work is felt before.
TEST_F(EngineTest, WhatRulesNotedOfAMessageThatWasNotKeptIsVoid) {
  use(std::string(kCounts));
  model_->then(ScriptedAnswer::says("one"));
  say("first");
  EXPECT_EQ(variables().at("seen"), 1);
  world_.disk().set_quota(world_.disk().bytes_used());
  model_->then(ScriptedAnswer::says_after_the_stop("never heard"));
  EXPECT_FALSE(world_.run(house_->runner().submit(chat_from("a", "second"))));
  world_.disk().set_quota({});
  // Void at once, and not only when the turn has wound down: the next one may begin before that.
  EXPECT_EQ(variables().at("seen"), 1);
  world_.run(stopping());
  EXPECT_EQ(variables().at("seen"), 1);
  EXPECT_EQ(variables().at("ended"), 1);
}

// ADR 22: the turn had even ended.
TEST_F(EngineTest, WhatRulesNotedOfATurnThatEndedBeforeItsMessageCouldNotBeKeptIsVoid) {
  use(std::string(kCounts));
  model_->then(ScriptedAnswer::says("one"));
  say("first");
  world_.disk().set_quota(world_.disk().bytes_used());
  model_->then(ScriptedAnswer::says("two"));
  EXPECT_FALSE(world_.run(house_->runner().submit(chat_from("a", "second"))));
  world_.disk().set_quota({});
  EXPECT_EQ(variables().at("seen"), 1);
  EXPECT_EQ(variables().at("ended"), 1);
  model_->then(ScriptedAnswer::says("three"));
  EXPECT_EQ(say("third"), "three");
  EXPECT_EQ(variables().at("seen"), 2);
  EXPECT_EQ(variables().at("ended"), 2);
}

TEST_F(EngineTest, ATurnCostsNoCommitMore) {
  model_->then(ScriptedAnswer::says("bye"));
  say("first");
  model_->then(ScriptedAnswer::says("bye"));
  const auto before = database_->health().commits;
  say("second");
  EXPECT_EQ(database_->health().commits - before, 1U);  // ADR 22: the model answers at once
}

// "A workflow edited while turns run applies from the next event, never half."
TEST_F(EngineTest, AnEditAppliesFromTheNextEventOn) {
  model_->then(ScriptedAnswer::calls_tool("c1", "change"));
  model_->otherwise = [this, asked = 0](const ModelRequest&) mutable {
    if (asked++ > 0) return ScriptedAnswer::says("done");
    use("name: rules\nvariables: {seen: 0}\ntriggers: {on_stop: []}\n");
    return ScriptedAnswer::calls_tool("c2", "change");
  };
  EXPECT_EQ(say("go"), "done");
  EXPECT_EQ(outside_.done, (std::map<std::string, int>{{"c2", 1}}));
}

TEST_F(EngineTest, ABrokenEditLeavesTheLastGoodRulesInForce) {
  use("name: rules\ntriggers: {on_stp: []}\n");
  model_->then(ScriptedAnswer::calls_tool("c1", "change"));
  model_->then(ScriptedAnswer::says("bye"));
  say("go");
  EXPECT_TRUE(outside_.done.empty());
}

TEST_F(EngineTest, TheFirstRefusalWinsAndContextsAreJoined) {
  files_.push_back({"a.yaml",
                    "name: first\nsettings: {priority: 1}\ntriggers:\n  on_before_agent:\n"
                    "    - {action: inject_context, template: One.}\n  on_before_tool:\n"
                    "    - action: block_tools\n      rules: [{tools: [change], reason: No.}]\n"});
  (void)book_->use(files_);
  model_->then(ScriptedAnswer::calls_tool("c1", "change"));
  model_->then(ScriptedAnswer::says("bye"));
  say("go");
  EXPECT_EQ(model_->requests[0].system.back().text, "One.\n\nYou are watched.");
  EXPECT_EQ(model_->requests[1].messages.back().blocks[0].text, "No.");
}

TEST_F(EngineTest, AStepThatFailsIsPassedOverUnlessItIsAGate) {
  use("name: rules\nvariables: {n: text}\ntriggers:\n  on_before_agent:\n"
      "    - {action: increment_variable, name: n}\n"
      "    - {action: inject_context, template: Still here.}\n"
      "  on_before_tool:\n    - action: block_tools\n      when: variables.n > 3\n"
      "      rules: []\n");
  model_->then(ScriptedAnswer::calls_tool("c1", "look"));
  model_->then(ScriptedAnswer::says("bye"));
  say("go");
  EXPECT_EQ(model_->requests[0].system.back().text, "Still here.");
  EXPECT_TRUE(outside_.done.empty());
  EXPECT_NE(model_->requests[1].messages.back().blocks[0].text.find("could not be decided"),
            std::string::npos);
  EXPECT_EQ(fired(), "before_agent error, before_tool block, ");
}

TEST_F(EngineTest, ASessionBehindABridgeHasAStartAndAnEnd) {
  use("name: rules\nsources: [whatsapp]\nvariables: {told: ''}\ntriggers:\n"
      "  on_session_start:\n    - {action: inject_context, template: 'Begin.'}\n"
      "  on_before_agent:\n    - {action: inject_context, template: 'Turn.'}\n"
      "  on_session_end:\n    - {action: set_variable, name: told, value: ended}\n");
  model_->then(ScriptedAnswer::says("hi"));
  say("hello", "whatsapp");
  EXPECT_EQ(model_->requests.back().system.back().text, "Begin.\n\nTurn.");
  model_->then(ScriptedAnswer::says("hi"));
  say("more", "whatsapp");
  EXPECT_EQ(model_->requests.back().system.back().text, "Turn.");
  world_.run(house_->kernel.kernel.close(session_.id, "api_close"));
  world_.run_for(seconds(1));
  EXPECT_EQ(variables().at("told"), "ended");
  EXPECT_EQ(fired(),
            "session_start inject, before_agent inject, before_agent inject, "
            "session_end allow, ");
  model_->then(ScriptedAnswer::says("hi"));
  say("hello", "api");  // no such moment there, and no such workflow
  EXPECT_EQ(fired(), "");
}

}  // namespace
}  // namespace rouse
