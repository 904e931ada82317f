#include "session/turn_ledger.h"

#include <algorithm>
#include <iterator>

#include "base/fault.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kRecoveredAtOnce = 100;
constexpr std::size_t kErrorBytes = 4 * 1024;

constexpr std::string_view kKeep =
    "INSERT INTO turn_steps (turn_id, step, kind, content, created_ms) "
    "SELECT turn_id, $2, $3, $4, $5 FROM turns WHERE turn_id = $1 AND state = 'running'";
constexpr std::string_view kSteps =
    "SELECT kind, content, created_ms FROM turn_steps WHERE turn_id = $1 ORDER BY step";
constexpr std::string_view kPutBack =
    "UPDATE turns SET state = 'queued', attempts = attempts - 1, started_ms = NULL "
    "WHERE turn_id = $1 AND state = 'running'";
constexpr std::string_view kDropSteps = "DELETE FROM turn_steps WHERE turn_id = $1";

constexpr std::string_view kUnknownOutcome =
    "outcome unknown: rouse was interrupted while this ran, and it may have happened. It was not "
    "run again.";
constexpr std::string_view kNeverRan = "interrupted before it ran";

// What a person reads when nothing else closes a turn.
constexpr std::string_view kInterruptedWords =
    "I was interrupted by a restart while working on this. What I had begun may be half done; "
    "please check before you ask me again.";
constexpr std::string_view kParkedWords =
    "I put this message aside: answering it stopped the server twice. Everything else goes on; "
    "please ask in other words.";

struct EndedBody {
  std::string kind, verdict, reason;
  std::int64_t tokens_in = 0, tokens_out = 0;
};
auto shape(const EndedBody*) {
  return fields(field("kind", &EndedBody::kind, ""), field("verdict", &EndedBody::verdict, ""),
                field("reason", &EndedBody::reason, ""),
                field("tokens_in", &EndedBody::tokens_in, ""),
                field("tokens_out", &EndedBody::tokens_out, ""));
}

Event ended_event(const Turn& turn) {
  return {.workspace = turn.workspace,
          .type = "turn_ended",
          .conversation = turn.conversation.str(),
          .session = turn.session.str(),
          .turn = turn.id.str(),
          .first_seq = turn.first_seq,
          .last_seq = turn.last_seq,
          .body = encode_json(EndedBody{std::string(turn_kind_name(turn.kind)),
                                        turn.verdict.value_or(""), turn.reason.value_or(""),
                                        turn.tokens_in + turn.cache_read + turn.cache_write,
                                        turn.tokens_out}),
          .created = turn.ended.value_or(turn.queued)};
}

// Not this turn is the trouble but the disk or the process: nothing else would work either.
bool is_the_stores(const Error& error) {
  return error.is(StoreErrc::kIo) || error.is(StoreErrc::kFull) || error.is(StoreErrc::kReadOnly) ||
         error.is(StoreErrc::kFenced) || error.is(StoreErrc::kClosed) ||
         error.is(StoreErrc::kOverloaded);
}

bool has_intent(const std::vector<TurnStep>& steps) {
  return std::ranges::any_of(steps, [](const TurnStep& step) { return step.kind == "intent"; });
}

ContentBlock missing_result(const ContentBlock& call, bool begun) {
  ContentBlock block;
  block.type = "tool_result";
  block.from = kFromAgent;
  block.call_id = call.call_id;
  block.tool = call.tool;
  block.text = begun ? kUnknownOutcome : kNeverRan;
  return block;
}

// One result a call of this answer, whatever became of it.
TurnStep results_of(const std::vector<TurnStep>& kept, std::size_t answer) {
  TurnStep results{"results", {}, kept[answer].created};
  for (const ContentBlock& call : kept[answer].content) {
    if (call.type != "tool_call") continue;
    bool begun = false;
    const TurnStep* found = nullptr;
    for (std::size_t j = answer + 1; j < kept.size() && kept[j].kind != "answer"; ++j) {
      if (kept[j].content.front().call_id != call.call_id) continue;
      if (kept[j].kind == "intent") begun = true;
      if (kept[j].kind == "result") found = &kept[j];
    }
    results.content.push_back(found ? found->content.front() : missing_result(call, begun));
    if (found) results.created = found->created;
  }
  return results;
}

}  // namespace

