#include "agent/memory/memory_file.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "agent/memory/memory_for_tests.h"

namespace rouse {
namespace {

std::string written(const std::vector<Note>& notes, std::string_view instructions) {
  std::string out(memory_file_begin());
  for (const Note& note : notes) out += memory_file_line(note);
  return out + memory_file_end(instructions);
}

std::string error_of(std::string_view text) {
  const auto parsed = parse_memory_file(text);
  return parsed ? "" : parsed.error().message;
}

// Text as people and models write it, and as they shouldn't.
rc::Gen<std::string> memory_text() {
  const auto piece = rc::gen::element<std::string>(
      "a", "B", " ", "  ", "\n", "\n\n", "\t", "- ", "[5] ", "[3, agent] ", "# ", "## Instructions",
      "## Notes", "é", "日本", "*", "\r\n", "rex", "🎉");
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                      [](const std::vector<std::string>& pieces) {
                        std::string out = "x";  // never empty
                        for (const std::string& one : pieces) out += one;
                        return out;
                      });
}

TEST(MemoryFile, IsReadableForPeople) {
  Note dog, tea;
  dog.text = "The dog is named Rex.";
  dog.importance = 5;
  dog.provenance = "owner";
  tea.text = "Likes tea.\n\nGreen.";
  tea.provenance = "agent";
  EXPECT_EQ(written({dog, tea}, "Be brief."),
            "# Memory\n\n## Notes\n\n- [5] The dog is named Rex.\n- [3, agent] Likes tea.\n\n"
            "  Green.\n\n## Instructions\n\nBe brief.\n");
  EXPECT_EQ(written({}, ""), "# Memory\n\n## Notes\n\n");
}

TEST(MemoryFile, TakesWhatPeopleWriteByHand) {
  const auto file = parse_memory_file(
      "\xEF\xBB\xBF# Me\r\n\r\n## Pets\r\n* Rex, a dog\r\n- [x] bought food\r\n"
      "  every week\r\n\r\n# Work\n- [4] Likes trains\n## Instructions\n\n# Tone\n- kind\n");
  ASSERT_TRUE(file) << file.error();
  ASSERT_EQ(file->notes.size(), 3U);
  EXPECT_EQ(file->notes[0].text, "Rex, a dog");
  EXPECT_EQ(file->notes[0].provenance, "owner");
  EXPECT_FALSE(file->notes[0].importance);
  EXPECT_EQ(file->notes[1].text, "[x] bought food\nevery week");
  EXPECT_EQ(file->notes[2].importance, 4);
  EXPECT_EQ(file->instructions, "# Tone\n- kind");
}

TEST(MemoryFile, ErrorsNameTheLine) {
  EXPECT_NE(error_of("# Memory\n\n- fine\nnot a note\n").find("line 4: a note begins with '- '"),
            std::string::npos);
  EXPECT_NE(error_of("- a\n- [9] b\n").find("line 2: 'importance' must be 1 to 5, not 9"),
            std::string::npos);
  EXPECT_NE(error_of("- [12] b\n").find("line 1: the importance must be 1 to 5"),
            std::string::npos);
  EXPECT_NE(error_of("\n- [3, somebody] b\n").find("line 2: 'somebody' must be owner, sender"),
            std::string::npos);
  EXPECT_NE(error_of("- a\n- [3]\n").find("line 2: 'note' must not be empty"), std::string::npos);
  EXPECT_NE(error_of("- " + std::string(2'001, 'x')).find("line 1: 'note' must have at most 2000"),
            std::string::npos);
  EXPECT_EQ(error_of(""), "");
  EXPECT_NE(error_of("- \xFF"), "");
}

RC_GTEST_PROP(MemoryFile, WhatIsWrittenIsReadBackAsItWas, ()) {
  std::vector<Note> notes;
  for (const std::string& text : *rc::gen::container<std::vector<std::string>>(memory_text())) {
    auto clean = clean_memory_text(text, "text", kNoteCharacters);
    if (!clean) continue;
    Note note;
    note.text = *clean;
    note.importance = *rc::gen::inRange<std::int64_t>(1, 6);
    note.provenance = *rc::gen::element<std::string>("owner", "sender", "agent", "untrusted");
    notes.push_back(std::move(note));
  }
  const std::string instructions =
      clean_memory_text(*memory_text(), "text", kKeptInstructionCharacters).value_or("");
  const auto file = parse_memory_file(written(notes, instructions));
  RC_ASSERT(file.has_value());
  RC_ASSERT(file->instructions == instructions);
  RC_ASSERT(file->notes.size() == notes.size());
  for (std::size_t i = 0; i < notes.size(); ++i) {
    RC_ASSERT(file->notes[i].text == notes[i].text);
    RC_ASSERT(file->notes[i].importance == notes[i].importance);
    RC_ASSERT(file->notes[i].provenance == notes[i].provenance);
  }
}

}  // namespace
}  // namespace rouse
