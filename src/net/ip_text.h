// An Asio address as people write it. Inside this room only.
#pragma once

#include <string>

#include <boost/asio/ip/address.hpp>

namespace rouse {

// IPv4 that came in over an IPv6 socket (::ffff:1.2.3.4) is shown as plain IPv4, so that rules
// about addresses need to know one spelling only.
inline std::string to_plain_text(const boost::asio::ip::address& address) {
  namespace ip = boost::asio::ip;
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return ip::make_address_v4(ip::v4_mapped, address.to_v6()).to_string();
  }
  return address.to_string();
}

}  // namespace rouse
