#include "model/wire_json.h"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "base/random.h"
#include "base/text.h"
#include "model/utf8_text.h"

namespace rouse {
namespace {

TEST(WireJson, WritesAnyBytesAsTextThatComesBack) {
  SeededRandom random(5);
  constexpr std::string_view kOdd =
      "abcdefgh 0123456789\"\\\n\t\x01\x1f\x7f\xc3\xa4\xe4\xbd\xa0\xf0\x9f\x91\x8b\xff";
  for (int round = 0; round < 5'000; ++round) {
    std::string text;
    const bool mostly_plain = random.below(2) == 0;
    for (std::uint64_t i = random.below(40); i > 0; --i) {
      text += kOdd[random.below(mostly_plain ? 20 : kOdd.size())];
    }
    std::string out;
    wire::append_text(out, text);
    ASSERT_TRUE(is_utf8(out));
    const boost::json::value back = boost::json::parse(out);
    ASSERT_EQ(std::string_view(back.as_string()), to_utf8(text)) << out;
  }
}

TEST(WireJson, WritesAnObjectOrWhatStandsForOne) {
  std::string out;
  wire::append_object(out, " {\"a\":1}\n");
  wire::append_object(out, "");
  wire::append_object(out, "[1]", "null");
  EXPECT_EQ(out, "{\"a\":1}{}null");
}

}  // namespace
}  // namespace rouse
