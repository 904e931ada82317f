#include "store/contract_for_tests.h"

#include <algorithm>
#include <array>
#include <limits>

namespace rouse {
namespace {

constexpr std::array kSteps{Migration{1, "contract", R"sql(
CREATE TABLE things (
  id     TEXT PRIMARY KEY,
  number BIGINT NOT NULL,
  note   TEXT,
  bytes  BYTEA,
  ratio  DOUBLE PRECISION
);
CREATE UNIQUE INDEX idx_things_note ON things (note);
CREATE TABLE parts (
  part_id  BIGINT PRIMARY KEY,
  thing_id TEXT NOT NULL REFERENCES things (id)
);
CREATE TABLE log (seq BIGINT PRIMARY KEY, text TEXT NOT NULL)
)sql"}};

constexpr std::string_view kPut = "INSERT INTO things (id, number, note) VALUES ($1, $2, $3)";

Task<bool> as_value(Task<void> task) {
  co_await std::move(task);
  co_return true;
}

Task<void> write_into(Database& db, Write write, std::optional<Result<Written>>* result) {
  *result = co_await db.write(std::move(write));
}

}  // namespace

std::string backend_name(const testing::TestParamInfo<StoreBackend>& info) {
  return info.param.name;
}

void StoreContract::SetUp() {
  world_ = GetParam().make();
  open();
}

void StoreContract::TearDown() {
  if (db_) close();
}

void StoreContract::open(ContractLimits limits) {
  auto opened = world_->open(kSteps, limits);
  ASSERT_TRUE(opened) << opened.error();
  db_ = std::move(*opened);
}

void StoreContract::close() {
  run(as_value(db_->close()));
  db_.reset();
}

std::vector<Result<Written>> StoreContract::write_together(std::vector<Write> writes) {
  std::vector<std::optional<Result<Written>>> answers(writes.size());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    world_->loop().spawn("write", write_into(*db_, std::move(writes[i]), &answers[i]));
  }
  world_->run_until([&] {
    return std::ranges::all_of(answers, [](const auto& answer) { return answer.has_value(); });
  });
  std::vector<Result<Written>> results;
  for (auto& answer : answers) results.push_back(std::move(*answer));
  return results;
}

Write StoreContract::putting(std::string id, Value value, std::int64_t number) {
  return one(kPut, {std::move(id), number, std::move(value)});
}

Result<Written> StoreContract::put(std::string id, Value value, std::int64_t number) {
  return write(putting(std::move(id), std::move(value), number));
}

std::optional<Row> StoreContract::get(std::string id) {
  auto rows = db_->read({"SELECT id, number, note, bytes, ratio FROM things WHERE id = $1", {id}});
  EXPECT_TRUE(rows) << rows.error();
  if (!rows || rows->empty()) return std::nullopt;
  return rows->front();
}

std::int64_t StoreContract::count() {
  auto rows = db_->read({"SELECT count(*) FROM things", {}});
  EXPECT_TRUE(rows) << rows.error();
  return rows ? rows->front().integer(0) : -1;
}

// ---- writes and reads
// -------------------------------------------------------------------------------

TEST_P(StoreContract, AnAnsweredWriteIsSeenByTheNextRead) {
  for (std::int64_t i = 0; i < 50; ++i) {
    ASSERT_TRUE(put("id" + std::to_string(i), {}, i));
    ASSERT_EQ(count(), i + 1);
  }
}

TEST_P(StoreContract, AnAnsweredWriteIsThereAfterOpeningAgain) {
  ASSERT_TRUE(put("a", std::string("kept"), 7));
  reopen();
  ASSERT_TRUE(get("a"));
  EXPECT_EQ(get("a")->integer(1), 7);
  EXPECT_EQ(get("a")->text(2), "kept");
}

TEST_P(StoreContract, WritesAreAppliedInTheOrderOfTheCalls) {
  std::vector<Write> writes;
  for (std::int64_t i = 0; i < 200; ++i) {
    writes.push_back(
        one("INSERT INTO log (seq, text) SELECT coalesce(max(seq), 0) + 1, $1 FROM log",
            {std::to_string(i)}));
  }
  for (const auto& answer : write_together(std::move(writes)))
    ASSERT_TRUE(answer) << answer.error();
  auto rows = db_->read({"SELECT text FROM log ORDER BY seq", {}});
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 200U);
  for (std::size_t i = 0; i < rows->size(); ++i) ASSERT_EQ((*rows)[i].text(0), std::to_string(i));
}

