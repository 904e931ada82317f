#include "session/session_kernel.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "session/blobs.h"

namespace rouse {
namespace {

// How far back an answer looks for the message it answers, when it doesn't name it.
constexpr int kUnansweredLookedAt = 16;

constexpr std::string_view kNameIt =
    "UPDATE conversations SET title = $2 WHERE conversation_id = $1 AND title = ''";

// A clock that was set back must not make a session older than its last message.
WallTime latest(WallTime a, WallTime b) { return std::max(a, b); }

Result<void> refuse_nul(std::string_view field, std::string_view text) {
  if (text.find('\0') == std::string_view::npos) return {};
  return fail(Errc::kInvalid, fmt::format("'{}' must not contain a NUL character", field));
}

Error mismatch(const Session& session, const WorkspaceId& asked) {
  return Error(
      SessionErrc::kWorkspaceMismatch,
      fmt::format("session {} does not belong to workspace {}", session.id.str(), asked.str()));
}

struct QueuedBody {
  std::string kind, decision, reason;
  std::optional<std::string> client_message_id;
};
auto shape(const QueuedBody*) {
  return fields(field("kind", &QueuedBody::kind, ""), field("decision", &QueuedBody::decision, ""),
                field("reason", &QueuedBody::reason, ""),
                field("client_message_id", &QueuedBody::client_message_id, ""));
}

Event queued_event(const Turn& turn, const Resolved& resolved, const InboundMessage& message) {
  return {.workspace = turn.workspace,
          .type = "turn_queued",
          .conversation = turn.conversation.str(),
          .session = turn.session.str(),
          .turn = turn.id.str(),
          .body = encode_json(QueuedBody{std::string(turn_kind_name(turn.kind)), resolved.decision,
                                         resolved.reason, message.message_id}),
          .created = turn.queued};
}

}  // namespace

std::string_view provenance(const SessionKey& key) {
  return is_bridged(key.channel) ? kFromSender : kFromOwner;
}

SessionKernel::SessionKernel(Database& database, Clock& clock, Random& random,
                             Workspaces& workspaces, Summariser& summariser, DriftGate& drift)
    : database_(database),
      clock_(clock),
      random_(random),
      workspaces_(workspaces),
      summariser_(summariser),
      drift_(drift),
      sessions_(database),
      conversations_(database),
      inbound_(database),
      messages_(database),
      turns_(database, clock) {}

Task<Result<void>> SessionKernel::start() {
  CO_TRY_VOID(load());
  co_return co_await turns_.recover();
}

Task<Result<Resolved>> SessionKernel::resolve(InboundMessage message) {
  return take(std::move(message), Then::kNothing, {});
}

Task<Result<Resolved>> SessionKernel::accept(InboundMessage message, Accept how, BegunAhead ahead) {
  return take(std::move(message), how == Accept::kQueue ? Then::kQueueTurn : Then::kBeginTurn,
              std::move(ahead));
}

Task<Result<Resolved>> SessionKernel::take(InboundMessage message, Then then, BegunAhead ahead) {
  const bool unified = options_.unified && !message.keeps_key;
  const SessionKey key = key_of(message);
  const std::string text = readable_text(message.content);
  CO_TRY_VOID(refuse_nul("user_message", text));
  CO_TRY_VOID(refuse_nul("message_id", message.message_id.value_or("")));
  auto pass = co_await gate_.enter(message.workspace, key);
  CO_TRY(auto before, find_redelivered(message, text));
  if (before) {
    pass.keeps();
    co_return std::move(*before);
  }
  CO_TRY(Situation situation, look(message, key, text, pass.live()));
  const Judgement judgement = co_await judge(situation, text);
  const Ruling& ruling = judgement.ruling;

  const WallTime now = clock_.wall_now();
  const std::int64_t number = numbers_.next_inbound();
  Write write;
  Session after;
  DecisionFacts facts = facts_of(situation, judgement.policy, ruling);
  if (ruling.opens) {
    after = open_session(message, key, situation, ruling, number, write);
    if (situation.latest) facts.carried = !after.context_summary.empty();
  } else {
    after = *situation.latest;
    // An app that is opened is no message; the greeting is one, if there is one (design.md, 5).
    if (message.kind != TurnKind::kSessionOpen) {
      after.last_message = latest(after.last_message, now);
    }
    if (situation.from_person) after.last_user = now;
    after.last_inbound = number;
    write.statements.push_back(SessionTable::touch(after));
  }
  // What began with a greeting is named after what a person says first.
  if (situation.from_person && situation.latest && !situation.latest->last_user) {
    write.statements.push_back({kNameIt, {after.conversation.str(), title_from(text)}, {}});
  }
  Resolved out{.session = after,
               .decision = ruling.opens ? "new" : "continue",
               .reason = std::string(ruling.reason),
               .reset_only = situation.phrase && situation.phrase->alone,
               .inbound = number};
  for (const ContentBlock& block : message.content) {
    if (!block.hash) continue;
    for (auto& use : Blobs::note_use(after.workspace, *block.hash, after.conversation)) {
      write.statements.push_back(std::move(use));
    }
  }
  if (then != Then::kNothing) {
    CO_TRY(out.accepted, new_turn(message, after, number, then, pass.live()));
    out.turn = out.accepted->id;
    write.statements.push_back(TurnQueue::insert(*out.accepted));
    if (events_ != nullptr) {
      write.statements.push_back(EventLog::append(queued_event(*out.accepted, out, message)));
    }
  }
  InboundRow row{.number = number,
                 .previous = situation.latest ? situation.latest->last_inbound : std::nullopt,
                 .workspace = after.workspace,
                 .conversation = after.conversation,
                 .session = after.id,
                 .channel = message.channel(),
                 .account = message.account,
                 .peer = message.peer ? message.peer
                         : unified    ? std::optional(message.key.peer)
                                      : std::nullopt,
                 .message_id = message.message_id,
                 .content = std::move(message.content),
                 .decision = out.decision,
                 .reason = out.reason,
                 .facts = encode_json(facts),
                 .turn = out.turn,
                 .received = now,
                 .meta = std::move(message.meta)};
  write.statements.push_back(InboundLedger::append(row));
  std::ranges::move(message.also, std::back_inserter(write.statements));
  const bool begins = out.accepted && out.accepted->state == "running";
  if (ahead && begins && !ruling.opens && pass.live() != nullptr) {
    CO_TRY_VOID(co_await write_ahead(std::move(write), out, std::move(row),
                                     std::make_shared<ConversationGate::Pass>(std::move(pass)),
                                     ahead));
  } else {
    CO_TRY_VOID(co_await database_.write(std::move(write)));
    if (!situation.latest) gate_.live().forget_alias(after.workspace, key.str());
    if (LiveConversation* live = pass.live(); live && remember(*live, out, std::move(row))) {
      pass.keeps();
    }
  }
  if (out.turn && events_ != nullptr) events_->committed(after.workspace);
  if (ruling.opens && situation.latest && situation.latest->active) {
    session_was_closed(*situation.latest, ruling.closes_as);
  }
  co_return out;
}

// The turn begins before its message is durable, and may even end: its close is then handed to the
// store behind this write, and fails if this one does.
Task<Result<void>> SessionKernel::write_ahead(Write write, const Resolved& out, InboundRow row,
                                              std::shared_ptr<ConversationGate::Pass> pass,
                                              BegunAhead& ahead) {
  remember(*pass->live(), out, row);
  ahead({*out.accepted, std::move(row)}, pass);
  write.awaits_more = true;
  const auto written = co_await database_.write(std::move(write));
  if (!written) {
    gate_.live().forget(out.session.conversation);
    co_return std::unexpected(written.error());
  }
  pass->keeps();
  co_return Result<void>{};
}

// False: too much waits to be known without asking.
bool SessionKernel::remember(LiveConversation& live, const Resolved& resolved, InboundRow message) {
  if (live.conversation.title.empty() && resolved.session.last_user && message.content) {
    live.conversation.title = title_from(readable_text(*message.content));
  }
  live.session = resolved.session;
  if (resolved.decision == "new") live.conversation.last_active = message.received;
  if (!resolved.accepted) return true;
  TakenTurn taken{*resolved.accepted, std::move(message)};
  if (taken.turn.state == "running") {
    live.running = std::move(taken);
    return true;
  }
  const auto behind = std::ranges::find_if(live.waiting, [&](const TakenTurn& other) {
    return lane_of(other.turn.kind) > lane_of(taken.turn.kind);
  });
  live.waiting.insert(behind, std::move(taken));
  return live.waiting.size() <= kLiveWaiting;
}

Result<LiveConversation> SessionKernel::look_at(const WorkspaceId& workspace,
                                                const ConversationId& id) {
  LiveConversation out;
  TRY(out.conversation, conversations_.get(workspace, id));
  TRY(auto session, sessions_.latest_of(id));
  if (!session) return fail(SessionErrc::kNotFound, "this conversation has no session yet");
  out.session = std::move(*session);
  TRY(out.last_seq, messages_.last_seq(id));
  TRY(auto waiting, turns_.queued(id, kLiveWaiting + 1));
  if (waiting.size() > kLiveWaiting) return fail(Errc::kTooLarge, "too many turns wait");
  TRY(auto running, turns_.running(id));
  if (running) waiting.insert(waiting.begin(), std::move(*running));
  for (Turn& turn : waiting) {
    TakenTurn taken{std::move(turn), {}};
    if (taken.turn.inbound) {
      TRY(auto row, inbound_.get(*taken.turn.inbound));
      if (!row) return fail(StoreErrc::kCorrupt, "a turn's message is not there");
      taken.message = std::move(*row);
    }
    if (taken.turn.state == "running") {
      out.running = std::move(taken);
    } else {
      out.waiting.push_back(std::move(taken));
    }
  }
  return out;
}

Result<Conversation> SessionKernel::find_conversation(const WorkspaceId& workspace,
                                                      const std::string& name) {
  if (const auto* live = gate_.live().find_by_alias(workspace, name)) return live->conversation;
  TRY(auto found, conversations_.find_by_name(workspace, name));
  gate_.live().learn_alias(found.id, name);
  return found;
}

Result<Turn> SessionKernel::new_turn(const InboundMessage& message, const Session& session,
                                     std::int64_t inbound, Then then,
                                     const LiveConversation* live) {
  const WallTime now = clock_.wall_now();
  Turn turn{.number = 0,
            .id = message.turn ? *message.turn : TurnId::make(now, random_),
            .workspace = session.workspace,
            .conversation = session.conversation,
            .session = session.id,
            .kind = message.kind,
            .inbound = inbound,
            .queued = now};
  if (then == Then::kBeginTurn) {
    bool running = live != nullptr && live->running;
    std::int64_t waiting = live != nullptr ? static_cast<std::int64_t>(live->waiting.size()) : 0;
    if (live == nullptr) {
      TRY(const auto found, turns_.running(session.conversation));
      running = found.has_value();
      TRY(waiting, turns_.waiting_in(session.conversation));
    }
    if (waiting >= kWaitingTurns) {
      return fail(Errc::kRateLimited,
                  fmt::format("{} messages wait for their answer in this conversation already; "
                              "wait for some of them",
                              waiting));
    }
    if (!running && waiting == 0) {
      turn.state = "running";
      turn.attempts = 1;
      turn.started = now;
    }
  }
  turn.number = numbers_.next_turn();
  return turn;
}

Result<std::optional<Resolved>> SessionKernel::find_redelivered(const InboundMessage& message,
                                                                const std::string& text) {
  if (!message.message_id) return std::optional<Resolved>();
  TRY(const auto row,
      inbound_.find(message.workspace, message.channel(), message.account, *message.message_id));
  if (!row) return std::optional<Resolved>();
  TRY(auto session, sessions_.get(row->session));
  if (const auto there = conversations_.get(session.workspace, session.conversation); !there) {
    if (!there.error().is(ConversationErrc::kNotFound)) return std::unexpected(there.error());
    return fail(Errc::kUnavailable, "its conversation is being deleted; try again in a moment");
  }
  const auto facts = decode_json<DecisionFacts>(row->facts);
  const auto phrase = find_reset_phrase(text);
  return std::optional(Resolved{.session = std::move(session),
                                .decision = row->decision,
                                .reason = row->reason,
                                .reset_only = facts && facts->phrase && phrase && phrase->alone,
                                .redelivered = true,
                                .inbound = row->number,
                                .turn = row->turn});
}

Result<Situation> SessionKernel::look(const InboundMessage& message, const SessionKey& key,
                                      const std::string& text, const LiveConversation* live) {
  Situation s;
  s.from_person = message.kind == TurnKind::kUser;
  s.bridged = is_bridged(message.channel());
  s.timeout = options_.timeout;
  s.drift_gate_on = drift_.enabled();
  if (s.from_person && message.heeds_reset_phrases) {
    s.phrase = find_reset_phrase(text);
  }
  if (live != nullptr) {
    s.latest = live->session;
    if (!live->session.active) return s;
  } else {
    TRY(s.latest, sessions_.find_active(message.workspace, key));
  }
  if (s.latest) {
    s.idle = std::max(clock_.wall_now() - s.latest->last_message, Millis{0});
    return s;
  }
  TRY(const auto conversation, conversations_.find(message.workspace, key));
  if (conversation) {
    TRY(s.latest, sessions_.latest_of(conversation->id));
    return s;
  }
  TRY_VOID(workspaces_.get(message.workspace));
  TRY(s.deleted_before, conversations_.was_deleted(message.workspace, key));
  return s;
}

Task<SessionKernel::Judgement> SessionKernel::judge(Situation& situation, const std::string& text) {
  for (const auto& policy : chain_) {
    if (policy->wants_drift_verdict(situation)) {
      situation.drift = co_await drift_.judge(situation.latest->context_summary, text);
    }
    if (const auto ruling = policy->rule(situation)) co_return Judgement{*ruling, policy->name()};
  }
  std::abort();  // the last policy of the chain always rules
}

// The statements close what was active before they open the next: there is never a second one.
Session SessionKernel::open_session(const InboundMessage& message, const SessionKey& key,
                                    const Situation& situation, const Ruling& ruling,
                                    std::int64_t inbound, Write& write) {
  const WallTime now = clock_.wall_now();
  Session session{.id = SessionId::make(now, random_),
                  .workspace = message.workspace,
                  .key = key,
                  .created = now,
                  .last_message = now,
                  .opened_reason = std::string(ruling.reason),
                  .opened_by = inbound,
                  .last_inbound = inbound};
  if (situation.from_person) session.last_user = now;
  if (!situation.latest) {
    Conversation made{.id = ConversationId::make(now, random_),
                      .workspace = message.workspace,
                      .key = key,
                      .title = title_from(readable_text(message.content)),
                      .agent = message.agent,
                      .last_active = now,
                      .created = now};
    session.conversation = made.id;
    write.statements.push_back(ConversationTable::insert(made));
    if (message.alias) {
      write.statements.push_back(ConversationTable::add_alias(made, *message.alias, now));
    }
  } else {
    const Session& old = *situation.latest;
    const std::string close_reason =
        old.active ? std::string(ruling.closes_as) : old.close_reason.value_or("");
    session.conversation = old.conversation;
    session.epoch = old.epoch + 1;
    if (!situation.phrase && !is_hard_boundary(close_reason)) {
      session.context_summary = carried_over(old.context_summary);
    }
    if (old.active) write.statements.push_back(SessionTable::close(old.id, close_reason, now));
    write.statements.push_back(ConversationTable::set_active(old.conversation, now));
  }
  write.statements.push_back(SessionTable::insert(session));
  return session;
}

Task<Result<Session>> SessionKernel::record_turn(TurnRecord record) {
  CO_TRY_VOID(refuse_nul("user_message", record.user_message));
  CO_TRY_VOID(refuse_nul("assistant_response", record.assistant_response));
  CO_TRY_VOID(refuse_nul("action_type", record.action_type.value_or("")));
  CO_TRY_VOID(refuse_nul("message_id", record.message_id.value_or("")));
  CO_TRY(Session session, get(record.session));
  if (session.workspace != record.workspace) co_return fail(mismatch(session, record.workspace));
  SummaryInput input;
  {
    const auto pass = co_await gate_.enter(session.workspace, session.key);
    CO_TRY(session, get(record.session));  // while we waited, it may have moved on
    CO_TRY(const bool told, was_told(session, record));
    if (told) co_return session;  // a retry: it is recorded already
    CO_TRY(const auto answered, find_answered(session, record));
    CO_TRY(const std::int64_t last_seq, messages_.last_seq(session.conversation));
    session.turn_count += 1;
    session.last_message = latest(session.last_message, clock_.wall_now());
    input = {session.context_summary,
             {{record.user_message, record.assistant_response, record.action_type.value_or("")}},
             session.turn_count};
    session.context_summary = template_summary(SummaryProfile::kContext, input);
    CO_TRY_VOID(co_await database_.write(turn_write(session, record, answered, last_seq)));
  }
  messages_were_added(session.workspace, {});
  if (!summariser_.has_model()) co_return session;
  co_return co_await improve_summary(std::move(session), std::move(input));
}

// The turn, what was said on both sides, and where that leaves the session: one write.
Write SessionKernel::turn_write(const Session& session, const TurnRecord& record,
                                const std::optional<InboundRow>& answered, std::int64_t last_seq) {
  const WallTime now = clock_.wall_now();
  Turn turn{.number = numbers_.next_turn(),
            .id = TurnId::make(now, random_),
            .workspace = session.workspace,
            .conversation = session.conversation,
            .session = session.id,
            .state = "done",
            .attempts = 1,
            .inbound = answered ? std::optional(answered->number) : std::nullopt,
            .message_id = record.message_id,
            .first_seq = last_seq + 1,
            .action_type = record.action_type,
            .verdict = "spoke",
            .queued = answered ? answered->received : now,
            .started = now,
            .ended = now};
  Message asked{.position = numbers_.next_message(),
                .conversation = session.conversation,
                .seq = last_seq + 1,
                .session = session.id,
                .turn = turn.id,
                .role = "user",
                .source = session.key.channel,
                .content = answered ? *answered->content
                                    : text_content(record.user_message, provenance(session.key)),
                .created = turn.queued};
  Message said = asked;
  said.position = numbers_.next_message();
  said.seq = last_seq + 2;
  said.role = "assistant";
  said.content = text_content(record.assistant_response, kFromAgent);
  said.created = now;

  Write write;
  write.statements = {TurnQueue::insert(turn), Messages::append(asked), Messages::append(said),
                      SessionTable::record_turn(session),
                      ConversationTable::set_active(session.conversation, now)};
  if (answered) write.statements.push_back(InboundLedger::take(answered->number, turn.id));
  return write;
}

// The turn is safe already; the model's words replace the plain ones if no other turn came between.
Task<Result<Session>> SessionKernel::improve_summary(Session session, SummaryInput input) {
  input.workspace = session.workspace;
  Summary better = co_await summariser_.summarise(SummaryProfile::kContext, std::move(input));
  if (!better.by_model || better.text == session.context_summary) co_return session;
  const auto pass = co_await gate_.enter(session.workspace, session.key);
  const auto written = co_await database_.write(
      Write{{SessionTable::set_summary(session.id, better.text, session.turn_count)}});
  if (written && written->rows_changed.front() == 1) {
    session.context_summary = std::move(better.text);
  }
  co_return session;
}

// Was this turn told before? The id alone doesn't say: in a unified conversation two channels may
// use the same one, so the words must be the same as well.
Result<bool> SessionKernel::was_told(const Session& session, const TurnRecord& record) {
  if (!record.message_id) return false;
  TRY(const auto turn, turns_.answering(session.conversation, *record.message_id));
  if (!turn || !turn->first_seq) return false;
  TRY(const auto said, messages_.at(session.conversation, *turn->first_seq));
  if (!said || readable_text(said->content) != record.user_message) return false;
  if (turn->session == session.id) return true;
  return fail(Errc::kConflict, fmt::format("message {} was answered in session {}",
                                           *record.message_id, turn->session.str()));
}

// The message a turn answers: the one it names, else the oldest one in this session that said the
// same, was given no id and has no answer yet.
Result<std::optional<InboundRow>> SessionKernel::find_answered(const Session& session,
                                                               const TurnRecord& record) {
  std::optional<InboundRow> found;
  auto at = session.last_inbound;
  for (int i = 0; at && i < kUnansweredLookedAt; ++i) {
    TRY(auto row, inbound_.get(*at));
    if (!row || row->session != session.id) break;
    at = row->previous;
    if (!row->content || readable_text(*row->content) != record.user_message) continue;
    if (row->message_id == record.message_id || !row->message_id) found = std::move(row);
    if (found && found->message_id && found->message_id == record.message_id) return found;
  }
  if (found || !record.message_id) return found;
  TRY(auto named,
      inbound_.find(session.workspace, session.key.channel, session.key.peer, *record.message_id));
  if (!named || named->conversation != session.conversation || !named->content) return found;
  if (named->session != session.id) {
    return fail(Errc::kConflict, fmt::format("message {} belongs to session {}", *record.message_id,
                                             named->session.str()));
  }
  return named;
}

Result<Session> SessionKernel::get(const SessionId& id) {
  TRY(auto session, sessions_.get(id));
  const auto there = conversations_.get(session.workspace, session.conversation);
  if (there) return session;
  if (!there.error().is(ConversationErrc::kNotFound)) return std::unexpected(there.error());
  return fail(SessionErrc::kNotFound, fmt::format("there is no session {}", id.str()));
}

Task<Result<Session>> SessionKernel::close(SessionId id, std::string reason) {
  CO_TRY(Session session, get(id));
  const auto pass = co_await gate_.enter(session.workspace, session.key);
  CO_TRY(session, get(id));
  if (!session.active) co_return session;  // closing twice is closing once
  const WallTime now = clock_.wall_now();
  CO_TRY_VOID(co_await database_.write(Write{{SessionTable::close(id, reason, now)}}));
  session.active = false;
  session.close_reason = reason;
  session.closed = now;
  session_was_closed(session, reason);
  co_return session;
}

void SessionKernel::session_was_closed(Session session, std::string_view reason) const {
  if (!on_closed_) return;
  session.active = false;
  session.close_reason = std::string(reason);
  session.closed = clock_.wall_now();
  on_closed_(session);
}

}  // namespace rouse
