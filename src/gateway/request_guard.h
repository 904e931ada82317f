// Browser attacks end here (SC-3). Before anything else is looked at, a request must name a host
// that is ours (so a foreign name that was pointed at this address gets nothing), and if it says
// which page it came from, that page must be ours too. Behind a trusted proxy the guard also finds
// out the client's real address and whether it came over TLS.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "net/address.h"
#include "net/http.h"

namespace rouse {

enum class GuardErrc : std::uint8_t { kForeignHost, kForeignOrigin };
ErrorInfo error_info(GuardErrc code);

struct GuardOptions {
  std::vector<std::string> allowed_hosts;  // names, with or without a port
  std::optional<std::string> public_url;   // "https://rouse.example.org"
  AddressSet trusted_proxies;
  bool any_address = false;  // listening on all addresses: a literal address as Host is ours
  std::vector<std::string> listen_hosts;  // literal addresses we listen on
};

// What is known about the client after the guard has looked.
struct Client {
  std::string address;
  bool https = false;
  bool same_origin = false;  // it said so itself with an Origin that is ours
};

class RequestGuard {
 public:
  explicit RequestGuard(GuardOptions options);
  [[nodiscard]] Result<Client> check(const RequestHead& head) const;
  // "https://rouse.example.org" or "http://127.0.0.1:18888": where a person finds us.
  [[nodiscard]] const std::optional<std::string>& public_url() const { return options_.public_url; }

 private:
  [[nodiscard]] bool is_our_host(std::string_view host) const;
  GuardOptions options_;
  std::string public_host_;  // host[:port] of public_url
};

}  // namespace rouse
