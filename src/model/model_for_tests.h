// What the tests of this room share: a stream that keeps what it hears and insists on whole
// characters, answers as one line of text, a loop on a virtual clock, and an HTTP client that
// follows a script.
#pragma once

#include <deque>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/text.h"
#include "model/http_provider.h"
#include "model/provider.h"

namespace rouse {

class HeardStream final : public ModelStream {
 public:
  std::vector<std::string> blocks;  // what was said, by block
  int voided = 0;
  std::optional<Millis> asked_pause;  // with the failure

  void text(std::size_t block, std::string_view delta) override {
    EXPECT_TRUE(is_utf8(delta)) << delta;
    EXPECT_FALSE(delta.empty());
    if (blocks.size() <= block) blocks.resize(block + 1);
    blocks[block] += delta;
  }
  void again() override {
    ++voided;
    blocks.clear();
  }
  void asked_to_wait(Millis length) override { asked_pause = length; }
  [[nodiscard]] std::string said() const {
    std::string out;
    for (const std::string& block : blocks) out += block;
    return out;
  }
};

inline PromptBlock text_block(std::string text) {
  PromptBlock out;
  out.text = std::move(text);
  return out;
}
inline PromptBlock image_block(std::string bytes) {
  PromptBlock out;
  out.kind = BlockKind::kImage;
  out.media_type = "image/png";
  out.bytes = std::move(bytes);
  return out;
}
inline PromptBlock call_block(std::string id, std::string tool, std::string arguments) {
  PromptBlock out;
  out.kind = BlockKind::kToolCall;
  out.call_id = std::move(id);
  out.tool = std::move(tool);
  out.arguments = std::move(arguments);
  return out;
}
inline PromptBlock result_block(std::string id, std::string text) {
  PromptBlock out = text_block(std::move(text));
  out.kind = BlockKind::kToolResult;
  out.call_id = std::move(id);
  return out;
}
inline PromptBlock failed_block(std::string id, std::string text) {
  PromptBlock out = result_block(std::move(id), std::move(text));
  out.failed = true;
  return out;
}

// "text(Hello) call(id get_weather {…}) tool_use 10+5 cache 3+0"
inline std::string in_words(const ModelAnswer& answer) {
  std::string out;
  for (const PromptBlock& block : answer.blocks) {
    if (block.kind == BlockKind::kText) {
      out += fmt::format("text({}) ", block.text);
    } else {
      out += fmt::format("call({} {} {}) ", block.call_id, block.tool, block.arguments);
    }
  }
  out += fmt::format("{} {}+{}", stop_reason_name(answer.stop), answer.usage.in, answer.usage.out);
  if (answer.usage.cache_read + answer.usage.cache_write > 0) {
    out += fmt::format(" cache {}+{}", answer.usage.cache_read, answer.usage.cache_write);
  }
  if (answer.usage.estimated) out += " estimated";
  return out;
}

inline std::string in_words(const TryResult& result) {
  if (result) return in_words(*result);
  return fmt::format("{}: {}", result.error().error.name, result.error().error.message);
}

using MakeReader =
    std::function<std::unique_ptr<AnswerReader>(ModelStream& stream, Random& random)>;

// Feeds the bytes in pieces of the sizes that next_size gives. What the stream heard must be what
// the answer says.
inline std::string read_in_pieces(const MakeReader& make, std::string_view bytes,
                                  const std::function<std::size_t()>& next_size) {
  SeededRandom random(7);
  HeardStream heard;
  const auto reader = make(heard, random);
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, next_size());
    bytes.remove_prefix(piece.size());
    if (auto fed = reader->feed(piece); !fed) {
      return in_words(TryResult(std::unexpected(TryFailure(std::move(fed).error()))));
    }
  }
  const TryResult result = reader->finish();
  if (result) {
    for (std::size_t i = 0; i < result->blocks.size(); ++i) {
      if (result->blocks[i].kind != BlockKind::kText) continue;
      EXPECT_LT(i, heard.blocks.size());
      if (i < heard.blocks.size()) EXPECT_EQ(heard.blocks[i], result->blocks[i].text);
    }
  }
  return in_words(result);
}

