// Any bytes as a condition of a workflow, and as a template: it is refused with its place, or it is
// evaluated within its bounds, to the same value with and without a trace, and what it says of
// itself is true.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.h"
#include "lifecycle/expression/expression.h"
#include "lifecycle/expression/scope_for_tests.h"
#include "lifecycle/expression/template.h"

namespace rouse {
namespace {

constexpr std::string_view kValues = R"({
  "variables": {"plan_mode": false, "stop_attempts": 2, "listed_servers": ["a", "b"], "unlocked_tools": []},
  "tool_input": {"file_path": "/a/plans/b.md", "reason": "obsolete", "arguments": {"k": [1, 2.5, null]}},
  "tool_name": "Edit", "source": "claude_sdk", "x": 18446744073709551615, "nothing": null,
  "tasks": [{"title": "one", "tags": ["é", ""]}, {"title": "two", "tags": []}]
})";

void demand(bool holds) {
  if (!holds) std::abort();
}

void check_expression(std::string_view bytes) {
  const auto parsed = Expression::parse(bytes);
  if (!parsed) {
    demand(parsed.error().message.contains("column ") && parsed.error().message.size() < 400);
    demand(is_utf8(parsed.error().message));
    return;
  }
  for (const ExpressionUse& use : parsed->uses()) {
    demand(bytes.substr(use.offset).starts_with(use.name));
  }
  TestScope scope(kValues);
  ExpressionTrace trace;
  const auto plain = parsed->value(scope), traced = parsed->value(scope, &trace);
  demand(plain.has_value() == traced.has_value());
  demand(trace.entries.size() <= limits::kExpressionTraceEntries);
  if (!plain) demand(plain.error() == traced.error() && is_utf8(plain.error().message));
  const auto holds = parsed->holds(scope);
  demand(!plain || holds.has_value());
}

void check_template(std::string_view bytes) {
  const auto parsed = TextTemplate::parse(bytes);
  if (!parsed) {
    demand(parsed.error().message.starts_with("line ") && is_utf8(parsed.error().message));
    return;
  }
  TestScope scope(kValues);
  const auto out = parsed->render(scope);
  demand(!out || (out->size() <= limits::kTemplateOutputBytes && is_utf8(*out)));
}

}  // namespace
}  // namespace rouse

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  rouse::check_expression(bytes);
  rouse::check_template(bytes);
  return 0;
}
