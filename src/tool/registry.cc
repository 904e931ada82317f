#include "tool/registry.h"

#include <optional>
#include <stdexcept>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kReasonBytes = 500;  // of an exception, in a result
constexpr std::string_view kUnknownOutcome = " outcome unknown: it may have happened";

ToolResult failed(std::string text) { return {.text = std::move(text), .failed = true}; }

// What ended the call from outside, with the warning that a retry might do it twice.
ToolResult ended(const ToolInfo& info, std::string_view what) {
  return failed(fmt::format("{} {};{}", info.name, what,
                            info.side_effects ? kUnknownOutcome : " it changed nothing"));
}

// One call under way: the tool, the deadline and a stop race for the one result. Whoever comes
// late finds that nobody waits any more; so a tool that hears no stop holds up nobody.
struct RunningTool {
  std::optional<Completer<ToolResult>> waiting;
  std::stop_source tool_stop, timer_stop;

  void settle(ToolResult result) {
    if (!waiting) return;
    Completer<ToolResult> done = std::move(*waiting);
    waiting.reset();
    done(std::move(result));
    timer_stop.request_stop();
    tool_stop.request_stop();
  }
};

Task<void> run_tool(Tool& tool, ToolCall call, std::shared_ptr<RunningTool> running) {
  ToolResult result;
  try {
    result = co_await tool.run(std::move(call), running->tool_stop.get_token());
  } catch (const std::exception& bug) {
    result = ended(tool.info(), fmt::format("broke ({})", utf8_prefix(bug.what(), kReasonBytes)));
  }
  running->settle(std::move(result));
}

Task<void> watch_deadline(Clock& clock, const ToolInfo& info,
                          std::shared_ptr<RunningTool> running) {
  if (!co_await clock.wait_for(kToolDeadline, running->timer_stop.get_token())) co_return;
  running->settle(ended(info, fmt::format("did not end within {}", to_words(kToolDeadline))));
}

// Bytes that are no UTF-8 would make every later prompt of the conversation unreadable.
std::string readable(std::string text) {
  if (is_utf8(text)) return text;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    const std::string_view character = std::string_view(text).substr(at, length);
    const bool whole = is_utf8(character);
    out += whole ? character : "\xEF\xBF\xBD";
    at += whole ? length : 1;
  }
  return out;
}

ToolResult bounded(ToolResult result) {
  result.text = readable(std::move(result.text));
  if (result.text.size() <= kToolResultBytes) return result;
  const std::string note = fmt::format("\n[cut: the first {} KB of {} KB; ask for less at a time]",
                                       kToolResultBytes / 1024, result.text.size() / 1024);
  result.text = std::string(utf8_prefix(result.text, kToolResultBytes - note.size())) + note;
  return result;
}

}  // namespace

void ToolRegistry::add(std::unique_ptr<Tool> tool) {
  const ToolInfo& info = tool->info();
  auto schema = ArgumentsSchema::parse(info.schema);
  if (!schema) throw std::logic_error(info.name + ": " + schema.error().message);
  std::string name = info.name;
  Entry entry{std::move(tool), std::move(*schema)};
  if (!tools_.try_emplace(name, std::move(entry)).second) {
    throw std::logic_error("two tools are called " + name);
  }
}

const Tool* ToolRegistry::find(std::string_view name) const {
  const auto found = tools_.find(name);
  if (found == tools_.end() || !found->second.tool->available()) return nullptr;
  return found->second.tool.get();
}

std::vector<const ToolInfo*> ToolRegistry::all() const {
  std::vector<const ToolInfo*> infos;
  for (const auto& [name, entry] : tools_) {
    if (entry.tool->available()) infos.push_back(&entry.tool->info());
  }
  return infos;
}

Error ToolRegistry::no_such_tool(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const auto& [known, entry] : tools_) {
    if (entry.tool->available()) names.push_back(known);
  }
  const std::string asked(utf8_prefix(name, 64));
  if (names.empty()) return {Errc::kNotFound, "there is no tool '" + asked + "', nor any other"};
  if (const auto near = nearest(name, names)) {
    return {Errc::kNotFound,
            fmt::format("there is no tool '{}'; did you mean '{}'?", asked, *near)};
  }
  return {Errc::kNotFound,
          fmt::format("there is no tool '{}'; there are {}", asked, fmt::join(names, ", "))};
}

Result<void> ToolRegistry::check(std::string_view name, std::string_view arguments) const {
  const auto found = tools_.find(name);
  if (found == tools_.end() || !found->second.tool->available()) return fail(no_such_tool(name));
  return found->second.schema.check(arguments);
}

Task<ToolResult> ToolRegistry::run(std::string name, ToolCall call, std::stop_token stop) {
  if (Result<void> checked = check(name, call.arguments); !checked) {
    co_return failed(std::move(checked.error().message));
  }
  Tool& tool = *tools_.find(name)->second.tool;
  if (stop.stop_requested()) co_return failed(name + " was not started: the turn was stopped");
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto running = std::make_shared<RunningTool>();
  // The stop may be asked for on another thread: it only posts.
  std::stop_callback on_stop(stop, [executor, running, &tool] {
    boost::asio::post(executor,
                      [running, &tool] { running->settle(ended(tool.info(), "was stopped")); });
  });
  ToolResult result = co_await complete_later<ToolResult>([&](Completer<ToolResult> done) {
    running->waiting = std::move(done);
    boost::asio::co_spawn(executor, run_tool(tool, std::move(call), running),
                          boost::asio::detached);
    if (!running->waiting) return;  // most tools are done by now
    boost::asio::co_spawn(executor, watch_deadline(clock_, tool.info(), running),
                          boost::asio::detached);
  });
  if (redactor_ != nullptr) result.text = redactor_->redact(result.text);
  co_return bounded(std::move(result));
}

}  // namespace rouse
