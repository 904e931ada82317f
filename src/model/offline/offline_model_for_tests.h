// A conversation with the offline assistant, as tests hold it: what a person says, what tools
// answer, what comes back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/loop.h"
#include "model/offline/offline_model.h"

namespace rouse {

class DeltaLog final : public ModelStream {
 public:
  void text(std::size_t block, std::string_view delta) override {
    EXPECT_EQ(block, 0U);
    deltas.emplace_back(delta);
  }
  void again() override { ADD_FAILURE() << "there is nothing to try again"; }
  std::vector<std::string> deltas;
};

inline PromptMessage said(PromptRole role, std::string text) {
  PromptBlock block;
  block.text = std::move(text);
  return {role, {std::move(block)}};
}

inline PromptTool tool_named(std::string name, std::string schema = R"({"type": "object"})") {
  return {std::move(name), "", std::move(schema)};
}

inline const PromptTool kSaveMemory =
    tool_named("save_memory", R"({"type":"object","properties":{"content":{"type":"string"}}})");
inline const PromptTool kSearchMemory =
    tool_named("search_memory", R"({"type":"object","properties":{"query":{"type":"string"}}})");

// A conversation with the model: what a person says goes in, the answer comes out. Tools answer
// what the test says.
class OfflineModelTest : public testing::Test {
 protected:
  OfflineModelTest() {
    request_.facts.now = *from_iso("2026-11-15T10:00:00.000Z");  // a Sunday, 11:00 in Berlin
    request_.facts.zone = "Europe/Berlin";
  }

  ModelAnswer ask() {
    std::optional<Result<ModelAnswer>> answer;
    stream_.deltas.clear();
    loop_.spawn("model", keep(model_->answer(request_, stream_, {}), answer));
    while (loop_.poll() > 0) {
    }
    EXPECT_TRUE(answer && *answer);
    ModelAnswer got = answer.value().value();
    EXPECT_EQ(got.usage, ModelUsage{});
    EXPECT_EQ(got.model, "offline/rouse-offline");
    std::string streamed;
    for (const auto& delta : stream_.deltas) streamed += delta;
    EXPECT_EQ(streamed, got.text());
    request_.messages.push_back({PromptRole::kAssistant, got.blocks});
    return got;
  }
  static Task<void> keep(Task<Result<ModelAnswer>> task, std::optional<Result<ModelAnswer>>& out) {
    out = co_await std::move(task);
  }

  ModelAnswer tell(std::string text) {
    request_.messages.push_back(said(PromptRole::kUser, std::move(text)));
    return ask();
  }
  std::string reply(std::string text) { return tell(std::move(text)).text(); }
  // The calls as "tool arguments", one a line.
  std::string calls(std::string text) {
    const ModelAnswer answer = tell(std::move(text));
    std::string out;
    for (const PromptBlock* call : answer.calls()) {
      EXPECT_EQ(answer.stop, StopReason::kToolUse);
      EXPECT_FALSE(call->call_id.empty());
      out += (out.empty() ? "" : "\n") + call->tool + " " + call->arguments;
    }
    return out.empty() ? "said: " + answer.text() : out;
  }
  // Every open call is answered with the text.
  std::string result(const std::string& text, bool failed = false) {
    PromptMessage results{PromptRole::kUser, {}};
    for (const PromptBlock& call : request_.messages.back().blocks) {
      if (call.kind != BlockKind::kToolCall) continue;
      PromptBlock block;
      block.kind = BlockKind::kToolResult;
      block.call_id = call.call_id;
      block.text = text;
      block.failed = failed;
      results.blocks.push_back(std::move(block));
    }
    request_.messages.push_back(std::move(results));
    return ask().text();
  }
  void offer(std::initializer_list<PromptTool> tools) { request_.tools = tools; }
  void begin(std::string kind, std::string system = {}) {
    request_.messages.clear();
    request_.facts.turn_kind = std::move(kind);
    request_.system = {{std::move(system), false}};
  }

  Loop loop_;
  std::unique_ptr<Model> model_ = make_offline_model();
  ModelRequest request_;
  DeltaLog stream_;
};

}  // namespace rouse
