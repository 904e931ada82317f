#include "gateway/live/page_frames.h"

#include "base/text.h"

namespace rouse {
namespace {

constexpr std::string_view kInside = "something broke inside rouse; the log says what";

struct PageErrorFrame {
  std::string type = "error";
  std::string error, message;
  std::optional<std::string> client_message_id, turn_id, conversation_id;
};
auto shape(const PageErrorFrame*) {
  return fields(field("type", &PageErrorFrame::type, ""),
                field("error", &PageErrorFrame::error, ""),
                field("message", &PageErrorFrame::message, ""),
                field("client_message_id", &PageErrorFrame::client_message_id, ""),
                field("turn_id", &PageErrorFrame::turn_id, ""),
                field("conversation_id", &PageErrorFrame::conversation_id, ""));
}

}  // namespace

std::optional<std::string> conversation_named(const PageAsk& ask) {
  const auto& name = ask.conversation_id ? ask.conversation_id : ask.session_id;
  if (!name || trim(*name).empty()) return std::nullopt;
  return name;
}

LiveFrame error_frame(const Error& error, const PageAsk& about) {
  PageErrorFrame out;
  out.error = error.name;
  out.message = error.kind == Kind::kInternal ? std::string(kInside) : error.message;
  out.client_message_id = about.client_message_id;
  out.turn_id = about.turn_id;
  out.conversation_id = conversation_named(about);
  return live_frame(encode_json(out));
}

}  // namespace rouse