ErrorInfo error_info(TurnErrc code) { return {Kind::kNotFound, "turn_not_found"}; }

// The messages of a turn without their numbers, and what the summary is made from.
struct TurnLedger::Told {
  struct Line {
    std::string role;
    Content content;
    WallTime created;
    std::optional<std::string> meta = {};
    std::optional<Turn> joined = {};  // whose message it is, if not the turn's own
  };
  std::vector<Line> lines;
  std::string source;
  std::string asked, answered;
  bool had_steps = false;
  std::size_t joined = 0;  // how many of those that joined are told
};

Result<Turn> TurnLedger::get(const TurnId& id) {
  TRY(auto turn, kernel_.turns().get(id));
  if (!turn) return fail(TurnErrc::kNotFound, fmt::format("there is no turn {}", id.str()));
  return std::move(*turn);
}

Result<std::vector<TurnStep>> TurnLedger::steps(const TurnId& id) {
  TRY(const Rows rows, database_.read({kSteps, {id.str()}}));
  std::vector<TurnStep> out;
  out.reserve(rows.size());
  for (const Row& row : rows) {
    TRY(auto content, decode_content(row.text(1)));
    out.push_back({row.text(0), std::move(content), {row.integer(2)}});
  }
  return out;
}

Task<Result<void>> TurnLedger::keep(TurnId id, std::int64_t first_number,
                                    std::vector<TurnStep> steps, std::vector<Statement> also) {
  Write write;
  for (const TurnStep& step : steps) {
    write.statements.push_back(
        {kKeep,
         {id.str(), first_number++, step.kind, encode_content(step.content), step.created.unix_ms},
         1});
  }
  std::ranges::move(also, std::back_inserter(write.statements));
  CO_TRY_VOID(co_await database_.write(std::move(write)));
  co_return Result<void>{};
}

Result<Session> TurnLedger::session_of(const Turn& turn) {
  const LiveConversation* live = kernel_.live(turn.conversation);
  if (live != nullptr && live->session.id == turn.session) return live->session;
  return kernel_.sessions().get(turn.session);
}

Result<std::optional<InboundRow>> TurnLedger::message_of(const Turn& turn) {
  if (!turn.inbound) return std::optional<InboundRow>();
  if (const LiveConversation* live = kernel_.live(turn.conversation)) {
    if (const TakenTurn* known = live->find(turn.id)) return std::optional(known->message);
  }
  return kernel_.inbound().get(*turn.inbound);
}

Result<std::string> TurnLedger::response_of(const Turn& turn) {
  if (!turn.last_seq) return std::string();
  TRY(const auto last, kernel_.messages().at(turn.conversation, *turn.last_seq));
  if (!last || last->role != "assistant") return std::string();
  return readable_text(last->content);
}

// Those that were heard before the step of this number; one that is over by now is left out.
Result<void> TurnLedger::tell_joined(Told& told, const TurnClose& how, std::size_t steps_before) {
  for (; told.joined < how.joined.size(); ++told.joined) {
    const JoinedTurn& one = how.joined[told.joined];
    if (one.after_steps > steps_before) return {};
    if (!still_as_it_was(one.turn)) continue;
    TRY(auto heard, message_of(one.turn));
    if (!heard || !heard->content) continue;
    told.asked += "\n" + readable_text(*heard->content);
    told.lines.push_back(
        {"user", std::move(*heard->content), heard->received, std::move(heard->meta), one.turn});
  }
  return {};
}

