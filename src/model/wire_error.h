// What a provider says went wrong, turned into a ModelErrc and words for a person. Providers agree
// on status codes more or less and on bodies hardly; the rules for all of them stand here, so that
// a gateway that speaks one format and passes on errors of another is understood too.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "model/model.h"
#include "net/http_client.h"

namespace rouse {

struct WireError {
  std::string type, code, message;
};

// The error of a document: {"error":{…}}, {"error":"…"}, {"message":"…"}, {"detail":"…"}; any other
// body is its own message.
WireError read_wire_error(const boost::json::value& document);
WireError read_wire_error(std::string_view body);

// The HTTP status an error inside a stream stands for: its code if that is one, else by its type.
int status_in_stream(const WireError& error);

// With all that the provider says: it is cut by whoever has taken the secrets out of it, since a
// part of one would not be known for what it is (SC-10).
Error to_error(int status, const WireError& error);

// Retry-After in seconds or as a date, or retry-after-ms.
std::optional<Millis> read_retry_after(const ClientResponse& head, WallTime now);

}  // namespace rouse
