#include "agent/approval_desk.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "activity/activity.h"
#include "agent/approval_words.h"
#include "session/notification/settled.h"

namespace rouse {
namespace {

constexpr std::size_t kAtOnce = 100;
// The wall may step or the machine sleep: while something waits, it is looked at this often.
constexpr Millis kLongestSleep = minutes(1);
// How long to leave alone what could not be expired.
constexpr Millis kPause = seconds(30);

bool is_same_answer(const Approval& found, const Approval& wanted) {
  return found.state == wanted.state && found.scope == wanted.scope &&
         found.decided_by == wanted.decided_by && found.note == wanted.note;
}

Notification notification_of(const Approval& asked) {
  return {.workspace = asked.workspace,
          .kind = "approval",
          .subject = wish_words(asked),
          .text = asked.summary,
          .conversation = asked.conversation,
          .turn = asked.turn,
          .untrusted = asked.tainted};
}

// How it was settled, for the activity log.
Activity activity_of(const Approval& settled) {
  const bool expired = settled.state == kApprovalExpired;
  return {.at = *settled.decided,
          .type = ActivityType::kSystem,
          .session = settled.session,
          .summary = expired ? fmt::format("{} ({}) was not approved in time.", settled.tool,
                                           settled.summary)
                             : fmt::format("{} ({}) was {} ({}).", settled.tool, settled.summary,
                                           settled.state, decided_through(settled)),
          .workspace = settled.workspace,
          .conversation = settled.conversation,
          .turn = settled.turn,
          .details = fmt::format(R"({{"approval_id":"{}"}})", settled.id.str())};
}

}  // namespace

// The same call in another folder is another call (AP-4).
ApprovalAsk what_runs(const Tool& tool, const ToolCall& call) {
  ApprovalAsk out = tool.ask_for(call);
  if (!call.project_folder.empty()) out.covers += "\nin " + call.project_folder;
  return out;
}

ErrorInfo error_info(ApprovalErrc code) {
  switch (code) {
    case ApprovalErrc::kNotFound:
      return {Kind::kNotFound, "approval_not_found"};
    case ApprovalErrc::kDecided:
      return {Kind::kConflict, "approval_decided"};
    case ApprovalErrc::kNoPermission:
      return {Kind::kNotFound, "permission_not_found"};
  }
  return {Kind::kInternal, "internal"};
}

// --- asking --------------------------------------------------------------------------------------

// What needs nobody's word costs no read.
Result<CallRuling> ApprovalDesk::rule_on(const Tool& tool, const ToolCall& call,
                                         const TurnContext& turn) {
  CallRuling out;
  out.ruling = rule_on_call(tool, call, turn.stranger, false, settings_.policy);
  if (out.ruling.kind == PolicyRuling::Kind::kAllow) return out;
  ApprovalAsk wanted = what_runs(tool, call);
  TRY(const bool permitted,
      book_.permits(call.workspace, call.conversation, tool.info().name, wanted.covers));
  out.ruling = rule_on_call(tool, call, turn.stranger, permitted, settings_.policy);
  if (out.ruling.kind != PolicyRuling::Kind::kAsk) return out;
  return ask(wanted, call, tool, std::move(out.ruling));
}

Result<CallRuling> ApprovalDesk::ask(const ApprovalAsk& wanted, const ToolCall& call,
                                     const Tool& tool, PolicyRuling ruling) {
  const WallTime now = parts_.clock.wall_now();
  Approval approval{.id = {},
                    .workspace = call.workspace,
                    .conversation = call.conversation,
                    .session = call.session,
                    .turn = call.turn,
                    .call_id = call.id,
                    .tool = tool.info().name,
                    .arguments = call.arguments,
                    .agent = call.agent,
                    .project_folder = call.project_folder,
                    .covers = wanted.covers,
                    .summary = wanted.summary,
                    .reason = ruling.reason,
                    .tainted = call.tainted,
                    .created = now,
                    .expires = now + settings_.expires_after};
  CallRuling out{.ruling = std::move(ruling)};
  TRY(out.approval, book_.pending_for(approval));
  if (out.approval) {
    out.ruling.words = asked_words(*out.approval);
    return out;
  }
  TRY(const std::int64_t waiting, book_.count_pending(call.conversation));
  if (waiting >= static_cast<std::int64_t>(kPendingApprovals)) {
    out.ruling = {PolicyRuling::Kind::kDeny, "too_many",
                  fmt::format("{} calls wait for the person's yes in this conversation already, so "
                              "nobody was asked about this one. Tell them what waits.",
                              waiting)};
    return out;
  }
  approval.id = next_id();
  out.ruling.words = asked_words(approval);
  out.statements = {ApprovalBook::insert(approval), requested_event(approval)};
  if (notifications_ != nullptr) {
    std::ranges::move(notifications_->say(notification_of(approval)),
                      std::back_inserter(out.statements));
  }
  out.approval = std::move(approval);
  return out;
}

// "The newest" must be the one that was asked last, also within a millisecond.
ApprovalId ApprovalDesk::next_id() {
  last_id_ = std::max(parts_.clock.wall_now(), last_id_ + millis(1));
  return ApprovalId::make(last_id_, parts_.random);
}

void ApprovalDesk::committed(const Approval& approval) {
  if (notifications_ != nullptr) {
    notifications_->told(approval.workspace);
  } else {
    parts_.events.committed(approval.workspace);
  }
  nudged_ = true;
  wake_.request_stop();
}

// --- reading -------------------------------------------------------------------------------------

Result<Approval> ApprovalDesk::get(const WorkspaceId& workspace, const ApprovalId& id) {
  TRY(auto found, book_.get(id));
  if (found && found->workspace == workspace) return std::move(*found);
  return fail(ApprovalErrc::kNotFound, fmt::format("there is no approval {}", id.str()));
}

Result<std::optional<Approval>> ApprovalDesk::carried_by(const Turn& turn) {
  if (turn.kind != TurnKind::kApproval || !turn.inbound) return std::optional<Approval>();
  TRY(const auto row, parts_.kernel.inbound().get(*turn.inbound));
  if (!row || !row->message_id) return std::optional<Approval>();
  const auto id = ApprovalId::parse(*row->message_id);
  if (!id) return std::optional<Approval>();
  TRY(auto found, book_.get(*id));
  if (found && found->workspace != turn.workspace) found.reset();
  return found;
}

Result<std::vector<PendingApproval>> ApprovalDesk::pending_of(const TurnId& turn) {
  TRY(const auto found, book_.pending_of(turn, kPendingApprovals));
  std::vector<PendingApproval> out;
  for (const Approval& one : found) out.push_back({one.id.str(), one.tool, one.summary});
  return out;
}

Result<std::optional<Approval>> ApprovalDesk::asked_last(const ConversationId& conversation) {
  TRY(auto newest, newest_pending(conversation));
  if (!newest) return newest;
  TRY(const auto turn, parts_.kernel.turns().get(newest->turn));
  TRY(const std::int64_t last, parts_.kernel.messages().last_seq(conversation));
  if (!turn || turn->last_seq != last) return std::optional<Approval>();
  return newest;
}

Result<std::optional<Approval>> ApprovalDesk::newest_pending(const ConversationId& conversation) {
  TRY(auto found, book_.pending_in(conversation, 1));
  if (found.empty()) return std::optional<Approval>();
  return std::optional(std::move(found.front()));
}

// --- answering -----------------------------------------------------------------------------------

Task<Result<Approval>> ApprovalDesk::decide(WorkspaceId workspace, ApprovalId id,
                                            ApprovalAnswer answer) {
  CO_TRY(Approval found, get(workspace, id));
  const WallTime now = parts_.clock.wall_now();
  Approval after = found;
  after.state = answer.approved ? kApprovalApproved : kApprovalDenied;
  if (answer.approved) after.scope = std::move(answer.scope);
  after.decided_by = std::move(answer.by);
  if (!answer.note.empty()) after.note = std::move(answer.note);
  after.decided = now;
  if (found.state == kApprovalPending && found.expires <= now) {
    CO_TRY_VOID(co_await expire(std::move(found)));
    CO_TRY(found, get(workspace, id));
  }
  if (found.state != kApprovalPending) {
    if (is_same_answer(found, after)) co_return found;
    co_return fail(ApprovalErrc::kDecided, decided_words(found));
  }
  co_return co_await settle(std::move(after));
}

// The first one wins: whoever comes second finds the message taken, or the row no longer pending.
Task<Result<Approval>> ApprovalDesk::settle(Approval after) {
  CO_TRY(InboundMessage message, message_for(after));
  message.also = statements_for(after);
  auto submitted = co_await runner_->submit(std::move(message));
  const bool late =
      submitted ? submitted->resolved.redelivered : submitted.error().is(StoreErrc::kConflict);
  if (!submitted && !late) co_return std::unexpected(std::move(submitted).error());
  if (!late) {
    parts_.events.committed(after.workspace);
    co_return after;
  }
  CO_TRY(Approval found, get(after.workspace, after.id));
  if (is_same_answer(found, after)) co_return found;
  if (found.state != kApprovalPending) co_return fail(ApprovalErrc::kDecided, decided_words(found));
  if (!submitted) co_return std::unexpected(std::move(submitted).error());
  co_return fail(Errc::kConflict,
                 fmt::format("another message is called {} already; clear the conversation and "
                             "have the agent ask again",
                             after.id.str()));
}

// The message that led to it; none if nobody's did.
Result<std::optional<InboundRow>> ApprovalDesk::question_of(const Approval& approval) {
  TRY(const auto turn, parts_.kernel.turns().get(approval.turn));
  if (!turn || !turn->inbound) return std::optional<InboundRow>();
  return parts_.kernel.inbound().get(*turn->inbound);
}

// The way back is that of the question: same conversation, same channel, same person (DL-5).
Result<InboundMessage> ApprovalDesk::message_for(const Approval& after) {
  TRY(const Session session, parts_.kernel.get(after.session));
  TRY(auto asked, question_of(after));
  InboundMessage out{.workspace = after.workspace,
                     .key = session.key,
                     .account = session.key.peer,
                     .message_id = after.id.str(),
                     // A yes to one call says nothing about what else was read since: it neither
                     // taints nor ends a taint, as the owner's own words would.
                     .content = answer_content(after, kFromSender),
                     .kind = TurnKind::kApproval,
                     .heeds_reset_phrases = false};
  if (asked) {
    out.account = std::move(asked->account);
    out.transport = std::move(asked->channel);
    out.peer = std::move(asked->peer);
  }
  return out;
}

Result<std::optional<InboundRow>> ApprovalDesk::carrier_of(const Approval& approval) {
  TRY(const InboundMessage message, message_for(approval));
  return parts_.kernel.inbound().find(message.workspace, message.channel(), message.account,
                                      *message.message_id);
}

std::vector<Statement> ApprovalDesk::statements_for(const Approval& after) {
  std::vector<Statement> out = log_activity(activity_of(after));
  out.insert(out.begin(), {ApprovalBook::settle(after), decided_event(after)});
  out.push_back(read_when_settled(notification_of(after), *after.decided));
  if (after.scope == "conversation" || after.scope == "always") {
    Permission given{.id = PermissionId::make(*after.decided, parts_.random),
                     .workspace = after.workspace,
                     .tool = after.tool,
                     .covers = after.covers,
                     .approval = after.id,
                     .created = *after.decided};
    if (after.scope == "conversation") given.conversation = after.conversation;
    out.push_back(ApprovalBook::permit(given));
  }
  return out;
}

Task<Result<void>> ApprovalDesk::forget(WorkspaceId workspace, PermissionId id) {
  CO_TRY(const bool gone, co_await book_.forget(std::move(workspace), id));
  if (gone) co_return Result<void>{};
  co_return fail(ApprovalErrc::kNoPermission, fmt::format("there is no permission {}", id.str()));
}

// --- without an answer ---------------------------------------------------------------------------

Task<Result<void>> ApprovalDesk::withdraw(WorkspaceId workspace, ConversationId conversation) {
  CO_TRY(auto waiting, book_.pending_in(conversation, kAtOnce));  // more than may wait there
  for (Approval& one : waiting) {
    if (one.workspace != workspace) continue;
    CO_TRY_VOID(co_await put_away(std::move(one)));
  }
  co_return Result<void>{};
}

// No turn tells of it: nobody asks for it any more. One that was answered meanwhile stays answered.
Task<Result<void>> ApprovalDesk::put_away(Approval approval) {
  approval.state = kApprovalWithdrawn;
  approval.decided_by = "reset";
  approval.decided = parts_.clock.wall_now();
  const auto written = co_await parts_.database.write(
      Write{{ApprovalBook::settle(approval), decided_event(approval),
             read_when_settled(notification_of(approval), *approval.decided)}});
  if (!written && !written.error().is(StoreErrc::kConflict)) {
    co_return std::unexpected(written.error());
  }
  if (written) parts_.events.committed(approval.workspace);
  co_return Result<void>{};
}

// Answered in the last moment is answered. Where nobody is to be told any more, it is put away.
Task<Result<void>> ApprovalDesk::expire(Approval approval) {
  Approval after = approval;
  after.state = kApprovalExpired;
  after.decided_by = "timeout";
  after.decided = parts_.clock.wall_now();
  const auto settled = co_await settle(std::move(after));
  if (settled || settled.error().is(ApprovalErrc::kDecided)) co_return Result<void>{};
  if (settled.error().kind == Kind::kNotFound) co_return co_await put_away(std::move(approval));
  co_return std::unexpected(settled.error());
}

// One that can't be expired holds up nobody else.
Task<Result<void>> ApprovalDesk::expire_all_due() {
  std::optional<Approval> last;
  Result<void> out;
  for (std::size_t found = kAtOnce; found == kAtOnce && !stopping_.stop_requested();) {
    CO_TRY(const auto due, book_.overdue(parts_.clock.wall_now(), last, kAtOnce));
    found = due.size();
    for (const Approval& one : due) {
      if (stopping_.stop_requested()) break;
      auto done = co_await expire(one);
      if (!done) out = std::move(done);
    }
    if (!due.empty()) last = due.back();
  }
  co_return out;
}

// When to look again.
Task<MonoTime> ApprovalDesk::expire_due() {
  auto done = co_await expire_all_due();
  Result<std::optional<WallTime>> next = std::unexpected(Error());
  if (done) next = book_.next_expiry();
  if (done && !next) done = std::unexpected(next.error());
  const MonoTime now = parts_.clock.mono_now();
  if (!done) {
    if (!stopping_.stop_requested()) {
      parts_.log.warn("approvals.not_expired", {{"message", done.error().message}});
    }
    co_return now + kPause;
  }
  if (!*next) co_return kNever;
  co_return now + std::clamp(**next - parts_.clock.wall_now(), Millis{0}, kLongestSleep);
}

Task<void> ApprovalDesk::run() {
  const std::stop_token stop = stopping_.get_token();
  while (!stop.stop_requested()) {
    nudged_ = false;
    const MonoTime until = co_await expire_due();
    if (stop.stop_requested() || nudged_) continue;
    wake_ = std::stop_source();
    (void)co_await parts_.clock.wait_until(until, wake_.get_token());
  }
}

Task<Result<void>> ApprovalDesk::start() {
  parts_.loop.spawn("approvals", run());
  co_return Result<void>{};
}

void ApprovalDesk::stop() {
  stopping_.request_stop();
  wake_.request_stop();
}

}  // namespace rouse
