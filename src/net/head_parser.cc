#include "net/head_parser.h"

#include <cstring>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/none.hpp>

#include "base/text.h"

namespace rouse {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using BeastView = boost::beast::string_view;

std::string_view view(BeastView text) { return {text.data(), text.size()}; }

// Beast joins folded lines in a buffer of its own; a value that lies elsewhere was folded.
bool lies_in(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

// Hands Beast's callbacks to Sink and leaves bodies alone.
template <bool IsRequest, class Sink>
class HeadParser final : public http::basic_parser<IsRequest> {
 public:
  explicit HeadParser(Sink& sink) : sink_(sink) {
    this->header_limit(static_cast<std::uint32_t>(-1) / 2);  // the caller has bounded the bytes
    this->body_limit(boost::none);
  }

 private:
  void on_request_impl(http::verb, BeastView method, BeastView target, int version,
                       error_code&) override {
    if constexpr (IsRequest) sink_.start(view(method), view(target), version);
  }
  void on_response_impl(int code, BeastView, int, error_code&) override {
    if constexpr (!IsRequest) sink_.start(code);
  }
  void on_field_impl(http::field, BeastView name, BeastView value, error_code& ec) override {
    if (!sink_.field(view(name), view(value))) ec = http::error::bad_field;
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(BeastView, error_code&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, BeastView, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, BeastView, error_code&) override { return 0; }
  void on_finish_impl(error_code&) override {}

  Sink& sink_;
};

constexpr HeadProblem bad(std::string_view message) { return {400, "bad_request", message}; }

struct RequestSink {
  std::string_view bytes;
  std::size_t max_fields;
  RequestHead& head;
  int version = 11;
  std::optional<HeadProblem> problem;

  void start(std::string_view method, std::string_view target, int v) {
    head.method = method;
    head.target = target;
    version = v;
  }
  bool field(std::string_view name, std::string_view value) {
    if (head.headers.size() >= max_fields) {
      problem = HeadProblem{431, "headers_too_large", "the request has too many header fields"};
      return false;
    }
    if (!lies_in(value, bytes)) {
      problem = bad("a header value is folded over several lines; send it on one line");
      return false;
    }
    head.headers.push_back({name, value});
    return true;
  }
};

HeadProblem problem_of(error_code ec) {
  if (ec == http::error::bad_version) {
    return {505, "http_version", "only HTTP/1.1 and HTTP/1.0 are spoken here"};
  }
  if (ec == http::error::bad_method) return bad("the method is not a valid token");
  if (ec == http::error::bad_target) return bad("the request target is not valid");
  if (ec == http::error::bad_field) return bad("a header name has a character it must not have");
  if (ec == http::error::bad_value) return bad("a header value has a character it must not have");
  if (ec == http::error::bad_content_length || ec == http::error::multiple_content_length) {
    return bad("Content-Length is not one number, or stands beside Transfer-Encoding");
  }
  if (ec == http::error::bad_transfer_encoding) {
    return bad("Transfer-Encoding is doubled or stands beside Content-Length");
  }
  return bad("this is not an HTTP request");
}

bool is_host_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::strchr("-._~:[]%!$&'()*+,;=", c) != nullptr;
}

bool is_valid_host(std::string_view host) {
  if (host.empty() || host.size() > 512) return false;
  for (const char c : host) {
    if (c == '\0' || !is_host_char(c)) return false;
  }
  return true;
}

// Splits "/a?b" or "http://host/a?b" into path and query.
bool split_target(RequestHead& head) {
  std::string_view rest = head.target;
  if (rest.find('#') != std::string_view::npos) return false;
  if (rest == "*") {
    head.path = rest;
    head.query = {};
    return head.method == "OPTIONS";
  }
  if (!rest.starts_with('/')) {
    const std::size_t scheme = rest.find("://");
    if (scheme == std::string_view::npos) return false;
    const std::string_view name = rest.substr(0, scheme);
    if (!iequals_ascii(name, "http") && !iequals_ascii(name, "https")) return false;
    rest.remove_prefix(scheme + 3);
    const std::size_t slash = rest.find_first_of("/?");
    if (rest.empty() || slash == 0) return false;
    rest = slash == std::string_view::npos ? std::string_view("/") : rest.substr(slash);
    if (rest.starts_with('?')) {
      head.path = "/";
      head.query = rest.substr(1);
      return true;
    }
  }
  const std::size_t mark = rest.find('?');
  head.path = rest.substr(0, mark);
  head.query = mark == std::string_view::npos ? std::string_view() : rest.substr(mark + 1);
  return true;
}

bool is_websocket_key(std::string_view key) {
  const auto raw = from_base64(key);
  return raw && raw->size() == 16;
}

std::optional<HeadProblem> check_upgrade(RequestHead& head, RequestFraming& framing) {
  const auto upgrade = head.header("upgrade");
  const auto connection = head.header("connection");
  const bool wanted = upgrade && connection && framing.http11 && has_token(*upgrade, "websocket") &&
                      has_token(*connection, "upgrade");
  if (!wanted || head.method != "GET") return std::nullopt;
  if (framing.chunked || head.content_length.value_or(0) > 0) {
    return bad("a WebSocket handshake has no body");
  }
  if (head.header("sec-websocket-version") != "13") {
    return HeadProblem{426, "upgrade_required",
                       "only version 13 of the WebSocket protocol is spoken"};
  }
  const auto key = head.header("sec-websocket-key");
  if (!key || head.count("sec-websocket-key") != 1 || !is_websocket_key(*key)) {
    return bad("Sec-WebSocket-Key must be 16 bytes in base64, once");
  }
  head.websocket_upgrade = true;
  framing.websocket_key = *key;
  return std::nullopt;
}

struct ResponseSink {
  ResponseHead& head;
  void start(int code) { head.status = code; }
  bool field(std::string_view name, std::string_view value) {
    head.headers.emplace_back(std::string(name), std::string(value));
    return true;
  }
};

}  // namespace

HeadScanner::State HeadScanner::scan(std::string_view bytes) {
  while (seen_ < bytes.size()) {
    const void* found = std::memchr(bytes.data() + seen_, '\n', bytes.size() - seen_);
    if (found == nullptr) {
      seen_ = bytes.size();
      break;
    }
    const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
    seen_ = at + 1;
    if (at == 0 || bytes[at - 1] != '\r') return State::kBareLineFeed;
    if (at >= 3 && bytes[at - 2] == '\n') {
      head_size_ = at + 1;
      return State::kComplete;
    }
  }
  return State::kNeedMore;
}

bool has_token(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (iequals_ascii(trim(list.substr(0, comma)), token)) return true;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return false;
}

std::optional<HeadProblem> parse_request_head(std::string_view bytes, std::size_t max_fields,
                                              RequestHead& head, RequestFraming& framing) {
  head.headers.clear();
  head.content_length.reset();
  head.websocket_upgrade = false;
  framing = {};

  RequestSink sink{bytes, max_fields, head, 11, std::nullopt};
  HeadParser<true, RequestSink> parser(sink);
  error_code ec;
  parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), ec);
  if (sink.problem) return sink.problem;
  if (ec) return problem_of(ec);
  if (!parser.is_header_done()) return bad("the request head ends too early");

  framing.http11 = sink.version == 11;
  framing.chunked = parser.chunked();
  framing.keep_alive = framing.http11 && parser.keep_alive();
  if (const auto length = parser.content_length()) head.content_length = *length;

  std::size_t hosts = 0;
  std::size_t lengths = 0;
  for (const HeaderView& field : head.headers) {
    if (iequals_ascii(field.name, "host")) {
      ++hosts;
      if (!is_valid_host(field.value)) return bad("the Host header is empty or not a host");
    } else if (iequals_ascii(field.name, "content-length")) {
      // "5, 5" and two equal fields are legal but only ever seen in attacks.
      if (++lengths > 1 || field.value.find(',') != std::string_view::npos) {
        return bad("Content-Length must be one number, once");
      }
    } else if (iequals_ascii(field.name, "transfer-encoding")) {
      if (!framing.http11 || !framing.chunked || !iequals_ascii(trim(field.value), "chunked")) {
        return bad("the only Transfer-Encoding understood is chunked, with HTTP/1.1");
      }
    } else if (iequals_ascii(field.name, "expect")) {
      if (!iequals_ascii(field.value, "100-continue")) {
        return HeadProblem{417, "expectation_failed", "only Expect: 100-continue is understood"};
      }
      framing.expects_continue = framing.http11;
    }
  }
  if (hosts > 1) return bad("the Host header is there twice");
  if (hosts == 0 && framing.http11) return bad("HTTP/1.1 needs a Host header");
  if (!split_target(head)) return bad("the request target is not a path on this server");
  return check_upgrade(head, framing);
}

std::optional<ResponseHead> parse_response_head(std::string_view bytes) {
  ResponseHead head;
  ResponseSink sink{head};
  HeadParser<false, ResponseSink> parser(sink);
  error_code ec;
  parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), ec);
  if (ec || !parser.is_header_done()) return std::nullopt;
  head.chunked = parser.chunked();
  if (const auto length = parser.content_length()) head.content_length = *length;
  for (const auto& [name, value] : head.headers) {
    if (iequals_ascii(name, "transfer-encoding") && !head.chunked) return std::nullopt;
  }
  const bool close = std::ranges::any_of(head.headers, [](const auto& field) {
    return iequals_ascii(field.first, "connection") && has_token(field.second, "close");
  });
  head.keep_alive = !close && bytes.starts_with("HTTP/1.1");
  return head;
}

}  // namespace rouse
