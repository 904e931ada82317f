#include "gateway/request_guard.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

struct HostPort {
  std::string_view host;
  std::string_view port;  // empty if none
};

HostPort split_host(std::string_view text) {
  if (text.starts_with('[')) {  // [::1]:18888
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return {text, {}};
    const std::string_view rest = text.substr(end + 1);
    return {text.substr(1, end - 1), rest.starts_with(':') ? rest.substr(1) : std::string_view{}};
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

// "https://a.b:1" -> scheme "https", authority "a.b:1"; nullopt if it is nothing of the kind.
struct Origin {
  std::string_view scheme, authority;
};
std::optional<Origin> split_origin(std::string_view text) {
  const std::size_t at = text.find("://");
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view authority = text.substr(at + 3);
  authority = authority.substr(0, authority.find('/'));
  return Origin{text.substr(0, at), authority};
}

// Equal but for case and a port that only repeats the scheme's own.
bool same_authority(std::string_view a, std::string_view b, std::string_view scheme) {
  const std::string_view standard = scheme == "https" ? "443" : "80";
  const HostPort x = split_host(a);
  const HostPort y = split_host(b);
  const auto port = [&](const HostPort& h) { return h.port.empty() ? standard : h.port; };
  return iequals_ascii(x.host, y.host) && port(x) == port(y);
}

// The client's address as the last proxy that we don't run ourselves saw it.
std::string forwarded_for(const RequestHead& head, const AddressSet& trusted) {
  std::vector<std::string_view> hops;  // some proxies add a line of their own, some extend one
  for (const HeaderView& header : head.headers) {
    if (!iequals_ascii(header.name, "x-forwarded-for")) continue;
    for (const std::string_view hop : split(header.value, ',')) hops.push_back(hop);
  }
  while (!hops.empty()) {
    const std::string_view hop = trim(hops.back());
    hops.pop_back();
    if (!parse_address(hop)) break;
    if (!trusted.contains(hop) || hops.empty()) return std::string(hop);
  }
  return head.peer->address;
}

}  // namespace

ErrorInfo error_info(GuardErrc code) {
  return {Kind::kForbidden, code == GuardErrc::kForeignHost ? "foreign_host" : "foreign_origin"};
}

RequestGuard::RequestGuard(GuardOptions options) : options_(std::move(options)) {
  if (options_.public_url) {
    if (const auto origin = split_origin(*options_.public_url)) {
      public_host_ = std::string(origin->authority);
    }
  }
}

bool RequestGuard::is_our_host(std::string_view host) const {
  const std::string_view name = split_host(host).host;
  if (iequals_ascii(name, "localhost") || is_loopback(name)) return true;
  if (!public_host_.empty() && iequals_ascii(name, split_host(public_host_).host)) return true;
  if (options_.any_address && parse_address(name)) return true;
  const auto matches = [&](const std::string& allowed) {
    return iequals_ascii(allowed, host) || iequals_ascii(allowed, name);
  };
  return std::ranges::any_of(options_.allowed_hosts, matches) ||
         std::ranges::any_of(options_.listen_hosts, matches);
}

Result<Client> RequestGuard::check(const RequestHead& head) const {
  const auto host = head.header("host");
  if (!host || head.count("host") != 1 || !is_our_host(*host)) {
    return fail(
        GuardErrc::kForeignHost,
        fmt::format("this server does not answer for '{}'. If that name is right, add it to "
                    "allowed_hosts in rouse.yaml",
                    host ? utf8_prefix(*host, 100) : std::string_view{}));
  }
  const bool proxied = options_.trusted_proxies.contains(head.peer->address);
  Client client;
  client.address = proxied ? forwarded_for(head, options_.trusted_proxies) : head.peer->address;
  client.https = head.peer->tls || (proxied && head.count("x-forwarded-proto") == 1 &&
                                    iequals_ascii(*head.header("x-forwarded-proto"), "https"));

  if (const auto text = head.header("origin")) {
    const auto origin = split_origin(*text);
    const bool ours = origin && head.count("origin") == 1 &&
                      ((options_.public_url && iequals_ascii(*text, *options_.public_url)) ||
                       (origin->scheme == (client.https ? "https" : "http") &&
                        same_authority(origin->authority, *host, origin->scheme)));
    if (!ours) {
      return fail(
          GuardErrc::kForeignOrigin,
          fmt::format("a page from '{}' may not call this server", utf8_prefix(*text, 100)));
    }
    client.same_origin = true;
  } else if (head.header("sec-fetch-site").value_or("") == "cross-site" && head.method != "GET" &&
             head.method != "HEAD") {
    return fail(GuardErrc::kForeignOrigin, "a page of another site may not call this server");
  }
  return client;
}

}  // namespace rouse
