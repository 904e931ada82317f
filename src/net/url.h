// The part of URLs an HTTP client needs, read strictly: what a browser would guess at is an error
// here, because a URL that two programs read differently is how requests get smuggled to places
// they must not reach (SC-7).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace rouse {

struct Url {
  bool https = false;
  std::string host;  // lower case; an IPv6 literal without its brackets
  std::uint16_t port = 80;
  std::string target;  // path and query, at least "/"; the fragment is dropped

  [[nodiscard]] bool is_ipv6() const { return host.find(':') != std::string::npos; }
  [[nodiscard]] std::string host_header() const;  // "[::1]:8080", without a default port
  [[nodiscard]] std::string authority() const;    // the same, always with the port
  friend bool operator==(const Url&, const Url&) = default;
};

// http:// and https:// only. User and password in the URL are refused: they leak into logs.
Result<Url> parse_url(std::string_view text);

// A proxy as written in http_proxy: "http://user:pass@host:3128" or just "host:3128".
struct Proxy {
  std::string host;
  std::uint16_t port = 80;
  std::string authorization;  // "Basic …", or empty
  [[nodiscard]] std::string authority() const;
  friend bool operator==(const Proxy&, const Proxy&) = default;
};
Result<Proxy> parse_proxy(std::string_view text);

// Whether no_proxy ("localhost, .internal, 10.0.0.1, example.com:8443, *") exempts the URL.
bool bypasses_proxy(const Url& url, std::string_view no_proxy);

}  // namespace rouse
