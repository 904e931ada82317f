#include "store/sqlite/shared_snapshot.h"

#include <array>

#include <gtest/gtest.h>

#include "tests/sim/world.h"

namespace rouse::sqlite {
namespace {

constexpr std::array kSteps{Migration{1, "things", "CREATE TABLE things (id BIGINT PRIMARY KEY)"}};

class SharedSnapshotTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = world_.open_store(kSteps);
    ASSERT_TRUE(opened) << opened.error();
    db_ = *opened;
    auto connection = Connection::open("/data/rouse.db", Access::kReadOnly, {.vfs = world_.vfs()});
    ASSERT_TRUE(connection) << connection.error();
    raw_ = connection->raw();
    reader_.emplace(std::move(*connection), world_.loop());
  }
  void put(std::int64_t id) {
    ASSERT_TRUE(world_.run(db_->write(one("INSERT INTO things (id) VALUES ($1)", {id}))));
  }
  std::int64_t count(std::uint64_t answered) {
    const auto rows =
        reader_->read({"SELECT COUNT(*) FROM things", {}}, answered, world_.clock(), seconds(1));
    EXPECT_TRUE(rows) << rows.error();
    return rows->front().integer(0);
  }
  [[nodiscard]] bool in_transaction() const { return sqlite3_get_autocommit(raw_) == 0; }

  sim::World world_{1};
  Database* db_ = nullptr;
  sqlite3* raw_ = nullptr;
  std::optional<SharedSnapshot> reader_;
};

TEST_F(SharedSnapshotTest, AReadSeesEachWriteThatWasAnsweredBeforeIt) {
  put(1);
  EXPECT_EQ(count(1), 1);
  put(2);
  EXPECT_EQ(count(2), 2);
}

// PF-5: a reader pins the log, so it must let go by itself
TEST_F(SharedSnapshotTest, ReadsOfOneRoundShareASnapshotThatEndsWithTheRound) {
  put(1);
  (void)count(1);
  EXPECT_TRUE(in_transaction());
  (void)count(1);
  world_.settle();
  EXPECT_FALSE(in_transaction());
}

TEST_F(SharedSnapshotTest, TheEndOfARoundMayComeAfterTheReaderIsGone) {
  (void)count(0);
  reader_.reset();
  world_.settle();
}

}  // namespace
}  // namespace rouse::sqlite
