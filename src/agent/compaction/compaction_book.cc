#include "agent/compaction/compaction_book.h"

#include <limits>

#include "store/values.h"

namespace rouse {
namespace {

#define COMPACTION_COLUMNS                                                                \
  "conversation_id, through_seq, from_seq, session_id, epoch, turn_id, reason, summary, " \
  "by_model, untrusted, tainted, tokens_before, tokens_after, created_ms"

constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();

constexpr std::string_view kNewest = "SELECT " COMPACTION_COLUMNS
                                     " FROM compactions WHERE conversation_id = $1 AND "
                                     "created_ms <= $2 ORDER BY through_seq DESC LIMIT 1";
constexpr std::string_view kList = "SELECT " COMPACTION_COLUMNS
                                   " FROM compactions WHERE conversation_id = $1 AND "
                                   "through_seq < $2 ORDER BY through_seq DESC LIMIT $3";
// Nothing of a conversation that was deleted meanwhile may be written.
constexpr std::string_view kInsert =
    "INSERT INTO compactions (" COMPACTION_COLUMNS
    ") SELECT conversation_id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 "
    "FROM conversations WHERE conversation_id = $1";

Result<Compaction> from_row(const Row& row) {
  Compaction out;
  TRY(out.conversation, ConversationId::parse(row.text(0)));
  out.through_seq = row.integer(1);
  out.from_seq = row.integer(2);
  TRY(out.session, SessionId::parse(row.text(3)));
  out.epoch = row.integer(4);
  if (!row.is_null(5)) {
    TRY(out.turn, TurnId::parse(row.text(5)));
  }
  out.reason = row.text(6);
  out.summary = row.text(7);
  out.by_model = row.integer(8) != 0;
  out.untrusted = row.integer(9) != 0;
  out.tainted = row.integer(10) != 0;
  out.tokens_before = row.integer(11);
  out.tokens_after = row.integer(12);
  out.created = {row.integer(13)};
  return out;
}

}  // namespace

Result<std::optional<Compaction>> CompactionBook::latest(const Session& session) {
  const auto known = newest_.find(session.conversation.str());
  if (known != newest_.end()) return visible(known->second, session);
  TRY(auto found, newest(session.conversation, {kNoBound}));
  remember(session.conversation, found);
  return visible(std::move(found), session);
}

Result<std::optional<Compaction>> CompactionBook::seen_next(const ConversationId& conversation) {
  TRY(auto session, sessions_.latest_of(conversation));
  if (!session) return std::optional<Compaction>();
  if (!session->active) session->epoch += 1;
  return latest(*session);
}

Result<std::optional<Compaction>> CompactionBook::latest_at(const Session& session, WallTime then) {
  TRY(auto found, newest(session.conversation, then));
  return visible(std::move(found), session);
}

Result<std::optional<Compaction>> CompactionBook::newest(const ConversationId& conversation,
                                                         WallTime until) {
  TRY(const Rows rows, database_.read({kNewest, {conversation.str(), until.unix_ms}}));
  if (rows.empty()) return std::optional<Compaction>();
  TRY(auto found, from_row(rows.front()));
  return std::optional(std::move(found));
}

Result<std::optional<Compaction>> CompactionBook::visible(std::optional<Compaction> found,
                                                          const Session& session) {
  if (!found || found->epoch == session.epoch) return found;
  if (found->epoch > session.epoch) return std::optional<Compaction>();
  TRY(const std::int64_t boundary,
      sessions_.last_hard_boundary(session.conversation, found->epoch, session.epoch));
  if (boundary > 0) found.reset();
  return found;
}

Task<Result<std::vector<Compaction>>> CompactionBook::list(ConversationId conversation,
                                                           std::optional<std::int64_t> before,
                                                           std::size_t limit) {
  CO_TRY(const Rows rows,
         co_await database_.read_page(
             {kList,
              {conversation.str(), before.value_or(kNoBound), static_cast<std::int64_t>(limit)},
              limit}));
  std::vector<Compaction> out;
  for (const Row& row : rows) {
    CO_TRY(auto compaction, from_row(row));
    out.push_back(std::move(compaction));
  }
  co_return out;
}

Statement CompactionBook::insert(const Compaction& c) {
  return {kInsert,
          {c.conversation.str(), c.through_seq, c.from_seq, c.session.str(), c.epoch,
           c.turn ? Value(c.turn->str()) : Value(std::monostate{}), c.reason, c.summary,
           std::int64_t{c.by_model}, std::int64_t{c.untrusted}, std::int64_t{c.tainted},
           c.tokens_before, c.tokens_after, c.created.unix_ms},
          1};
}

void CompactionBook::committed(const Compaction& compaction) {
  remember(compaction.conversation, compaction);
}

void CompactionBook::remember(const ConversationId& conversation,
                              std::optional<Compaction> newest) {
  if (newest_.size() >= kRemembered) newest_.clear();  // the busy ones are back at their next turn
  newest_.insert_or_assign(conversation.str(), std::move(newest));
}

}  // namespace rouse
