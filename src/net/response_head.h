// Writes the head of a response as bytes. By hand, into a string that the connection keeps, because
// this runs once a request. Framing is decided here alone: a handler's own Content-Length or
// Transfer-Encoding is dropped, and line breaks in its header values cannot start a new header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "net/http.h"

namespace rouse {

enum class BodyFraming : std::uint8_t { kLength, kChunked, kUntilClose };

// Appends "HTTP/1.1 200 OK\r\n…\r\n\r\n" to out. length counts only with kLength.
void append_response_head(std::string& out, const Response& response, BodyFraming framing,
                          std::size_t length, bool keep_alive);

// 1xx, 204 and 304 never have a body, whatever the handler put there.
bool status_has_body(int status);

}  // namespace rouse
