#include "session/conversation_overview.h"

#include <gtest/gtest.h>

#include "session/content.h"

namespace rouse {
namespace {

std::string preview(const std::string& text) {
  return preview_of(encode_content(text_content(text, kFromAgent)));
}

TEST(ConversationOverview, APreviewIsOneLineOfWhatWasSaid) {
  EXPECT_EQ(preview("Hello"), "Hello");
  EXPECT_EQ(preview("\n Two\n\n\tlines \"quoted\" \\ "), "Two lines \"quoted\" \\");
  EXPECT_EQ(preview(""), "");
  EXPECT_EQ(preview_of(""), "");
  EXPECT_EQ(
      preview_of(R"([{"type":"tool_call","from":"agent","arguments":"{\"type\":\"text\"}"}])"), "");
}

TEST(ConversationOverview, APreviewIsCutByCharactersAndSaysSo) {
  std::string umlauts, cut;
  for (std::size_t i = 0; i < kPreviewCharacters; ++i) umlauts += "ü";
  EXPECT_EQ(preview(umlauts), umlauts);
  for (std::size_t i = 1; i < kPreviewCharacters; ++i) cut += "ü";
  EXPECT_EQ(preview(umlauts + "!"), cut + "…");
}

// The list reads only the beginning of a message.
TEST(ConversationOverview, APreviewIsMadeFromAMessageThatIsCutAnywhere) {
  const std::string whole =
      R"([{"type":"text","from":"agent","text":"a\nb\ud83c\udf89\\c"},{"type":"text"}])";
  for (std::size_t bytes = 0; bytes <= whole.size(); ++bytes) {
    EXPECT_TRUE(std::string_view("a b🎉\\c").starts_with(preview_of(whole.substr(0, bytes))))
        << whole.substr(0, bytes);
  }
  EXPECT_EQ(preview_of(whole), "a b🎉\\c");
}

}  // namespace
}  // namespace rouse
