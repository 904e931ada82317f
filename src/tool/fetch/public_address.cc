#include "tool/fetch/public_address.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "net/address.h"

namespace rouse {
namespace {

// IANA's special-purpose registries, and 168.63.129.16, where Azure answers its guests.
const AddressSet& special_v4() {
  static const AddressSet set = *AddressSet::parse(
      {"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
       "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
       "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32"});
  return set;
}

const AddressSet& global_v6() {
  static const AddressSet set = *AddressSet::parse({"2000::/3"});
  return set;
}

// Teredo, benchmarks and the like; documentation; 6to4.
const AddressSet& special_v6() {
  static const AddressSet set =
      *AddressSet::parse({"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"});
  return set;
}

bool starts_with(const AddressBytes& address, std::initializer_list<std::uint8_t> prefix) {
  return std::ranges::equal(prefix, std::span(address).first(prefix.size()));
}

bool is_public_v4(const AddressBytes& at) {
  return !special_v4().contains(fmt::format("{}.{}.{}.{}", at[12], at[13], at[14], at[15]));
}

}  // namespace

bool is_public_address(std::string_view address) {
  const auto bytes = parse_address(address);
  if (!bytes) return false;
  if (starts_with(*bytes, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF})) return is_public_v4(*bytes);
  // NAT64: how networks without IPv4 reach it.
  if (starts_with(*bytes, {0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0})) {
    return is_public_v4(*bytes);
  }
  return global_v6().contains(address) && !special_v6().contains(address);
}

bool is_plain_host(const Url& url) {
  if (url.is_ipv6()) return true;
  const std::string_view host = url.host;
  if (host.ends_with('.')) return false;
  const std::string_view last = host.substr(host.rfind('.') + 1);
  const bool numeric = last.starts_with("0x") ||
                       std::ranges::all_of(last, [](char c) { return c >= '0' && c <= '9'; });
  return !numeric || parse_address(host).has_value();
}

}  // namespace rouse