// What was asked, each step in its order, each call with exactly one result, and the last words.
Result<TurnLedger::Told> TurnLedger::tell(const Turn& turn, const TurnClose& how) {
  Told told;
  if (how.unsaid) {
    told.had_steps = true;  // of a try that was put back
    return told;
  }
  TRY(auto asked, message_of(turn));
  if (asked && asked->content) {
    told.source = asked->channel;
    told.asked = readable_text(*asked->content);
    // Nobody said anything to open the app: the greeting stands alone (AP-7).
    if (turn.kind != TurnKind::kSessionOpen) {
      told.lines.push_back({"user", std::move(*asked->content), asked->received, asked->meta});
    }
  }
  std::vector<TurnStep> kept;
  if (how.without_steps) {
    told.had_steps = true;
  } else if (!how.kept_none) {
    TRY(kept, steps(turn.id));
    told.had_steps = !kept.empty();
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i].kind != "answer") continue;
    TRY_VOID(tell_joined(told, how, i));
    told.lines.push_back({"assistant", kept[i].content, kept[i].created});
    TurnStep results = results_of(kept, i);
    told.lines.push_back({"tool", std::move(results.content), results.created});
  }
  TRY_VOID(tell_joined(told, how, kept.size()));
  if (!how.answer.empty()) {
    told.answered = readable_text(how.answer);
    told.lines.push_back(
        {"assistant", how.answer, clock_.wall_now(), asked ? asked->meta : std::nullopt});
  }
  return told;
}

Result<void> TurnLedger::still_as_it_was(const Turn& turn) {
  if (const LiveConversation* live = kernel_.live(turn.conversation)) {
    const TakenTurn* known = live->find(turn.id);
    if (known != nullptr && known->turn.state == turn.state) return {};
  }
  TRY(const Turn now, get(turn.id));
  if (now.state == turn.state) return {};
  return fail(Errc::kConflict,
              fmt::format("turn {} is {} by now", turn.id.str(), now.over() ? "over" : now.state));
}

Task<Result<void>> TurnLedger::put_back(Turn turn) {
  CO_TRY_VOID(co_await database_.write(one(kPutBack, {turn.id.str()}, 1)));
  SOMETIMES("turn.put_back");
  kernel_.gate().live().forget(turn.conversation);
  co_return Result<void>{};
}

Task<Result<ClosedTurn>> TurnLedger::close(Turn turn, TurnClose how,
                                           std::shared_ptr<ConversationGate::Pass> pass) {
  return close(std::move(turn), std::move(how), Next::kBegin, std::move(pass));
}

void TurnLedger::close_row(Turn& turn, const TurnClose& how, std::int64_t last_seq,
                           std::size_t messages) {
  turn.state = how.parked ? "parked" : "done";
  turn.verdict = how.verdict.kind;
  turn.reason = how.verdict.reason;
  if (!how.error.empty()) turn.error = utf8_prefix(how.error, kErrorBytes);
  if (!how.model.empty()) turn.model = how.model;
  turn.tokens_in = how.tokens_in;
  turn.tokens_out = how.tokens_out;
  turn.cache_read = how.cache_read;
  turn.cache_write = how.cache_write;
  turn.cost_micros = how.cost_micros;
  turn.history_from = how.history_from;
  turn.ended = clock_.wall_now();
  if (messages == 0) return;
  turn.first_seq = last_seq + 1;
  turn.last_seq = last_seq + static_cast<std::int64_t>(messages);
}

// Positions are given and the write handed over without a wait in between (message_index.h).
Transcript TurnLedger::append_messages(Write& write, const Turn& turn, Told& told,
                                       std::int64_t last_seq, std::vector<Turn>& joined) {
  Transcript said;
  for (Told::Line& line : told.lines) {
    const Turn& whose = line.joined ? *line.joined : turn;
    said.push_back(std::make_shared<Message>(Message{.position = kernel_.numbers().next_message(),
                                                     .conversation = turn.conversation,
                                                     .seq = ++last_seq,
                                                     .session = turn.session,
                                                     .turn = whose.id,
                                                     .role = line.role,
                                                     .source = told.source,
                                                     .content = std::move(line.content),
                                                     .created = line.created,
                                                     .meta = std::move(line.meta)}));
    write.statements.push_back(Messages::append(*said.back()));
    if (!line.joined) continue;
    Turn done = *line.joined;
    done.state = "done";
    done.verdict = turn.verdict;
    done.reason = "joined " + turn.id.str();
    done.ended = turn.ended;
    done.first_seq = last_seq;
    done.last_seq = turn.last_seq;
    write.statements.push_back(TurnQueue::close(done, "queued"));
    if (done.inbound) write.statements.push_back(InboundLedger::take(*done.inbound, done.id));
    write.statements.push_back(EventLog::append(ended_event(done)));
    joined.push_back(std::move(done));
  }
  return said;
}

