#include "agent/notify_tool.h"

#include "base/json.h"

namespace rouse {
namespace {

// Both what the model says and what the event carries.
struct NotificationWords {
  std::string text;
  std::optional<std::string> title;
  std::optional<bool> untrusted;  // made in a tainted turn: a page shows it as such
};
auto shape(const NotificationWords*) {
  return fields(field("text", &NotificationWords::text, "").length(1, 2000),
                field("title", &NotificationWords::title, "").length(0, 200),
                field("untrusted", &NotificationWords::untrusted, ""));
}

}  // namespace

const ToolInfo& NotifyTool::info() const {
  static const ToolInfo info{
      .name = "notify",
      .description = "Show the user a notification in the app, outside of the conversation.",
      .schema = R"({"type":"object","properties":{"text":{"type":"string","minLength":1,)"
                R"("maxLength":2000},"title":{"type":"string","maxLength":200}},)"
                R"("required":["text"],"additionalProperties":false})",
      .tool_class = ToolClass::kTask,
      .side_effects = true};
  return info;
}

Task<ToolResult> NotifyTool::run(ToolCall call, std::stop_token stop) {
  auto words = decode_json<NotificationWords>(call.arguments);
  if (!words) co_return ToolResult{.text = words.error().message, .failed = true};
  words->untrusted = call.tainted ? std::optional(true) : std::nullopt;
  Write write;
  write.statements.push_back(EventLog::append({.workspace = call.workspace,
                                               .type = "notification",
                                               .conversation = call.conversation.str(),
                                               .session = call.session.str(),
                                               .turn = call.turn.str(),
                                               .body = encode_json(*words),
                                               .created = clock_.wall_now()}));
  const auto written = co_await database_.write(std::move(write));
  if (!written) co_return ToolResult{.text = written.error().message, .failed = true};
  events_.committed(call.workspace);
  co_return ToolResult{.text =
                           "shown in the app on every open page. It is not sent to a channel "
                           "such as WhatsApp: there, say it in your answer"};
}

}  // namespace rouse
