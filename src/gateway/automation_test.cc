// Automations through the whole gateway: whose they are, what a client is told, and what stands in
// the way of deleting a conversation.
#include "gateway/conversations_for_tests.h"

namespace rouse {
namespace {

constexpr std::string_view kDaily =
    R"({"name":"daily","message":"look","session_key":"whatsapp:+1",)"
    R"("schedule":{"kind":"cron","expr":"0 8 * * *","tz":"Europe/Berlin"}})";

class AutomationApiTest : public ConversationApiTest {
 protected:
  void SetUp() override {
    ConversationApiTest::SetUp();
    if (!HasFatalFailure()) talk("+1", "hello");
  }
  AutomationView make(const std::string& body = std::string(kDaily)) {
    const Answer made = post("/api/automations", body);
    EXPECT_EQ(made.status, 201) << made.body;
    auto view = decode_json<AutomationView>(made.body);
    EXPECT_TRUE(view) << view.error();
    return view ? *view : AutomationView{};
  }
  std::string make_in(const std::string& key, const std::string& more = "") {
    return make(fmt::format(R"({{"message":"m","session_key":"{}",{})"
                            R"("schedule":{{"kind":"every","every_ms":60000}}}})",
                            key, more))
        .id;
  }
  DeletedConversation remove(const std::string& target) {
    const Answer answer = ask("DELETE", target);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return decode_json<DeletedConversation>(answer.body).value_or(DeletedConversation{});
  }
};

// S3-01, CR-22, UX-2
TEST_F(AutomationApiTest, OneIsMadeAndEchoesItsZoneItsWordsAndFiveFires) {
  const AutomationView made = make();
  EXPECT_EQ(made.kind, "bound");
  EXPECT_EQ(made.session_key, "whatsapp:+1");
  EXPECT_EQ(made.payload.kind, "agent_turn");
  EXPECT_EQ(made.schedule.expr, "0 8 * * *");
  EXPECT_EQ(made.zone, "Europe/Berlin");
  EXPECT_EQ(made.words, "every day at 08:00");
  EXPECT_EQ(made.next.size(), 5u);
  EXPECT_EQ(made.next_run_at, made.next.front());
  EXPECT_NE(made.next_words->find("08:00 Europe/Berlin (07:00 UTC)"), std::string::npos)
      << *made.next_words;
  EXPECT_TRUE(made.enabled);
  EXPECT_EQ(made.source, "api");
  EXPECT_EQ(get<AutomationView>("/api/automations/" + made.id).name, "daily");
}

// CR-20
TEST_F(AutomationApiTest, TheSameKeyIsTheSameAutomation) {
  const std::string body = R"({"message":"m","session_key":"whatsapp:+1","key":"k",)"
                           R"("schedule":{"kind":"every","every_ms":60000}})";
  const std::string id = make(body).id;
  const Answer again = post("/api/automations", body);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(decode_json<AutomationView>(again.body)->id, id);
  const Ask by_header{.method = "POST",
                      .target = "/api/automations",
                      .body = std::string(kDaily),
                      .headers = {{"idempotency-key", "h"}}};
  EXPECT_EQ(send(by_header).status, 201);
  EXPECT_EQ(send(by_header).status, 200);
}

// S3-09, CR-29, DL-4
TEST_F(AutomationApiTest, ItsTargetMustBeAConversationThatCanAnswer) {
  const auto refused = [this](const std::string& key) {
    return post("/api/automations",
                R"({"message":"m",)" + key + R"("schedule":{"kind":"every","every_ms":60000}})");
  };
  const Answer none = refused("");
  EXPECT_EQ(none.status, 400);
  EXPECT_EQ(none.error(), "automation_without_session");
  EXPECT_NE(none.body.find(kNoSessionWords), std::string::npos);
  EXPECT_EQ(refused(R"("session_key":"whatsapp:+999",)").error(), "conversation_not_found");
  EXPECT_EQ(refused(R"("session_key":"nonsense",)").error(), "conversation_not_found");
  EXPECT_FALSE(make_in("websocket:new").empty()) << "a page may plan before it talks";
  const auto conversation = get<ConversationView>("/api/conversations/whatsapp:%2B1");
  const std::string id = make_in(conversation.conversation_id);
  EXPECT_EQ(get<AutomationView>("/api/automations/" + id).session_key, "whatsapp:+1");
  EXPECT_FALSE(make_in(conversation.session.session_id).empty());
  house_->jobs.configure({.held = "automations are off"});
  EXPECT_EQ(refused(R"("session_key":"whatsapp:+1",)").status, 503);
}

TEST_F(AutomationApiTest, AWrongScheduleIsExplained) {
  const auto error = [this](const std::string& schedule) {
    const Answer answer = post("/api/automations", R"({"message":"m","session_key":"whatsapp:+1",)"
                                                   R"("schedule":)" +
                                                       schedule + "}");
    EXPECT_EQ(answer.status, 400) << schedule;
    return answer.body;
  };
  EXPECT_NE(error(R"({"kind":"cron"})").find("needs 'expr'"), std::string::npos);
  EXPECT_NE(error(R"({"kind":"cron","expr":"0 8 * *"})").find("message"), std::string::npos);
  EXPECT_NE(error(R"({"kind":"cron","expr":"0 8 * * *","tz":"Mars/X"})").find("Mars/X"),
            std::string::npos);
  EXPECT_NE(error(R"({"kind":"every","every_ms":10})").find("at least"), std::string::npos);
  EXPECT_NE(error(R"({"kind":"at","at":"2001-01-01T00:00:00Z"})").find("past"), std::string::npos);
  EXPECT_NE(error(R"({"kind":"sometimes"})").find("kind"), std::string::npos);
  EXPECT_NE(post("/api/automations", R"({"message":"m"})").body.find("'schedule' is missing"),
            std::string::npos);
}

TEST_F(AutomationApiTest, ItIsChangedPausedResumedAndRemoved) {
  const std::string one = "/api/automations/" + make().id;
  const auto changed = decode_json<AutomationView>(
      ask("PATCH", one, "", R"({"message":"look twice","tools":["calculator"]})").body);
  EXPECT_EQ(changed->message, "look twice");
  EXPECT_EQ(changed->tools->size(), 1u);
  EXPECT_EQ(changed->words, "every day at 08:00");
  EXPECT_FALSE(decode_json<AutomationView>(ask("PATCH", one, "", R"({"tools":null})").body)->tools);
  const auto paused =
      *decode_json<AutomationView>(post(one + "/pause", R"({"reason":"holidays"})").body);
  EXPECT_EQ(paused.state, "paused");
  EXPECT_EQ(paused.state_reason, "holidays");
  EXPECT_FALSE(paused.enabled);
  EXPECT_FALSE(paused.next_run_at);
  EXPECT_TRUE(decode_json<AutomationView>(post(one + "/resume", "{}").body)->enabled);
  EXPECT_EQ(decode_json<AutomationView>(ask("POST", one + "/pause").body)->state, "paused");
  EXPECT_TRUE(decode_json<AutomationView>(ask("POST", one + "/resume").body)->enabled);
  EXPECT_FALSE(
      decode_json<AutomationView>(ask("PATCH", one, "", R"({"enabled":false})").body)->enabled);
  EXPECT_EQ(ask("DELETE", one).status, 200);
  EXPECT_EQ(ask("GET", one).error(), "automation_not_found");
  EXPECT_EQ(ask("DELETE", one).status, 404);
  EXPECT_EQ(post(one + "/resume", "{}").status, 404);
  EXPECT_TRUE(get<AutomationPage>("/api/automations").items.empty());
  EXPECT_EQ(get<WhyAutomationView>("/api/why/automation/" + one.substr(17)).code, "removed");
  EXPECT_TRUE(get<OccurrencePage>(one + "/occurrences").items.empty());
  EXPECT_TRUE(get<RunPage>(one + "/runs").items.empty());
}

// S3-48, U19
TEST_F(AutomationApiTest, ThereIsNoWayToRunOneNow) {
  const std::string one = "/api/automations/" + make().id;
  EXPECT_EQ(post(one + "/run", "{}").status, 404);
  EXPECT_EQ(post("/api/runs", R"({"automation":"x"})").status, 405);
  const std::string api = ask("GET", "/openapi.json").body;
  EXPECT_EQ(api.find("/run\""), std::string::npos);
  EXPECT_NE(api.find("/api/automations/{id}/pause"), std::string::npos);
}

TEST_F(AutomationApiTest, OnlyAnAdminSetsAScriptOrAFolder) {
  const std::string token = make_token("ws_default");
  const std::string plain = R"({"message":"m","isolated":true,"schedule":)"
                            R"({"kind":"every","every_ms":60000})";
  EXPECT_EQ(ask("POST", "/api/automations", token, plain + "}").status, 201);
  for (const std::string more : {R"(,"gate":{"command":"true"}})", R"(,"project_path":"/x"})"}) {
    EXPECT_EQ(ask("POST", "/api/automations", token, plain + more).status, 403);
    EXPECT_EQ(ask("POST", "/api/automations", "", plain + more).status, 201);
  }
}

TEST_F(AutomationApiTest, AnotherWorkspacesAutomationIsNotThere) {
  const std::string workspace = make_workspace();
  const std::string token = make_token(workspace);
  const std::string id = make().id;
  EXPECT_EQ(ask("GET", "/api/automations/" + id, token).status, 404);
  EXPECT_EQ(ask("GET", "/api/why/automation/" + id, token).status, 404);
  EXPECT_TRUE(get<AutomationPage>("/api/automations", token).items.empty());
  EXPECT_EQ(ask("GET", "/api/automations?workspace_id=ws_default", token).status, 403);
  EXPECT_EQ(ask("POST", "/api/automations", token, std::string(kDaily)).error(),
            "conversation_not_found");
  const Answer theirs = post("/api/automations",
                             R"({"message":"m","session_key":"websocket:x","workspace_id":")" +
                                 workspace + R"(","schedule":{"kind":"every","every_ms":60000}})");
  EXPECT_EQ(theirs.status, 201) << theirs.body;
  EXPECT_EQ(get<AutomationPage>("/api/automations", token).items.size(), 1u);
}

