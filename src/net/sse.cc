#include "net/sse.h"

#include <fmt/format.h>

namespace rouse {
namespace {

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

}  // namespace

std::string format_sse(std::string_view event, std::string_view data, std::string_view id) {
  std::string out;
  out.reserve(data.size() + event.size() + id.size() + 32);
  if (!id.empty()) out.append("id: ").append(first_line(id)).append("\n");
  if (!event.empty()) out.append("event: ").append(first_line(event)).append("\n");
  while (true) {
    const std::size_t end = data.find_first_of("\r\n");
    out.append("data: ").append(data.substr(0, end)).append("\n");
    if (end == std::string_view::npos) break;
    data.remove_prefix(end + (data.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  out.append("\n");
  return out;
}

Result<void> SseParser::feed(std::string_view bytes, const OnEvent& on_event) {
  while (!bytes.empty()) {
    if (after_cr_) {
      after_cr_ = false;
      if (bytes.front() == '\n') {
        bytes.remove_prefix(1);
        continue;
      }
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + event_.data.size() + part.size() > max_bytes_) {
      return fail(Errc::kTooLarge,
                  fmt::format("an event of the stream is larger than {} bytes", max_bytes_));
    }
    line_.append(part);
    if (end == std::string_view::npos) break;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    TRY_VOID(end_line(on_event));
  }
  return {};
}

Result<void> SseParser::end_line(const OnEvent& on_event) {
  std::string_view line = line_;
  if (first_line_) {
    first_line_ = false;
    if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  }
  if (line.empty()) {
    line_.clear();
    const bool complete = has_data_;
    has_data_ = false;
    Result<void> result;
    if (complete) result = on_event(event_);
    event_.event.clear();
    event_.data.clear();
    return result;
  }
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") {
    if (has_data_) event_.data.push_back('\n');
    event_.data.append(value);
    has_data_ = true;
  } else if (name == "event") {
    event_.event = value;
  } else if (name == "id" && value.find('\0') == std::string_view::npos) {
    event_.id = value;
  }
  line_.clear();
  return {};
}

}  // namespace rouse
