// `search_conversations`: what was said before, in all conversations of the workspace, found by its
// words. The workspace is the turn's; no argument can name another.
#pragma once

#include "session/search/message_search.h"
#include "tool/tool.h"

namespace rouse {

class SearchTool final : public Tool {
 public:
  SearchTool(Database& database, const TextIndex& index) : search_(database, index) {}
  [[nodiscard]] const ToolInfo& info() const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;

 private:
  MessageSearch search_;
};

}  // namespace rouse
