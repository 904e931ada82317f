#include "agent/prompt/person_files.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/temp_dir_for_tests.h"
#include "session/workspaces.h"

namespace rouse {
namespace {

class PersonFilesTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(dir_ / name).parent_path());
    dir_.write(name, text);
  }
  void skill(const std::string& folder, const std::string& name,
             const std::string& body = "Do it.") {
    write("skills/" + folder + "/SKILL.md",
          "---\nname: " + name + "\ndescription: about " + name + "\n---\n" + body);
  }
  const PersonTexts& later(const WorkspaceId& workspace = Workspaces::default_id()) {
    clock_.advance(seconds(1));
    return files_.of(workspace);
  }

  TempDir dir_;
  VirtualClock clock_;
  PersonFiles files_{dir_.path(), clock_};
  WorkspaceId ida_ = *WorkspaceId::parse("ws_ida");
};

TEST_F(PersonFilesTest, AMissingFileIsEmpty) {
  const PersonTexts& texts = later();
  EXPECT_EQ(texts.soul.text, "");
  EXPECT_EQ(texts.soul.note, "");
  EXPECT_TRUE(texts.skills.empty());
  EXPECT_TRUE(texts.problems.empty());
}

TEST_F(PersonFilesTest, AChangedFileIsSeenWithinASecond) {
  write("SOUL.md", "\xEF\xBB\xBFYou are Ada.\n");
  EXPECT_EQ(later().soul.text, "You are Ada.");
  write("SOUL.md", "You are Bob, now.");
  EXPECT_EQ(files_.of(Workspaces::default_id()).soul.text, "You are Ada.");  // looked at just now
  EXPECT_EQ(later().soul.text, "You are Bob, now.");
  std::filesystem::remove(dir_ / "SOUL.md");
  EXPECT_EQ(later().soul.text, "");
}

TEST_F(PersonFilesTest, AFileThatIsReplacedByOneOfTheSameSizeIsSeen) {  // as editors save
  write("USER.md", "one");
  EXPECT_EQ(later().user.text, "one");
  write("USER.md~", "two");
  std::filesystem::rename(dir_ / "USER.md~", dir_ / "USER.md");
  EXPECT_EQ(later().user.text, "two");
}

TEST_F(PersonFilesTest, ATooLongFileIsCutWithANoteAndNotInsideACharacter) {
  std::string text(kPersonFileBytes - 1, 'x');
  write("AGENTS.md", text + "ééé");
  const PersonTexts& texts = later();
  EXPECT_EQ(texts.agents.text, text);
  EXPECT_EQ(texts.agents.note, "AGENTS.md is 65541 bytes long; only the first 65536 are used");
}

TEST_F(PersonFilesTest, WhatCantBeReadIsANoteAndTheLastGoodTextStays) {
  write("SOUL.md", "You are Ada.");
  later();
  write("SOUL.md", "\xFF\xFE not text");
  EXPECT_EQ(later().soul.text, "You are Ada.");
  EXPECT_EQ(later().soul.note,
            "SOUL.md can't be read: it is not UTF-8; what it said before is used");
  std::filesystem::remove(dir_ / "SOUL.md");
  std::filesystem::create_directory(dir_ / "SOUL.md");
  EXPECT_EQ(later().soul.text, "You are Ada.");
  EXPECT_NE(later().soul.note.find("it is not a file"), std::string::npos);
  std::filesystem::create_directory(dir_ / "USER.md");
  EXPECT_EQ(later().user.note, "USER.md can't be read: it is not a file");
  std::filesystem::remove(dir_ / "SOUL.md");
  write("SOUL.md", "Well again.");
  EXPECT_EQ(later().soul.text, "Well again.");
  EXPECT_EQ(later().soul.note, "");
}