TEST_F(AutomationApiTest, ListsComeInPagesAndOfOneConversation) {
  talk("+2", "hello");
  for (int i = 0; i < 3; ++i) make_in("whatsapp:+1");
  const std::string other = make_in("whatsapp:+2");
  const auto first = get<AutomationPage>("/api/automations?limit=3");
  EXPECT_EQ(first.items.size(), 3u);
  const auto rest = get<AutomationPage>("/api/automations?limit=3&cursor=" + *first.next_cursor);
  EXPECT_EQ(rest.items.size(), 1u);
  EXPECT_FALSE(rest.next_cursor);
  EXPECT_EQ(ask("GET", "/api/automations?cursor=x").status, 400);
  for (const std::string key : {"whatsapp:%2B2", "whatsapp:+2"}) {
    const auto of_one = get<AutomationPage>("/api/automations?session_key=" + key);
    ASSERT_EQ(of_one.items.size(), 1u) << key;
    EXPECT_EQ(of_one.items[0].id, other);
    const auto panel = get<SessionAutomations>("/api/sessions/" + key + "/automations");
    EXPECT_EQ(panel.session_key, "whatsapp:+2");
    ASSERT_EQ(panel.automations.size(), 1u) << key;
  }
  EXPECT_TRUE(
      get<SessionAutomations>("/api/sessions/websocket:new/automations").automations.empty());
  EXPECT_EQ(ask("GET", "/api/sessions/nonsense/automations").status, 404);
}

