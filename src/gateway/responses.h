// How answers look: JSON bodies, errors in one shape, and the security headers every answer
// carries.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/time.h"
#include "net/http.h"

namespace rouse {

struct ErrorBody {
  bool ok = false;
  std::string error;
  std::string message;
};
inline auto shape(const ErrorBody*) {
  return fields(field("ok", &ErrorBody::ok, "Always false"),
                field("error", &ErrorBody::error, "A stable name for programs"),
                field("message", &ErrorBody::message, "What happened and what to do, for people"));
}

struct OkBody {
  bool ok = true;
};
inline auto shape(const OkBody*) { return fields(field("ok", &OkBody::ok, "Always true")); }

Response json_text(int status, std::string body);
Response error_response(int status, std::string_view name, std::string_view message);
Response error_response(const Error& error);
Response too_many_requests(Millis wait);  // 429 with Retry-After
Response redirect(std::string location);  // 303, not cached

// Headers for every answer, as raw lines. HTML and assets carry the content security policy.
std::string_view json_headers();
std::string_view page_headers();

}  // namespace rouse
