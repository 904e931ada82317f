// FTS5 through the contract on the simulator's disk, and what only holds for it.
#include "store/sqlite/sqlite_text_index.h"

#include <array>

#include <fmt/format.h>

#include "store/sqlite/restore.h"
#include "store/text_index_contract_for_tests.h"
#include "tests/sim/world.h"

namespace rouse::sqlite {
namespace {

class Simulated final : public StoreUnderTest {
 public:
  Loop& loop() override { return world_.loop(); }
  Result<std::unique_ptr<Database>> open(std::span<const Migration> steps,
                                         ContractLimits /*limits*/) override {
    steps_ = steps;
    return open_sqlite(
        {.data_dir = "/data", .loop = world_.loop(), .clock = world_.clock(), .platform = world_},
        steps);
  }
  void run_until(const std::function<bool()>& done) override {
    world_.run_while([&] { return !done(); });
  }
  void usurp() override {}
  std::string new_file(const std::string& name) override { return "/" + name; }
  Result<void> restore(const std::string& file) override {
    TRY_VOID(restore_sqlite("/data", file, world_.clock(), world_, steps_));
    return {};
  }

 private:
  sim::World world_{1};
  std::span<const Migration> steps_;
};

// A workspace's token is no secret, so knowing it must not help.
TEST_P(TextIndexContract, NobodyWritesHimselfIntoAnotherWorkspacesList) {
  add(1, "mine", "ws_a");
  const auto token =
      run(db_->read_page({"SELECT workspace FROM message_text WHERE rowid = 1", {}}));
  ASSERT_TRUE(token) << token.error();
  add(2, "look: " + token->front().text(0) + " mine", "ws_b", "conv_b");
  EXPECT_EQ(find({"mine"}), Positions{1});
  EXPECT_EQ(find_in({.workspace = "ws_b", .conversation = {}, .words = {"look", "mine"}}),
            Positions{2});
}

// Merging is ours to ask for (dialect.h); if nobody did, reads would slow down with each write.
TEST_P(TextIndexContract, ManySmallWritesLeaveFewSegments) {
  for (std::int64_t i = 1; i <= 300; ++i) add(i, fmt::format("message number {}", i));
  const auto segments =
      run(db_->read_page({"SELECT count(DISTINCT segid) FROM message_text_idx", {}}));
  ASSERT_TRUE(segments) << segments.error();
  EXPECT_LT(segments->front().integer(0), 20);
  EXPECT_EQ(find({"number 299"}), Positions{299});
}

TEST_P(TextIndexContract, TheNextUpgradeFindsTheStoreAsItIsWithAnIndexInIt) {
  for (std::int64_t i = 1; i <= 10; ++i) add(i, "kept through an upgrade");
  close();
  std::vector<Migration> steps(schema().begin(), schema().end());
  steps.push_back(
      {static_cast<int>(steps.size()) + 1, "later", "CREATE TABLE later (id BIGINT PRIMARY KEY)"});
  auto opened = world_->open(steps, {});
  ASSERT_TRUE(opened) << opened.error();
  db_ = std::move(*opened);
  EXPECT_EQ(find({"upgrade"}).size(), 10U);
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Sqlite, TextIndexContract,
                         testing::Values(TextIndexBackend{
                             "Simulated", [] { return std::make_unique<Simulated>(); },
                             [] { return std::make_unique<SqliteTextIndex>(); }}),
                         [](const auto& info) { return info.param.name; });

}  // namespace rouse::sqlite