TEST_F(AutomationApiTest, APreviewMakesNothing) {
  const Answer shown =
      post("/api/automations/preview",
           R"({"schedule":{"kind":"cron","expr":"30 2 * * *","tz":"America/New_York"},)"
           R"("from":"2026-03-07T12:00:00Z","count":2})");
  EXPECT_EQ(shown.status, 200);
  const auto view = *decode_json<PreviewView>(shown.body);
  EXPECT_EQ(view.next[0], "2026-03-08T07:00:00.000Z") << "the gap's end";
  EXPECT_EQ(view.next[1], "2026-03-09T06:30:00.000Z");
  EXPECT_EQ(view.next_words.size(), 2u);
  EXPECT_EQ(count("SELECT COUNT(*) FROM jobs"), 0);
}

// S3-36, S3-37
TEST_F(AutomationApiTest, AConversationWithAutomationsIsOnlyDeletedWithThem) {
  const std::string id = make().id;
  const std::string path = "/api/conversations/whatsapp:%2B1";
  const Answer blocked = ask("DELETE", path);
  EXPECT_EQ(blocked.status, 200);
  EXPECT_EQ(blocked.body,
            R"({"deleted":false,"blocked_by_automations":true,"automations":[{"id":")" + id +
                R"(","name":"daily","enabled":true}]})");
  EXPECT_FALSE(remove(path + "?delete_automations=no").deleted);
  EXPECT_EQ(get<ConversationList>("/api/conversations").items.size(), 1u);
  const DeletedConversation done = remove(path + "?delete_automations=true");
  EXPECT_TRUE(done.deleted);
  EXPECT_EQ(done.counts->messages, 2);
  EXPECT_EQ(done.automations->size(), 1u);
  EXPECT_TRUE(get<ConversationList>("/api/conversations").items.empty());
  const auto why = get<WhyAutomationView>("/api/why/automation/" + id);
  EXPECT_EQ(why.code, "removed");
  EXPECT_NE(why.text.find("with its conversation"), std::string::npos) << why.text;
}

