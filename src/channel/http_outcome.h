// What an HTTP answer means for something that had to be delivered: 2xx it arrived; 408, 425, 429
// and 5xx not now; any other status never. Redirects are such others: nobody is sent elsewhere.
#pragma once

#include "channel/channel_sender.h"
#include "net/http_client.h"

namespace rouse {

// `who` begins the error: "the bridge" answered 503 Service Unavailable.
SendOutcome outcome_of_status(const ClientResponse& response, std::string_view who);

// Without an answer: can nothing of the request have left?
bool never_left(const Error& error);

}  // namespace rouse