TEST_F(PersonFilesTest, ALinkThatLeadsNowhereOrInCirclesDoesNoHarm) {
  std::filesystem::create_symlink("SOUL.md", dir_ / "SOUL.md");
  std::filesystem::create_symlink("nowhere", dir_ / "USER.md");
  const PersonTexts& texts = later();
  EXPECT_EQ(texts.soul.text, "");
  EXPECT_TRUE(texts.soul.note.starts_with("SOUL.md can't be read: ")) << texts.soul.note;
  EXPECT_EQ(texts.soul.note.find(dir_.path()), std::string::npos);  // not where the server keeps it
  EXPECT_EQ(texts.user.note, "");
}

TEST_F(PersonFilesTest, TheOwnersFilesReachOnlyTheOwnersWorkspace) {
  write("SOUL.md", "the owner's");
  write("AGENTS.md", "the owner's");
  write("USER.md", "the owner's");
  skill("a", "owners");
  write("workspaces/ws_ida/USER.md", "ida's");
  write("workspaces/ws_ida/skills/b/SKILL.md", "---\nname: idas\ndescription: d\n---\nx");
  const PersonTexts ida = later(ida_);
  EXPECT_EQ(ida.soul.text, "");
  EXPECT_EQ(ida.agents.text, "");
  EXPECT_EQ(ida.user.text, "ida's");
  ASSERT_EQ(ida.skills.size(), 1U);
  EXPECT_EQ(ida.skills[0].name, "idas");
  const PersonTexts owner = later();
  EXPECT_EQ(owner.user.text, "the owner's");
  ASSERT_EQ(owner.skills.size(), 1U);
  EXPECT_EQ(owner.skills[0].name, "owners");
  EXPECT_EQ(later(*WorkspaceId::parse("ws_other")).user.text, "");
}

TEST_F(PersonFilesTest, SkillsComeGoAndChange) {
  skill("b", "second");
  skill("a", "first");
  std::filesystem::create_directories(dir_ / "skills/empty");
  ASSERT_EQ(later().skills.size(), 2U);
  EXPECT_EQ(later().skills[0].name, "first");
  EXPECT_TRUE(later().problems.empty());
  skill("a", "first", "Do it otherwise.");
  EXPECT_EQ(later().skills[0].body, "Do it otherwise.");
  std::filesystem::remove_all(dir_ / "skills/a");
  ASSERT_EQ(later().skills.size(), 1U);
  std::filesystem::remove_all(dir_ / "skills");
  EXPECT_TRUE(later().skills.empty());
}

TEST_F(PersonFilesTest, ABrokenSkillIsLeftOutWithItsLineAndTheOthersWork) {
  skill("a", "good");
  write("skills/b/SKILL.md", "---\nname: bad\nalways_apply: maybe\n---\nx");
  write("skills/c/SKILL.md", "\xFF\xFF");
  skill("d", "good");
  const PersonTexts& texts = later();
  ASSERT_EQ(texts.skills.size(), 1U);
  EXPECT_EQ(texts.problems,
            (std::vector<std::string>{
                "skills/b/SKILL.md line 3: 'always_apply' must be true or false",
                "skills/c/SKILL.md can't be read: it is not UTF-8",
                "skills/d/SKILL.md: the name 'good' is taken by skills/a/SKILL.md"}));
  skill("b", "mended");
  EXPECT_EQ(later().skills.size(), 2U);
  EXPECT_EQ(later().problems.size(), 2U);
}

TEST_F(PersonFilesTest, TooManySkillsAreBoundedAndSaid) {
  for (std::size_t i = 0; i < kSkillFolders + 3; ++i) {
    skill(fmt::format("s{:03}", i), fmt::format("n{:03}", i));
  }
  EXPECT_EQ(later().skills.size(), kSkillFolders);
  EXPECT_EQ(later().problems.at(0), "there are 67 skills; only the first 64 are used");
}

TEST_F(PersonFilesTest, ManyWorkspacesDoNotFillTheMemory) {
  write("SOUL.md", "the owner's");
  later();
  for (std::size_t i = 0; i < 3 * kPersonFoldersKept; ++i) {
    clock_.advance(millis(1));
    EXPECT_EQ(files_.of(*WorkspaceId::parse(fmt::format("ws_{}", i))).soul.text, "");
  }
  EXPECT_EQ(later().soul.text, "the owner's");
}

}  // namespace
}  // namespace rouse
