#include "net/response_head.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace rouse {
namespace {

void append_number(std::string& out, std::size_t number) {
  char digits[24];
  const auto [end, ec] = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, end);
}

bool is_ours(std::string_view name) {
  return iequals_ascii(name, "content-length") || iequals_ascii(name, "transfer-encoding") ||
         iequals_ascii(name, "connection");
}

bool breaks_line(char c) { return c == '\r' || c == '\n' || c == '\0'; }

void append_value(std::string& out, std::string_view value) {
  const std::size_t from = out.size();
  out.append(value);
  std::replace_if(out.begin() + static_cast<std::ptrdiff_t>(from), out.end(), breaks_line, ' ');
}

}  // namespace

bool status_has_body(int status) { return status >= 200 && status != 204 && status != 304; }

void append_response_head(std::string& out, const Response& response, BodyFraming framing,
                          std::size_t length, bool keep_alive) {
  if (response.status == 200) {
    out.append("HTTP/1.1 200 OK\r\n");
  } else {
    out.append("HTTP/1.1 ");
    append_number(out, static_cast<std::size_t>(std::clamp(response.status, 100, 999)));
    out.append(" ").append(reason_phrase(response.status)).append("\r\n");
  }
  for (const auto& [name, value] : response.headers) {
    if (is_ours(name) || std::ranges::any_of(name, breaks_line)) continue;
    out.append(name).append(": ");
    append_value(out, value);
    out.append("\r\n");
  }
  out.append(response.static_headers);
  if (status_has_body(response.status)) {
    if (framing == BodyFraming::kLength) {
      out.append("Content-Length: ");
      append_number(out, length);
      out.append("\r\n");
    } else if (framing == BodyFraming::kChunked) {
      out.append("Transfer-Encoding: chunked\r\n");
    }
  }
  out.append(keep_alive ? "\r\n" : "Connection: close\r\n\r\n");
}

}  // namespace rouse
