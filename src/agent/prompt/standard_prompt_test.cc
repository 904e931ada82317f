// The prompt builder: the facts that comparable systems pin (requirements.md, 3), and ours.
#include "agent/prompt/standard_prompt.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "agent/prompt/channel_guidance.h"
#include "agent/prompt/opening.h"
#include "base/temp_dir_for_tests.h"
#include "base/text.h"
#include "session/workspaces.h"

namespace rouse {
namespace {

class StandardPromptTest : public testing::Test {
 protected:
  static PromptInput input(const std::string& kind = "user",
                           const std::string& transport = "websocket") {
    PromptInput out;
    out.turn.workspace = Workspaces::default_id();
    out.turn.kind = kind;
    out.turn.transport = transport;
    out.turn.zone = "Europe/Berlin";
    out.now = *from_iso("2026-11-15T22:59:40.000Z");
    return out;
  }
  std::string text(const PromptInput& wanted) { return builder_.build(wanted).text(); }
  static bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }
  std::vector<std::string> names(const PromptInput& wanted) {
    std::vector<std::string> out;
    for (const auto& section : builder_.build(wanted).sections) out.push_back(section.name);
    return out;
  }
  PromptSection section(const PromptInput& wanted, std::string_view name) {
    for (auto& one : builder_.build(wanted).sections) {
      if (one.name == name) return one;
    }
    return {};
  }
  PromptInput full_input() {
    clock_.advance(seconds(1));  // files are looked at again
    dir_.write("SOUL.md", "You are Ada.");
    dir_.write("AGENTS.md", "Work carefully.");
    dir_.write("USER.md", "Ida, who likes tea.");
    std::filesystem::create_directories(dir_ / "skills/a");
    dir_.write("skills/a/SKILL.md", "---\nname: tea\ndescription: brewing\n---\nBoil water.");
    PromptInput out = input("session_open");
    out.agent_instructions = "Be Ada.";
    out.memory = "Ida has a cat.";
    out.instructions = "Answer in German.";
    out.bootstrap_context = "Tasks: 2 due";
    out.last_message_at = out.now - hours(3);
    out.context_summary = "GOAL: tea";
    out.injected = "Mind the policy.";
    out.tools = {&tool_};
    return out;
  }