TEST_P(StoreContract, ManyWritesShareFewCommits) {
  const auto before = db_->health().commits;
  std::vector<Write> writes;
  for (int i = 0; i < 300; ++i) writes.push_back(putting("id" + std::to_string(i), {}));
  for (const auto& answer : write_together(std::move(writes)))
    ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(count(), 300);
  EXPECT_LT(db_->health().commits - before, 100U);
  EXPECT_EQ(db_->health().queued_writes, 0);
}

TEST_P(StoreContract, ABadWriteFailsAloneAndItsNeighboursStay) {
  ASSERT_TRUE(put("taken", {}));
  Write half;  // its first statement works, its second doesn't: neither may remain
  half.statements.push_back({kPut, {std::string("half"), std::int64_t{1}, {}}, {}});
  half.statements.push_back({kPut, {std::string("taken"), std::int64_t{1}, {}}, {}});
  std::vector<Write> writes;
  writes.push_back(putting("before", {}));
  writes.push_back(std::move(half));
  writes.push_back(putting("taken", {}));
  writes.push_back(one("INSERT INTO nowhere VALUES ($1)", {std::int64_t{1}}));
  writes.push_back(putting("after", {}));
  const auto answers = write_together(std::move(writes));
  EXPECT_TRUE(answers[0]);
  EXPECT_TRUE(!answers[1] && answers[1].error().is(StoreErrc::kConflict));
  EXPECT_TRUE(!answers[2] && answers[2].error().is(StoreErrc::kConflict));
  EXPECT_TRUE(!answers[3] && answers[3].error().is(StoreErrc::kBadSql));
  EXPECT_TRUE(answers[4]);
  EXPECT_TRUE(get("before") && get("after"));
  EXPECT_FALSE(get("half"));
}

TEST_P(StoreContract, AnotherNumberOfRowsThanExpectedIsAConflictAndUndone) {
  ASSERT_TRUE(put("a", {}, 1));
  const auto missed = write(one("UPDATE things SET number = 2 WHERE id = $1 AND number = $2",
                                {std::string("a"), std::int64_t{99}}, 1));
  ASSERT_FALSE(missed);
  EXPECT_TRUE(missed.error().is(StoreErrc::kConflict)) << missed.error();
  EXPECT_EQ(missed.error().kind, Kind::kConflict);
  const auto too_many = write(one("UPDATE things SET number = 3", {}, 0));
  ASSERT_FALSE(too_many);
  EXPECT_EQ(get("a")->integer(1), 1);
}

TEST_P(StoreContract, TellsHowManyRowsEachStatementChanged) {
  Write both;
  both.statements.push_back({kPut, {std::string("a"), std::int64_t{1}, {}}, 1});
  both.statements.push_back({kPut, {std::string("b"), std::int64_t{1}, {}}, 1});
  both.statements.push_back({"UPDATE things SET number = 5", {}, 2});
  both.statements.push_back({"DELETE FROM things WHERE number = 6", {}, 0});
  const auto written = write(std::move(both));
  ASSERT_TRUE(written) << written.error();
  EXPECT_EQ(written->rows_changed, (std::vector<std::int64_t>{1, 1, 2, 0}));
}

