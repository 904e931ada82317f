#include "agent/approval_words.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/json.h"
#include "tool/visible_text.h"

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

constexpr std::size_t kFileNameShown = 80;

struct Wish {
  std::string_view tool, words;
};
constexpr Wish kWishes[] = {{"shell", "run a command"},
                            {"http_fetch", "open a web address"},
                            {"cron", "change what runs on a schedule"},
                            {"tasks", "change your tasks"},
                            {"save_memory", "remember something"},
                            {"update_instructions", "change its instructions"},
                            {"notify", "send a notification"},
                            {"read_file", "read a file"},
                            {"list_files", "look into a folder"},
                            {"call_tool", "use a connected service"}};

std::string wish_to_write(const Approval& approval) {
  const auto parsed = parse_json(approval.arguments);
  const auto* arguments = parsed ? parsed->if_object() : nullptr;
  const auto* path = arguments != nullptr ? arguments->if_contains("path") : nullptr;
  const auto* append = arguments != nullptr ? arguments->if_contains("append") : nullptr;
  const bool adds = append != nullptr && append->is_bool() && append->get_bool();
  const std::string_view words = adds ? "Wants to add to a file" : "Wants to write a file";
  if (path == nullptr || !path->is_string()) return std::string(words);
  const std::string_view whole(path->get_string().data(), path->get_string().size());
  return fmt::format("{}: {}", words,
                     visible_text(whole.substr(whole.rfind('/') + 1), kFileNameShown));
}

bool is_expired(const Approval& approval) { return approval.state == kApprovalExpired; }

std::string state_word(const Approval& approval) {
  if (approval.state == kApprovalApproved) return "Approved";
  return approval.state == kApprovalDenied ? "Denied" : "Expired";
}

}  // namespace

std::string wish_words(const Approval& approval) {
  if (approval.tool == "write_file") return wish_to_write(approval);
  const auto* const known = std::ranges::find(kWishes, approval.tool, &Wish::tool);
  if (known != std::end(kWishes)) return fmt::format("Wants to {}", known->words);
  std::string name = approval.tool;
  std::ranges::replace(name, '_', ' ');
  return fmt::format("Wants to use a tool: {}", visible_text(name, kFileNameShown));
}

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
