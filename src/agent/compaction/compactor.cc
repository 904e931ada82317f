#include "agent/compaction/compactor.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/compaction/earlier_subjects.h"
#include "agent/compaction/handoff.h"
#include "base/text.h"
#include "session/summary/plain_text.h"

namespace rouse {
namespace {

constexpr std::size_t kMessagesAtOnce = 64;      // a page
constexpr std::size_t kMostMarks = 4'096;        // looked back for a cut
constexpr std::int64_t kMessagesForModel = 480;  // the newest before the cut: six questions or so
constexpr std::size_t kFewestWords = 5;          // of an answer that says anything
constexpr std::int64_t kWorthAModel = 300;       // tokens: a handoff is hardly shorter
constexpr std::string_view kNothing = "There is nothing to compact yet: the conversation is short.";

constexpr std::string_view kHidden =
    "SELECT m.seq FROM messages m JOIN sessions s ON s.session_id = m.session_id "
    "WHERE m.conversation_id = $1 AND s.epoch <= $2 ORDER BY m.seq DESC LIMIT 1";

struct CompactedBody {
  std::int64_t through_seq = 0, messages = 0;
  std::string reason;
  bool by_model = false;
};
auto shape(const CompactedBody*) {
  return fields(field("through_seq", &CompactedBody::through_seq, "The last message it stands for"),
                field("messages", &CompactedBody::messages, "Messages it took in"),
                field("reason", &CompactedBody::reason, "window, overflow or asked"),
                field("by_model", &CompactedBody::by_model, "Else by plain rules"));
}

// Somebody's place in the set of what is under way.
class UnderWay {
 public:
  UnderWay(std::shared_ptr<std::set<std::string>> set, std::string key)
      : set_(std::move(set)), key_(std::move(key)), entered_(set_->insert(key_).second) {}
  UnderWay(UnderWay&&) = delete;
  UnderWay& operator=(UnderWay&&) = delete;
  ~UnderWay() {
    if (entered_) set_->erase(key_);
  }
  [[nodiscard]] bool entered() const { return entered_; }

