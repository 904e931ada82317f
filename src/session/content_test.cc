#include "session/content.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rouse {
namespace {

TEST(Content, WhatIsStoredComesBack) {
  for (const char* text : {"", "hello", "a \"quoted\" word", "two\nlines", "back\\slash", "größe €",
                           "\"}]", "[{\"type\":\"text\"}]"}) {
    for (const std::string_view from : {kFromOwner, kFromSender, kFromAgent, kFromUntrusted}) {
      const Content content = text_content(text, from);
      const auto back = decode_content(encode_content(content));
      ASSERT_TRUE(back) << back.error();
      EXPECT_EQ(*back, content) << text;
    }
  }
}

RC_GTEST_PROP(Content, AnyTextComesBack, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
  const Content content = text_content(text, kFromAgent);
  const auto back = decode_content(encode_content(content));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == content);
}

TEST(Content, WhatIsDamagedIsNeverTakenForText) {
  for (const char* stored : {"", "[", "[{\"type\":\"text\",\"from\":\"owner\",\"text\":\"x\"}",
                             "[{\"type\":\"text\",\"from\":\"nobody\",\"text\":\"x\"}]",
                             "[{\"type\":\"text\",\"from\":\"owner\",\"text\":\"a\"b\"}]"}) {
    EXPECT_FALSE(decode_content(stored)) << stored;
  }
}

}  // namespace
}  // namespace rouse
