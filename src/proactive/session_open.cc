#include "proactive/session_open.h"

#include <algorithm>

#include <fmt/format.h>

#include "activity/activity.h"
#include "base/text.h"
#include "session/silence.h"

namespace rouse {
namespace {

// What some models' clients say instead of nothing (S0-C7).
constexpr std::string_view kNoText = "No text content in response.";

// Conversations that a greeting began which was none: of the newest turns, for a start is short.
constexpr std::string_view kBegunInSilence =
    "SELECT t.workspace_id, t.conversation_id FROM (SELECT workspace_id, conversation_id, "
    "session_id, inbound_number, kind, state FROM turns ORDER BY number DESC LIMIT 200) t "
    "JOIN sessions s ON s.session_id = t.session_id WHERE t.kind = 'session_open' AND "
    "t.state IN ('done', 'parked') AND s.opened_by = t.inbound_number AND s.epoch = 1 AND "
    "s.status = 'active' AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = "
    "t.conversation_id)";

// The tools that changed something, each once: "cron, save_memory".
std::string tools_that_changed(const std::vector<TurnStep>& steps) {
  std::set<std::string> tools;
  for (const TurnStep& step : steps) {
    if (step.kind == "intent" && !step.content.empty()) {
      tools.insert(step.content.front().tool.value_or(""));
    }
  }
  return fmt::format("{}", fmt::join(tools, ", "));
}

// Nothing of the turn stands in the transcript; what it did or why it failed must be somewhere.
std::string trail_of(const Verdict& verdict, const std::vector<TurnStep>& steps) {
  const std::string tools = tools_that_changed(steps);
  std::string out;
  if (verdict.kind == "failed") {
    out = fmt::format("The greeting could not be made ({}).", verdict.reason);
  }
  if (!tools.empty()) {
    out += fmt::format("{}When the app was opened, the agent used {} and said nothing.",
                       out.empty() ? "" : " ", tools);
  }
  return out;
}

}  // namespace

// Its turns are its own business: the prompts ask it, closes tell it, deletions ask it.
SessionOpen::SessionOpen(Parts parts) : parts_(parts) {
  parts_.prompts.use_openings(this);
  parts_.removal.add_guard(*this);
}

// --- may it, and who is there? -------------------------------------------------------------------

Result<SessionOpen::Look> SessionOpen::look(const InboundMessage& where, const SessionKey& key) {
  Look out;
  TRY(out.conversation, parts_.kernel.conversations().find(where.workspace, key));
  out.agent = where.agent.value_or("");
  if (out.conversation) {
    out.agent = out.conversation->agent.value_or("");
    TRY(const auto newest, parts_.kernel.messages().tail(out.conversation->id, {}, 1));
    if (!newest.empty()) out.last_message_at = newest.front().created;
    TRY(const auto running, parts_.kernel.turns().running(out.conversation->id));
    TRY(const auto waiting, parts_.kernel.turns().waiting_in(out.conversation->id));
    if (running || waiting > 0) out.silent = "conversation_busy";
  }
  TRY(const bool unknown, parts_.prompts.knows_nothing(where.workspace, out.agent));
  out.is_new_user = unknown && !out.last_message_at;  // S0-32, S0-C5
  if (greeting_ == Greeting::kOff) out.silent = "off";
  if (!out.last_message_at) return out;
  const Millis ago = parts_.clock.wall_now() - *out.last_message_at;
  if (ago < kBrieflyAway) out.silent = ago < kJustNow ? "just_now" : "briefly_away";
  return out;
}

Task<Result<SessionOpen::Opening>> SessionOpen::prepare(WorkspaceId workspace, Look seen) {
  const WallTime now = parts_.clock.wall_now();
  Opening out{.facts = {.is_new_user = seen.is_new_user, .last_message_at = seen.last_message_at},
              .agent = seen.agent};
  if (seen.is_new_user) {
    if (greeting_ == Greeting::kStatic) out.words = offline::first_welcome(out.agent);
    co_return out;
  }
  CO_TRY(const WallTime since, last_seen(parts_.database, workspace, now));
  const OpeningContext context =
      co_await gather_opening(parts_.loop, parts_.clock, parts_.database,
                              {.workspace = workspace,
                               .now = now,
                               .since = since,
                               .zone = zone_of_ ? zone_of_(workspace) : "UTC"});
  out.facts.context = context.text();
  out.facts.untrusted = context.untrusted;
  if (greeting_ == Greeting::kStatic) {
    const bool long_ago = seen.last_message_at && now - *seen.last_message_at >= kAwayLong;
    out.words = offline::welcome_back(offline::read_news(out.facts.context), "", long_ago);
  }
  co_return out;
}

// --- the way of an open --------------------------------------------------------------------------

Task<SessionOpened> SessionOpen::open(InboundMessage where) {
  const std::string key = where.key.str();
  auto opened = co_await try_to_open(std::move(where));
  if (opened) co_return std::move(*opened);
  parts_.log.warn("session_open.failed",
                  {{"conversation", key}, {"message", opened.error().message}});
  co_return SessionOpened{.reason = std::string(opened.error().name)};
}

Task<Result<SessionOpened>> SessionOpen::try_to_open(InboundMessage where) {
  co_await start();
  const SessionKey key = parts_.kernel.key_of(where);
  auto pass = co_await line_.enter(where.workspace, key);
  SessionOpened silent;
  Opening opening;
  for (const bool gathered : {false, true}) {  // somebody may have spoken while we gathered
    CO_TRY(Look seen, look(where, key));
    silent.is_new_user = seen.is_new_user;
    silent.reason = seen.silent;
    if (seen.conversation) silent.conversation = seen.conversation->id;
    if (!silent.reason.empty()) co_return silent;
    if (gathered) break;
    CO_TRY(opening, co_await prepare(where.workspace, std::move(seen)));
  }
  if (opening.words && opening.words->empty()) {
    silent.reason = "nothing_to_say";
    co_return silent;
  }
  auto opened = co_await greet(std::move(where), std::move(opening));
  if (!opened && opened.error().is(StoreErrc::kConflict)) {
    silent.reason = "conversation_busy";  // somebody else began it under this name just now
    co_return silent;
  }
  co_return opened;
}

Task<Result<SessionOpened>> SessionOpen::greet(InboundMessage where, Opening opening) {
  const TurnId turn = TurnId::make(parts_.clock.wall_now(), parts_.random);
  SessionOpened out{.is_new_user = opening.facts.is_new_user, .turn = turn};
  where.kind = TurnKind::kSessionOpen;
  where.transport = turn_kind_name(TurnKind::kSessionOpen);
  where.heeds_reset_phrases = false;
  where.turn = turn;
  openings_[turn] = std::move(opening);
  auto submitted = co_await parts_.runner.submit(std::move(where));
  if (!submitted) {
    openings_.erase(turn);
    co_return std::unexpected(std::move(submitted).error());
  }
  out.conversation = submitted->resolved.session.conversation;
  Result<TurnOutcome> outcome = TurnOutcome{};
  const auto& accepted = submitted->resolved.accepted;
  if (accepted && accepted->state == "running") {
    outcome = co_await parts_.runner.wait(turn, {});
  } else {  // somebody was faster
    CO_TRY(const Turn dropped, co_await parts_.runner.drop_waiting(turn, "person_spoke"));
    if (dropped.verdict != "interrupted") {  // and over so soon that ours began
      CO_TRY_VOID(co_await parts_.runner.cancel(turn));
      outcome = co_await parts_.runner.wait(turn, {});
    }
    if (outcome && outcome->verdict.kind != "spoke") {
      outcome->verdict = {"interrupted", "person_spoke"};
    }
  }
  openings_.erase(turn);
  if (const auto left = left_.extract(turn); !left.empty()) {
    co_await tidy(left.mapped());
    if (!parts_.kernel.conversations().get(left.mapped().workspace, left.mapped().conversation)) {
      out.conversation.reset();
      out.turn.reset();
    }
  }
  if (!outcome) co_return std::unexpected(std::move(outcome).error());
  out.silent = outcome->verdict.kind != "spoke";
  out.reason = out.silent ? outcome->verdict.reason : "";
  if (!out.silent) out.response = std::move(outcome->response);
  co_return out;
}

// --- the turn ------------------------------------------------------------------------------------

Result<std::optional<Occasion>> SessionOpen::of_turn(const Turn& turn) {
  Occasion out;
  out.deadline = kGreetingDeadline;
  out.opening = AppOpening{};
  const auto found = openings_.find(turn.id);
  if (found != openings_.end()) {
    out.opening = found->second.facts;
    out.ready = found->second.words;
  }
  out.prompt = out.opening->is_new_user ? kFirstSessionTrigger : kReturnedTrigger;
  return std::optional(std::move(out));
}

// A newcomer is never met with silence (design.md, 5). Everybody else is judged by the table.
OccasionEnd SessionOpen::closing(const Turn& turn, OccasionEnd end, const std::string& error) {
  if (end.verdict.kind == "failed") {
    parts_.log.warn("session_open.failed",
                    {{"turn", turn.id.str()}, {"reason", end.verdict.reason}, {"message", error}});
  }
  const bool answered = end.verdict.kind == "spoke" || end.verdict.kind == "silent";
  if (!answered) return end;
  if (trim(end.words) == kNoText) end.words.clear();
  const auto found = openings_.find(turn.id);
  if (found == openings_.end() || !found->second.facts.is_new_user) return end;
  end.words = without_tokens(end.words);
  if (bare_letters(end.words).empty()) end.words = offline::first_welcome(found->second.agent);
  end.verdict = {"spoke", end.verdict.kind == "spoke" ? end.verdict.reason : ""};
  return end;
}

Result<std::vector<Statement>> SessionOpen::at_close(const Turn& turn, const Session& session,
                                                     const std::string& response,
                                                     const Verdict& verdict) {
  if (turn.kind != TurnKind::kSessionOpen || verdict.kind == "spoke") {
    return std::vector<Statement>();
  }
  const bool begun_by_it = session.epoch == 1 && turn.inbound == session.opened_by;
  if (begun_by_it) left_[turn.id] = {turn.workspace, turn.conversation};
  TRY(const auto steps, parts_.ledger.steps(turn.id));
  std::string trail = trail_of(verdict, steps);
  if (trail.empty()) return std::vector<Statement>();
  Activity row{.at = parts_.clock.wall_now(),
               .type = ActivityType::kSystem,
               .summary = std::move(trail),
               .workspace = turn.workspace};
  if (begun_by_it) return log_activity(row);  // the conversation goes, its trail stays
  row.session = session.id;
  row.conversation = turn.conversation;
  row.turn = turn.id;
  return log_activity(row);
}

// One that nobody waits for: it was interrupted by a restart.
void SessionOpen::closed(const TurnId& turn) {
  if (openings_.contains(turn)) return;
  const auto left = left_.extract(turn);
  if (!left.empty()) parts_.loop.spawn("tidy greeting", tidy(left.mapped()));
}

// Whoever comes second waits for the first.
Task<void> SessionOpen::start() {
  if (has_looked_back_) co_return;
  auto pass = co_await line_.enter({}, {});
  if (has_looked_back_) co_return;
  const auto rows = co_await parts_.database.read_page({kBegunInSilence, {}});
  if (!rows) co_return;
  has_looked_back_ = true;
  for (const Row& row : *rows) {
    const auto workspace = WorkspaceId::parse(row.text(0));
    const auto conversation = ConversationId::parse(row.text(1));
    if (workspace && conversation) co_await tidy({*workspace, *conversation});
  }
}

Task<void> SessionOpen::tidy(Leftover left) {
  tidied_.insert(left.conversation);
  const auto gone = co_await parts_.removal.remove(left.workspace, left.conversation.str());
  tidied_.erase(left.conversation);
  const bool stays = !gone && gone.error().is(ConversationErrc::kBusy);
  if (!gone && !stays) {
    parts_.log.warn("session_open.not_tidied",
                    {{"conversation", left.conversation.str()}, {"message", gone.error().message}});
  }
}

// Somebody wrote there meanwhile: it is theirs now.
Result<void> SessionOpen::may_delete(const Conversation& conversation) {
  if (!tidied_.contains(conversation.id)) return {};
  TRY(const auto last_seq, parts_.kernel.messages().last_seq(conversation.id));
  TRY(const auto waiting, parts_.kernel.turns().waiting_in(conversation.id));
  if (last_seq == 0 && waiting == 0) return {};
  return fail(ConversationErrc::kBusy, "somebody spoke in it");
}

}  // namespace rouse
