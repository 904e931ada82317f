#include "gateway/responses.h"

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

#define COMMON_HEADERS                          \
  "X-Content-Type-Options: nosniff\r\n"         \
  "Referrer-Policy: no-referrer\r\n"            \
  "X-Frame-Options: DENY\r\n"                   \
  "Cross-Origin-Opener-Policy: same-origin\r\n" \
  "Cross-Origin-Resource-Policy: same-origin\r\n"

}  // namespace

std::string_view json_headers() {
  return "Content-Type: application/json\r\nCache-Control: no-store\r\n"
         "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n" COMMON_HEADERS;
}

std::string_view page_headers() {
  return "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
         "img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; "
         "worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'\r\n"
         "Permissions-Policy: camera=(), geolocation=(), microphone=()\r\n" COMMON_HEADERS;
}

Response json_text(int status, std::string body) {
  Response response;
  response.status = status;
  response.static_headers = json_headers();
  response.body = std::move(body);
  return response;
}

// A message may repeat what a client sent, and that may be any bytes; JSON is UTF-8.
static std::string readable_bytes(std::string_view message) {
  std::string out(message);
  if (is_utf8(out)) return out;
  for (char& c : out) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  return out;
}

Response error_response(int status, std::string_view name, std::string_view message) {
  Response response =
      json_text(status, encode_json(ErrorBody{false, std::string(name), readable_bytes(message)}));
  if (status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"rouse\"");
  return response;
}

Response error_response(const Error& error) {
  return error_response(http_status(error.kind), error.name, error.message);
}

Response too_many_requests(Millis wait) {
  Response response = error_response(
      429, "rate_limited", fmt::format("too many requests; try again in {}", to_words(wait)));
  response.headers.emplace_back("Retry-After", std::to_string((wait.count + 999) / 1000));
  return response;
}

Response redirect(std::string location) {
  Response response;
  response.status = 303;
  response.static_headers = json_headers();
  response.headers.emplace_back("Location", std::move(location));
  return response;
}

}  // namespace rouse
