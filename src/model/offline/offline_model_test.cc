#include <fmt/format.h>

#include "model/offline/learned.h"
#include "model/offline/offline_model_for_tests.h"

namespace rouse {
namespace {

const PromptTool kCalculate =
    tool_named("calculate", R"({"type":"object","properties":{"expression":{"type":"string"}}})");
const PromptTool kCurrentTime =
    tool_named("current_time", R"({"type":"object","properties":{"zone":{"type":"string"}}})");
const PromptTool kSearch = tool_named(
    "search_conversations",
    R"({"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}}})");
const PromptTool kTasks = tool_named(
    "tasks", R"({"type":"object","properties":{"action":{"type":"string","enum":["add","list",)"
             R"("complete"]},"title":{"type":"string"}},"required":["action"]})");
const PromptTool kCron = tool_named(
    "cron", R"({"type":"object","properties":{"action":{"enum":["add","list","update","pause",)"
            R"("resume","remove"]},"message":{"type":"string"},"name":{"type":"string"},"cron":)"
            R"({"type":"string"},"tz":{"type":"string"},"every_seconds":{"type":"integer"},"at":)"
            R"({"type":"string"},"id":{"type":"string"}},"required":["action"]})");
const PromptTool kActivity = tool_named(
    "activity", R"({"type":"object","properties":{"since":{"type":"string"},"query":{}}})");

