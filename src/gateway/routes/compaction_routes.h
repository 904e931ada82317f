// Compactions over the API: make one now, and read those that were made. A {id} is whatever a
// client knows the conversation by. What was said stays at …/messages, whatever is compacted.
#pragma once

#include "agent/compaction/asked_compaction.h"
#include "base/json.h"
#include "gateway/route.h"

namespace rouse {

struct CompactionView {
  std::int64_t from_seq = 0, through_seq = 0;
  std::string session_id;
  std::optional<std::string> turn_id;
  std::string reason, summary;
  bool by_model = false, untrusted = false, in_use = false;
  std::int64_t tokens_before = 0, tokens_after = 0;
  std::string created_at;
};
inline auto shape(const CompactionView*) {
  return fields(
      field("from_seq", &CompactionView::from_seq, "The first message it took in"),
      field("through_seq", &CompactionView::through_seq, "The last message it stands for"),
      field("session_id", &CompactionView::session_id, "The session it was made in"),
      field("turn_id", &CompactionView::turn_id, "The turn it was made in, if in one").or_null(),
      field("reason", &CompactionView::reason, "Why it was made")
          .one_of({"window", "overflow", "asked"}),
      field("summary", &CompactionView::summary, "What the model is told instead"),
      field("by_model", &CompactionView::by_model, "Written by a model, else by plain rules"),
      field("untrusted", &CompactionView::untrusted, "Untrusted words are among its sources"),
      field("in_use", &CompactionView::in_use, "The next turn sees this one"),
      field("tokens_before", &CompactionView::tokens_before, "Of the prompt, estimated"),
      field("tokens_after", &CompactionView::tokens_after, "Of the prompt, estimated"),
      field("created_at", &CompactionView::created_at, "When"));
}

struct CompactAnswer {
  bool compacted = false;
  std::int64_t messages = 0;
  std::string message;
  std::optional<CompactionView> compaction;
};
inline auto shape(const CompactAnswer*) {
  return fields(field("compacted", &CompactAnswer::compacted, "False: there was nothing to do"),
                field("messages", &CompactAnswer::messages, "How many were taken in"),
                field("message", &CompactAnswer::message, "The same in words"),
                field("compaction", &CompactAnswer::compaction, "The one that was made").or_null());
}

struct CompactionList {
  std::vector<CompactionView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const CompactionList*) {
  return fields(
      field("items", &CompactionList::items, "Newest first"),
      field("next_cursor", &CompactionList::next_cursor, "Null on the last page").or_null());
}

class CompactionRoutes {
 public:
  CompactionRoutes(AskedCompaction& asked, CompactionBook& book, SessionKernel& kernel,
                   Workspaces& workspaces)
      : asked_(asked), book_(book), kernel_(kernel), workspaces_(workspaces) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<CompactAnswer>> compact(Call& call);
  Task<Result<CompactionList>> list(Call& call);
  Result<Conversation> conversation_of(const Call& call);

  AskedCompaction& asked_;
  CompactionBook& book_;
  SessionKernel& kernel_;
  Workspaces& workspaces_;
};

}  // namespace rouse
