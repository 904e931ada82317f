#include "net/url.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kMaxUrlBytes = 8192;

std::unexpected<Error> bad_url(std::string_view url, std::string_view why) {
  return fail(Errc::kInvalid, fmt::format("'{}' is not a usable URL: {}", url.substr(0, 200), why));
}

// Control characters, spaces and bytes above ASCII must be percent-encoded; raw ones split
// requests.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c > 0x20 && c < 0x7f; });
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool is_name(std::string_view host) {
  return !host.empty() && host.size() <= 253 && !host.starts_with('.') &&
         std::ranges::all_of(host, is_name_char) && host.find("..") == std::string_view::npos;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint32_t port = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (ec != std::errc() || end != text.data() + text.size() || port == 0 || port > 65535) {
    return std::nullopt;
  }
  return static_cast<std::uint16_t>(port);
}

std::string join_authority(const std::string& host, std::uint16_t port) {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

struct Authority {
  std::string host;
  std::optional<std::uint16_t> port;
};

// "host", "host:80", "[::1]:80"; what is wrong as text otherwise.
std::expected<Authority, std::string_view> parse_authority(std::string_view text) {
  Authority out;
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::unexpected("the '[' is never closed");
    out.host = lower_ascii(text.substr(1, end - 1));
    in6_addr parsed{};
    if (::inet_pton(AF_INET6, out.host.c_str(), &parsed) != 1) {
      return std::unexpected("the address in brackets is not IPv6");
    }
    port = text.substr(end + 1);
    if (!port.empty() && port.front() != ':') return std::unexpected("the host is not valid");
  } else {
    const std::size_t colon = text.find(':');
    out.host = lower_ascii(text.substr(0, colon));
    if (!is_name(out.host)) return std::unexpected("the host is missing or not valid");
    if (colon != std::string_view::npos) port = text.substr(colon);
  }
  if (!port.empty()) {
    out.port = parse_port(port.substr(1));
    if (!out.port) return std::unexpected("the port must be a number from 1 to 65535");
  }
  return out;
}

}  // namespace

std::string Url::authority() const { return join_authority(host, port); }

std::string Url::host_header() const {
  if (port != (https ? 443 : 80)) return authority();
  return is_ipv6() ? fmt::format("[{}]", host) : host;
}

std::string Proxy::authority() const { return join_authority(host, port); }

Result<Url> parse_url(std::string_view text) {
  if (text.size() > kMaxUrlBytes) return bad_url(text, "it is longer than 8192 bytes");
  if (!is_plain(text)) {
    return fail(Errc::kInvalid,
                "the URL has a space, control or non-ASCII character; percent-encode it");
  }
  const std::size_t scheme_end = text.find("://");
  const std::string scheme =
      lower_ascii(text.substr(0, scheme_end == std::string_view::npos ? 0 : scheme_end));
  if (scheme != "http" && scheme != "https")
    return bad_url(text, "it must start with http:// or https://");
  std::string_view rest = text.substr(scheme_end + 3);
  rest = rest.substr(0, rest.find('#'));
  const std::size_t path_at = rest.find_first_of("/?\\");
  const std::string_view authority = rest.substr(0, path_at);
  // The message must not repeat the URL: it has a password in it.
  if (authority.find('@') != std::string_view::npos) {
    return fail(Errc::kInvalid, "the URL carries a user name or password; send them in a header");
  }
  if (rest.find('\\') != std::string_view::npos) return bad_url(text, "it has a backslash");

  auto parsed = parse_authority(authority);
  if (!parsed) return bad_url(text, parsed.error());
  Url url;
  url.https = scheme == "https";
  url.host = std::move(parsed->host);
  url.port = parsed->port.value_or(url.https ? 443 : 80);
  url.target = path_at == std::string_view::npos ? "/" : std::string(rest.substr(path_at));
  if (url.target.starts_with('?')) url.target.insert(url.target.begin(), '/');
  return url;
}

Result<Proxy> parse_proxy(std::string_view text) {
  const auto wrong = [](std::string_view why) {
    return fail(
        Errc::kInvalid,
        fmt::format("the proxy setting is not usable: {}; it looks like http://host:3128", why));
  };
  if (!is_plain(text)) return wrong("it has a space, control or non-ASCII character");
  std::string_view rest = text;
  if (const std::size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
    if (!iequals_ascii(rest.substr(0, scheme), "http")) {
      return wrong("only proxies spoken to by plain http:// are supported");
    }
    rest.remove_prefix(scheme + 3);
  }
  rest = rest.substr(0, rest.find_first_of("/?#"));
  Proxy proxy;
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    const auto userinfo = percent_decode(rest.substr(0, at));
    if (!userinfo) return wrong("user name and password are not percent-encoded well");
    proxy.authorization = "Basic " + to_base64(*userinfo);
    rest.remove_prefix(at + 1);
  }
  auto parsed = parse_authority(rest);
  if (!parsed) return wrong(parsed.error());
  proxy.host = std::move(parsed->host);
  proxy.port = parsed->port.value_or(80);
  return proxy;
}

bool bypasses_proxy(const Url& url, std::string_view no_proxy) {
  for (std::string_view raw : split(no_proxy, ',')) {
    std::string rule = lower_ascii(trim(raw));
    if (rule.empty()) continue;
    if (rule == "*") return true;
    // A port only counts when what is left of it is not an IPv6 address without brackets.
    const auto parsed = parse_authority(rule.starts_with('.') ? rule.substr(1) : rule);
    if (parsed) {
      if (parsed->port && *parsed->port != url.port) continue;
      rule = parsed->host;
    }
    if (rule.starts_with("*.")) rule.erase(0, 2);
    if (url.host == rule) return true;
    const bool is_suffix = url.host.size() > rule.size() && url.host.ends_with(rule) &&
                           url.host[url.host.size() - rule.size() - 1] == '.';
    // "0.0.1" is no suffix of the address 127.0.0.1.
    in_addr v4{};
    if (is_suffix && ::inet_pton(AF_INET, url.host.c_str(), &v4) != 1) return true;
  }
  return false;
}

}  // namespace rouse