TEST_F(AutomationApiTest, ABusyConversationKeepsItsAutomations) {
  const std::string id = make().id;
  const auto accepted =
      world_.run(house_->kernel.accept({.workspace = Workspaces::default_id(),
                                        .key = {"whatsapp", "+1"},
                                        .account = "+1",
                                        .message_id = {},
                                        .content = text_content("hello", kFromSender)}));
  ASSERT_TRUE(world_.run(house_->kernel.turns().start(*accepted->turn)));
  EXPECT_EQ(ask("DELETE", "/api/conversations/whatsapp:%2B1?delete_automations=1").error(),
            "conversation_busy");
  EXPECT_EQ(get<AutomationView>("/api/automations/" + id).state, "active");
}

// S3-38 to S3-40
TEST_F(AutomationApiTest, OnlyBoundOnesOfThisConversationBlock) {
  talk("+2", "hello");
  make_in("whatsapp:+2");
  make(R"({"message":"m","isolated":true,"output":{"session_key":"whatsapp:+1"},)"
       R"("schedule":{"kind":"every","every_ms":60000}})");
  EXPECT_TRUE(remove("/api/conversations/whatsapp:%2B1").deleted);
  EXPECT_EQ(get<AutomationPage>("/api/automations").items.size(), 2u);
}

// S3-41, S3-43 to S3-46
TEST_F(AutomationApiTest, InOneThreadForAllAPageNeitherBlocksNorDeletesWhatBelongsToAll) {
  const auto say = [this](const std::string& key) {
    const auto heard =
        world_.run(house_->kernel.resolve({.workspace = Workspaces::default_id(),
                                           .key = {"websocket", key},
                                           .account = key,
                                           .message_id = {},
                                           .content = text_content("hello", kFromSender)}));
    EXPECT_TRUE(heard);
  };
  say("before");
  const std::string old = make_in("websocket:before");
  house_->jobs.configure({.unified = true});
  house_->kernel.configure({.unified = true});
  say("page");
  const std::string shared = make_in("websocket:page");
  EXPECT_EQ(get<AutomationView>("/api/automations/" + shared).session_key, "unified:default");
  EXPECT_EQ(get<AutomationView>("/api/automations/" + old).session_key, "websocket:before");
  const auto panel = get<SessionAutomations>("/api/sessions/websocket:other/automations");
  ASSERT_EQ(panel.automations.size(), 1u);
  EXPECT_EQ(panel.automations[0].id, shared);
  EXPECT_EQ(remove("/api/conversations/websocket:before").automations->size(), 1u) << "its own";
  EXPECT_TRUE(remove("/api/conversations/websocket:before?delete_automations=yes").deleted);
  EXPECT_EQ(get<AutomationView>("/api/automations/" + shared).state, "active");
  EXPECT_TRUE(*remove("/api/conversations/unified:default").blocked_by_automations);
}