// The one that waited longest goes next, unless another one runs.
Result<std::optional<Turn>> TurnLedger::begin_next(Write& write, const Turn& ended,
                                                   const std::vector<Turn>& joined) {
  std::vector<Turn> waiting;
  if (const LiveConversation* live = kernel_.live(ended.conversation)) {
    if (live->running && live->running->turn.id != ended.id) return std::optional<Turn>();
    for (std::size_t i = 0; i < std::min(live->waiting.size(), joined.size() + 2); ++i) {
      waiting.push_back(live->waiting[i].turn);
    }
  } else {
    TRY(const auto running, kernel_.turns().running(ended.conversation));
    if (running && running->id != ended.id) return std::optional<Turn>();
    TRY(waiting, kernel_.turns().queued(ended.conversation, joined.size() + 2));
  }
  for (const Turn& one : waiting) {
    const bool is_over = one.id == ended.id || std::ranges::any_of(joined, [&](const Turn& other) {
                           return other.id == one.id;
                         });
    if (is_over) continue;
    Turn next = one;
    next.state = "running";
    next.attempts += 1;
    next.started = ended.ended;
    write.statements.push_back(TurnQueue::begin(next.id, *ended.ended));
    return std::optional(std::move(next));
  }
  return std::optional<Turn>();
}

Task<Result<ClosedTurn>> TurnLedger::close(Turn turn, TurnClose how, Next then,
                                           std::shared_ptr<ConversationGate::Pass> of_message) {
  CO_TRY(Session session, session_of(turn));
  ClosedTurn out;
  Transcript said;
  {
    const auto pass = of_message
                          ? std::move(of_message)
                          : std::make_shared<ConversationGate::Pass>(
                                co_await kernel_.gate().enter(session.workspace, session.key));
    CO_TRY(session, session_of(turn));
    CO_TRY_VOID(still_as_it_was(turn));
    CO_TRY(Told told, tell(turn, how));
    const LiveConversation* live = pass->live();
    // Others may work on a newer session of the conversation by now; then the store is asked.
    const bool known = live != nullptr && live->session.id == turn.session &&
                       turn.state == "running" && how.joined.empty();
    std::int64_t last_seq = live != nullptr ? live->last_seq : 0;
    if (live == nullptr) {
      CO_TRY(last_seq, kernel_.messages().last_seq(turn.conversation));
    }
    const bool taken = turn.inbound && !told.source.empty();
    const std::string found = turn.state;
    if (told.source.empty()) told.source = session.key.channel;
    close_row(turn, how, last_seq, told.lines.size());

    Write write;
    said = append_messages(write, turn, told, last_seq, out.joined);
    if (!told.lines.empty()) {
      if (!how.parked) session.turn_count += 1 + static_cast<std::int64_t>(out.joined.size());
      session.last_message = std::max(session.last_message, *turn.ended);
      out.summary = {
          session.context_summary, {{told.asked, told.answered, ""}}, session.turn_count};
      auto ahead = how.summary ? std::move(*how.summary).finish(out.summary) : std::nullopt;
      session.context_summary =
          ahead ? std::move(*ahead) : template_summary(SummaryProfile::kContext, out.summary);
      write.statements.push_back(SessionTable::record_turn(session));
      write.statements.push_back(ConversationTable::set_active(turn.conversation, *turn.ended));
    }
    if (taken) write.statements.push_back(InboundLedger::take(*turn.inbound, turn.id));
    if (told.had_steps) write.statements.push_back({kDropSteps, {turn.id.str()}, {}});
    std::ranges::move(how.also, std::back_inserter(write.statements));
    write.statements.push_back(EventLog::append(ended_event(turn)));
    write.statements.push_back(TurnQueue::close(turn, found));
    if (then == Next::kBegin) {
      CO_TRY(out.next, begin_next(write, turn, out.joined));
    }
    write.awaited = turn.kind == TurnKind::kUser;
    CO_TRY_VOID(co_await database_.write(std::move(write)));
    out.response = std::move(told.answered);
    out.turn = std::move(turn);
    out.session = std::move(session);
    if (then == Next::kBegin) remember(*pass, out, said, known);
  }
  events_.committed(out.turn.workspace);
  if (out.turn.first_seq) kernel_.messages_were_added(out.turn.workspace, said);
  co_return out;
}