TEST_P(StoreContract, BrokenConstraintsAreConflicts) {
  ASSERT_TRUE(put("a", std::string("unique")));
  const auto not_unique = put("b", std::string("unique"));
  const auto is_null = write(one("INSERT INTO log (seq, text) VALUES (1, $1)", {Value{}}));
  const auto refers_to_nothing =
      write(one("INSERT INTO parts (part_id, thing_id) VALUES (1, $1)", {std::string("nobody")}));
  EXPECT_TRUE(!not_unique && not_unique.error().is(StoreErrc::kConflict));
  EXPECT_TRUE(!is_null && is_null.error().is(StoreErrc::kConflict));
  EXPECT_TRUE(!refers_to_nothing && refers_to_nothing.error().is(StoreErrc::kConflict));
}

TEST_P(StoreContract, AValueOfTheWrongTypeIsRefused) {
  EXPECT_FALSE(write(one(kPut, {std::string("a"), std::string("not a number"), Value{}})));
  EXPECT_FALSE(get("a"));
}

TEST_P(StoreContract, AStatementThatDoesNotCompileOrBindIsABug) {
  for (const auto& bad : {one("SELEC 1", {}), one(kPut, {std::int64_t{1}}), one("", {}),
                          one("DELETE FROM log; DELETE FROM log", {})}) {
    const auto answer = write(bad);
    ASSERT_FALSE(answer);
    EXPECT_TRUE(answer.error().is(StoreErrc::kBadSql)) << answer.error();
  }
  const auto read = db_->read({"SELECT nothing FROM nowhere", {}});
  ASSERT_FALSE(read);
  EXPECT_TRUE(read.error().is(StoreErrc::kBadSql)) << read.error();
}

TEST_P(StoreContract, AReadCannotWrite) {
  EXPECT_FALSE(db_->read({"DELETE FROM things", {}}));
  EXPECT_FALSE(run(db_->read_page({"INSERT INTO log (seq, text) VALUES (1, 'x')", {}})));
}

// ---- values
// -----------------------------------------------------------------------------------------

TEST_P(StoreContract, KeepsEveryKindOfValueAsItIs) {
  std::string all_bytes;
  for (int i = 0; i < 256; ++i) all_bytes.push_back(static_cast<char>(i));
  const std::string emoji = "Grüße 👩‍👩‍👧 \u202e x";
  ASSERT_TRUE(write(one(
      "INSERT INTO things (id, number, note, bytes, ratio) "
      "VALUES ($1, $2, $3, $4, $5)",
      {std::string("a"), std::numeric_limits<std::int64_t>::min(), emoji, Blob{all_bytes}, 0.1})));
  ASSERT_TRUE(
      write(one("INSERT INTO things (id, number, note, bytes, ratio) "
                "VALUES ($1, $2, $3, $4, $5)",
                {std::string("b"), std::numeric_limits<std::int64_t>::max(), std::string(), Blob{},
                 -1e300})));
  reopen();
  EXPECT_EQ(*get("a"), Row({std::string("a"), std::numeric_limits<std::int64_t>::min(), emoji,
                            Blob{all_bytes}, 0.1}));
  EXPECT_EQ(*get("b"), Row({std::string("b"), std::numeric_limits<std::int64_t>::max(),
                            std::string(), Blob{}, -1e300}));
}

TEST_P(StoreContract, TellsNullFromEmpty) {
  ASSERT_TRUE(put("a", {}));
  EXPECT_TRUE(get("a")->is_null(2));
  EXPECT_TRUE(get("a")->is_null(3));
  ASSERT_TRUE(put("b", std::string()));
  EXPECT_FALSE(get("b")->is_null(2));
}

