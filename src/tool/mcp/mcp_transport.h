// How messages travel to one MCP server and back: over the pipes of a program (stdio_transport.h)
// or over HTTP (http_transport.h). One transport is one connection: opened once, closed once.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/task.h"
#include "base/time.h"

namespace rouse {

class McpTransport {
 public:
  virtual ~McpTransport() = default;

  struct Ears {
    // One message, or a list of them. An error: it could not be understood.
    std::function<Result<void>(std::string_view message)> heard;
    // The connection is over, and why. At most once, and not after close().
    std::function<void(Error why)> ended;
  };
  virtual Task<Result<void>> open(Ears ears) = 0;

  // A message that is under way is not cut in two by a stop.
  virtual Task<Result<void>> send(std::string message, Millis time_left, std::stop_token stop) = 0;
  // Does an answer come before send() ends, or at any time?
  [[nodiscard]] virtual bool answers_with_send() const = 0;
  // Does it hear what the server says unasked, like that its tools have changed?
  [[nodiscard]] bool hears_unasked() const { return !answers_with_send(); }

  // Agreed upon with the server.
  virtual void use_version(std::string_view version) {}
  // What the server said beside the protocol, to explain a failure; or "".
  [[nodiscard]] virtual std::string last_words() const { return ""; }

  // Lets the server end in good order, then makes it.
  virtual Task<void> close() = 0;
};

}  // namespace rouse
