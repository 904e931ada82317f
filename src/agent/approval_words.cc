#include "agent/approval_words.h"

#include <fmt/format.h>

#include "base/json.h"

namespace rouse {
namespace {

struct RequestedBody {
  std::string approval_id, tool, summary, expires_at;
};
auto shape(const RequestedBody*) {
  return fields(field("approval_id", &RequestedBody::approval_id, ""),
                field("tool", &RequestedBody::tool, ""),
                field("summary", &RequestedBody::summary, ""),
                field("expires_at", &RequestedBody::expires_at, ""));
}

struct DecidedBody {
  std::string approval_id, tool, state;
  std::optional<std::string> scope;
  std::string decided_by;
};
auto shape(const DecidedBody*) {
  return fields(field("approval_id", &DecidedBody::approval_id, ""),
                field("tool", &DecidedBody::tool, ""), field("state", &DecidedBody::state, ""),
                field("scope", &DecidedBody::scope, ""),
                field("decided_by", &DecidedBody::decided_by, ""));
}

Statement event(const Approval& about, std::string type, std::string body, WallTime at) {
  return EventLog::append({.workspace = about.workspace,
                           .type = std::move(type),
                           .conversation = about.conversation.str(),
                           .session = about.session.str(),
                           .turn = about.turn.str(),
                           .body = std::move(body),
                           .created = at});
}

bool is_expired(const Approval& approval) { return approval.state == kApprovalExpired; }

std::string state_word(const Approval& approval) {
  if (approval.state == kApprovalApproved) return "Approved";
  return approval.state == kApprovalDenied ? "Denied" : "Expired";
}

}  // namespace

std::string asked_words(const Approval& approval) {
  return fmt::format(
      "needs approval {}: the person has been asked and can answer until {}. Don't call it again; "
      "go on without it and tell them what waits.",
      approval.id.str(), to_iso(approval.expires));
}

Content answer_content(const Approval& settled, std::string_view person) {
  const std::string word = state_word(settled);
  std::string note = settled.note.value_or("");
  if (is_expired(settled)) note = "Nobody answered in time. Ask again if it is still wanted.";
  const std::string_view from = is_expired(settled) ? kFromAgent : person;
  if (!settled.tainted) {
    std::string text = fmt::format("{}: {}", word, settled.summary);
    if (!note.empty()) text += "\n" + note;
    return text_content(std::move(text), from);
  }
  Content out = text_content(note.empty() ? word + "." : fmt::format("{}. {}", word, note), from);
  out.push_back(text_content(settled.summary, kFromUntrusted).front());
  return out;
}

std::string decided_words(const Approval& settled) {
  const std::string id = settled.id.str(), when = to_iso(settled.decided.value_or(settled.expires));
  if (is_expired(settled)) {
    return fmt::format("{} expired at {} without an answer; have the agent ask again", id, when);
  }
  if (settled.state == kApprovalWithdrawn) {
    return fmt::format("{} was withdrawn at {}: its conversation was started afresh", id, when);
  }
  return fmt::format("{} was {} at {} (by {}); the first answer wins", id, settled.state, when,
                     decided_through(settled));
}

Statement requested_event(const Approval& a) {
  return event(a, "approval_requested",
               encode_json(RequestedBody{a.id.str(), a.tool, a.summary, to_iso(a.expires)}),
               a.created);
}

Statement decided_event(const Approval& a) {
  return event(a, "approval_decided",
               encode_json(DecidedBody{a.id.str(), a.tool, a.state, a.scope,
                                       std::string(decided_through(a))}),
               *a.decided);
}

}  // namespace rouse