TEST_P(StoreContract, KeepsAMegabyte) {
  const std::string big(900'000, '\xff');
  ASSERT_TRUE(write(one("INSERT INTO things (id, number, bytes) VALUES ($1, 1, $2)",
                        {std::string("a"), Blob{big}})));
  EXPECT_EQ(get("a")->blob(3), big);
}

TEST_P(StoreContract, AParameterMayBeUsedTwiceAndInAnyOrder) {
  ASSERT_TRUE(write(one("INSERT INTO things (note, id, number) VALUES ($2, $1, $3)",
                        {std::string("id"), std::string("note"), std::int64_t{4}})));
  const auto rows = db_->read({"SELECT $1 FROM things WHERE id = $1 OR note = $2 OR note = $1",
                               {std::string("id"), std::string("note")}});
  ASSERT_TRUE(rows) << rows.error();
  EXPECT_EQ(rows->size(), 1U);
  EXPECT_EQ(get("id")->text(2), "note");
}

// ---- bounds
// -----------------------------------------------------------------------------------------

TEST_P(StoreContract, APointReadOverItsBoundIsRefused) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(put(std::to_string(i), {}));
  Query query{"SELECT id FROM things", {}, 4};
  const auto rows = db_->read(query);
  ASSERT_FALSE(rows);
  EXPECT_TRUE(rows.error().is(StoreErrc::kTooManyRows));
  query.max_rows = 5;
  EXPECT_TRUE(db_->read(query));
}

