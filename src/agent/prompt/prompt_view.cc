#include "agent/prompt/prompt_view.h"

#include "agent/prompt/history.h"

namespace rouse {
namespace {

std::int64_t bytes_of(const PromptMessage& message) {
  std::size_t out = 0;
  for (const PromptBlock& block : message.blocks) {
    out += block.text.size() + block.tool.size() + block.arguments.size() + block.bytes.size();
  }
  return static_cast<std::int64_t>(out);
}

std::int64_t tokens_of(std::int64_t bytes) {
  return estimate_tokens(static_cast<std::size_t>(bytes));
}

PromptSectionView view_of(const PromptSection& section) {
  const auto bytes = static_cast<std::int64_t>(section.text.size());
  return {section.name,   section.version, bytes,       tokens_of(bytes),
          section.stable, section.note,    section.text};
}

PromptHistoryView history_of(const Transcript& tail) {
  PromptHistoryView out{
      .count = static_cast<std::int64_t>(tail.size()), .first_seq = {}, .last_seq = {}};
  for (const PromptMessage& message : to_prompt(tail)) out.bytes += bytes_of(message);
  out.tokens = tokens_of(out.bytes);
  if (tail.empty()) return out;
  out.first_seq = tail.front()->seq;
  out.last_seq = tail.back()->seq;
  return out;
}

PromptToolsView tools_of(const std::vector<const ToolInfo*>& tools) {
  PromptToolsView out{.count = static_cast<std::int64_t>(tools.size())};
  for (const ToolInfo* tool : tools) {
    out.bytes += static_cast<std::int64_t>(tool->name.size() + tool->description.size() +
                                           tool->schema.size());
  }
  out.tokens = tokens_of(out.bytes);
  return out;
}

}  // namespace

PromptView describe_prompt(const Prompt& prompt, const Transcript& tail,
                           const std::vector<const ToolInfo*>& tools) {
  PromptView out;
  out.history = history_of(tail);
  out.tools = tools_of(tools);
  out.total = {out.history.bytes + out.tools.bytes, out.history.tokens + out.tools.tokens};
  for (const PromptSection& section : prompt.sections) {
    out.sections.push_back(view_of(section));
    out.total.bytes += out.sections.back().bytes;
    out.total.tokens += out.sections.back().tokens;
  }
  return out;
}

}  // namespace rouse
