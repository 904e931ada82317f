#include "tool/fetch/public_address.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

// SC-7
TEST(PublicAddress, OnlyThePublicInternetIsPublic) {
  for (const char* address :
       {"8.8.8.8", "93.184.215.14", "172.32.0.1", "100.128.0.1", "192.0.1.1",
        "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "::ffff:8.8.8.8", "64:ff9b::808:808"}) {
    EXPECT_TRUE(is_public_address(address)) << address;
  }
  for (const char* address : {"0.0.0.0",
                              "10.1.2.3",
                              "100.64.0.1",
                              "127.0.0.1",
                              "127.255.255.255",
                              "169.254.169.254",
                              "172.16.0.1",
                              "172.31.255.255",
                              "192.0.0.192",
                              "192.0.2.1",
                              "192.168.0.1",
                              "198.18.0.1",
                              "198.19.255.255",
                              "198.51.100.1",
                              "203.0.113.1",
                              "224.0.0.1",
                              "240.0.0.1",
                              "255.255.255.255",
                              "168.63.129.16",
                              "100.100.100.200",
                              "::",
                              "::1",
                              "::7f00:1",
                              "::ffff:10.0.0.1",
                              "::ffff:7f00:1",
                              "64:ff9b::a00:1",
                              "64:ff9b:1::1",
                              "2002:a00:1::",
                              "2001:0:a00:1::",
                              "2001:db8::1",
                              "fc00::1",
                              "fd00:ec2::254",
                              "fe80::1",
                              "fe80::1%eth0",
                              "ff02::1",
                              "3fff::1",
                              "::ffff:0:7f00:1",
                              "5f00::1",
                              "",
                              "localhost",
                              "8.8.8.8.8"}) {
    EXPECT_FALSE(is_public_address(address)) << address;
  }
}

TEST(PublicAddress, UnusualSpellingsAreNoPlainHosts) {
  for (const char* url : {"http://example.com/", "http://93.184.215.14/", "http://[::1]/",
                          "http://1.example.com/", "http://xn--bcher-kva.example/"}) {
    EXPECT_TRUE(is_plain_host(*parse_url(url))) << url;
  }
  for (const char* url : {"http://2130706433/", "http://0x7f000001/", "http://0x7f.0.0.1/",
                          "http://0177.0.0.1/", "http://127.1/", "http://127.0.0.1./",
                          "http://localhost./", "http://0/", "http://1.2.3.4.5/"}) {
    EXPECT_FALSE(is_plain_host(*parse_url(url))) << url;
  }
}

}  // namespace
}  // namespace rouse
