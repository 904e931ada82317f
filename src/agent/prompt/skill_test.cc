#include "agent/prompt/skill.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace rouse {
namespace {

Result<Skill> parse(std::string_view text) { return parse_skill("skills/x/SKILL.md", text); }
std::string error_of(std::string_view text) {
  const auto skill = parse(text);
  return skill ? "" : skill.error().message;
}

TEST(SkillFile, HasANameADescriptionAndABody) {
  const auto skill =
      parse("---\nname: report\ndescription: How it is: written # always\n---\n\nDo it.\n");
  ASSERT_TRUE(skill) << skill.error();
  EXPECT_EQ(skill->name, "report");
  EXPECT_EQ(skill->description, "How it is: written");
  EXPECT_FALSE(skill->always_apply);
  EXPECT_EQ(skill->body, "Do it.");
  EXPECT_EQ(skill->file, "skills/x/SKILL.md");
}

TEST(SkillFile, CanAlwaysApply) {  // S4-08
  EXPECT_TRUE(parse("---\nname: a\ndescription: b\nalways_apply: true\n---\nx")->always_apply);
  EXPECT_FALSE(parse("---\nname: a\ndescription: b\nalways_apply: false\n---\nx")->always_apply);
}

TEST(SkillFile, ValuesCanBeQuoted) {
  const auto skill = parse("---\nname: \"a \\\"b\\\" # c\"  # why\ndescription: 'it''s'\n---\nx");
  ASSERT_TRUE(skill) << skill.error();
  EXPECT_EQ(skill->name, "a \"b\" # c");
  EXPECT_EQ(skill->description, "it's");
}

TEST(SkillFile, LinesMayEndAsOnWindows) {
  const auto skill = parse("---\r\nname: a\r\ndescription: b\r\n---\r\none\r\ntwo\r\n");
  ASSERT_TRUE(skill) << skill.error();
  EXPECT_EQ(skill->name, "a");
  EXPECT_EQ(skill->body, "one\ntwo");
}

TEST(SkillFile, WhatOtherProgramsKeepThereIsPassedOver) {
  const auto skill = parse(
      "---\n# a comment\nname: a\nlicense: [MIT]\nmetadata:\n  author: ida\n  tags:\n    - x\n"
      "allowed-tools:\n- one\ndescription: b\n---\nx");
  ASSERT_TRUE(skill) << skill.error();
  EXPECT_EQ(skill->description, "b");
}

TEST(SkillFile, ErrorsNameTheFileAndTheLine) {
  const std::string at = "skills/x/SKILL.md line ";
  EXPECT_EQ(error_of("Hello").find(at + "1: a skill begins with a line ---"), 0U);
  EXPECT_EQ(error_of("").find(at + "1: "), 0U);
  EXPECT_EQ(error_of("---\nname: a\n"),
            at + "1: the front matter is not closed; it needs a line ---");
  EXPECT_EQ(error_of("---\nname: a\n---\nx"), at + "1: the front matter needs a description");
  EXPECT_EQ(error_of("---\ndescription: a\n---\nx"), at + "1: the front matter needs a name");
  EXPECT_EQ(error_of("---\nname: a\ndescription: b\n---\n\n"),
            at + "4: there is no text below the front matter");
  EXPECT_EQ(error_of("---\nname: a\nname: b\n---\nx"), at + "3: 'name' is here twice");
  EXPECT_EQ(error_of("---\nname: a\ndescripton: b\n---\nx"),
            at + "3: 'descripton' is unknown; did you mean 'description'?");
  EXPECT_EQ(error_of("---\nname: a\nalways_apply: yes\n---\nx"),
            at + "3: 'always_apply' must be true or false");
  EXPECT_EQ(error_of("---\nname: a\nwhat\n---\nx"), at + "3: this must be 'key: value'");
  EXPECT_EQ(error_of("---\nname: a\n description: b\n---\nx"),
            at + "3: a key must stand at the beginning of the line");
  EXPECT_EQ(error_of("---\nname: a\ndescription: >-\n  b\n---\nx"),
            at + "3: 'description': it must stand on one line");
  EXPECT_EQ(error_of("---\nname: \"a\n---\nx"), at + "2: 'name': the closing \" is missing");
  EXPECT_EQ(error_of("---\nname: {a}\n---\nx"),
            at + "2: 'name': a text that begins with { needs quotes around it");
  EXPECT_EQ(error_of("---\nname: " + std::string(65, 'a') + "\n---\nx"),
            at + "2: 'name' must have 1 to 64 bytes");
}

RC_GTEST_PROP(SkillFile, AnyTextIsASkillOrAnErrorWithALine, ()) {
  const auto piece = rc::gen::element<std::string>("---", "\n", "name", ": ", ":", "a", "'", "\"",
                                                   "\\", " ", "- ", "description", "always_apply",
                                                   "true", "#", "\r", "é", "\xFF", "{");
  std::string text = *rc::gen::element<std::string>("", "---\n", "---\nname: a\ndescription: b\n");
  for (const std::string& one : *rc::gen::container<std::vector<std::string>>(piece)) text += one;
  const auto skill = parse(text);
  if (skill) {
    RC_ASSERT(!skill->name.empty() && skill->name.size() <= kSkillNameBytes);
    RC_ASSERT(!skill->description.empty() && !skill->body.empty());
  } else {
    RC_ASSERT(skill.error().message.starts_with("skills/x/SKILL.md line "));
  }
}

}  // namespace
}  // namespace rouse
