#include "net/address.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

namespace rouse {

std::optional<AddressBytes> parse_address(std::string_view text) {
  AddressBytes bytes{};
  const std::string terminated(text);
  if (::inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return bytes;
  std::array<std::uint8_t, 4> v4{};
  if (::inet_pton(AF_INET, terminated.c_str(), v4.data()) != 1) return std::nullopt;
  bytes[10] = bytes[11] = 0xFF;
  std::memcpy(bytes.data() + 12, v4.data(), 4);
  return bytes;
}

bool is_loopback(std::string_view address) {
  static const AddressSet loopback = *AddressSet::parse({"127.0.0.0/8", "::1"});
  return loopback.contains(address);
}

Result<AddressSet> AddressSet::parse(const std::vector<std::string>& entries) {
  AddressSet set;
  for (const std::string& entry : entries) {
    const std::size_t slash = entry.find('/');
    const auto base = parse_address(std::string_view(entry).substr(0, slash));
    const bool v4 = entry.find(':') == std::string::npos;
    int bits = v4 ? 32 : 128;
    bool good = base.has_value();
    if (good && slash != std::string::npos) {
      const char* end = entry.data() + entry.size();
      int wanted = -1;
      const auto read = std::from_chars(entry.data() + slash + 1, end, wanted);
      good = read.ec == std::errc() && read.ptr == end && wanted >= 0 && wanted <= bits;
      bits = wanted;
    }
    if (!good) {
      return fail(Errc::kInvalid,
                  fmt::format("'{}' is not an address or a range like 10.0.0.0/8", entry));
    }
    set.ranges_.push_back({*base, v4 ? bits + 96 : bits});
  }
  return set;
}

bool AddressSet::contains(std::string_view address) const {
  const auto bytes = parse_address(address);
  if (!bytes) return false;
  return std::ranges::any_of(ranges_, [&](const Range& range) {
    const auto whole = static_cast<std::size_t>(range.bits / 8);
    if (!std::equal(bytes->begin(), bytes->begin() + static_cast<std::ptrdiff_t>(whole),
                    range.base.begin())) {
      return false;
    }
    const int rest = range.bits % 8;
    if (rest == 0) return true;
    const auto mask = static_cast<std::uint8_t>(0xFF << (8 - rest));
    return ((*bytes)[whole] & mask) == (range.base[whole] & mask);
  });
}

}  // namespace rouse