 private:
  std::shared_ptr<std::set<std::string>> set_;
  std::string key_;
  bool entered_;
};

// About a quarter of what the prompt can show stays. Whoever asks wants as little as possible; a
// provider that refused a prompt takes less than its settings say.
KeepLimits to_keep(const CompactionRequest& request) {
  std::int64_t budget = request.limits.tokens;
  if (request.reason == kCompactOverflow) budget = std::min(budget, request.tokens_before / 2);
  const bool asked = request.reason == kCompactAsked;
  return {.tokens = asked ? 0 : budget / 4,
          .messages = request.limits.messages / 4,
          .most_tokens = budget};
}

// Headings alone are no summary.
bool says_something(std::string_view summary) {
  std::size_t words = 0;
  for (const std::string_view line : split(summary, '\n')) {
    if (!line.starts_with('#')) words += summary::word_count(line);
  }
  return words >= kFewestWords;
}

}  // namespace

std::string words_for(const CompactionOutcome& outcome) {
  if (!outcome.made) return outcome.note.empty() ? std::string(kNothing) : outcome.note;
  return fmt::format(
      "Compacted: {} messages are now a summary, and the prompt takes about {} tokens instead of "
      "{}. The messages stay readable and searchable.",
      outcome.messages, outcome.made->tokens_after, outcome.made->tokens_before);
}

Task<Result<CompactionOutcome>> Compactor::compact(CompactionRequest request,
                                                   std::stop_token stop) {
  const UnderWay place(under_way_, request.session.conversation.str());
  if (!place.entered()) {
    co_return fail(Errc::kConflict, "this conversation is being compacted already");
  }
  co_return co_await compact_alone(std::move(request), std::move(stop));
}

Task<Result<CompactionOutcome>> Compactor::compact_alone(CompactionRequest request,
                                                         std::stop_token stop) {
  const Session& session = request.session;
  CompactionOutcome out{.made = {}, .note = std::string(kNothing)};
  const bool is_forgotten = !session.active && is_hard_boundary(session.close_reason.value_or(""));
  if (is_forgotten) co_return out;

  CO_TRY(const auto previous, book_.latest(session));
  std::int64_t after = 0;
  if (previous) {
    after = previous->through_seq;
  } else {
    CO_TRY(after, co_await hidden_through(session));
  }
  CO_TRY(const auto cut,
         co_await find_cut(session.conversation, after, request.limits, to_keep(request)));
  if (!cut) co_return out;
  const bool asks_model = summariser_.has_model() && cut->before >= kWorthAModel;
  if (asks_model) {
    if (auto why = co_await refusal(request)) co_return CompactionOutcome{.note = std::move(*why)};
  }

  HandoffFold fold(request.limits, request.shown_from, previous && previous->untrusted,
                   previous && previous->tainted);
  Handoff handoff{.text = previous ? previous->summary : "",
                  .by_model = previous && previous->by_model,
                  .note = {},
                  .asks_model = asks_model,
                  .last_question = clock_.mono_now() + kCompactionModelTime};
  CO_TRY_VOID(co_await read_into(fold, handoff, session, after, cut->through_seq, stop));

  Compaction made{.conversation = session.conversation,
                  .from_seq = after + 1,
                  .through_seq = cut->through_seq,
                  .session = session.id,
                  .epoch = session.epoch,
                  .turn = request.turn,
                  .reason = request.reason,
                  .summary = std::move(handoff.text),
                  .by_model = handoff.by_model,
                  .untrusted = fold.untrusted(),
                  .tainted = fold.tainted(),
                  .tokens_before = request.tokens_before,
                  .created = clock_.wall_now()};
  const std::int64_t added = handoff_tokens(made) - (previous ? handoff_tokens(*previous) : 0);
  if (added >= fold.tokens()) co_return out;  // the summary would be longer than what it replaces
  if (!asks_model) {
    if (auto why = co_await refusal(request)) co_return CompactionOutcome{.note = std::move(*why)};
  }
  made.tokens_after =
      std::max(request.tokens_before - fold.shown_tokens() + added, handoff_tokens(made));
  out.messages = cut->through_seq - after;
  CO_TRY_VOID(co_await write(made, session.workspace, out.messages));
  out.made = std::move(made);
  out.note = std::move(handoff.note);
  co_return out;
}

Task<std::optional<std::string>> Compactor::refusal(const CompactionRequest& request) {
  if (!request.may_fold) co_return std::nullopt;
  const HookAnswer answer = co_await request.may_fold();
  if (answer.allowed) co_return std::nullopt;
  co_return fmt::format("It was not compacted: {}", answer.reason);
}

Task<Result<std::int64_t>> Compactor::hidden_through(Session session) {
  CO_TRY(const std::int64_t boundary,
         kernel_.sessions().last_hard_boundary(session.conversation, 1, session.epoch));
  if (boundary == 0) co_return 0;
  CO_TRY(const Rows rows,
         co_await database_.read_page({kHidden, {session.conversation.str(), boundary}}));
  co_return rows.empty() ? 0 : rows.front().integer(0);
}

Task<Result<std::optional<Cut>>> Compactor::find_cut(ConversationId conversation,
                                                     std::int64_t after, HistoryLimits limits,
                                                     KeepLimits keep) {
  std::vector<CutMark> newest_first;
  std::optional<std::int64_t> before;
  std::optional<Cut> cut;
  while (newest_first.size() < kMostMarks) {
    CO_TRY(const auto page,
           co_await kernel_.messages().before(conversation, before, kMessagesAtOnce));
    for (const Message& message : page) {
      if (message.seq > after) newest_first.push_back(mark_of(message, limits));
    }
    cut = choose_cut(newest_first, keep);
    const bool is_all = page.empty() || page.back().seq <= after + 1;
    // A turn that begins before what was read could reach over a place near its edge.
    const bool is_inside = cut && newest_first.size() >= cut->kept + kMessagesAtOnce;
    if (is_all || (is_inside && cut->settled)) break;
    before = page.back().seq;
  }
  co_return cut;
}

Task<Result<void>> Compactor::read_into(HandoffFold& fold, Handoff& handoff, Session session,
                                        std::int64_t after, std::int64_t through,
                                        std::stop_token stop) {
  for (std::int64_t at = after; at < through;) {
    if (stop.stop_requested()) co_return fail(Errc::kCancelled, "the compaction was stopped");
    const auto limit = std::min<std::int64_t>(kMessagesAtOnce, through - at);
    CO_TRY(auto page, co_await kernel_.messages().after(session.conversation, at,
                                                        static_cast<std::size_t>(limit)));
    if (page.empty()) co_return fail(Errc::kConflict, "the conversation is being deleted");
    for (Message& message : page) {
      at = message.seq;
      fold.take(std::move(message));
      if (at == through) fold.end();
      if (!fold.has_portion() && at < through) continue;
      co_await add_portion(handoff, fold.take_ready(), session.workspace,
                           at > through - kMessagesForModel);
    }
  }
  co_return Result<void>{};
}

Task<void> Compactor::add_portion(Handoff& handoff, std::vector<TurnText> exchanges,
                                  WorkspaceId workspace, bool is_recent) {
  if (exchanges.empty()) co_return;
  SummaryInput input{.previous = std::move(handoff.text),
                     .exchanges = std::move(exchanges),
                     .turn_count = 0,
                     .workspace = std::move(workspace)};
  input.turn_count = static_cast<std::int64_t>(input.exchanges.size());
  handoff.by_model = false;
  if (is_recent && handoff.asks_model && clock_.mono_now() < handoff.last_question) {
    Summary summary = co_await summariser_.summarise(SummaryProfile::kCompact, input);
    handoff.note = std::move(summary.note);
    handoff.by_model = summary.by_model && says_something(summary.text);
    handoff.asks_model = handoff.by_model;  // once is enough: the next would cost as much time
    handoff.text = std::move(summary.text);
  }
  if (handoff.by_model) co_return;
  EarlierSubjects subjects = EarlierSubjects::taken_from(input.previous);
  subjects.add(input.exchanges);
  handoff.text = template_summary(SummaryProfile::kCompact, input);
  subjects.append_to(handoff.text);
}

Task<Result<void>> Compactor::write(Compaction compaction, WorkspaceId workspace,
                                    std::int64_t messages) {
  const CompactedBody body{compaction.through_seq, messages, compaction.reason,
                           compaction.by_model};
  Write write;
  write.statements = {CompactionBook::insert(compaction),
                      EventLog::append({.workspace = workspace,
                                        .type = "compacted",
                                        .conversation = compaction.conversation.str(),
                                        .session = compaction.session.str(),
                                        .turn = compaction.turn ? compaction.turn->str() : "",
                                        .body = encode_json(body),
                                        .created = compaction.created})};
  auto written = co_await database_.write(std::move(write));
  if (!written) co_return fail(wrap("the conversation was not compacted", written.error()));
  book_.committed(compaction);
  events_.committed(workspace);
  co_return Result<void>{};
}

}  // namespace rouse
