#include "channel/whatsapp/fast_path.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace rouse {
namespace {

// S1-C9
TEST(ReplyWords, AreKnownWhateverTheirCaseBlanksAndPunctuation) {
  const std::vector<std::pair<std::string_view, ReplyWord>> table{
      {"yes", ReplyWord::kYes},
      {"Yes!", ReplyWord::kYes},
      {"  YES.  ", ReplyWord::kYes},
      {"y", ReplyWord::kYes},
      {"Yes, please.", ReplyWord::kYes},
      {"approve", ReplyWord::kYes},
      {"no", ReplyWord::kNo},
      {"No, thanks", ReplyWord::kNo},
      {"NOPE", ReplyWord::kNo},
      {"more", ReplyWord::kMore},
      {"More…", ReplyWord::kMore},
      {"edit", ReplyWord::kEdit},
      {"go ahead", ReplyWord::kGoAhead},
      {"go_ahead", ReplyWord::kGoAhead},
      {"Go   ahead!", ReplyWord::kGoAhead},
      {"go-ahead", ReplyWord::kGoAhead},
      {"cancel", ReplyWord::kCancel},
      {"Never mind.", ReplyWord::kCancel},
      {"status", ReplyWord::kStatus},
      {"status?", ReplyWord::kStatus},
      {"jobs", ReplyWord::kStatus},
      {"/jobs", ReplyWord::kStatus}};
  for (const auto& [text, word] : table) {
    ASSERT_TRUE(reply_word(text)) << text;
    EXPECT_EQ(*reply_word(text), word) << text;
  }
}

TEST(ReplyWords, AreNoneWhenTheMessageSaysMore) {
  for (const std::string_view text :
       {"", "   ", "?", "yes and then call me", "no idea", "more bread", "edit the file",
        "cancel my flight", "status of order 7", "yesterday", "now", "yes 2", "ja", "да",
        "yesyesyesyesyesyesyesyesyes", "go", "ahead"}) {
    EXPECT_FALSE(reply_word(text)) << text;
  }
}

}  // namespace
}  // namespace rouse
