// The tools of this server, by name. Looks a call up, checks its arguments against the schema and
// runs it within its deadline and its bound. Whatever happens, there is exactly one result.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/redact.h"
#include "tool/schema_check.h"
#include "tool/tool.h"

namespace rouse {

inline constexpr std::size_t kToolResultBytes =
    64 * 1024;  // of a result; the rest is cut, and said
inline constexpr Millis kToolDeadline = seconds(120);

class ToolRegistry {
 public:
  explicit ToolRegistry(Clock& clock) : clock_(clock) {}

  void add(std::unique_ptr<Tool> tool);  // a second one of the same name is a bug
  [[nodiscard]] const Tool* find(std::string_view name) const;  // null: there is none
  [[nodiscard]] bool has(std::string_view name) const { return tools_.contains(name); }
  [[nodiscard]] std::vector<const ToolInfo*> all() const;  // in the order of their names

  // What results are cleared of before anybody sees them (SC-10); null: of nothing.
  void redact_with(const Redactor* redactor) { redactor_ = redactor; }

  // Words for the model if the arguments don't fit: what, where, what to do instead.
  [[nodiscard]] Result<void> check(std::string_view name, std::string_view arguments) const;

  // A name or arguments that are wrong, a deadline and an exception are failed results.
  Task<ToolResult> run(std::string name, ToolCall call, std::stop_token stop);

 private:
  struct Entry {
    std::unique_ptr<Tool> tool;
    ArgumentsSchema schema;
  };
  [[nodiscard]] Error no_such_tool(std::string_view name) const;

  Clock& clock_;
  const Redactor* redactor_ = nullptr;
  std::map<std::string, Entry, std::less<>> tools_;
};

}  // namespace rouse
