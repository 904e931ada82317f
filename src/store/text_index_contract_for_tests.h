// What every backend of TextIndex must do, as tests, through its Database. A backend's own test
// file gives a factory and instantiates the suite, as with contract_for_tests.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/contract_for_tests.h"
#include "store/text_index.h"

namespace rouse {

struct TextIndexBackend {
  std::string name;
  std::function<std::unique_ptr<StoreUnderTest>()> make_store;
  std::function<std::unique_ptr<TextIndex>()> make_index;
};

class TextIndexContract : public testing::TestWithParam<TextIndexBackend> {
 protected:
  using Positions = std::vector<std::int64_t>;

  void SetUp() override;
  void TearDown() override;
  void open();
  void close();

  template <class T>
  T run(Task<T> task) {
    std::optional<T> result;
    world_->loop().spawn("test", keep(std::move(task), &result));
    world_->run_until([&] { return result.has_value(); });
    return std::move(*result);
  }

  // A message of ws_a's conversation conv_a, unless said otherwise.
  void add(std::int64_t position, std::string text, std::string workspace = "ws_a",
           std::string conversation = "conv_a");
  // A row of messages, for remove(): the document's seq is its position.
  void append(std::int64_t position, std::string conversation);
  void remove(std::string conversation, std::int64_t first_seq, std::int64_t last_seq);

  Rows candidates(TextSearch search);
  Positions find(std::vector<std::string> words);
  Positions find_in(TextSearch search);

  std::unique_ptr<StoreUnderTest> world_;
  std::unique_ptr<TextIndex> index_;
  std::unique_ptr<Database> db_;

 private:
  template <class T>
  static Task<void> keep(Task<T> task, std::optional<T>* result) {
    *result = co_await std::move(task);
  }
};

}  // namespace rouse
