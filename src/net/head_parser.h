// Reads the head of a request or a response from bytes that are all there. The grammar is Beast's;
// on top of it stands what a server facing strangers has to refuse: two readings of where a body
// ends, folded lines, doubled hosts, bare line feeds. Pure functions, so that they can be fuzzed.
//
// What must not happen: that this parser and a proxy in front of it disagree about where a request
// ends. Whatever could be read in two ways is an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/http.h"

namespace rouse {

// Looks for the empty line that ends a head. Remembers how far it has looked, so a client that
// sends byte by byte costs each byte one look.
class HeadScanner {
 public:
  enum class State : std::uint8_t { kNeedMore, kComplete, kBareLineFeed };
  State scan(std::string_view bytes);  // bytes grows at its end between calls
  [[nodiscard]] std::size_t head_size() const { return head_size_; }
  void reset() { *this = {}; }

 private:
  std::size_t seen_ = 0;
  std::size_t head_size_ = 0;
};

// A head the server refuses: the status to answer and why. Texts are static.
struct HeadProblem {
  int status = 400;
  std::string_view error;
  std::string_view message;
};

// What the head says about the connection and the body, beside what handlers see.
struct RequestFraming {
  bool http11 = false;
  bool keep_alive = false;
  bool chunked = false;
  bool expects_continue = false;
  std::string_view websocket_key;  // set with RequestHead::websocket_upgrade
};

// bytes is exactly one head with its empty line. Views in head point into it.
std::optional<HeadProblem> parse_request_head(std::string_view bytes, std::size_t max_fields,
                                              RequestHead& head, RequestFraming& framing);

struct ResponseHead {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<std::uint64_t> content_length;
  bool chunked = false;
  bool keep_alive = false;
};

// nullopt if it is not HTTP.
std::optional<ResponseHead> parse_response_head(std::string_view bytes);

// True for "Connection: keep-alive, Upgrade" and "upgrade".
bool has_token(std::string_view list, std::string_view token);

}  // namespace rouse
