#include "app/config_rules.h"

#include <algorithm>

#include "app/config.h"
#include "base/text.h"
#include "base/time_zone.h"
#include "net/address.h"
#include "net/url.h"

namespace rouse::rules {
namespace {

bool is_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool made_of(std::string_view text, std::string_view also) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return is_alnum(c) || also.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string listen(std::string_view text) {
  const auto parsed = parse_listen(text);
  return parsed ? "" : "must be like 127.0.0.1:18888, [::1]:18888 or 0.0.0.0:18888";
}

std::string url(std::string_view text) {
  return parse_url(text) ? "" : "must be an http:// or https:// address without user and password";
}

// It is shown in full, so it must not be a place for keys.
std::string base_url(std::string_view text) {
  const bool plain = text.find_first_of("?#") == std::string_view::npos;
  return plain && parse_url(text)
             ? ""
             : "must be an http:// or https:// address without user, password and query";
}

std::string origin_url(std::string_view text) {
  constexpr std::string_view kProblem =
      "must be like https://rouse.example.com, without a path behind it";
  const auto parsed = parse_url(text);
  if (!parsed || parsed->target != "/") return std::string(kProblem);
  return text.find_first_of("?#") == std::string_view::npos ? "" : std::string(kProblem);
}

std::string host(std::string_view text) {
  if (text.find('*') != std::string_view::npos) {
    return "must name each host in full; a * would let foreign pages in";
  }
  std::string_view name = text;
  if (const std::size_t colon = name.rfind(':');
      colon != std::string_view::npos && !parse_address(text) && !name.ends_with(']')) {
    const std::string_view port = name.substr(colon + 1);
    if (port.empty() || port.size() > 5 || !std::ranges::all_of(port, is_digit)) {
      return "must be a host name, with a port if you like";
    }
    name = name.substr(0, colon);
  }
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  const bool fine = parse_address(name) || (name.size() <= 253 && made_of(name, "-._"));
  return fine ? "" : "must be a host name like rouse.example.com, without http:// before it";
}

std::string fetch_host(std::string_view text) {
  const auto parsed = parse_url("http://" + std::string(text));
  const bool fine = parsed && text.find_first_of("/?#*") == std::string_view::npos;
  return fine ? "" : "must be one host, with a port if you like: docs.example.com, 127.0.0.1:8080";
}

std::string address_range(std::string_view text) {
  return AddressSet::parse({std::string(text)}) ? "" : "must be an IP address or a CIDR range";
}

std::string env_name(std::string_view text) {
  return made_of(text, "_") && !is_digit(text.front())
             ? ""
             : "must be the name of an environment variable (letters, digits, _)";
}

std::string time_zone(std::string_view text) {
  constexpr std::string_view kProblem = "must be a time zone like Europe/Berlin or UTC";
  return is_time_zone(text) ? "" : std::string(kProblem);
}

std::string locale(std::string_view text) {
  const bool fine = text.size() >= 2 && text.size() <= 35 && made_of(text, "-_") &&
                    !is_digit(text.front()) && is_alnum(text.front()) && is_alnum(text.back());
  return fine ? "" : "must be a language tag like en, de-AT or pt-BR";
}

std::string contact(std::string_view text) {
  const std::size_t at = text.find('@');
  const bool mail =
      text.starts_with("mailto:") && at != std::string_view::npos && at > 7 && at + 1 < text.size();
  const bool page = text.starts_with("https://") && parse_url(text);
  return mail || page ? "" : "must be like mailto:me@example.com or https://example.com";
}

std::string not_empty(std::string_view text) {
  return trim(text).empty() ? "must not hold an empty entry" : "";
}

}  // namespace rouse::rules
