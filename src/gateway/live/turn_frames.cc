#include "gateway/live/turn_frames.h"

#include "base/json.h"
#include "base/text.h"
#include "gateway/routes/turn_question.h"

namespace rouse {
namespace {

struct LiveStarted {
  std::string type = "turn_started";
  std::string turn_id, conversation_id, session_id, kind;
  std::int64_t attempt = 1;
};
auto shape(const LiveStarted*) {
  return fields(field("type", &LiveStarted::type, ""), field("turn_id", &LiveStarted::turn_id, ""),
                field("conversation_id", &LiveStarted::conversation_id, ""),
                field("session_id", &LiveStarted::session_id, ""),
                field("kind", &LiveStarted::kind, ""), field("attempt", &LiveStarted::attempt, ""));
}

struct LiveDelta {
  std::string type = "delta";
  std::string turn_id, conversation_id;
  std::int64_t attempt = 1;
  std::size_t block = 0, offset = 0;
  std::string text;
};
auto shape(const LiveDelta*) {
  return fields(field("type", &LiveDelta::type, ""), field("turn_id", &LiveDelta::turn_id, ""),
                field("conversation_id", &LiveDelta::conversation_id, ""),
                field("attempt", &LiveDelta::attempt, ""), field("block", &LiveDelta::block, ""),
                field("offset", &LiveDelta::offset, ""), field("text", &LiveDelta::text, ""));
}

struct LiveAgain {
  std::string type = "turn_again";
  std::string turn_id, conversation_id;
  std::int64_t attempt = 1;
};
auto shape(const LiveAgain*) {
  return fields(field("type", &LiveAgain::type, ""), field("turn_id", &LiveAgain::turn_id, ""),
                field("conversation_id", &LiveAgain::conversation_id, ""),
                field("attempt", &LiveAgain::attempt, ""));
}

struct LiveToolUse {
  std::string type;
  std::string turn_id, conversation_id;
  std::int64_t attempt = 1;
  std::string call_id, tool;
  std::optional<std::string> arguments, text;
  std::optional<bool> failed;
};
auto shape(const LiveToolUse*) {
  return fields(field("type", &LiveToolUse::type, ""), field("turn_id", &LiveToolUse::turn_id, ""),
                field("conversation_id", &LiveToolUse::conversation_id, ""),
                field("attempt", &LiveToolUse::attempt, ""),
                field("call_id", &LiveToolUse::call_id, ""), field("tool", &LiveToolUse::tool, ""),
                field("arguments", &LiveToolUse::arguments, ""),
                field("text", &LiveToolUse::text, ""), field("failed", &LiveToolUse::failed, ""));
}

struct LiveUsage {
  std::string type = "usage";
  std::string turn_id, conversation_id;
  std::int64_t tokens_in = 0, tokens_out = 0, cache_read = 0, cache_write = 0;
  bool estimated = false;
};
auto shape(const LiveUsage*) {
  return fields(field("type", &LiveUsage::type, ""), field("turn_id", &LiveUsage::turn_id, ""),
                field("conversation_id", &LiveUsage::conversation_id, ""),
                field("tokens_in", &LiveUsage::tokens_in, ""),
                field("tokens_out", &LiveUsage::tokens_out, ""),
                field("cache_read", &LiveUsage::cache_read, ""),
                field("cache_write", &LiveUsage::cache_write, ""),
                field("estimated", &LiveUsage::estimated, ""));
}

struct LiveCall {
  std::string call_id, tool;
  bool done = false, failed = false;
  std::string arguments, text;
};
auto shape(const LiveCall*) {
  return fields(field("call_id", &LiveCall::call_id, ""), field("tool", &LiveCall::tool, ""),
                field("done", &LiveCall::done, ""), field("failed", &LiveCall::failed, ""),
                field("arguments", &LiveCall::arguments, ""), field("text", &LiveCall::text, ""));
}

struct LiveSnapshot {
  std::string type = "turn_snapshot";
  std::string turn_id, conversation_id, session_id, kind;
  std::int64_t attempt = 1;
  std::vector<std::string> blocks;
  std::vector<LiveCall> calls;
  std::optional<MessageView> message;
  std::optional<std::string> automation_id, automation_name, scheduled_for;
};
auto shape(const LiveSnapshot*) {
  return fields(
      field("type", &LiveSnapshot::type, ""), field("turn_id", &LiveSnapshot::turn_id, ""),
      field("conversation_id", &LiveSnapshot::conversation_id, ""),
      field("session_id", &LiveSnapshot::session_id, ""), field("kind", &LiveSnapshot::kind, ""),
      field("attempt", &LiveSnapshot::attempt, ""), field("blocks", &LiveSnapshot::blocks, ""),
      field("calls", &LiveSnapshot::calls, ""), field("message", &LiveSnapshot::message, ""),
      field("automation_id", &LiveSnapshot::automation_id, ""),
      field("automation_name", &LiveSnapshot::automation_name, ""),
      field("scheduled_for", &LiveSnapshot::scheduled_for, ""));
}

std::string delta_text(const TurnEvent& e) {
  return encode_json(LiveDelta{"delta", e.turn.turn.str(), e.turn.conversation.str(), e.attempt,
                               e.block, e.offset, e.text});
}

std::string tool_text(const TurnEvent& e, std::string_view type) {
  const bool call = e.kind == TurnEvent::Kind::kToolCall;
  const std::string shown(utf8_prefix(e.text, kShownToolBytes));
  LiveToolUse out{.type = std::string(type),
                  .turn_id = e.turn.turn.str(),
                  .conversation_id = e.turn.conversation.str(),
                  .attempt = e.attempt,
                  .call_id = e.call_id,
                  .tool = e.tool,
                  .arguments = {},
                  .text = {},
                  .failed = {}};
  (call ? out.arguments : out.text) = shown;
  if (!call) out.failed = e.failed;
  return encode_json(out);
}

std::string text_of(const TurnEvent& e) {
  const std::string& turn = e.turn.turn.str();
  const std::string& conversation = e.turn.conversation.str();
  switch (e.kind) {
    case TurnEvent::Kind::kStarted:
      return encode_json(LiveStarted{"turn_started", turn, conversation, e.turn.session.str(),
                                     e.turn.kind, e.attempt});
    case TurnEvent::Kind::kText:
      return delta_text(e);
    case TurnEvent::Kind::kAgain:
      return encode_json(LiveAgain{"turn_again", turn, conversation, e.attempt});
    case TurnEvent::Kind::kToolCall:
      return tool_text(e, "tool_call");
    case TurnEvent::Kind::kToolResult:
      return tool_text(e, "tool_result");
    case TurnEvent::Kind::kUsage:
      return encode_json(LiveUsage{"usage", turn, conversation, e.usage.in, e.usage.out,
                                   e.usage.cache_read, e.usage.cache_write, e.usage.estimated});
    case TurnEvent::Kind::kEnded:
      break;
  }
  return {};
}

}  // namespace

bool is_streamed(const TurnContext& turn) {
  return turn.kind != turn_kind_name(TurnKind::kSessionOpen);
}

LiveFrame turn_frame(const TurnEvent& event) {
  std::string text = text_of(event);
  return text.empty() ? nullptr : live_frame(std::move(text));
}

LiveFrame snapshot_frame(const TurnSnapshot& snapshot, std::optional<MessageView> question) {
  LiveSnapshot out;
  out.turn_id = snapshot.turn.turn.str();
  out.conversation_id = snapshot.turn.conversation.str();
  out.session_id = snapshot.turn.session.str();
  out.kind = snapshot.turn.kind;
  out.attempt = snapshot.attempt;
  out.blocks = snapshot.blocks;
  for (const TurnSnapshot::Call& call : snapshot.calls) {
    out.calls.push_back(
        {call.call_id, call.tool, call.done, call.failed, call.arguments, call.text});
  }
  if (question) {
    shorten(*question, kShownQuestionBytes);
    out.automation_id = question->automation_id;
    out.automation_name = question->automation_name;
    out.scheduled_for = question->scheduled_for;
    out.message = std::move(question);
  }
  return live_frame(encode_json(out));
}

}  // namespace rouse
