// The agent's own hands on its memory: save_memory, search_memory, forget_memory and
// update_instructions. They work on the memory of the agent and workspace that the call names, and
// on no other. What is saved in a tainted turn is untrusted, and what is found of that taints.
#pragma once

#include "agent/memory/memory_book.h"
#include "agent/memory/memory_recall.h"
#include "tool/registry.h"

namespace rouse {

class SaveMemory final : public Tool {
 public:
  explicit SaveMemory(MemoryBook& book) : book_(book) {}
  [[nodiscard]] const ToolInfo& info() const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;

 private:
  MemoryBook& book_;
};

class SearchMemory final : public Tool {
 public:
  explicit SearchMemory(MemoryRecall& recall) : recall_(recall) {}
  [[nodiscard]] const ToolInfo& info() const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;

 private:
  MemoryRecall& recall_;
};

class ForgetMemory final : public Tool {
 public:
  explicit ForgetMemory(MemoryBook& book) : book_(book) {}
  [[nodiscard]] const ToolInfo& info() const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;

 private:
  MemoryBook& book_;
};

class UpdateInstructions final : public Tool {
 public:
  explicit UpdateInstructions(MemoryBook& book) : book_(book) {}
  [[nodiscard]] const ToolInfo& info() const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;

 private:
  MemoryBook& book_;
};

void add_memory_tools(ToolRegistry& tools, MemoryBook& book, MemoryRecall& recall);

}  // namespace rouse
