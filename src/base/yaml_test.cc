#include "base/yaml.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace rouse {
namespace {

YamlFault fault_of(std::string_view text) {
  const auto tree = parse_yaml(text);
  EXPECT_FALSE(tree.has_value()) << text;
  return tree ? YamlFault{0, 0, "parsed"} : tree.error();
}

std::string repeat(std::string_view piece, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += piece;
  return out;
}

TEST(Yaml, TreeKnowsLinesColumnsAndQuotes) {
  const auto tree = parse_yaml("a: 1\nsection:\n  - x\n  - \"2\"\n");
  ASSERT_TRUE(tree);
  ASSERT_EQ(tree->entries.size(), 2u);
  EXPECT_EQ(tree->entries[0].key, "a");
  EXPECT_EQ(tree->entries[0].value.text, "1");
  EXPECT_FALSE(tree->entries[0].value.quoted);
  const YamlEntry& section = tree->entries[1];
  EXPECT_EQ(section.line, 2);
  EXPECT_EQ(section.column, 1);
  ASSERT_EQ(section.value.items.size(), 2u);
  EXPECT_EQ(section.value.items[1].line, 4);
  EXPECT_EQ(section.value.items[1].column, 5);
  EXPECT_TRUE(section.value.items[1].quoted);
}

TEST(Yaml, EmptyDocumentsAreNull) {
  for (const std::string_view text :
       {"", "# only a comment\n", "---\n", "~\n", "\n\n", "\xEF\xBB\xBF"}) {
    const auto tree = parse_yaml(text);
    ASSERT_TRUE(tree) << text;
    EXPECT_EQ(tree->kind, YamlNode::Kind::kNull) << text;
  }
}

TEST(Yaml, DuplicateKeysAreAnErrorWithItsPlace) {
  const YamlFault fault = fault_of("a: 1\nb:\n  c: 1\n  c: 2\n");
  EXPECT_EQ(fault.line, 4);
  EXPECT_EQ(fault.column, 3);
  EXPECT_EQ(fault.message, "'c' stands here twice");
}

TEST(Yaml, SyntaxErrorsHaveLineAndColumn) {
  const YamlFault fault = fault_of("a: 1\nb: [1, 2\n");
  EXPECT_EQ(fault.line, 3);
  EXPECT_FALSE(fault.message.empty());
}

TEST(Yaml, AnchorsAliasesAndTagsAreRefused) {
  EXPECT_EQ(fault_of("a: &x 1\nb: *x\n").message, "anchors (&name) are not supported");
  EXPECT_EQ(fault_of("a: *x\n").line, 1);
  EXPECT_EQ(fault_of("a: !!binary aGk=\n").message, "tags (!name) are not supported");
  EXPECT_EQ(fault_of("a: !own [1]\n").message, "tags (!name) are not supported");
}

TEST(Yaml, ABillionLaughsEndAtTheFirstAnchor) {
  std::string text = "a0: &a0 lol\n";
  for (int i = 1; i < 20; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
            repeat("*a" + std::to_string(i - 1) + ",", 9) + "]\n";
  }
  EXPECT_EQ(fault_of(text).line, 1);
}

TEST(Yaml, DeepNestingIsRefusedInEveryStyle) {
  EXPECT_EQ(fault_of(repeat("[", 500'000)).message, "too many brackets are open");
  EXPECT_EQ(fault_of(repeat("{a: ", 200'000)).message, "too many brackets are open");
  const std::string deep = "nested deeper than 16 levels";
  EXPECT_EQ(fault_of(repeat("[", 17) + repeat("]", 17)).message, deep);
  EXPECT_EQ(fault_of(repeat("- ", 1000) + "x").message, deep);
  std::string block;
  for (int i = 0; i < 100; ++i) block += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_EQ(fault_of(block).message, deep);
  EXPECT_EQ(fault_of("a: " + repeat("? ", 1000)).message.empty(), false);
  EXPECT_TRUE(parse_yaml(repeat("[", 16) + repeat("]", 16)));
}

TEST(Yaml, HugeFilesAreRefused) {
  EXPECT_NE(fault_of(std::string(limits::kConfigBytes + 1, '#')).message.find("larger than"),
            std::string::npos);
}

TEST(Yaml, ControlCharactersAndBrokenUtf8AreRefusedWhereTheyStand) {
  const YamlFault zero = fault_of(std::string_view("a: 1\nb: \0\n", 10));
  EXPECT_EQ(zero.line, 2);
  EXPECT_EQ(zero.column, 4);
  EXPECT_EQ(zero.message, "a control character (0x00) can't stand here");
  // The library would take this one for the end of the file and drop the rest in silence.
  EXPECT_EQ(fault_of("a: 1\x04\nb: 2\n").line, 1);
  EXPECT_EQ(fault_of("a: 1\nb: \"\xC3\x28\"\n").line, 2);
  EXPECT_EQ(fault_of("\xFF\xFE"
                     "a")
                .message,
            "this line is not valid UTF-8; save the file as UTF-8");
}

// Found by fuzzing: the library turns "\\_" into half a character.
TEST(Yaml, EscapesCannotMakeWhatTheFileMayNotHold) {
  EXPECT_EQ(fault_of("a: \"\\_\"\n").message, "this text is not valid UTF-8");
  EXPECT_EQ(fault_of("a: \"\\0\"\n").line, 1);
  EXPECT_EQ(fault_of("\"\\e[2J\": 1\n").line, 1);
  EXPECT_TRUE(parse_yaml("a: \"x\\ty\\nz\"\n"));
}

TEST(Yaml, OnlyOneDocumentAndOnlyTextKeys) {
  EXPECT_EQ(fault_of("a: 1\n---\nb: 2\n").message, "there must be only one document in the file");
  EXPECT_EQ(fault_of("? [a]\n: 1\n").message, "a key must be text, not a list or a section");
  EXPECT_EQ(fault_of(": 1\n").message, "a key is missing before ':'");
  EXPECT_EQ(fault_of("\"\": 1\n").message, "a key must not be empty");
}

// Found by fuzzing: the library reported empty documents for ever.
TEST(Yaml, BrokenDocumentsDoNotLoop) {
  EXPECT_FALSE(parse_yaml("%YAML 1.2\n---\n&a x: !! st|r\n  t\n? k\n: *a\n...\n"));
  EXPECT_FALSE(parse_yaml("---\na: b\n!! st|r\n  t\n...\n"));
}

}  // namespace
}  // namespace rouse
