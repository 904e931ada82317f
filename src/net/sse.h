// Server-sent events: writing them as a server, reading them as a client of model APIs. Written by
// hand because the format is a page long. The parser takes bytes as they come and holds at most one
// event, within a bound.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace rouse {

struct SseEvent {
  std::string event;  // empty means "message"
  std::string data;   // lines joined with '\n'
  std::string id;     // the last id seen, kept over events
  friend bool operator==(const SseEvent&, const SseEvent&) = default;
};

// One event ready to be written. Line breaks in data become several data lines; event and id are
// cut at a line break, since one there would forge a field.
std::string format_sse(std::string_view event, std::string_view data, std::string_view id = {});

// A comment that clients ignore: keeps proxies from closing a quiet stream.
inline constexpr std::string_view kSseKeepalive = ": keepalive\n\n";

class SseParser {
 public:
  explicit SseParser(std::size_t max_event_bytes = 4 << 20) : max_bytes_(max_event_bytes) {}

  using OnEvent = std::function<Result<void>(const SseEvent& event)>;
  // Calls on_event for each event that is complete. Its error, or an event over the bound, ends it.
  Result<void> feed(std::string_view bytes, const OnEvent& on_event);

 private:
  Result<void> end_line(const OnEvent& on_event);

  std::size_t max_bytes_;
  std::string line_;
  SseEvent event_;
  bool has_data_ = false;
  bool after_cr_ = false;  // a '\n' right after '\r' belongs to it
  bool first_line_ = true;
};

}  // namespace rouse
