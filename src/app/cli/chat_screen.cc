#include "app/cli/chat_screen.h"

#include <algorithm>
#include <utility>

#include "app/cli/readable.h"
#include "base/text.h"

namespace rouse::cli {
namespace {

constexpr std::pair<std::string_view, LineKind> kWords[] = {
    {"help", LineKind::kHelp},       {"clear", LineKind::kClear}, {"new", LineKind::kClear},
    {"cancel", LineKind::kCancel},   {"quit", LineKind::kQuit},   {"exit", LineKind::kQuit},
    {"history", LineKind::kHistory}, {"compact", LineKind::kSay}};  // the server understands it

constexpr std::size_t kToolShown = 100;

struct TurnEventData {
  std::string turn_id;
};
auto shape(const TurnEventData*) { return fields(field("turn_id", &TurnEventData::turn_id, "")); }

struct DeltaEventData {
  std::int64_t block = 0;
  std::string text;
};
auto shape(const DeltaEventData*) {
  return fields(field("block", &DeltaEventData::block, ""),
                field("text", &DeltaEventData::text, ""));
}

struct ToolEventData {
  std::string tool;
  std::optional<std::string> text;
  std::optional<bool> failed;
};
auto shape(const ToolEventData*) {
  return fields(field("tool", &ToolEventData::tool, ""), field("text", &ToolEventData::text, ""),
                field("failed", &ToolEventData::failed, ""));
}

struct ErrorEventData {
  std::string error, message;
};
auto shape(const ErrorEventData*) {
  return fields(field("error", &ErrorEventData::error, ""),
                field("message", &ErrorEventData::message, ""));
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string dim(std::string_view text) { return fmt::format("\x1b[2m{}\x1b[0m", safe_text(text)); }

std::string note_of(std::string_view verdict, std::string_view reason) {
  const std::string why = reason.empty() ? "" : fmt::format(": {}", reason);
  if (verdict == "silent") return fmt::format("(nothing to say{})", why);
  if (verdict == "interrupted") return fmt::format("(stopped{})", why);
  if (verdict == "failed") return fmt::format("(failed{})", why);
  return {};
}

}  // namespace

LineKind kind_of_line(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.empty()) return LineKind::kNothing;
  if (!text.starts_with('/')) return LineKind::kSay;
  const std::string_view word = text.substr(1);
  if (word.empty() || !std::ranges::all_of(word, is_letter)) return LineKind::kSay;
  for (const auto& [name, kind] : kWords) {
    if (iequals_ascii(word, name)) return kind;
  }
  return LineKind::kUnknown;
}

std::string ChatScreen::fresh_line() {
  return std::exchange(in_line_, false) ? std::string("\n") : std::string();
}

Result<std::string> ChatScreen::take(const SseEvent& event) {
  if (event.event == "turn") {
    TRY(const auto data, decode_json<TurnEventData>(event.data));
    turn_ = data.turn_id;
    return std::string();
  }
  if (event.event == "delta") return take_delta(event);
  if (event.event == "again") {
    const bool wrote = !shown_.empty();
    shown_.clear();
    block_ = 0;
    if (watcher_ == Watcher::kProgram || !wrote) return std::string();
    return fresh_line() + dim("(that answer broke off; once more)") + "\n";
  }
  if (event.event == "tool_call" || event.event == "tool_result") return take_tool(event);
  if (event.event == "done") return take_done(event);
  if (event.event == "error") {
    TRY(const auto data, decode_json<ErrorEventData>(event.data));
    return fail(Errc::kUnavailable, safe_text(data.message));
  }
  return std::string();  // a newer server tells more
}

Result<std::string> ChatScreen::take_delta(const SseEvent& event) {
  TRY(const auto data, decode_json<DeltaEventData>(event.data));
  std::string out;
  if (data.block != block_) {
    block_ = data.block;
    shown_.clear();
    out = fresh_line();
  }
  shown_ += data.text;
  if (watcher_ == Watcher::kProgram) return std::string();
  const std::string text = safe_text(data.text);
  if (!text.empty()) in_line_ = !text.ends_with('\n');
  return out + text;
}

Result<std::string> ChatScreen::take_tool(const SseEvent& event) {
  TRY(const auto data, decode_json<ToolEventData>(event.data));
  if (watcher_ == Watcher::kProgram) return std::string();
  if (event.event == "tool_call") return fresh_line() + dim("· " + data.tool) + "\n";
  if (!data.failed.value_or(false)) return std::string();
  return fresh_line() +
         dim(fmt::format("· {} failed: {}", data.tool,
                         one_line(data.text.value_or(""), kToolShown))) +
         "\n";
}

Result<std::string> ChatScreen::take_done(const SseEvent& event) {
  TRY(answer_, decode_json<ChatAnswer>(event.data));
  return finish(answer_->response, answer_->verdict, answer_->reason, answer_->pending_approvals);
}

std::string ChatScreen::finish(std::string_view response, std::string_view verdict,
                               std::string_view reason,
                               const std::vector<ApprovalView>& approvals) {
  std::string out = fresh_line();
  // What was streamed was provisional. Usually it is what was committed, and then it stands there.
  const bool stands_there =
      watcher_ == Watcher::kPerson && !shown_.empty() && trim(response).ends_with(trim(shown_));
  // After a stop it stands there as well, and the rest says that it was stopped.
  const bool begins_so = watcher_ == Watcher::kPerson && !stands_there && !trim(shown_).empty() &&
                         trim(response).starts_with(trim(shown_));
  if (begins_so) {
    response = trim(trim(response).substr(trim(shown_).size()));
  }
  if (!stands_there && !response.empty()) {
    out += safe_text(response);
    if (!out.ends_with('\n')) out += '\n';
  }
  if (watcher_ == Watcher::kProgram) return out;
  const std::string note = note_of(verdict, reason);
  if (!note.empty()) out += dim(note) + "\n";
  for (const ApprovalView& one : approvals) {
    out += dim(fmt::format("waits for your yes: {} ({}) {}", one.approval_id, one.tool,
                           one_line(one.summary, kToolShown))) +
           "\n";
  }
  return out;
}

}  // namespace rouse::cli
