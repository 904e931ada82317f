#include "session/summary/entities.h"

#include <gtest/gtest.h>

namespace rouse::summary {
namespace {

using Strings = std::vector<std::string>;

TEST(SummaryEntities, NamesOfSeveralWordsAreOneName) {
  EXPECT_EQ(entities_in("We met Maria Silva from the Bank of America in New York."),
            (Strings{"Maria Silva", "Bank of America", "New York"}));
  EXPECT_EQ(entities_in("Is the iPhone 15 Pro sold at MediaMarkt?"),
            (Strings{"iPhone 15 Pro", "MediaMarkt"}));
}

TEST(SummaryEntities, ACapitalAtTheStartOfASentenceProvesNothing) {
  EXPECT_EQ(entities_in("Something is wrong. Find a plumber."), Strings{});
  EXPECT_EQ(entities_in("Lisbon"), Strings{"Lisbon"}) << "an answer of one word";
  EXPECT_EQ(entities_in("Lisbon please"), Strings{"Lisbon"});
}

TEST(SummaryEntities, FilesAddressesHandlesAndCodesAreKnownByTheirLooks) {
  EXPECT_EQ(entities_in("see src/a/b.cc, ~/notes and https://example.com/x?y=1."),
            (Strings{"src/a/b.cc", "~/notes", "https://example.com/x?y=1"}));
  EXPECT_EQ(entities_in("mail jane.doe@example.com or ask @marta about #482 and BA117"),
            (Strings{"jane.doe@example.com", "@marta", "#482", "BA117"}));
  EXPECT_EQ(entities_in("he/she and/or 3/4"), (Strings{"3/4"}));
}

TEST(SummaryEntities, NumbersCountWithTheirUnitDateOrPrice) {
  EXPECT_EQ(entities_in("about 2,000 euros for 4 nights from May 12, at 19:30 or 8pm, -20%"),
            (Strings{"2,000 euros", "4 nights", "May 12", "19:30", "8pm"}));
  EXPECT_EQ(entities_in("pay €849 by 2026-03-01 to +49 170 1234567"),
            (Strings{"€849", "2026-03-01", "+49 170 1234567"}));
  EXPECT_EQ(entities_in("am 14. Mai um 16 Uhr"), (Strings{"14 Mai", "16 Uhr"}));
  EXPECT_EQ(entities_in("i have 3 ideas and 2 cats"), Strings{});
}

TEST(SummaryEntities, ShortQuotedPhrasesAreKeptWhole) {
  EXPECT_EQ(entities_in("call it \"blue harvest\" or „Die Wolke“ or 「東京」"),
            (Strings{"Die Wolke", "東京", "blue harvest"}));
}

TEST(SummaryEntities, GermanNounsAfterAnArticleAreNotNames) {
  EXPECT_EQ(entities_in(
                "Ich brauche für die Reparatur der Maschine die Firma Elektro Schubert in Leipzig"),
            (Strings{"Firma Elektro Schubert", "Leipzig"}));
}

TEST(SummaryEntities, ShoutingIsNotAListOfNames) {
  EXPECT_EQ(entities_in("PLEASE ANSWER MY QUESTION RIGHT NOW"), Strings{});
}

TEST(SummaryEntities, EachIsNamedOnceAndLongAddressesAreCut) {
  EXPECT_EQ(entities_in("from Berlin to Berlin, BERLIN"), Strings{"Berlin"});
  const auto found = entities_in("https://example.com/" + std::string(200, 'x'));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_LE(found[0].size(), kEntityBytes);
}

}  // namespace
}  // namespace rouse::summary
