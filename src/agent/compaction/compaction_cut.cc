#include "agent/compaction/compaction_cut.h"

#include <algorithm>
#include <map>

namespace rouse {
namespace {

// For each place (before the message at that index, oldest first) whether something that began
// before it goes on behind it.
class Spans {
 public:
  explicit Spans(std::size_t size) : inside_(size) {}
  void cover(std::size_t first, std::size_t last) {
    for (std::size_t i = first + 1; i <= last; ++i) inside_[i] = true;
  }
  [[nodiscard]] bool covers(std::size_t at) const { return inside_[at]; }

 private:
  std::vector<bool> inside_;
};

using Oldest = std::vector<const CutMark*>;

void cover_turns(const Oldest& marks, Spans& spans) {
  std::map<std::string_view, std::size_t> last_of;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks[i]->turn.empty()) continue;
    const auto [known, is_new] = last_of.try_emplace(marks[i]->turn, i);
    if (!is_new) spans.cover(known->second, i);
    known->second = i;
  }
}

// Ids are unique within an answer only: a result answers the newest call of its id.
void cover_calls(const Oldest& marks, Spans& spans) {
  std::map<std::string_view, std::size_t> called_at;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    for (const std::string& id : marks[i]->results) {
      if (const auto call = called_at.find(id); call != called_at.end()) {
        spans.cover(call->second, i);
      }
    }
    for (const std::string& id : marks[i]->calls) called_at[id] = i;
  }
}

bool can_begin(const CutMark& mark, const CutMark& before) {
  if (mark.is_tool) return false;
  return mark.can_begin || (!mark.turn.empty() && mark.turn != before.turn);
}

std::optional<Cut> choose_place(const std::vector<CutMark>& newest_first, const KeepLimits& keep) {
  Oldest marks;
  marks.reserve(newest_first.size());
  for (std::size_t i = newest_first.size(); i > 0; --i) marks.push_back(&newest_first[i - 1]);
  Spans spans(marks.size());
  cover_turns(marks, spans);
  cover_calls(marks, spans);

  std::optional<Cut> best;
  std::int64_t tokens = 0;
  for (std::size_t kept = 1; kept < marks.size(); ++kept) {
    const std::size_t at = marks.size() - kept;
    tokens += marks[at]->tokens;
    const bool over = tokens > keep.tokens || kept > keep.messages;
    const bool enough = best && best->kept >= kMessagesKept;
    if (best && ((over && enough) || tokens > keep.most_tokens)) {
      best->settled = true;
      return best;
    }
    if (spans.covers(at) || !can_begin(*marks[at], *marks[at - 1])) continue;
    best = Cut{.through_seq = marks[at - 1]->seq, .kept = kept};
  }
  if (best && best->kept < kMessagesKept) best.reset();
  return best;
}

}  // namespace

CutMark mark_of(const Message& message, const HistoryLimits& limits) {
  CutMark out;
  out.seq = message.seq;
  out.tokens = history_tokens(message, limits);
  if (message.turn) out.turn = message.turn->str();
  out.can_begin =
      message.role == "user" || (message.role == "assistant" && message.source == "session_open");
  out.is_tool = message.role == "tool";
  for (const ContentBlock& block : message.content) {
    if (block.type == kToolCallBlock) out.calls.push_back(block.call_id.value_or(""));
    if (block.type == kToolResultBlock) out.results.push_back(block.call_id.value_or(""));
  }
  return out;
}

std::optional<Cut> choose_cut(const std::vector<CutMark>& newest_first, const KeepLimits& keep) {
  std::optional<Cut> cut = choose_place(newest_first, keep);
  if (!cut) return cut;
  for (std::size_t i = cut->kept; i < newest_first.size(); ++i) {
    cut->before += newest_first[i].tokens;
  }
  return cut;
}

}  // namespace rouse
