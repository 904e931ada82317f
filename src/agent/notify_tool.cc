#include "agent/notify_tool.h"

#include "base/json.h"
#include "session/turn_queue.h"

namespace rouse {
namespace {

struct NotifyWish {
  std::string text;
  std::optional<std::string> title;
};
auto shape(const NotifyWish*) {
  return fields(field("text", &NotifyWish::text, "").length(1, 2000),
                field("title", &NotifyWish::title, "").length(0, 200));
}

}  // namespace

const ToolInfo& NotifyTool::info() const {
  static const ToolInfo info{
      .name = "notify",
      .description =
          "Notify the user outside of the conversation. To announce an answer, end it "
          "with a line `::notify SUBJECT` instead.",
      .schema = R"({"type":"object","properties":{"text":{"type":"string","minLength":1,)"
                R"("maxLength":2000},"title":{"type":"string","maxLength":200}},)"
                R"("required":["text"],"additionalProperties":false})",
      .tool_class = ToolClass::kTask,
      .side_effects = true};
  return info;
}

Task<ToolResult> NotifyTool::run(ToolCall call, std::stop_token stop) {
  auto wish = decode_json<NotifyWish>(call.arguments);
  if (!wish) co_return ToolResult{.text = wish.error().message, .failed = true};
  Notification told{.workspace = call.workspace,
                    .kind = "agent",
                    .subject = wish->title.value_or(""),
                    .text = std::move(wish->text),
                    .turn = call.turn,
                    .untrusted = call.tainted};
  // An isolated run's conversation goes with its end, and takes what names it along.
  if (call.turn_kind != turn_kind_name(TurnKind::kIsolated)) told.conversation = call.conversation;
  const auto sent = co_await notifications_.send(std::move(told));
  if (!sent) co_return ToolResult{.text = sent.error().message, .failed = true};
  co_return ToolResult{.text =
                           "shown in the app on every open page and sent to the places they named "
                           "for notifications. It is not said in a channel such as WhatsApp: "
                           "there, say it in your answer"};
}

}  // namespace rouse
