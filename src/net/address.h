// IP addresses as text and sets of them: "10.0.0.0/8", "::1", "192.168.1.5".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace rouse {

// Sixteen bytes; IPv4 is kept as ::ffff:a.b.c.d, so that both spellings are equal.
using AddressBytes = std::array<std::uint8_t, 16>;
std::optional<AddressBytes> parse_address(std::string_view text);
bool is_loopback(std::string_view address);

class AddressSet {
 public:
  // Each entry is an address or a CIDR range; the error names the one that is neither.
  static Result<AddressSet> parse(const std::vector<std::string>& entries);
  [[nodiscard]] bool contains(std::string_view address) const;
  [[nodiscard]] bool empty() const { return ranges_.empty(); }

 private:
  struct Range {
    AddressBytes base;
    int bits;  // of 128
  };
  std::vector<Range> ranges_;
};

}  // namespace rouse
