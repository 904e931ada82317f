// `read_file`, `write_file` and `list_files`: a conversation's folder (work_folder.h), and nothing
// beyond it. For the owner's people only. What is in the folder is theirs: reading it doesn't taint
// a turn.
#pragma once

#include <string>

#include "base/blocking_pool.h"
#include "base/redact.h"
#include "tool/tool.h"

namespace rouse {

class ReadFileTool final : public Tool {
 public:
  // What the redactor knows is masked even where a part of the file begins or ends in the middle of
  // it (SC-10).
  ReadFileTool(BlockingPool& pool, std::string data_dir, const Redactor* redactor = nullptr)
      : pool_(pool), data_dir_(std::move(data_dir)), redactor_(redactor) {}
  [[nodiscard]] const ToolInfo& info() const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;

 private:
  BlockingPool& pool_;
  std::string data_dir_;
  const Redactor* redactor_;
};

// Whole or not at all: written beside the old file, synced, renamed over it.
class WriteFileTool final : public Tool {
 public:
  WriteFileTool(BlockingPool& pool, std::string data_dir)
      : pool_(pool), data_dir_(std::move(data_dir)) {}
  [[nodiscard]] const ToolInfo& info() const override;
  // Covers this one path: a later "always" lets its text change, not its place.
  [[nodiscard]] ApprovalAsk ask_for(const ToolCall& call) const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;

 private:
  BlockingPool& pool_;
  std::string data_dir_;
};

class ListFilesTool final : public Tool {
 public:
  ListFilesTool(BlockingPool& pool, std::string data_dir)
      : pool_(pool), data_dir_(std::move(data_dir)) {}
  [[nodiscard]] const ToolInfo& info() const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;

 private:
  BlockingPool& pool_;
  std::string data_dir_;
};

}  // namespace rouse
