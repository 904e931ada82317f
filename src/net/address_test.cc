#include "net/address.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

TEST(AddressSet, KnowsSingleAddressesRangesAndBothSpellingsOfIPv4) {
  const auto set = AddressSet::parse({"10.0.0.0/8", "192.168.1.5", "fd00::/9"});
  ASSERT_TRUE(set);
  EXPECT_TRUE(set->contains("10.255.1.2"));
  EXPECT_TRUE(set->contains("::ffff:10.1.1.1"));
  EXPECT_TRUE(set->contains("192.168.1.5"));
  EXPECT_TRUE(set->contains("fd7f::1"));
  EXPECT_FALSE(set->contains("11.0.0.1"));
  EXPECT_FALSE(set->contains("192.168.1.6"));
  EXPECT_FALSE(set->contains("fe00::1"));
  EXPECT_FALSE(set->contains("not an address"));
}

TEST(AddressSet, NamesTheEntryThatIsNoAddress) {
  for (const char* bad : {"10.0.0.0/33", "10.0.0", "x", "", "10.0.0.0/", "::1/129", "1.2.3.4/-1"}) {
    const auto set = AddressSet::parse({"127.0.0.1", bad});
    ASSERT_FALSE(set) << bad;
    EXPECT_NE(set.error().message.find("'" + std::string(bad) + "'"), std::string::npos);
  }
}

TEST(Address, LoopbackIsTheWholeNetAndItsMappedForm) {
  EXPECT_TRUE(is_loopback("127.0.0.1"));
  EXPECT_TRUE(is_loopback("127.9.9.9"));
  EXPECT_TRUE(is_loopback("::1"));
  EXPECT_TRUE(is_loopback("::ffff:127.0.0.1"));
  EXPECT_FALSE(is_loopback("0.0.0.0"));
  EXPECT_FALSE(is_loopback("::"));
  EXPECT_FALSE(is_loopback("192.168.0.1"));
}

}  // namespace
}  // namespace rouse