// What is true after the close, for the next message.
void TurnLedger::remember(ConversationGate::Pass& pass, const ClosedTurn& closed,
                          const Transcript& said, bool was_known) {
  LiveConversation* live = pass.live();
  if (!was_known || live == nullptr) {
    if (auto seen = kernel_.look_at(closed.turn.workspace, closed.turn.conversation)) {
      pass.keeps(std::move(*seen));
    }
    return;
  }
  live->session = closed.session;
  live->running.reset();
  if (closed.next) {
    const auto next = std::ranges::find_if(
        live->waiting, [&](const TakenTurn& one) { return one.turn.id == closed.next->id; });
    if (next == live->waiting.end()) return;
    live->running = std::move(*next);
    live->running->turn = *closed.next;
    live->waiting.erase(next);
  }
  if (!said.empty()) live->conversation.last_active = *closed.turn.ended;
  kernel_.gate().live().append(*live, said);
  pass.keeps();
}

// The intents are the dangerous ones: what they stand for may have happened.
Task<Result<void>> TurnLedger::recover_one(Turn turn, const Closers& closers) {
  const auto kept = steps(turn.id);
  const bool intent = !kept || has_intent(*kept);  // steps that can't be read may hold one
  if (!intent && turn.attempts < kTurnAttempts) co_return Result<void>{};
  auto closed = co_await close_interrupted(turn, intent, closers, false);
  if (closed || is_the_stores(closed.error())) co_return closed;
  closed = co_await close_interrupted(turn, intent, closers, true);
  if (closed || is_the_stores(closed.error())) co_return closed;
  co_return co_await put_aside(std::move(turn), closed.error());
}

Task<Result<void>> TurnLedger::close_interrupted(Turn turn, bool intent, const Closers& closers,
                                                 bool without_steps) {
  TurnClose how{
      .verdict = {"interrupted", intent ? "restart" : "parked"},
      .without_steps = without_steps,
      .parked = !intent,
      .error = {},
      .answer = text_content(std::string(intent ? kInterruptedWords : kParkedWords), kFromAgent)};
  if (closers.wording) closers.wording(turn, how);
  if (closers.at_close) {
    CO_TRY(const Session session, kernel_.sessions().get(turn.session));
    CO_TRY(how.also, closers.at_close(turn, session, readable_text(how.answer), how.verdict));
  }
  CO_TRY_VOID(co_await close(std::move(turn), std::move(how), Next::kLeave, nullptr));
  if (!intent) {
    SOMETIMES("turn.parked");
  }
  co_return Result<void>{};
}

// The last resort: only the row of the turn says that it is over.
Task<Result<void>> TurnLedger::put_aside(Turn turn, Error why) {
  const std::string found = turn.state;
  turn.state = "parked";
  turn.verdict = "interrupted";
  turn.reason = "unreadable";
  turn.error = utf8_prefix(why.message, kErrorBytes);
  turn.ended = clock_.wall_now();
  CO_TRY_VOID(co_await database_.write(Write{{TurnQueue::close(turn, found)}}));
  co_return Result<void>{};
}

Task<Result<void>> TurnLedger::recover(AtClose at_close, Wording wording) {
  const Closers closers{std::move(at_close), std::move(wording)};
  std::int64_t after = 0;
  while (true) {
    CO_TRY(auto page, kernel_.turns().left_running(after, kRecoveredAtOnce));
    if (page.empty() && after == 0) co_return Result<void>{};  // nearly every start
    if (page.empty()) break;
    after = page.back().number;
    for (Turn& turn : page) CO_TRY_VOID(co_await recover_one(std::move(turn), closers));
  }
  co_return co_await kernel_.turns().recover();
}

}  // namespace rouse