inline std::string transcript(const std::string& name) {
  const std::string path = std::string(ROUSE_SOURCE_DIR) + "/tests/models/transcripts/" + name;
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The same in one piece, byte by byte, and in many random cuts.
inline std::string read_in_every_way(const MakeReader& make, const std::string& bytes) {
  const std::string whole = read_in_pieces(make, bytes, [&] { return bytes.size(); });
  EXPECT_EQ(read_in_pieces(make, bytes, [] { return std::size_t{1}; }), whole);
  SeededRandom random(42);
  for (int i = 0; i < 50; ++i) {
    const auto some = [&] { return static_cast<std::size_t>(1 + random.below(i < 25 ? 7 : 200)); };
    EXPECT_EQ(read_in_pieces(make, bytes, some), whole);
  }
  return whole;
}

// A loop on a clock that jumps to the next deadline whenever nothing else is left to do.
class ModelTestLoop {
 public:
  Loop loop;
  VirtualClock clock;
  SeededRandom random{1};

  void settle() {
    while (loop.poll() > 0) {
    }
  }
  template <class T>
  void start(Task<T> task, std::optional<T>& into) {
    loop.spawn("test", keep(std::move(task), &into));
    settle();
  }
  template <class T>
  T run(Task<T> task) {
    std::optional<T> result;
    start(std::move(task), result);
    finish([&] { return result.has_value(); });
    return std::move(*result);
  }
  void finish(const std::function<bool()>& done) {
    for (settle(); !done(); settle()) {
      const auto next = clock.next_deadline();
      if (!next) throw std::logic_error("the task waits for something that can't happen");
      clock.advance_to(*next);
    }
  }

 private:
  template <class T>
  static Task<void> keep(Task<T> task, std::optional<T>* result) {
    result->emplace(co_await std::move(task));
  }
};

// What a server does with one request.
struct HttpScript {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {{"content-type", "text/event-stream"},
                                                              {"transfer-encoding", "chunked"}};
  std::vector<std::string> chunks = {};
  std::optional<ClientErrc> failure = {};  // instead of the head, or after the chunks
  bool before_head = false;                // where it fails or hangs
  bool hangs = false;
};

class ScriptedHttp final : public HttpClient {
 public:
  std::deque<HttpScript> scripts;
  std::vector<ClientRequest> requests;

  Task<Result<ClientResponse>> send(ClientRequest /*request*/, std::stop_token /*stop*/) override {
    co_return fail(ClientErrc::kProtocol, "nobody sends here");
  }
  Task<Result<ClientResponse>> stream(ClientRequest request, OnHead on_head, OnChunk on_chunk,
                                      std::stop_token stop) override {
    requests.push_back(std::move(request));
    const HttpScript script = std::move(scripts.front());
    scripts.pop_front();
    co_await complete_later<bool>([](Completer<bool> done) { done(true); });
    if (!script.before_head) {
      ClientResponse head;
      head.status = script.status;
      head.headers = script.headers;
      CO_TRY_VOID(on_head(head));
      for (const std::string& chunk : script.chunks) CO_TRY_VOID(on_chunk(chunk));
    }
    if (script.hangs) co_await until_stopped(stop);
    if (stop.stop_requested()) co_return fail(ClientErrc::kCancelled, "cancelled");
    if (script.failure) co_return fail(*script.failure, "as the script says, sk-secret-key-123");
    co_return ClientResponse{};
  }

 private:
  static Task<bool> until_stopped(std::stop_token stop) {
    std::optional<std::stop_callback<std::function<void()>>> on_stop;
    co_return co_await complete_later<bool>([&](Completer<bool> done) {
      auto held = std::make_shared<Completer<bool>>(std::move(done));
      on_stop.emplace(std::move(stop), [held] { (*held)(true); });
    });
  }
};

}  // namespace rouse