TEST_F(AutomationApiTest, ARunIsShownWithItsPromptButNotInLists) {
  const std::string id = make().id;
  const Job job = *house_->jobs.get(Workspaces::default_id(), id);
  const rouse::Run run{.number = house_->ledger.next_run_number(),
                       .id = id + ":1",
                       .workspace = job.workspace,
                       .job = job.number,
                       .job_id = id,
                       .job_name = "daily",
                       .due = {1},
                       .kind = "bound",
                       .state = "error",
                       .session_key = job.session_key,
                       .prompt_ref = {"cron.agent_turn.reminder", 1, "ab"},
                       .variables = R"({"message":"look"})",
                       .prompt = "A secret of the kitchen",
                       .error = std::string(1000, 'e'),
                       .queued = {2},
                       .ended = WallTime{3}};
  ASSERT_TRUE(world_.run(database_->write(Write{{OccurrenceLedger::insert(run)}})));
  for (const std::string path : {"/api/runs", "/api/runs?automation=", "/api/automations/"}) {
    const std::string full = path.ends_with("=")   ? path + id
                             : path.ends_with("/") ? path + id + "/runs"
                                                   : path;
    const Answer listed = ask("GET", full);
    EXPECT_EQ(listed.body.find("kitchen"), std::string::npos);
    EXPECT_EQ(decode_json<RunPage>(listed.body)->items.at(0).error.size(), 300u);
  }
  const auto one = get<RunView>("/api/runs/" + id + ":1");
  EXPECT_EQ(one.prompt, "A secret of the kitchen");
  EXPECT_EQ(one.error.size(), 1000u);
  EXPECT_EQ(one.variables->at("message"), "look");
  EXPECT_EQ(ask("GET", "/api/runs/x").status, 404);
  EXPECT_EQ(ask("GET", "/api/runs?automation=x").status, 404);
}

TEST_F(AutomationApiTest, WhyIsAnsweredForAnyInstant) {
  const std::string id = make().id;
  const std::string path = "/api/why/automation/" + id;
  EXPECT_EQ(get<WhyAutomationView>(path).code, "not_due");
  EXPECT_EQ(get<WhyAutomationView>(path + "?at=2020-01-01T00:00:00Z").code, "not_yet");
  const auto later = get<WhyAutomationView>(path + "?at=2030-07-01T08:00");
  EXPECT_EQ(later.at, "2030-07-01T06:00:00.000Z") << "local time of its zone";
  EXPECT_EQ(later.next, later.at);
  EXPECT_EQ(get<WhyAutomationView>(path + "?at=2030-07-01T08:00:00+02:00").at, later.at);
  EXPECT_EQ(ask("GET", path + "?at=soon").status, 400);
  EXPECT_EQ(ask("GET", "/api/why/automation/none").error(), "automation_not_found");
}

// S3-28
TEST_F(AutomationApiTest, AMessageShowsWhatMadeIt) {
  ASSERT_TRUE(world_.run(database_->write(one(
      "UPDATE messages SET meta = $1 WHERE seq = 1",
      {std::string(R"({"_automation_turn":true,"automation_id":"ab","automation_name":"daily",)"
                   R"("automation_run_id":"ab:1","automation_prompt_ref":{"id":"p",)"
                   R"("version":1,"sha256":"00"},"source":{"kind":"cron","label":"daily"}})")}))));
  const Answer shown = ask("GET", "/api/conversations/whatsapp:%2B1/messages");
  const auto list = *decode_json<MessageList>(shown.body);
  EXPECT_FALSE(list.items.at(0).automation_id);
  EXPECT_EQ(list.items.at(1).automation_turn, true);
  EXPECT_EQ(list.items.at(1).automation_prompt_ref->id, "p");
  EXPECT_EQ(list.items.at(1).origin->label, "daily");
  EXPECT_NE(shown.body.find(R"("_automation_turn":true,"automation_id":"ab")"), std::string::npos);
}

}  // namespace
}  // namespace rouse
