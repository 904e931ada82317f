#include "gateway/routes/chat_stream.h"

#include "base/json.h"
#include "net/sse.h"

namespace rouse {
namespace {

struct DeltaFrame {
  std::int64_t attempt = 1, block = 0, offset = 0;
  std::string text;
};
auto shape(const DeltaFrame*) {
  return fields(field("attempt", &DeltaFrame::attempt, ""), field("block", &DeltaFrame::block, ""),
                field("offset", &DeltaFrame::offset, ""), field("text", &DeltaFrame::text, ""));
}

struct AgainFrame {
  std::int64_t attempt = 1;
};
auto shape(const AgainFrame*) { return fields(field("attempt", &AgainFrame::attempt, "")); }

struct ToolFrame {
  std::string call_id, tool;
  std::optional<std::string> arguments, text;
  std::optional<bool> failed;
};
auto shape(const ToolFrame*) {
  return fields(field("call_id", &ToolFrame::call_id, ""), field("tool", &ToolFrame::tool, ""),
                field("arguments", &ToolFrame::arguments, ""), field("text", &ToolFrame::text, ""),
                field("failed", &ToolFrame::failed, ""));
}

std::string delta(std::int64_t attempt, std::size_t block, std::size_t offset,
                  const std::string& text) {
  return format_sse("delta", encode_json(DeltaFrame{attempt, static_cast<std::int64_t>(block),
                                                    static_cast<std::int64_t>(offset), text}));
}

}  // namespace

std::string sse_frame(const TurnEvent& event) {
  switch (event.kind) {
    case TurnEvent::Kind::kText:
      return delta(event.attempt, event.block, event.offset, event.text);
    case TurnEvent::Kind::kAgain:
      return format_sse("again", encode_json(AgainFrame{event.attempt}));
    case TurnEvent::Kind::kToolCall:
      return format_sse("tool_call", encode_json(ToolFrame{event.call_id, event.tool, event.text,
                                                           std::nullopt, std::nullopt}));
    case TurnEvent::Kind::kToolResult:
      return format_sse("tool_result",
                        encode_json(ToolFrame{event.call_id, event.tool, std::nullopt, event.text,
                                              event.failed}));
    default:
      return {};
  }
}

std::string sse_frames(const TurnSnapshot& snapshot) {
  std::string out;
  for (std::size_t i = 0; i < snapshot.blocks.size(); ++i) {
    if (!snapshot.blocks[i].empty()) out += delta(snapshot.attempt, i, 0, snapshot.blocks[i]);
  }
  return out;
}

void EventPipe::push(std::string frame) {
  if (ended_ || overrun_ || frame.empty()) return;
  if (waiting_.size() + frame.size() > kPipeBytes) {
    overrun_ = true;
  } else {
    waiting_ += frame;
  }
  wake();
}

void EventPipe::end() {
  ended_ = true;
  wake();
}

void EventPipe::wake() { arrived_.request_stop(); }

Task<std::optional<std::string>> EventPipe::next(Clock& clock, Millis quiet, std::stop_token stop) {
  const auto self = shared_from_this();
  if (waiting_.empty() && !ended_ && !overrun_) {
    arrived_ = std::stop_source();
    const std::stop_callback gone(stop, [self] { self->wake(); });
    (void)co_await clock.wait_for(quiet, arrived_.get_token());
  }
  if (stop.stop_requested() || overrun_) co_return std::nullopt;
  if (!waiting_.empty()) co_return std::exchange(waiting_, {});
  if (ended_) co_return std::nullopt;
  co_return std::string();
}

}  // namespace rouse
