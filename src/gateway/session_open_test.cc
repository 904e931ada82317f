// POST /api/chat/session_open over the whole gateway: who may call it, what it answers, which
// conversation it means, and what the agent is told.
#include "proactive/session_open.h"

#include "agent/memory/memory_prompt.h"
#include "agent/task/task_book.h"
#include "gateway/agent_gateway_for_tests.h"
#include "gateway/routes/session_open_routes.h"
#include "store/sqlite/sqlite_word_index.h"

namespace rouse {
namespace {

class SessionOpenApiTest : public AgentGatewayTest {
 protected:
  void SetUp() override {
    if (!model_) {
      script_ = std::make_shared<ScriptedModel>();
      model_ = script_;
    }
    AgentGatewayTest::SetUp();
    if (HasFatalFailure()) return;
    parts_ = std::make_unique<OpenParts>(*this);
  }
  void leave_house() override {
    parts_.reset();
    AgentGatewayTest::leave_house();
  }
  void TearDown() override { parts_.reset(); }

  struct OpenParts {
    explicit OpenParts(SessionOpenApiTest& test)
        : book(*test.database_, index, test.world_.clock(), test.world_.random()),
          memory(book),
          tasks(*test.database_, test.world_.clock(), test.world_.random(),
                test.doors_->agent.events()),
          opens({test.world_.loop(), test.world_.clock(), test.world_.random(), *test.database_,
                 test.house_->kernel, test.doors_->agent.prompts(), test.doors_->agent.ledger(),
                 test.doors_->agent.runner(), test.house_->removal, test.house_->log}),
          routes(opens, test.doors_->chat, test.house_->workspaces) {
      test.doors_->agent.prompts().use_memory(&memory);
      test.doors_->agent.runner().add_participant(opens);
      routes.add_to(test.house_->table);
    }
    SqliteWordIndex index;
    MemoryBook book;
    MemoryPrompt memory;
    TaskBook tasks;
    SessionOpen opens;
    SessionOpenRoutes routes;
  };

  Answer open_raw(const std::string& session, const std::string& token = "") {
    Ask ask{.method = "POST",
            .target = "/api/chat/session_open",
            .body = R"({"agent_name":"assistant","session_id":")" + session + "\"}"};
    if (!token.empty()) {
      ask.headers["authorization"] = "Bearer " + token;
      ask.owner = false;
    }
    return send(std::move(ask));
  }
  SessionOpenAnswer open(const std::string& session, const std::string& token = "") {
    const Answer answer = open_raw(session, token);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return decode_json<SessionOpenAnswer>(answer.body).value_or(SessionOpenAnswer{});
  }
  ChatAnswer chat(const std::string& session, const std::string& message) {
    const Answer answer =
        post("/api/chat", R"({"session_id":")" + session + R"(","message":")" + message + "\"}");
    EXPECT_EQ(answer.status, 200) << answer.body;
    return decode_json<ChatAnswer>(answer.body).value_or(ChatAnswer{});
  }
  void remember(std::string text) {
    ASSERT_TRUE(world_.run(
        parts_->book.save({Workspaces::default_id()},
                          {.text = std::move(text), .provenance = std::string(kFromOwner)})));
  }
  std::string instructions() {
    std::string out;
    for (const SystemPart& part : script_->requests.back().system) out += part.text;
    return out;
  }
  std::string token_for_new_workspace() {
    const auto made =
        decode_json<MadeWorkspace>(post("/kernel/workspaces", R"({"type":"personal"})").body);
    const Answer token = post(
        "/api/tokens", R"({"name":"t","role":"user","workspace":")" + made->workspace_id + "\"}");
    return decode_json<MadeToken>(token.body)->token;
  }
  std::int64_t count(std::string_view sql) {
    return database_->read({sql, {}})->front().integer(0);
  }

  std::shared_ptr<ScriptedModel> script_;
  std::unique_ptr<OpenParts> parts_;
};

// S0-06, S0-08, S0-09
TEST_F(SessionOpenApiTest, AnswersWithTheFieldsOfTheContract) {
  script_->then(ScriptedAnswer::says("Hello!"));
  const Answer raw = open_raw("s1");
  ASSERT_EQ(raw.status, 200) << raw.body;
  EXPECT_TRUE(raw.body.starts_with(
      R"({"session_id":"s1","response":"Hello!","is_new_user":true,"silent":false)"))
      << raw.body;
  const auto answer = *decode_json<SessionOpenAnswer>(raw.body);
  EXPECT_TRUE(answer.turn_id.starts_with("turn_"));
  EXPECT_TRUE(answer.conversation_id.starts_with("conv_"));
  script_->then(ScriptedAnswer::says("You are welcome."));
  EXPECT_EQ(chat("s1", "thanks").conversation_id, answer.conversation_id);
  const SessionOpenAnswer again = open("s1");
  EXPECT_TRUE(again.silent);
  EXPECT_EQ(again.turn_id, "");
  EXPECT_EQ(again.conversation_id, answer.conversation_id);
}

// S0-07, S0-08
TEST_F(SessionOpenApiTest, NeedsATokenAndBothNames) {
  EXPECT_EQ(send({.method = "POST",
                  .target = "/api/chat/session_open",
                  .body = R"({"agent_name":"a","session_id":"s1"})",
                  .owner = false})
                .status,
            401);
  for (const char* body :
       {R"({"agent_name":"a"})", R"({"session_id":"s1"})", R"({"agent_name":"","session_id":"s1"})",
        R"({"agent_name":"a","session_id":""})", R"({"agent_name":1,"session_id":"s1"})", "[]"}) {
    EXPECT_EQ(post("/api/chat/session_open", body).status, 400) << body;
  }
  EXPECT_EQ(open_raw(std::string(201, 'x')).status, 400);
  EXPECT_TRUE(script_->requests.empty());
}

