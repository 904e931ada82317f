#include "store/sqlite/statement.h"

#include <gtest/gtest.h>

#include "store/sqlite/connection.h"

namespace rouse::sqlite {
namespace {

TEST(StatementCache, GivesTheSameStatementForTheSameText) {
  auto db = Connection::open(":memory:", Access::kReadWrite, {});
  ASSERT_TRUE(db);
  StatementCache cache(2);
  const std::string text = "SELECT 1";
  const auto first = cache.get(db->raw(), text);
  EXPECT_EQ(*first, *cache.get(db->raw(), std::string(text)));
  EXPECT_EQ(cache.size(), 1U);
}

TEST(StatementCache, ForgetsTheOneNotUsedForLongest) {
  auto db = Connection::open(":memory:", Access::kReadWrite, {});
  ASSERT_TRUE(db);
  StatementCache cache(2);
  const auto one = *cache.get(db->raw(), "SELECT 1");
  ASSERT_TRUE(cache.get(db->raw(), "SELECT 2"));
  EXPECT_EQ(one, *cache.get(db->raw(), "SELECT 1"));
  ASSERT_TRUE(cache.get(db->raw(), "SELECT 3"));  // 2 goes
  EXPECT_EQ(cache.size(), 2U);
  EXPECT_EQ(one, *cache.get(db->raw(), "SELECT 1"));
}

TEST(PreparedStatement, TakesOnlyNumberedParameters) {
  auto db = Connection::open(":memory:", Access::kReadWrite, {});
  ASSERT_TRUE(db);
  EXPECT_FALSE(PreparedStatement::prepare(db->raw(), "SELECT ?"));
  EXPECT_FALSE(PreparedStatement::prepare(db->raw(), "SELECT $name"));
  EXPECT_FALSE(PreparedStatement::prepare(db->raw(), "SELECT :a"));
  EXPECT_TRUE(PreparedStatement::prepare(db->raw(), "SELECT $2, $1, $2"));
}

}  // namespace
}  // namespace rouse::sqlite
