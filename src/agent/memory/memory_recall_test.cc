#include "agent/memory/memory_recall.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/memory/memory_for_tests.h"

namespace rouse {
namespace {

using Texts = std::vector<std::string>;
class MemoryRecallTest : public MemoryTest {
 protected:
  // Many at once, the last one the newest.
  void save_many(const Texts& texts) {
    std::vector<NoteDraft> drafts;
    for (const std::string& text : texts) drafts.push_back({.text = text, .provenance = "agent"});
    std::ranges::reverse(drafts);
    const auto kept =
        house_.world.run(house_.book->save_all(MemoryHouseForTests::owner(), std::move(drafts)));
    ASSERT_TRUE(kept) << kept.error();
  }
};

TEST_F(MemoryRecallTest, AQuestionFindsTheNoteThatAnswersIt) {
  house_.save("The dog is named Rex.");
  house_.save("The user's name is Ada.");
  house_.save("My sister is called Anna.");
  house_.save("Allergic to peanuts.");
  EXPECT_EQ(house_.find("what is my dog called").front(), "The dog is named Rex.");
  EXPECT_EQ(house_.find("What's my name?").front(), "The user's name is Ada.");
  EXPECT_EQ(house_.find("which allergies? any peanut?"), Texts{"Allergic to peanuts."});
  EXPECT_TRUE(house_.find("quantum").empty());
}

TEST_F(MemoryRecallTest, MoreAndRarerWordsComeFirst) {
  house_.save("Likes tea.");
  house_.save("Likes green tea from Japan.");
  house_.save("Likes coffee.");
  house_.save("Likes dogs.");
  const Texts found = house_.find("likes green tea");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0], "Likes green tea from Japan.");
  EXPECT_EQ(found[1], "Likes tea.");
}

TEST_F(MemoryRecallTest, AmongEqualsTheMoreImportantThenTheNewerComesFirst) {
  house_.save("tea in the morning", 3);
  house_.save("tea at noon", 5);
  house_.world.run_for(days(90));
  house_.save("tea in the evening", 3);
  house_.save("tea at night", 1);
  EXPECT_EQ(house_.find("tea"),
            (Texts{"tea at noon", "tea in the evening", "tea in the morning", "tea at night"}));
}

TEST_F(MemoryRecallTest, CaseAndAccentsDontCount) {
  house_.save("Meets Zoë at the Café Müller");
  EXPECT_EQ(house_.find("zoe cafe MULLER").size(), 1U);
}

TEST_F(MemoryRecallTest, AQuestionWithoutWordsOfItsOwnGetsWhatMattersMost) {
  house_.save("Likes tea.", 2);
  house_.save("The name is Ada.", 5);
  EXPECT_EQ(house_.find("what do you know about me?"), (Texts{"The name is Ada.", "Likes tea."}));
  EXPECT_EQ(house_.find("who am I", MemoryHouseForTests::owner(), 1), Texts{"The name is Ada."});
}

TEST_F(MemoryRecallTest, NobodyFindsWhatAnotherKeeps) {
  house_.save("The dog is named Rex.");
  EXPECT_TRUE(house_.find("dog", MemoryHouseForTests::owner("ws_b")).empty());
  EXPECT_TRUE(house_.find("dog", MemoryHouseForTests::owner("ws_a", "coder")).empty());
  EXPECT_TRUE(house_.find("what do you know", MemoryHouseForTests::owner("ws_b")).empty());
}

// With more notes of each word than are looked at, what has them together is found nevertheless.
TEST_F(MemoryRecallTest, CommonWordsAreFoundTogetherHoweverOldTheNote) {
  Texts texts{"The dentist in Berlin is Dr. Weiss.", "Berlin zebra"};
  for (int i = 0; i < 600; ++i) texts.push_back(fmt::format("Berlin trip number {}", i));
  for (int i = 0; i < 600; ++i) texts.push_back(fmt::format("dentist appointment {}", i));
  save_many(texts);
  EXPECT_EQ(house_.find("dentist in berlin").front(), "The dentist in Berlin is Dr. Weiss.");
  EXPECT_EQ(house_.find("zebra berlin").front(), "Berlin zebra");
  const Texts found = house_.find("trips to Berlin");
  EXPECT_EQ(found.size(), 10U);
  EXPECT_EQ(found.front(), "Berlin trip number 599");
}

TEST_F(MemoryRecallTest, ThreeCommonWordsThatNeverMeetGiveThoseWithTwo) {
  Texts texts{"apple pear", "nothing"};
  for (int i = 0; i < 450; ++i) {
    texts.push_back(fmt::format("apple {}", i));
    texts.push_back(fmt::format("pear {}", i));
    texts.push_back(fmt::format("plum {}", i));
  }
  save_many(texts);
  EXPECT_EQ(house_.find("apple, pear and plum").front(), "apple pear");
}

// A note of each place has one of them, in turns: so many, and never both.
TEST(MemoryWords, ThatStandEverywhereAndNeverMeetKeepApart) {
  std::vector<std::int64_t> home, work, rare, shared;
  for (std::int64_t place = 1'000; place > 488; --place) {
    (place % 2 == 0 ? home : work).push_back(place);
    if (place % 100 == 1) rare.push_back(place);
    if (place % 4 == 0) shared.push_back(place);
  }
  EXPECT_TRUE(keep_apart(home, work));
  EXPECT_TRUE(keep_apart(work, home));
  EXPECT_FALSE(keep_apart(home, rare)) << "too few to tell";
  EXPECT_FALSE(keep_apart(home, shared)) << "they meet";
  work.back() = home.back();
  EXPECT_FALSE(keep_apart(home, work)) << "once is enough";
  EXPECT_FALSE(keep_apart({}, work));
}

TEST(MemoryWords, OfNineInTenNotesStandEverywhere) {
  EXPECT_TRUE(stands_everywhere({9, 8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_TRUE(stands_everywhere({10, 9, 8, 7, 6, 4, 3, 2, 1})) << "nine of ten";
  EXPECT_FALSE(stands_everywhere({11, 10, 9, 7, 6, 4, 3, 2, 1}));
  EXPECT_FALSE(stands_everywhere({}));
}

TEST_F(MemoryRecallTest, AnEmptyOrEndlessQuestionIsRefused) {
  const auto ask = [&](std::string text) {
    return house_.world.run(
        house_.recall->find({MemoryHouseForTests::owner(), std::move(text), 10}));
  };
  EXPECT_EQ(ask("  ").error().kind, Kind::kInvalid);
  EXPECT_EQ(ask(std::string(1'001, 'x')).error().kind, Kind::kInvalid);
  EXPECT_EQ(ask("\xFF").error().kind, Kind::kInvalid);
}

}  // namespace
}  // namespace rouse