TEST_P(StoreContract, AFullQueueRefusesAtOnceAndTheRestIsWritten) {
  close();
  open({.max_queued_writes = 10});
  std::vector<Write> writes;
  for (int i = 0; i < 2000; ++i) writes.push_back(putting(std::to_string(i), {}));
  std::int64_t written = 0;
  std::int64_t refused = 0;
  for (const auto& answer : write_together(std::move(writes))) {
    if (answer) {
      ++written;
    } else {
      ASSERT_TRUE(answer.error().is(StoreErrc::kOverloaded)) << answer.error();
      EXPECT_EQ(answer.error().kind, Kind::kUnavailable);
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GE(written, 10);
  EXPECT_EQ(count(), written);
}

TEST_P(StoreContract, AWriteOverItsSizeIsRefusedByName) {
  close();
  open({.max_write_bytes = 10'000});
  const auto answer = put("a", std::string(20'000, 'x'));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Kind::kTooLarge);
}

// ---- pages, backups, ends
// ---------------------------------------------------------------------------

TEST_P(StoreContract, PagesGiveEveryRowOnce) {
  std::vector<Write> writes;
  for (int i = 0; i < 250; ++i) writes.push_back(putting("id" + std::to_string(1000 + i), {}));
  write_together(std::move(writes));
  std::vector<std::string> seen;
  std::string last;
  while (true) {
    auto page = run(db_->read_page(
        {"SELECT id FROM things WHERE id > $1 ORDER BY id LIMIT $2", {last, std::int64_t{40}}}));
    ASSERT_TRUE(page) << page.error();
    for (const Row& row : *page) seen.push_back(row.text(0));
    if (page->size() < 40) break;
    last = seen.back();
  }
  ASSERT_EQ(seen.size(), 250U);
  EXPECT_EQ(seen.front(), "id1000");
  EXPECT_EQ(seen.back(), "id1249");
}

TEST_P(StoreContract, APageSeesEveryWriteAnsweredBefore) {
  for (std::int64_t i = 1; i <= 20; ++i) {
    ASSERT_TRUE(put(std::to_string(i), {}));
    auto page = run(db_->read_page({"SELECT count(*) FROM things", {}}));
    ASSERT_TRUE(page) << page.error();
    ASSERT_EQ(page->front().integer(0), i);
  }
}

TEST_P(StoreContract, ABackupRestoredIsTheStoreAsItWas) {
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(put(std::to_string(i), {}));
  const std::string file = world_->new_file("copy");
  const auto made = run(db_->backup(file));
  ASSERT_TRUE(made) << made.error();
  ASSERT_TRUE(put("later", {}));
  close();
  const auto restored = world_->restore(file);
  ASSERT_TRUE(restored) << restored.error();
  open();
  EXPECT_EQ(count(), 100);
  EXPECT_FALSE(get("later"));
  EXPECT_TRUE(put("goes on", {}));
}

TEST_P(StoreContract, ABackupMadeWhileWritesGoOnHoldsAPrefixOfThem) {
  std::vector<std::optional<Result<Written>>> answers(400);
  const auto spawn = [&](std::size_t i) {
    world_->loop().spawn("write", write_into(*db_,
                                             putting("id" + std::to_string(1000 + i), Value{},
                                                     static_cast<std::int64_t>(i)),
                                             &answers[i]));
  };
  for (std::size_t i = 0; i < 200; ++i) spawn(i);
  const std::string file = world_->new_file("copy");
  std::optional<Result<void>> made;
  world_->loop().spawn(
      "backup",
      [](Database& db, std::string path, std::optional<Result<void>>* result) -> Task<void> {
        *result = co_await db.backup(std::move(path));
      }(*db_, file, &made));
  for (std::size_t i = 200; i < 400; ++i) spawn(i);
  world_->run_until([&] {
    return made &&
           std::ranges::all_of(answers, [](const auto& answer) { return answer.has_value(); });
  });
  ASSERT_TRUE(*made) << made->error();
  close();
  ASSERT_TRUE(world_->restore(file));
  open();
  auto rows = db_->read({"SELECT count(*), coalesce(max(number), -1) FROM things", {}});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->front().integer(0), rows->front().integer(1) + 1);
}

TEST_P(StoreContract, ABackupNeverReplacesAFile) {
  const std::string file = world_->new_file("copy");
  ASSERT_TRUE(run(db_->backup(file)));
  const auto again = run(db_->backup(file));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, Kind::kConflict);
}

TEST_P(StoreContract, ASoundStoreVerifies) {
  ASSERT_TRUE(put("a", {}));
  const auto sound = run(db_->verify());
  EXPECT_TRUE(sound) << sound.error();
}

TEST_P(StoreContract, ClosingLetsQueuedWritesCommitAndTakesNoMore) {
  std::vector<std::optional<Result<Written>>> answers(50);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    world_->loop().spawn("write", write_into(*db_, putting(std::to_string(i), {}), &answers[i]));
  }
  std::optional<Result<Written>> late;
  std::optional<bool> closed;
  world_->loop().spawn("close", [](Database& db, std::optional<bool>* done) -> Task<void> {
    co_await db.close();
    *done = true;
  }(*db_, &closed));
  world_->loop().spawn("late", write_into(*db_, putting("late", {}), &late));
  world_->run_until([&] { return closed && late; });
  for (const auto& answer : answers) ASSERT_TRUE(answer && *answer);
  ASSERT_FALSE(*late);
  EXPECT_TRUE(late->error().is(StoreErrc::kClosed));
  const auto read = db_->read({"SELECT 1", {}});
  EXPECT_TRUE(!read && read.error().is(StoreErrc::kClosed));
  db_.reset();
  open();
  EXPECT_EQ(count(), 50);
}

// CR-19
TEST_P(StoreContract, AnOwnerThatLostTheStoreCanWriteNoMore) {
  const auto epoch = db_->owner_epoch();
  ASSERT_TRUE(put("mine", {}));
  world_->usurp();
  const auto answer = put("stale", {});
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().is(StoreErrc::kFenced)) << answer.error();
  EXPECT_FALSE(db_->health().ok);
  EXPECT_FALSE(get("stale"));
  reopen();
  EXPECT_GT(db_->owner_epoch(), epoch + 1);
  EXPECT_TRUE(put("mine again", {}));
  EXPECT_TRUE(db_->health().ok);
}

TEST_P(StoreContract, EachOpeningRaisesTheEpoch) {
  const auto first = db_->owner_epoch();
  reopen();
  EXPECT_EQ(db_->owner_epoch(), first + 1);
  reopen();
  EXPECT_EQ(db_->owner_epoch(), first + 2);
}

}  // namespace rouse