TEST_F(SessionOpenApiTest, TwoWorkspacesWithTheSameNameNeverMeet) {
  script_->then(ScriptedAnswer::says("mine"));
  script_->then(ScriptedAnswer::says("theirs"));
  const std::string token = token_for_new_workspace();
  const SessionOpenAnswer mine = open("s1");
  const SessionOpenAnswer theirs = open("s1", token);
  EXPECT_TRUE(theirs.is_new_user);
  EXPECT_NE(mine.conversation_id, theirs.conversation_id);
  const SessionOpenAnswer foreign = open(mine.conversation_id, token);
  EXPECT_NE(foreign.conversation_id, mine.conversation_id);
}

// S0-04, S0-10, S0-24, S0-27, S0-30
TEST_F(SessionOpenApiTest, ANewcomersAgentIsToldToIntroduceItself) {
  script_->then(ScriptedAnswer::says("Hello!"));
  open("s1");
  EXPECT_TRUE(instructions().contains("## Session Open\nThis is the first time you are meeting"));
  EXPECT_FALSE(instructions().contains("## Onboarding"));
  EXPECT_FALSE(instructions().contains("A program sent this message"));
  ASSERT_EQ(script_->requests.back().messages.size(), 1U);
  EXPECT_EQ(script_->requests.back().messages.front().blocks.front().text, kFirstSessionTrigger);
  EXPECT_EQ(script_->requests.back().facts.turn_kind, "session_open");
}

// S0-05, S0-28, S0-33, S0-C8
TEST_F(SessionOpenApiTest, WhoeverReturnsIsToldOfByTheTimeAndWhatIsInFlight) {
  script_->then(ScriptedAnswer::says("ok"));
  chat("s1", "hello");
  const WorkspaceId here = Workspaces::default_id();
  ASSERT_TRUE(world_.run(parts_->tasks.add(here, {.title = "buy milk"})));
  world_.run_for(hours(3));
  script_->then(ScriptedAnswer::says("Welcome back, the milk is waiting."));
  const SessionOpenAnswer answer = open("s1");
  EXPECT_FALSE(answer.is_new_user);
  EXPECT_EQ(answer.response, "Welcome back, the milk is waiting.");
  EXPECT_TRUE(instructions().contains("Your last interaction was 3 hours ago."));
  EXPECT_TRUE(instructions().contains("# Your open tasks\n- #1 buy milk\n")) << instructions();
  EXPECT_TRUE(instructions().contains("WAKEUP_SILENT"));
  EXPECT_EQ(script_->requests.back().messages.size(), 1U);
  EXPECT_EQ(script_->requests.back().messages.front().blocks.front().text, kReturnedTrigger);
}

// S0-32, S0-44: known by memory, though nothing was said here; a silent open leaves nothing behind
TEST_F(SessionOpenApiTest, ASilentOpenOfANewNameLeavesNoConversation) {
  remember("The user's name is Ada.");
  script_->then(ScriptedAnswer::says("WAKEUP_SILENT"));
  const SessionOpenAnswer answer = open("s1");
  EXPECT_TRUE(answer.silent);
  EXPECT_FALSE(answer.is_new_user);
  EXPECT_EQ(answer.conversation_id + answer.turn_id, "");
  EXPECT_TRUE(instructions().contains("This is the first time opening this session."));
  EXPECT_EQ(count("SELECT COUNT(*) FROM conversations"), 0);
  EXPECT_EQ(count("SELECT COUNT(*) FROM aliases"), 0);
  EXPECT_EQ(count("SELECT COUNT(*) FROM sessions"), 0);
  script_->then(ScriptedAnswer::says("Hi."));
  EXPECT_EQ(chat("s1", "hello").response, "Hi.");
}

TEST_F(SessionOpenApiTest, AnyNameOfTheConversationOpensIt) {
  script_->then(ScriptedAnswer::says("ok"));
  const ChatAnswer said = chat("s1", "hello");
  world_.run_for(minutes(10));
  for (const std::string& name :
       {std::string("s1"), said.conversation_id, std::string("api:s1"), said.kernel_session_id}) {
    script_->then(ScriptedAnswer::says("WAKEUP_SILENT"));
    EXPECT_EQ(open(name).conversation_id, said.conversation_id) << name;
  }
  EXPECT_EQ(count("SELECT COUNT(*) FROM conversations"), 1);
}

// S0-45 with the offline model
class OfflineOpenTest : public SessionOpenApiTest {
 protected:
  void SetUp() override {
    model_ = make_offline_model();
    SessionOpenApiTest::SetUp();
  }
};

TEST_F(OfflineOpenTest, ANewcomerIsGreetedAndTheirAnswerUnderstood) {
  const SessionOpenAnswer hello = open("s1");
  EXPECT_TRUE(hello.is_new_user);
  EXPECT_TRUE(hello.response.starts_with("Hello! I'm rouse's built-in offline assistant."));
  EXPECT_TRUE(open("s1").silent) << "a reload";
  EXPECT_TRUE(chat("s1", "Ada").response.starts_with("Nice to meet you, Ada!"));
  world_.run_for(minutes(40));
  EXPECT_TRUE(open("s1").silent) << "nothing happened";
  ASSERT_TRUE(world_.run(parts_->tasks.add(Workspaces::default_id(), {.title = "buy milk"})));
  EXPECT_EQ(open("s1").response, "Welcome back! Your open tasks: #1 buy milk.");
  EXPECT_TRUE(open("s1").silent);
}

}  // namespace
}  // namespace rouse
