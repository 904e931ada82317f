// What every backend of Database must do, as tests. A backend's own test file gives a factory and
// instantiates the suite:
//
//   INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContract, testing::Values(StoreBackend{"Threads", make}),
//                            backend_name);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "base/loop.h"
#include "store/database.h"
#include "store/schema.h"

namespace rouse {

// Bounds the suite wants small, so that it can reach them.
struct ContractLimits {
  std::size_t max_queued_writes = 1000;
  std::size_t max_write_bytes = 1 << 20;
};

// One empty store and the world it lives in.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  virtual Loop& loop() = 0;
  // Opens the store, or opens it again after it was closed: the same data.
  virtual Result<std::unique_ptr<Database>> open(std::span<const Migration> steps,
                                                 ContractLimits limits) = 0;
  virtual void run_until(const std::function<bool()>& done) = 0;
  // Makes the epoch move on, as another owner would while this one still runs.
  virtual void usurp() = 0;
  virtual std::string new_file(const std::string& name) = 0;  // a place for a backup
  virtual Result<void> restore(const std::string& file) = 0;  // the store is closed
};

struct StoreBackend {
  std::string name;
  std::function<std::unique_ptr<StoreUnderTest>()> make;
};
std::string backend_name(const testing::TestParamInfo<StoreBackend>& info);

class StoreContract : public testing::TestWithParam<StoreBackend> {
 protected:
  void SetUp() override;
  void TearDown() override;

  void open(ContractLimits limits = {});
  void close();
  void reopen() {
    close();
    open();
  }

  template <class T>
  T run(Task<T> task) {
    std::optional<T> result;
    world_->loop().spawn("test", keep(std::move(task), &result));
    world_->run_until([&] { return result.has_value(); });
    return std::move(*result);
  }
  Result<Written> write(Write write) { return run(db_->write(std::move(write))); }
  std::vector<Result<Written>> write_together(std::vector<Write> writes);

  Result<Written> put(std::string id, Value value, std::int64_t number = 0);
  Write putting(std::string id, Value value, std::int64_t number = 0);
  std::optional<Row> get(std::string id);
  std::int64_t count();

  std::unique_ptr<StoreUnderTest> world_;
  std::unique_ptr<Database> db_;

 private:
  template <class T>
  static Task<void> keep(Task<T> task, std::optional<T>* result) {
    *result = co_await std::move(task);
  }
};

}  // namespace rouse
