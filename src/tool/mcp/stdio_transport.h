// An MCP server as a program of the owner's: one JSON message a line on its input and output. It is
// started outside of the sandbox, since it is the owner's own choice, but with nothing of ours: its
// own process group, no descriptor, and the environment that was given. What it writes to its error
// stream is kept, the last of it, to explain failures.
//
// It ends with its input: closed, then SIGTERM, then SIGKILL for all of its group. If rouse dies,
// the kernel kills it.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/loop.h"
#include "base/redact.h"
#include "tool/mcp/mcp_settings.h"
#include "tool/mcp/mcp_transport.h"

namespace rouse {

class StdioTransport final : public McpTransport {
 public:
  // What it says beside the protocol is cleared of secrets; null: of nothing.
  StdioTransport(Loop& loop, Clock& clock, McpServerSettings::Place place,
                 const Redactor* redactor = nullptr);
  ~StdioTransport() override;  // kills what still runs

  Task<Result<void>> open(Ears ears) override;
  Task<Result<void>> send(std::string message, Millis time_left, std::stop_token stop) override;
  [[nodiscard]] bool answers_with_send() const override { return false; }
  [[nodiscard]] std::string last_words() const override;
  Task<void> close() override;

 private:
  struct State;
  const Redactor* redactor_;
  std::shared_ptr<State> state_;  // shared with the coroutines that read and write
};

// Where the program is: as it is written if there is a '/' in it, else by the PATH it will get.
Result<std::string> find_program(const McpServerSettings::Place& place);

}  // namespace rouse
