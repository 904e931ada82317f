#include "store/sqlite/dialect.h"

#include <gtest/gtest.h>

namespace rouse::sqlite {
namespace {

using Strings = std::vector<std::string>;

TEST(Dialect, MakesTablesStrictAndTranslatesTheirTypes) {
  EXPECT_EQ(to_sqlite("CREATE TABLE t (a BIGINT, b BYTEA NOT NULL, c DOUBLE PRECISION, d TEXT)"),
            Strings{"CREATE TABLE t (a INTEGER, b BLOB NOT NULL, c REAL , d TEXT) STRICT"});
  EXPECT_EQ(to_sqlite("ALTER TABLE t ADD COLUMN e BIGINT"),
            Strings{"ALTER TABLE t ADD COLUMN e INTEGER"});
}

TEST(Dialect, PutsRowsOfAClusteredTableInTheOrderOfItsKey) {
  EXPECT_EQ(
      to_sqlite("CREATE CLUSTERED TABLE t (a BIGINT, b TEXT, PRIMARY KEY (a, b))"),
      Strings{"CREATE  TABLE t (a INTEGER, b TEXT, PRIMARY KEY (a, b)) STRICT, WITHOUT ROWID"});
  EXPECT_EQ(to_sqlite("CREATE TABLE clustered (a TEXT)"),
            Strings{"CREATE TABLE clustered (a TEXT) STRICT"});
}

TEST(Dialect, SplitsAtSemicolonsOutsideOfQuotesAndComments) {
  EXPECT_EQ(
      to_sqlite("INSERT INTO t VALUES ('a;b''; BIGINT'); -- c; d\n /* e; */ DELETE FROM \"x;y\";;"),
      (Strings{"INSERT INTO t VALUES ('a;b''; BIGINT')", "DELETE FROM \"x;y\""}));
}

TEST(Dialect, LeavesOtherStatementsAlone) {
  EXPECT_EQ(to_sqlite("CREATE INDEX bigint_of ON t (a)"),
            Strings{"CREATE INDEX bigint_of ON t (a)"});
  EXPECT_EQ(to_sqlite("CREATE VIRTUAL TABLE f USING fts5(text)"),
            Strings{"CREATE VIRTUAL TABLE f USING fts5(text)"});
  EXPECT_TRUE(to_sqlite(" ; \n -- nothing\n").empty());
}

TEST(Dialect, MakesATextIndexThatMergesOnlyWhenAsked) {
  const auto made = to_sqlite("CREATE TEXT INDEX words; CREATE INDEX i ON t (a)");
  ASSERT_EQ(made.size(), 3U);
  EXPECT_TRUE(made[0].starts_with("CREATE VIRTUAL TABLE words USING fts5(")) << made[0];
  EXPECT_EQ(made[1], "INSERT INTO words (words, rank) VALUES ('automerge', 0)");
  EXPECT_EQ(made[2], "CREATE INDEX i ON t (a)");
}

TEST(Dialect, MakesAWordIndexThatMergesOnlyWhenAsked) {
  EXPECT_EQ(to_sqlite("CREATE WORD INDEX words"),
            (Strings{"CREATE VIRTUAL TABLE words USING fts5(words, tokenize='ascii', detail=none, "
                     "columnsize=0)",
                     "INSERT INTO words (words, rank) VALUES ('automerge', 0)"}));
}

TEST(Dialect, SurvivesAnOpenQuoteOrComment) {
  EXPECT_EQ(to_sqlite("SELECT 'open").size(), 1U);
  EXPECT_EQ(to_sqlite("SELECT 1 /* open").size(), 1U);
  EXPECT_EQ(to_sqlite("SELECT 1 -- open").size(), 1U);
}

}  // namespace
}  // namespace rouse::sqlite
