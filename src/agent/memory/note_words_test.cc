#include "agent/memory/note_words.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace rouse {
namespace {

using Words = std::vector<std::string>;

TEST(NoteWords, AQuestionIsItsWordsThatMean) {
  EXPECT_EQ(words_of_question("What is my dog called?"), Words{"dog"});
  EXPECT_EQ(words_of_question("Who am I?"), Words{});
  EXPECT_EQ(words_of_question("the user's name"), (Words{"user", "nam"}));
}

TEST(NoteWords, CaseAndAccentsDontCount) {
  EXPECT_EQ(words_of_note("Café CRÈME Ångström Łódź naïve Öl"),
            words_of_note("cafe creme angstrom lodz naive ol"));
  EXPECT_EQ(words_of_note("Straße"), words_of_note("STRASSE"));
  EXPECT_EQ(words_of_note("cafe\xCC\x81"), words_of_note("café"));  // an accent by itself
  EXPECT_EQ(words_of_note("Νίκος"), words_of_note("ΝΙΚΟΣ"));
  EXPECT_EQ(words_of_note("Пётр"), words_of_note("ПЕТР"));
  EXPECT_EQ(words_of_note("phở"), words_of_note("pho"));
}

TEST(NoteWords, EnglishEndingsAreCut) {
  EXPECT_EQ(words_of_note("dogs"), words_of_note("dog"));
  EXPECT_EQ(words_of_note("allergies"), words_of_note("allergy"));
  for (const char* form : {"likes", "liked", "liking"}) {
    EXPECT_EQ(words_of_note(form), words_of_note("like")) << form;
  }
  EXPECT_EQ(words_of_note("named"), words_of_note("name"));
  EXPECT_EQ(words_of_note("running"), words_of_note("run"));
  EXPECT_EQ(words_of_note("bus"), Words{"bus"});
  EXPECT_EQ(words_of_note("2024s"), Words{"2024s"});
}

TEST(NoteWords, ScriptsWithoutBlanksAreTakenInPairs) {
  EXPECT_EQ(words_of_question("犬の名前"), (Words{"犬の", "の名", "名前"}));
  EXPECT_EQ(words_of_question("犬"), Words{"犬"});
  const Words note = words_of_note("私の犬");
  EXPECT_NE(std::ranges::find(note, "犬"), note.end());
  EXPECT_NE(std::ranges::find(note, "の犬"), note.end());
}

TEST(NoteWords, SignsSeparateAndEachWordComesOnce) {
  EXPECT_EQ(words_of_note("tea, tea – “green” tea… 🎉(v2)"), (Words{"tea", "green", "v2"}));
  EXPECT_EQ(words_of_note(""), Words{});
}

TEST(NoteWords, AQuestionHasFewWords) {
  EXPECT_EQ(words_of_question("n1 n2 n3 n4 n5 n6 n7 n8 n9 n10").size(), kQuestionWords);
}

// Any bytes may come; whatever a note is found by, the note itself asks for, too.
RC_GTEST_PROP(NoteWords, AnyTextIsFoundByItsOwnWords, (const std::string& text)) {
  const Words note = words_of_note(text);
  for (const std::string& word : words_of_question(text)) {
    RC_ASSERT(std::ranges::find(note, word) != note.end());
  }
}

}  // namespace
}  // namespace rouse
