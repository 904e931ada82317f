#include "net/http.h"

#include "base/text.h"

namespace rouse {

std::optional<std::string_view> RequestHead::header(std::string_view name) const {
  for (const HeaderView& field : headers) {
    if (iequals_ascii(field.name, name)) return field.value;
  }
  return std::nullopt;
}

std::size_t RequestHead::count(std::string_view name) const {
  std::size_t found = 0;
  for (const HeaderView& field : headers) found += iequals_ascii(field.name, name) ? 1 : 0;
  return found;
}

ErrorInfo error_info(WebSocketErrc code) {
  switch (code) {
    case WebSocketErrc::kClosed:
      return {Kind::kCancelled, "closed"};
    case WebSocketErrc::kLost:
      return {Kind::kUnavailable, "connection_lost"};
    case WebSocketErrc::kBadMessage:
      break;
  }
  return {Kind::kInvalid, "bad_websocket_message"};
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 402:
      return "Payment Required";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 426:
      return "Upgrade Required";
    case 428:
      return "Precondition Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 499:
      return "Client Closed Request";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return "Unknown";
  }
}

int http_status(Kind kind) {
  switch (kind) {
    case Kind::kInvalid:
      return 400;
    case Kind::kUnauthorized:
      return 401;
    case Kind::kForbidden:
      return 403;
    case Kind::kNotFound:
      return 404;
    case Kind::kWrongMethod:
      return 405;
    case Kind::kConflict:
      return 409;
    case Kind::kTooLarge:
      return 413;
    case Kind::kUnsupported:
      return 415;
    case Kind::kRateLimited:
      return 429;
    case Kind::kUnavailable:
      return 503;
    case Kind::kTimeout:
      return 504;
    case Kind::kCancelled:
      return 499;
    case Kind::kInternal:
      break;
  }
  return 500;
}

}  // namespace rouse
