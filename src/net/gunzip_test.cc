#include "net/gunzip.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

// printf 'hello hello hello\n' | gzip -n9
const std::string kPacked(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x5c\x00\x3b\x7c"
    "\x8a\xdf\x12\x00\x00\x00",
    29);

TEST(Gunzip, GivesBackWhatWasPacked) {
  EXPECT_EQ(gunzip(kPacked, 18).value(), "hello hello hello\n");
}

TEST(Gunzip, AFileThatIsNotWholeOrNotOursIsRefused) {
  EXPECT_FALSE(gunzip("", 0));
  EXPECT_FALSE(gunzip("hello hello hello hello", 23));
  EXPECT_FALSE(gunzip(std::string_view(kPacked).substr(0, 20), 18));
  EXPECT_FALSE(gunzip(kPacked, 17));
}

}  // namespace
}  // namespace rouse
