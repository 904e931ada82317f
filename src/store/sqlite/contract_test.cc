// SQLite through the contract: once with threads on a real file system, once in the simulator.
#include "base/clock.h"
#include "base/temp_dir_for_tests.h"
#include "store/contract_for_tests.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/open.h"
#include "store/sqlite/restore.h"
#include "tests/sim/world.h"

namespace rouse::sqlite {
namespace {

StoreLimits to_limits(ContractLimits limits) {
  StoreLimits all;
  all.max_queued_writes = limits.max_queued_writes;
  all.max_write_bytes = limits.max_write_bytes;
  all.backup_step_pages = 2;
  return all;
}

void raise_epoch(const std::string& file, const char* vfs) {
  auto db = Connection::open(file, Access::kReadWrite, {.vfs = vfs});
  ASSERT_TRUE(db) << db.error();
  const auto raised = db->exec("UPDATE rouse_store SET epoch = epoch + 1");
  ASSERT_TRUE(raised) << raised.error();
}

class OnThreads final : public StoreUnderTest {
 public:
  Loop& loop() override { return loop_; }
  Result<std::unique_ptr<Database>> open(std::span<const Migration> steps,
                                         ContractLimits limits) override {
    steps_ = steps;
    return open_sqlite(
        {.data_dir = data(), .loop = loop_, .clock = clock_, .limits = to_limits(limits)}, steps);
  }
  void run_until(const std::function<bool()>& done) override {
    while (!done()) {
      if (loop_.poll() > 0) continue;
      ASSERT_FALSE(loop_.stopped()) << "the test waits for something that can't happen";
      loop_.context().run_one();
    }
  }
  void usurp() override { raise_epoch(data() + "/rouse.db", nullptr); }
  std::string new_file(const std::string& name) override { return dir_.path() + "/" + name; }
  Result<void> restore(const std::string& file) override {
    TRY_VOID(restore_sqlite(data(), file, clock_, this_machine(), steps_));
    return {};
  }

 private:
  std::string data() { return dir_.path() + "/data"; }
  TempDir dir_;
  Loop loop_;
  RealClock clock_{loop_};
  std::span<const Migration> steps_;
};

class Simulated final : public StoreUnderTest {
 public:
  Loop& loop() override { return world_.loop(); }
  Result<std::unique_ptr<Database>> open(std::span<const Migration> steps,
                                         ContractLimits limits) override {
    steps_ = steps;
    return open_sqlite({.data_dir = "/data",
                        .loop = world_.loop(),
                        .clock = world_.clock(),
                        .platform = world_,
                        .limits = to_limits(limits)},
                       steps);
  }
  void run_until(const std::function<bool()>& done) override {
    world_.run_while([&] { return !done(); });
  }
  void usurp() override { raise_epoch("/data/rouse.db", world_.vfs()); }
  std::string new_file(const std::string& name) override { return "/" + name; }
  Result<void> restore(const std::string& file) override {
    TRY_VOID(restore_sqlite("/data", file, world_.clock(), world_, steps_));
    return {};
  }

 private:
  sim::World world_{1};
  std::span<const Migration> steps_;
};

}  // namespace

INSTANTIATE_TEST_SUITE_P(
    Sqlite, StoreContract,
    testing::Values(StoreBackend{"OnThreads", [] { return std::make_unique<OnThreads>(); }},
                    StoreBackend{"Simulated", [] { return std::make_unique<Simulated>(); }}),
    backend_name);

}  // namespace rouse::sqlite