TEST_F(OfflineModelTest, SaysWhatItIsAndCostsNothing) {
  const ModelInfo& info = model_->info();
  EXPECT_EQ(info.full_name(), "offline/rouse-offline");
  EXPECT_EQ(info.context_window, 32'000);
  EXPECT_EQ(cost_of(info, {.in = 1'000'000, .out = 1'000'000}), 0);
}

TEST_F(OfflineModelTest, IntroducesItselfAndSaysHowToConnectAModel) {
  const std::string hello = reply("Hello!");
  EXPECT_TRUE(hello.contains("built-in offline assistant")) << hello;
  EXPECT_TRUE(hello.contains("ANTHROPIC_API_KEY")) << hello;
  EXPECT_TRUE(hello.contains("OPENAI_API_KEY")) << hello;
  EXPECT_TRUE(hello.contains("rouse.yaml")) << hello;
  EXPECT_TRUE(hello.contains("What should I call you")) << hello;
  EXPECT_GE(stream_.deltas.size(), 3U);
  EXPECT_LE(stream_.deltas.size(), 8U);
  EXPECT_TRUE(reply("who are you?").contains("no language model"));
  request_.facts.model_hint = "Ask the admin.";
  EXPECT_EQ(reply("how do I connect a model?"), "Ask the admin.");
}

TEST_F(OfflineModelTest, LearnsANameWithinTheConversation) {
  reply("hi");
  EXPECT_EQ(reply("Ada"), "Nice to meet you, Ada! I'll remember that in this conversation.");
  EXPECT_EQ(reply("what's my name?"), "Your name is Ada.");
  EXPECT_EQ(reply("Hello!"), "Hello Ada! What can I do for you?");
  EXPECT_EQ(reply("I prefer short answers"),
            "Noted: you prefer short answers. I'll remember that in this conversation.");
  EXPECT_EQ(reply("Remember that my car is in lot 5."),
            "Noted: your car is in lot 5. I can't keep things beyond this conversation yet.");
  EXPECT_EQ(reply("what do you know about me?"),
            "You told me in this conversation:\n- your name is Ada\n- you prefer short answers\n"
            "- your car is in lot 5");
}

TEST_F(OfflineModelTest, SavesWhatItLearnsWhenThereIsAMemory) {
  offer({kSaveMemory, kSearchMemory});
  EXPECT_EQ(calls("Hi, my name is Ada and I like tea"),
            "save_memory {\"content\":\"The user's name is Ada.\"}\n"
            "save_memory {\"content\":\"The user likes tea.\"}");
  const auto& made = request_.messages.back().blocks;
  EXPECT_NE(made[0].call_id, made[1].call_id);
  EXPECT_EQ(result("saved"), "Nice to meet you, Ada! And you like tea. I'll remember that.");
  EXPECT_EQ(calls("remember that the code is X7"),
            R"(save_memory {"content":"The user said: the code is X7"})");
  EXPECT_EQ(result("disk full", true), "That did not work: disk full.");
  EXPECT_EQ(calls("what do you know about me"), R"(search_memory {"query":"user"})");
  EXPECT_EQ(result("- The user likes tea. [note_19ab]\n- The user is tall. [note_2, untrusted]\n"),
            "This is what I remember:\n- The user likes tea.\n- The user is tall.\nYou told me in "
            "this conversation:\n"
            "- your name is Ada\n- you like tea\n- the code is X7");
  request_.messages.clear();
  EXPECT_EQ(calls("what is my name"), R"(search_memory {"query":"name"})");
  EXPECT_EQ(result("The user's name is Ada."), "Your name is Ada.");
  EXPECT_EQ(calls("what is my name"), R"(search_memory {"query":"name"})");
  EXPECT_EQ(result("nothing found"), "I don't know your name yet. What should I call you?");
}

TEST_F(OfflineModelTest, CallsAnArgumentWhatTheToolCallsIt) {
  offer({tool_named("save_memory", R"({"type":"object","properties":{"key":{"type":"integer"},)"
                                   R"("sentence":{"type":"string"}},"required":["sentence"]})")});
  EXPECT_EQ(calls("I like tea"), R"(save_memory {"sentence":"The user likes tea."})");
}

TEST_F(OfflineModelTest, DoesSumsWithTheCalculatorOrByItself) {
  EXPECT_EQ(reply("what is 12 * (3 + 4)?"), "12 * (3 + 4) = 84");
  EXPECT_EQ(reply("3/0"), "3/0: division by zero");
  offer({kCalculate});
  EXPECT_EQ(calls("what is 12 * (3 + 4)?"), R"j(calculate {"expression":"12 * (3 + 4)"})j");
  EXPECT_EQ(result("12 * (3 + 4) = 84"), "12 * (3 + 4) = 84.");
}

TEST_F(OfflineModelTest, TellsDateAndTime) {
  EXPECT_EQ(reply("What time is it?"),
            "It is Sunday, 15 November 2026, 11:00 (Europe/Berlin, UTC+1).");
  EXPECT_EQ(reply("what time is it in Tokyo?"),
            "It is Sunday, 15 November 2026, 19:00 (Asia/Tokyo, UTC+9).");
  EXPECT_EQ(reply("what day is it"), "Today is Sunday, 15 November 2026.");
  EXPECT_EQ(reply("what day is tomorrow?"), "Tomorrow is Monday, 16 November 2026.");
  EXPECT_EQ(reply("what time is it in Atlantis"),
            "I don't know the time in Atlantis. Try a larger city, or a zone such as "
            "Europe/Berlin.");
  offer({kCurrentTime});
  EXPECT_EQ(calls("what time is it"), "current_time {}");
  EXPECT_EQ(result("Sunday, 15 November 2026, 11:00 (Europe/Berlin, UTC+1)"),
            "It is Sunday, 15 November 2026, 11:00 (Europe/Berlin, UTC+1).");
  EXPECT_EQ(calls("what's the date in Tokyo"), R"(current_time {"zone":"Tokyo"})");
  EXPECT_EQ(result("Sunday, 15 November 2026, 19:00 (Asia/Tokyo, UTC+9)"),
            "In Tokyo it is Sunday, 15 November 2026.");
}

TEST_F(OfflineModelTest, KeepsTasksWhenThereIsATool) {
  EXPECT_EQ(reply("add a task: buy milk"),
            "I can't keep tasks yet: this rouse doesn't have it. Your message is kept.");
  offer({kTasks});
  EXPECT_EQ(calls("add a task: buy milk"), R"(tasks {"action":"add","title":"buy milk"})");
  EXPECT_EQ(result("task 1"), "Added to your tasks: buy milk.");
  EXPECT_EQ(calls("my tasks"), R"(tasks {"action":"list"})");
  EXPECT_EQ(result("1. buy milk\n2. sleep\n"), "Your tasks:\n1. buy milk\n2. sleep");
  EXPECT_EQ(calls("done with buy milk"), R"(tasks {"action":"complete","title":"buy milk"})");
  EXPECT_EQ(result("needs approval apr_1: the person has been asked"),
            "Changing your tasks needs your approval first; nothing is done until then. Approve it "
            "in the app, with `rouse approvals approve apr_1`, or reply yes.");
  EXPECT_EQ(calls("my tasks"), R"(tasks {"action":"list"})");
  EXPECT_EQ(result("no tasks"), "You have no open tasks.");
}

TEST_F(OfflineModelTest, SchedulesWhenThereIsAScheduler) {
  EXPECT_TRUE(reply("remind me in 20 minutes to stretch").starts_with("I can't keep reminders"));
  EXPECT_TRUE(reply("cancel the reminder tea").starts_with("I can't keep reminders"));
  offer({kCron});
  EXPECT_EQ(calls("remind me in 20 minutes to stretch my legs"),
            R"(cron {"action":"add","message":"Remind the user: stretch my legs",)"
            R"("name":"stretch my legs","at":"2026-11-15T10:20:00.000Z","tz":"Europe/Berlin"})");
  EXPECT_EQ(result("Scheduled: [1a2b3c4d] stretch my legs: once on Sunday, 15 November 2026 at "
                   "11:20 (Europe/Berlin)\nnext: Sun 11:20 Europe/Berlin (10:20 UTC)"),
            "I'll remind you in 20 minutes (Sun 11:20 Europe/Berlin): stretch your legs.");
  EXPECT_EQ(calls("every weekday at 9 send me the news"),
            R"(cron {"action":"add","message":"send me the news","cron":"0 9 * * 1-5",)"
            R"("tz":"Europe/Berlin"})");
  EXPECT_EQ(result("Scheduled: [1a2b3c4d] send me the news: every weekday at 09:00 "
                   "(Europe/Berlin)\nnext: Mon 09:00 Europe/Berlin (08:00 UTC)"),
            "I'll do this every weekday at 09:00: send you the news. The first time is Mon 09:00 "
            "Europe/Berlin (08:00 UTC).");
  EXPECT_EQ(calls("check the oven every 30 minutes"),
            R"(cron {"action":"add","message":"check the oven","every_seconds":1800,)"
            R"("tz":"Europe/Berlin"})");
  EXPECT_EQ(result("Error: no slot", true), "That did not work: no slot.");
}

TEST_F(OfflineModelTest, ListsAndChangesWhatIsScheduled) {
  offer({kCron});
  EXPECT_EQ(calls("what is scheduled?"), R"(cron {"action":"list"})");
  EXPECT_EQ(result("No scheduled jobs."), "Nothing is scheduled.");
  EXPECT_EQ(calls("list my reminders"), R"(cron {"action":"list"})");
  EXPECT_EQ(result("[1a2b3c4d] tea: every hour (Europe/Berlin)\nnext: Sun 12:00 Europe/Berlin "
                   "(11:00 UTC)\nmessage: Remind the user: tea\nlast: ok\n[5e6f7a8b] news: every "
                   "day at 09:00 (Europe/Berlin)\nnext: Mon 09:00 Europe/Berlin (08:00 UTC)\n"),
            "This is scheduled:\n"
            "- tea: every hour (Europe/Berlin), next Sun 12:00 Europe/Berlin (11:00 UTC)\n"
            "- news: every day at 09:00 (Europe/Berlin), next Mon 09:00 Europe/Berlin (08:00 UTC)");
  EXPECT_EQ(calls("please cancel the reminder to call mum"),
            R"(cron {"action":"remove","id":"call mum"})");
  EXPECT_EQ(result("Removed: [1a2b3c4d] call mum"), "Cancelled: call mum.");
  EXPECT_EQ(calls("pause the news automation"), R"(cron {"action":"pause","id":"news"})");
  EXPECT_EQ(result("Paused: [5e6f7a8b] news: every day at 09:00 (Europe/Berlin), paused"),
            "Paused: news. Say \"resume the reminder news\" to go on.");
  EXPECT_EQ(calls("resume the reminder news"), R"(cron {"action":"resume","id":"news"})");
  EXPECT_EQ(result("Resumed: [5e6f7a8b] news: every day at 09:00 (Europe/Berlin)\nnext: Mon 09:00 "
                   "Europe/Berlin (08:00 UTC)"),
            "Resumed: news. Next: Mon 09:00 Europe/Berlin (08:00 UTC).");
  EXPECT_TRUE(reply("cancel the reminder").starts_with("Which one?"));
  calls("cancel the reminder tea");
  EXPECT_EQ(result("needs approval apr_1: the person has been asked"),
            "Changing your schedule needs your approval first; nothing is done until then. Approve "
            "it in the app, with `rouse approvals approve apr_1`, or reply yes.");
}

TEST_F(OfflineModelTest, AsksForWhatIsMissingAndTakesTheAnswer) {
  offer({kCron});
  EXPECT_TRUE(reply("remind me to call Mum").starts_with("When should I remind you?"));
  EXPECT_EQ(calls("tomorrow at 9"),
            R"(cron {"action":"add","message":"Remind the user: call Mum","name":"call Mum",)"
            R"("at":"2026-11-16T08:00:00.000Z","tz":"Europe/Berlin"})");
  EXPECT_EQ(result("ok\nnext: Mon 09:00 Europe/Berlin (08:00 UTC)"),
            "I'll remind you tomorrow at 09:00 (Mon 09:00 Europe/Berlin): call Mum.");
  EXPECT_EQ(reply("remind me in 5 minutes"), "What should I remind you of?");
  EXPECT_EQ(calls("the soup"),
            R"(cron {"action":"add","message":"Remind the user: the soup","name":"the soup",)"
            R"("at":"2026-11-15T10:05:00.000Z","tz":"Europe/Berlin"})");
  EXPECT_EQ(result("ok"), "I'll remind you on Sunday, 15 November 2026 at 11:05: the soup.");
  request_.messages.push_back(said(
      PromptRole::kUser, "Scheduled automation triggered: the soup\n\nRemind the user: the soup"));
  request_.messages.push_back(said(PromptRole::kAssistant, "Reminder: the soup"));
  EXPECT_EQ(calls("remind me again in 10 minutes"),
            R"(cron {"action":"add","message":"Remind the user: the soup","name":"the soup",)"
            R"("at":"2026-11-15T10:10:00.000Z","tz":"Europe/Berlin"})");
  result("ok");
  EXPECT_EQ(reply("what did I say before?"),
            "Just before, you said: \"remind me again in 10 minutes\"");
}

TEST_F(OfflineModelTest, TellsWhatHappenedAndWhy) {
  EXPECT_TRUE(reply("what did you do today?").starts_with("I can't tell what happened yet"));
  EXPECT_TRUE(reply("why did the report not run?").starts_with("I can't look into that yet"));
  offer({kActivity});
  EXPECT_EQ(calls("what did you do today?"), R"(activity {"since":"2026-11-14T23:00:00.000Z"})");
  EXPECT_EQ(result("09:00 sent the report"), "This is what happened:\n09:00 sent the report");
  EXPECT_EQ(calls("why did the report not run?"), R"(activity {"query":"report"})");
  EXPECT_EQ(result("nothing"), "I have no record of \"report\".");
}

TEST_F(OfflineModelTest, SearchesConversations) {
  offer({kSearch});
  EXPECT_EQ(calls("search our conversations for the invoice"),
            R"(search_conversations {"query":"invoice"})");
  EXPECT_EQ(result("2026-11-14 09:30, user: the invoice, user: x\n2026-11-13 08:00, assistant: an "
                   "invoice\n"),
            "This is what I found:\n- 2026-11-14 09:30, you: the invoice, user: x\n"
            "- 2026-11-13 08:00, me: an invoice");
  calls("did we talk about boats?");
  EXPECT_EQ(result("nothing found for: boats"),
            "I found nothing about \"boats\" in our conversations.");
}

TEST_F(OfflineModelTest, RefersBackToWhatWasSaid) {
  EXPECT_EQ(reply("what did I say before?"), "This is the first message from you that I can see.");
  request_.messages.clear();
  reply("What is 2+2?");
  reply("Write me a poem");
  EXPECT_EQ(reply("and what did I say before?"), "Just before, you said: \"Write me a poem\"");
  EXPECT_EQ(reply("what was my first question?"),
            "The first message from you that I can see is: \"What is 2+2?\"");
  EXPECT_EQ(reply("say that again"),
            "The first message from you that I can see is: \"What is 2+2?\"");
}

TEST_F(OfflineModelTest, IsHonestAboutWhatItDoesNotUnderstand) {
  const std::string first = reply("Write me a poem about the sea.");
  EXPECT_TRUE(first.contains("real language model")) << first;
  EXPECT_TRUE(first.contains("kept")) << first;
  EXPECT_TRUE(first.contains("ANTHROPIC_API_KEY")) << first;
  const std::string second = reply("And one about the mountains?");
  EXPECT_LT(second.size(), first.size());
  EXPECT_TRUE(reply("").contains("empty"));
}

TEST_F(OfflineModelTest, IsPolite) {
  EXPECT_EQ(reply("ok"), "All right.");
  EXPECT_EQ(reply("Thank you!"), "You're welcome!");
  reply("call me Ada");
  EXPECT_EQ(reply("bye"), "Goodbye, Ada! Everything we said is kept.");
}

TEST_F(OfflineModelTest, HelpNamesOnlyWhatIsThere) {
  EXPECT_FALSE(reply("help").contains("remind"));
  offer({kCron, kTasks});
  const std::string with_tools = reply("what can you do?");
  EXPECT_TRUE(with_tools.contains("remind me"));
  EXPECT_TRUE(with_tools.contains("my tasks"));
}

// S0-27, S0-28, S0-C1
TEST_F(OfflineModelTest, OpensASessionWithSomebodyNew) {
  begin("session_open", "This is the first time you are meeting this user.");
  const std::string trigger = "[SYSTEM: First session. No user message. Begin bootstrap.]";
  const std::string hello = reply(trigger);
  EXPECT_TRUE(hello.contains("built-in offline assistant"));
  EXPECT_TRUE(hello.contains("What should I call you"));
  EXPECT_FALSE(hello.contains("remind me"));
  // Its name, and what can be tried here.
  begin("session_open",
        "You are Ida, an assistant who lives in rouse: a server.\n\n## Session "
        "Open\nThis is the first time you are meeting this user.");
  offer({kTasks, kCron});
  const std::string named = reply(trigger);
  EXPECT_TRUE(named.contains("Settings, Models")) << named;
  EXPECT_TRUE(named.starts_with("Hello! I'm called Ida here. ")) << named;
  EXPECT_TRUE(
      named.contains("say \"remind me in 2 minutes to stretch\" or \"add a task: buy milk\"."))
      << named;
  // Whoever answers is understood, and the greeting's own prompt is nobody's word.
  request_.messages.front() =
      said(PromptRole::kUser, "[The user opened the app; there is no user message.]");
  request_.facts.turn_kind = "user";
  EXPECT_TRUE(reply("Ada").starts_with("Nice to meet you, Ada!"));
}

// S0-15, S0-28, S0-C8, S0-C9
TEST_F(OfflineModelTest, TellsWhoComesBackWhatWasGatheredAndElseIsSilent) {
  const std::string trigger =
      "[SYSTEM: User returned to app. No user message. Check tools and decide whether to greet.]";
  const auto answer = [&](const std::string& time, const std::string& data) {
    begin("session_open", "The user's name is Ada.\n\n## Session Open\n" + time + "\n<data>\n" +
                              data + "</data>\nElse answer WAKEUP_SILENT.");
    return reply(trigger);
  };
  const std::string news = "# While you were away\n- 09:00 scheduled: Backed up 3 files.\n";
  const std::string tasks = "# Your open tasks\n- #1 a\n- #2 b\n- #3 c\n- #4 d\n";
  const std::string soon = "Your last interaction was 10 minutes ago.";
  offer({kTasks, kCron});
  EXPECT_EQ(answer(soon, ""), "WAKEUP_SILENT");
  EXPECT_EQ(answer(soon, tasks), "WAKEUP_SILENT") << "it merely stands there";
  EXPECT_EQ(answer(soon, "# While you were away\n- (unavailable)\n"), "WAKEUP_SILENT");
  EXPECT_EQ(answer(soon, news + tasks),
            "Welcome back, Ada! While you were away: 09:00 scheduled: Backed up 3 files.");
  for (const char* time : {"30 minutes", "1 hour", "3 hours"}) {
    EXPECT_EQ(answer(fmt::format("Your last interaction was {} ago.", time), tasks),
              "Welcome back, Ada! Your open tasks: #1 a; #2 b; #3 c; and 1 more.");
  }
  EXPECT_EQ(answer("Your last interaction was less than 2 minutes ago.", tasks), "WAKEUP_SILENT");
  EXPECT_EQ(answer("This is the first time opening this session.", tasks), "WAKEUP_SILENT");
}

TEST_F(OfflineModelTest, DoesWhatAnAutomationAsksIfItCan) {
  begin("automation");
  EXPECT_EQ(reply("Remind the user: stretch my legs"), "Reminder: stretch your legs");
  EXPECT_EQ(reply("[Scheduled: tea]\n\nremind me to drink tea"), "Reminder: drink tea");
  EXPECT_EQ(reply("what is 6 * 7"), "6 * 7 = 42");
  const std::string told = "The scheduled time has come (Mon 09:00).\n\nAutomation: ";
  EXPECT_EQ(reply(told + "Remind the user: call mum"), "Reminder: call mum");
  EXPECT_EQ(reply(told + "tell me to drink tea"), "Reminder: drink tea");
  EXPECT_TRUE(reply(told + "what time is it?").starts_with("It is Sunday, 15 November 2026"));
  EXPECT_TRUE(reply(told + "Check my site.\n\nAutomation: all of it")
                  .starts_with("It is time for this: \"Check my site.  Automation: all of it\"."));
  EXPECT_TRUE(reply("send me the news").starts_with("It is time for this: \"send me the news\"."));
  begin("isolated");
  offer({kTasks});
  EXPECT_EQ(calls("list my tasks"), R"(tasks {"action":"list"})");
}

TEST_F(OfflineModelTest, AnswersHeartbeatsAndApprovals) {
  begin("heartbeat");
  EXPECT_EQ(reply("Look around."), "HEARTBEAT_OK");
  begin("approval");
  EXPECT_EQ(reply("[SYSTEM: approved]\nThe mail was sent."), "The mail was sent.");
}

TEST_F(OfflineModelTest, ACancelledCallIsAFailure) {
  std::stop_source stop;
  stop.request_stop();
  std::optional<Result<ModelAnswer>> answer;
  loop_.spawn("model", keep(model_->answer(request_, stream_, stop.get_token()), answer));
  while (loop_.poll() > 0) {
  }
  ASSERT_TRUE(answer);
  EXPECT_TRUE((*answer).error().is(ModelErrc::kCancelled));
}

TEST_F(OfflineModelTest, TheSameRequestGivesTheSameAnswer) {
  offer({kSaveMemory});
  request_.messages.push_back(said(PromptRole::kUser, "I'm Ada. I like tea."));
  const auto before = request_.messages;
  const auto first = ask().blocks;
  request_.messages = before;
  EXPECT_EQ(ask().blocks, first);
}

TEST_F(OfflineModelTest, TheAnswerToItsFirstQuestionIsUnderstood) {
  request_.messages.push_back(
      said(PromptRole::kAssistant,
           fmt::format("Hello! {}{}", offline::kNameQuestion, offline::kAnswersQuestion)));
  EXPECT_EQ(reply("Ada, short answers please"),
            "Nice to meet you, Ada! And you prefer short answers. I'll remember that in this "
            "conversation.");
  EXPECT_EQ(reply("what is my name?"), "Your name is Ada.");
  EXPECT_TRUE(reply("what did you say first?")
                  .starts_with("The first thing I said that I can see is: \"Hello! What should"));
}

TEST_F(OfflineModelTest, AFileIsNamedAndNeverTakenForWhatWasSaid) {
  offer({kSaveMemory});
  PromptMessage message = said(PromptRole::kUser, "what is in it, roughly?");
  PromptBlock file;
  file.text = "[File notes.txt, text/plain, 14 bytes]\nmy name is Bob\n[End of the file notes.txt]";
  file.media_type = "text/plain";
  message.blocks.push_back(file);
  request_.messages.push_back(message);
  const std::string answer = ask().text();
  EXPECT_TRUE(answer.starts_with("I got a file: notes.txt, text/plain, 14 bytes. It is kept"))
      << answer;
  request_.messages = {{PromptRole::kUser, {file, file}}};
  EXPECT_TRUE(ask().text().starts_with("I got 2 files: ")) << "without a word beside them";
}

TEST_F(OfflineModelTest, AnEmptyPromptIsAnswered) { EXPECT_FALSE(ask().text().empty()); }

}  // namespace
}  // namespace rouse
