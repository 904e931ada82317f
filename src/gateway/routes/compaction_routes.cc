#include "gateway/routes/compaction_routes.h"

#include <charconv>

#include "gateway/routes/asked_workspace.h"

namespace rouse {
namespace {

CompactionView view_of(Compaction compaction, std::int64_t in_use) {
  CompactionView out{.from_seq = compaction.from_seq,
                     .through_seq = compaction.through_seq,
                     .session_id = compaction.session.str(),
                     .turn_id = {},
                     .reason = std::move(compaction.reason),
                     .summary = std::move(compaction.summary),
                     .by_model = compaction.by_model,
                     .untrusted = compaction.untrusted,
                     .in_use = compaction.through_seq == in_use,
                     .tokens_before = compaction.tokens_before,
                     .tokens_after = compaction.tokens_after,
                     .created_at = to_iso(compaction.created)};
  if (compaction.turn) out.turn_id = compaction.turn->str();
  return out;
}

Result<std::optional<std::int64_t>> place_in(const std::optional<std::string>& cursor) {
  if (!cursor) return std::optional<std::int64_t>();
  std::int64_t seq = 0;
  const char* end = cursor->data() + cursor->size();
  const auto [at, ec] = std::from_chars(cursor->data(), end, seq);
  if (ec == std::errc() && at == end && seq >= 0) return std::optional(seq);
  return fail(Errc::kInvalid, "'cursor' must be next_cursor of the page before");
}

}  // namespace

void CompactionRoutes::add_to(RouteTable& table) {
  table.add(upload<CompactAnswer>(
      {.method = "POST",
       .pattern = "/api/conversations/{id}/compact",
       .summary = "Let a summary stand for what was said long ago; the messages stay",
       .tag = "conversations",
       .query = {workspace_parameter()},
       .max_body = 4096},
      [this](Call& call) { return compact(call); }));
  table.add(answer<CompactionList>({.pattern = "/api/conversations/{id}/compactions",
                                    .summary = "The summaries that were made of it",
                                    .tag = "conversations",
                                    .query = {{"limit", "How many, 1 to 200; default 50"},
                                              {"cursor", "next_cursor of the page before"},
                                              workspace_parameter()}},
                                   [this](Call& call) { return list(call); }));
}

Result<Conversation> CompactionRoutes::conversation_of(const Call& call) {
  TRY(const auto workspace, asked_workspace(call, workspaces_));
  return kernel_.conversations().find_by_name(workspace, call.parameters.at(0));
}

Task<Result<CompactAnswer>> CompactionRoutes::compact(Call& call) {
  CO_TRY(const Conversation conversation, conversation_of(call));
  CO_TRY(auto outcome, co_await asked_.compact(conversation.workspace, conversation.id));
  CompactAnswer out{.compacted = outcome.made.has_value(),
                    .messages = outcome.messages,
                    .message = words_for(outcome),
                    .compaction = {}};
  if (outcome.made) {
    const std::int64_t through = outcome.made->through_seq;
    out.compaction = view_of(std::move(*outcome.made), through);
  }
  co_return out;
}

Task<Result<CompactionList>> CompactionRoutes::list(Call& call) {
  CO_TRY(const Conversation conversation, conversation_of(call));
  CO_TRY(const std::size_t limit, call.limit());
  CO_TRY(const auto before, place_in(call.query("cursor")));
  CO_TRY(auto found, co_await book_.list(conversation.id, before, limit + 1));
  CO_TRY(const auto in_use, book_.seen_next(conversation.id));
  CompactionList out;
  if (found.size() > limit) {
    found.pop_back();
    out.next_cursor = std::to_string(found.back().through_seq);
  }
  const std::int64_t through = in_use ? in_use->through_seq : 0;
  for (Compaction& one : found) out.items.push_back(view_of(std::move(one), through));
  co_return out;
}

}  // namespace rouse