  TempDir dir_;
  VirtualClock clock_;
  PersonFiles files_{dir_.path(), clock_};
  StandardPrompt builder_{files_};
  ToolInfo tool_{
      .name = "t", .description = "d", .schema = "{}", .prompt_section = "Use t gently."};
};

// --- order and parts

TEST_F(StandardPromptTest, ASectionWithNothingToSayIsNotThere) {
  EXPECT_EQ(names(input()), (std::vector<std::string>{"identity", "channel", "date", "time"}));
}

TEST_F(StandardPromptTest, TheOrderOfSectionsIsFixed) {
  EXPECT_EQ(
      names(full_input()),
      (std::vector<std::string>{"identity", "channel", "memory", "instructions", "user", "skills",
                                "tools", "opening", "date", "summary", "injected", "time"}));
}

TEST_F(StandardPromptTest, WhatStaysTheSameComesFirstAndIsMarkedForTheCache) {
  const Prompt prompt = builder_.build(full_input());
  bool changing_began = false;
  for (const PromptSection& one : prompt.sections) {
    EXPECT_GE(one.version, 1);
    EXPECT_FALSE(one.stable && changing_began) << one.name;
    changing_began = changing_began || !one.stable;
  }
  const auto system = prompt.system();
  ASSERT_EQ(system.size(), 2U);
  EXPECT_TRUE(system[0].cached);
  EXPECT_FALSE(system[1].cached);
  EXPECT_TRUE(system[0].text.starts_with("You are Ada."));
  EXPECT_TRUE(system[0].text.ends_with("Use t gently."));
  EXPECT_TRUE(system[1].text.starts_with("## Session Open"));
  EXPECT_TRUE(system[1].text.ends_with("It is 23:59."));
  EXPECT_EQ(prompt.text(), system[0].text + "\n\n" + system[1].text);
}

TEST_F(StandardPromptTest, TheCachedPartIsTheSameFromTurnToTurn) {
  PromptInput one = full_input(), other = full_input();
  other.now = other.now + days(40);
  other.context_summary = "GOAL: coffee";
  other.injected = "";
  other.last_message_at = {};
  EXPECT_EQ(builder_.build(one).system()[0], builder_.build(other).system()[0]);
}

TEST_F(StandardPromptTest, ADefaultPromptIsSmall) {  // design.md, 9: 8 KB with the default tools
  PromptInput plain = input();
  EXPECT_LT(text(plain).size(), 1'200U);
  plain.new_user = true;
  EXPECT_LT(text(plain).size(), 2'500U);
}

// --- identity and files

TEST_F(StandardPromptTest, WithoutASoulTheAgentHasOurIdentity) {
  EXPECT_TRUE(has(text(input()), "You are an assistant who lives in rouse"));
  PromptInput named = input();
  named.agent_name = "clarity";
  EXPECT_TRUE(has(text(named), "You are clarity, an assistant"));
  const std::string own = text(full_input());
  EXPECT_FALSE(has(own, "an assistant who lives in rouse"));
  EXPECT_LT(own.find("You are Ada."), own.find("Work carefully."));
  EXPECT_LT(own.find("Work carefully."), own.find("Be Ada."));
}

TEST_F(StandardPromptTest, FilesAreReadLiveAndTheirTroubleIsANote) {
  dir_.write("SOUL.md", "You are Ada.");
  EXPECT_TRUE(has(text(input()), "You are Ada."));
  dir_.write("SOUL.md", "\xFF");
  clock_.advance(seconds(1));
  EXPECT_TRUE(has(text(input()), "You are Ada."));
  EXPECT_TRUE(has(section(input(), "identity").note, "SOUL.md can't be read: it is not UTF-8"));
}

TEST_F(StandardPromptTest, TheOwnersFilesStayBehindTheWall) {  // design.md, 1
  PromptInput other = full_input();
  other.turn.workspace = *WorkspaceId::parse("ws_ida");
  const std::string prompt = text(other);
  for (const char* own : {"You are Ada", "Work carefully", "likes tea", "brewing"}) {
    EXPECT_FALSE(has(prompt, own)) << own;
  }
}

TEST_F(StandardPromptTest, SkillsThatAlwaysApplyStandInFullTheOthersByName) {  // S4-08
  for (const char* folder : {"a", "b", "c"}) {
    std::filesystem::create_directories(dir_ / ("skills/" + std::string(folder)));
  }
  dir_.write("skills/a/SKILL.md", "---\nname: tea\ndescription: brewing\n---\nBoil water.");
  dir_.write("skills/b/SKILL.md",
             "---\nname: tone\ndescription: manners\nalways_apply: true\n---\nBe kind.");
  dir_.write("skills/c/SKILL.md", "---\nname: broken\n---\n");
  const PromptSection skills = section(input(), "skills");
  EXPECT_EQ(skills.text,
            "## Skills\n### tone\nBe kind.\n\nMore skills, by name. Load one with load_skill when "
            "the task calls for it:\n- tea: brewing");
  EXPECT_EQ(skills.note, "skills/c/SKILL.md line 1: the front matter needs a description");
}

TEST_F(StandardPromptTest, SkillsWithoutRoomAreNoted) {
  for (const char* folder : {"a", "b"}) {
    std::filesystem::create_directories(dir_ / ("skills/" + std::string(folder)));
    dir_.write("skills/" + std::string(folder) + "/SKILL.md",
               "---\nname: " + std::string(folder) + "\ndescription: d\nalways_apply: true\n---\n" +
                   std::string(20'000, 'x'));
  }
  const PromptSection skills = section(input(), "skills");
  EXPECT_LT(skills.text.size(), kSkillSectionBytes);
  EXPECT_EQ(skills.note, "no room for b");
}

// --- channel guidance

TEST_F(StandardPromptTest, EachTransportAndEachKindOfTurnHasItsGuidance) {  // S0-04, S0-C10, U12
  EXPECT_TRUE(has(text(input("user", "telegram")), "4096"));
  EXPECT_TRUE(has(text(input("user", "whatsapp")), "short plain text"));
  EXPECT_TRUE(has(text(input("heartbeat")), "HEARTBEAT_OK"));
  EXPECT_TRUE(has(text(input("heartbeat")), "Use tools"));
  EXPECT_TRUE(has(text(input("session_open")), "no user message"));
  for (const char* kind : {"automation", "isolated"}) {
    EXPECT_TRUE(has(text(input(kind)), "notification")) << kind;
    EXPECT_TRUE(has(text(input(kind)), "Don't ask follow-up questions")) << kind;
  }
}

TEST_F(StandardPromptTest, TheTableOfGuidancesHoldsItsFacts) {
  const auto table = [](std::string_view name) { return std::string(channel_guidance(name)); };
  EXPECT_TRUE(has(table("session_open"), "no user message"));
  EXPECT_TRUE(has(table("heartbeat"), "HEARTBEAT_OK"));
  EXPECT_TRUE(has(table("heartbeat"), "Use tools"));
  EXPECT_TRUE(has(table("scheduled"), "notification"));
  EXPECT_TRUE(has(table("scheduled"), "Don't ask follow-up questions"));
  EXPECT_TRUE(has(table("telegram"), "4096"));
  EXPECT_EQ(table("carrier pigeon"), table("web"));
}

TEST_F(StandardPromptTest, AnUnknownTransportIsTreatedAsTheWeb) {  // S0-C10
  EXPECT_EQ(text(input("user", "carrier pigeon")), text(input("user", "web")));
  EXPECT_EQ(text(input("user", "websocket")), text(input("user", "web")));
  EXPECT_EQ(text(input("user", "heartbeat")),
            text(input("user", "web")));  // no kind by the back door
}

TEST_F(StandardPromptTest, AnAutomationStillWritesForItsTransport) {  // U12
  EXPECT_TRUE(has(text(input("automation", "whatsapp")), "short plain text"));
  EXPECT_TRUE(has(text(input("automation", "telegram")), "4096"));
}

TEST_F(StandardPromptTest, OnlyTurnsWithATokenHearOfIt) {  // design.md, 5
  for (const char* kind : {"user", "automation", "heartbeat_wake", "approval", "isolated"}) {
    EXPECT_FALSE(has(text(input(kind)), "HEARTBEAT_OK")) << kind;
    EXPECT_FALSE(has(text(input(kind)), "WAKEUP_SILENT")) << kind;
  }
}

// --- memory and instructions

TEST_F(StandardPromptTest, MemoryIsCutAt4000Characters) {  // S0-C10
  PromptInput long_one = input();
  std::string memory;
  for (int i = 0; i < 4001; ++i) memory += "é";
  long_one.memory = memory;
  const PromptSection cut = section(long_one, "memory");
  EXPECT_EQ(cut.text,
            "## Memory\n" + memory.substr(0, 8000) + "\n(Memory truncated at 4000 characters.)");
  EXPECT_EQ(cut.note, "cut at 4000 characters");
  long_one.memory = memory.substr(0, 8000);
  EXPECT_EQ(section(long_one, "memory").note, "");
  EXPECT_FALSE(has(text(long_one), "truncated"));
}

TEST_F(StandardPromptTest, InstructionsAreCutAt2000Characters) {  // S0-C10
  PromptInput long_one = input();
  long_one.instructions = std::string(2001, 'i');
  const PromptSection cut = section(long_one, "instructions");
  EXPECT_TRUE(cut.text.ends_with("i\n(Instructions truncated at 2000 characters.)"));
  EXPECT_TRUE(has(cut.text, std::string(2000, 'i')));
  EXPECT_FALSE(has(cut.text, std::string(2001, 'i')));
}

// --- section 8

TEST_F(StandardPromptTest, ANewUserWhoOpensTheAppIsMetWithABootstrap) {  // S0-27, S0-16
  PromptInput first = input("session_open");
  first.new_user = true;
  const std::string prompt = text(first);
  for (const char* part : {"## Session Open", "first time you are meeting this user",
                           "introduce yourself", "save_memory", "update_instructions"}) {
    EXPECT_TRUE(has(prompt, part)) << part;
  }
  EXPECT_FALSE(has(prompt, "WAKEUP_SILENT"));
  EXPECT_FALSE(has(prompt, "## Onboarding"));
}

TEST_F(StandardPromptTest, AReturningUserIsMetWithTheTimeSinceAndMayBeMetWithSilence) {  // S0-28
  PromptInput back = input("session_open");
  back.last_message_at = back.now - hours(3);
  const std::string prompt = text(back);
  EXPECT_TRUE(has(prompt, "## Session Open"));
  EXPECT_TRUE(has(prompt, "Your last interaction was 3 hours ago."));
  EXPECT_TRUE(has(prompt, "WAKEUP_SILENT"));
  EXPECT_TRUE(has(prompt, "(tasks, reminders, emails)"));
  EXPECT_FALSE(has(prompt, "## Onboarding"));
  back.last_message_at = back.now - minutes(1);
  EXPECT_TRUE(has(text(back), "less than 2 minutes"));
  back.last_message_at = {};
  EXPECT_TRUE(has(text(back), "This is the first time opening this session."));
}

TEST_F(StandardPromptTest, WhatWasGatheredIsAlwaysPutIn) {  // S0-C8
  PromptInput back = input("session_open");
  EXPECT_TRUE(has(text(back), "(nothing was gathered)"));
  back.bootstrap_context = "Tasks: {time_context} {} (unavailable)";
  EXPECT_TRUE(has(text(back), "\nTasks: {time_context} {} (unavailable)\n"));
  back.new_user = true;  // new users skip it
  EXPECT_FALSE(has(text(back), "unavailable"));
}

TEST_F(StandardPromptTest, TheTimeSinceIsToldInTheSeedsWords) {  // S0-29, S0-44, S0-C6
  const WallTime now{1'000'000'000'000};
  const auto ago = [&](Millis length) { return time_context(now - length, now); };
  EXPECT_EQ(time_context({}, now), "This is the first time opening this session.");
  EXPECT_EQ(ago(millis(0)), "Your last interaction was less than 2 minutes ago.");
  EXPECT_EQ(ago(millis(-5000)), "Your last interaction was less than 2 minutes ago.");
  EXPECT_EQ(ago(millis(119'999)), "Your last interaction was less than 2 minutes ago.");
  EXPECT_EQ(ago(minutes(2)), "Your last interaction was 2 minutes ago.");
  EXPECT_EQ(ago(minutes(45)), "Your last interaction was 45 minutes ago.");
  EXPECT_EQ(ago(minutes(59) + seconds(59)), "Your last interaction was 59 minutes ago.");
  EXPECT_EQ(ago(minutes(60)), "Your last interaction was 1 hour ago.");
  EXPECT_EQ(ago(minutes(119)), "Your last interaction was 1 hour ago.");
  EXPECT_EQ(ago(hours(3)), "Your last interaction was 3 hours ago.");
  EXPECT_EQ(ago(days(2)), "Your last interaction was 48 hours ago.");
}

TEST_F(StandardPromptTest, ANewUserWhoWritesFirstGetsOnboarding) {  // S0-23, S0-30
  for (const char* transport : {"web", "telegram", "websocket", "terminal", "api"}) {
    PromptInput first = input("user", transport);
    first.new_user = true;
    EXPECT_TRUE(has(text(first), "## Onboarding")) << transport;
    EXPECT_FALSE(has(text(first), "## Session Open")) << transport;
  }
}

TEST_F(StandardPromptTest, NobodyElseGetsOnboarding) {  // S0-30
  PromptInput first = input();
  first.new_user = true;
  first.memory = "Ida has a cat.";
  EXPECT_FALSE(has(text(first), "## Onboarding"));
  first.memory = "";
  first.instructions = "Be brief.";
  EXPECT_FALSE(has(text(first), "## Onboarding"));
  for (const char* kind : {"automation", "heartbeat", "heartbeat_wake", "approval", "isolated"}) {
    PromptInput other = input(kind);
    other.new_user = true;
    EXPECT_FALSE(has(text(other), "## Onboarding")) << kind;
    EXPECT_FALSE(has(text(other), "## Session Open")) << kind;
  }
  PromptInput bridged = input("user", "whatsapp");
  bridged.new_user = true;
  EXPECT_FALSE(has(text(bridged), "## Onboarding"));
  EXPECT_FALSE(has(text(input()), "## Onboarding"));
}

// --- time

TEST_F(StandardPromptTest, TheDateIsThePersonsOwn) {
  PromptInput wanted = input();
  EXPECT_EQ(section(wanted, "date").text, "Today is Sunday, 2026-11-15 (time zone Europe/Berlin).");
  EXPECT_EQ(section(wanted, "time").text, "It is 23:59.");
  wanted.now = wanted.now + minutes(1);
  EXPECT_EQ(section(wanted, "date").text, "Today is Monday, 2026-11-16 (time zone Europe/Berlin).");
  wanted.turn.zone = "Asia/Tokyo";
  EXPECT_EQ(section(wanted, "time").text, "It is 08:00.");
}

TEST_F(StandardPromptTest, ABadZoneIsUtcAndSaid) {
  for (const char* zone : {"", "Mars/Olympus", "../../etc/passwd", "Europe/Berlin\n"}) {
    PromptInput wanted = input();
    wanted.turn.zone = zone;
    EXPECT_EQ(section(wanted, "date").text, "Today is Sunday, 2026-11-15 (time zone UTC).") << zone;
    EXPECT_EQ(section(wanted, "time").text, "It is 22:59.");
    EXPECT_TRUE(has(section(wanted, "date").note, "UTC is used"));
  }
}

}  // namespace
}  // namespace rouse
