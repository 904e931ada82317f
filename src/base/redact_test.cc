#include "base/redact.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace rouse {
namespace {

constexpr std::string_view kSecret = "sk-ünicode/+\"quoted\" secret";

class RedactorTest : public testing::Test {
 protected:
  void SetUp() override {
    redactor_.set_secrets({std::string(kSecret), "short", "canary-12345678"});
  }
  Redactor redactor_;
};

// SC-10
TEST_F(RedactorTest, MasksEveryEncodingOfASecret) {
  const std::string secret(kSecret);
  for (const std::string& form :
       {secret, percent_encode(secret), json_escape(secret), to_base64(secret)}) {
    const std::string out = redactor_.redact("before " + form + " after");
    EXPECT_NE(out.find("[redacted]"), std::string::npos) << form;
    EXPECT_TRUE(out.starts_with("before ")) << out;
  }
}

TEST_F(RedactorTest, FindsASecretInsideALargerBase64AtEachAlignment) {
  for (std::size_t shift = 0; shift < 3; ++shift) {
    for (std::size_t tail = 0; tail < 3; ++tail) {
      const std::string encoded =
          to_base64(std::string(shift, 'x') + std::string(kSecret) + std::string(tail, 'y'));
      EXPECT_NE(redactor_.redact(encoded).find("[redacted]"), std::string::npos) << shift << tail;
    }
  }
}

// SC-10: the forms that others write.
TEST(Redactor, LowerCaseEscapesAndEscapedSlashesHideNothing) {
  Redactor redactor;
  redactor.set_secrets({"sk-Kw7/vQ+3\"mXr9"});
  EXPECT_EQ(redactor.redact("a sk-Kw7%2FvQ%2B3%22mXr9 b"), "a [redacted] b");
  EXPECT_EQ(redactor.redact("a sk-Kw7%2fvQ%2b3%22mXr9 b"), "a [redacted] b");
  EXPECT_EQ(redactor.redact("a sk-Kw7\\/vQ+3\\\"mXr9 b"), "a [redacted] b");
}

// SC-10
TEST(Redactor, APartShowsNothingOfASecretThatReachesIntoIt) {
  Redactor redactor;
  redactor.set_secrets({"canary-12345678"});
  const std::string text = "ab canary-12345678 yz";
  EXPECT_EQ(redactor.redact_part(text, 0, text.size()), "ab [redacted] yz");
  EXPECT_EQ(redactor.redact_part(text, 3, 18), "[redacted]");
  EXPECT_EQ(redactor.redact_part(text, 10, 99), "[redacted] yz");
  EXPECT_EQ(redactor.redact_part(text, 1, 5), "b [redacted]");
  EXPECT_EQ(redactor.redact_part(text, 8, 9), "[redacted]");
  EXPECT_EQ(redactor.redact_part(text, 18, 21), " yz");
  EXPECT_EQ(redactor.redact_part(text, 0, 2), "ab");
  EXPECT_EQ(redactor.redact_part(text, 30, 40), "");
}

TEST_F(RedactorTest, LeavesShortSecretsAndOtherTextAlone) {
  EXPECT_EQ(redactor_.redact("a short text, nothing secret"), "a short text, nothing secret");
}

TEST_F(RedactorTest, AStreamMasksSecretsAcrossChunkBorders) {
  const std::string text = "x canary-12345678 y canary-1234567 z canary-12345678";
  for (std::size_t size = 1; size < text.size(); ++size) {
    RedactingStream stream(redactor_);
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += size)
      out += stream.feed(text.substr(at, size));
    out += stream.finish();
    EXPECT_EQ(out, "x [redacted] y canary-1234567 z [redacted]") << size;
  }
}

TEST(Redactor, ASecretThatIsTheStartOfAnotherDoesNotHideIt) {
  Redactor redactor;
  redactor.set_secrets({"abcdefgh", "abcdefghijkl"});
  EXPECT_EQ(redactor.redact("abcdefghijkl abcdefgh"), "[redacted] [redacted]");
}

RC_GTEST_PROP(RedactingStream, EqualsTheWholeTextHoweverItIsCut, ()) {
  Redactor redactor;
  redactor.set_secrets({"aabaabaa", "abababab"});
  const auto text = *rc::gen::container<std::string>(rc::gen::element('a', 'b'));
  RedactingStream stream(redactor);
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto size = *rc::gen::inRange<std::size_t>(1, 5);
    out += stream.feed(std::string_view(text).substr(at, size));
    at += size;
  }
  out += stream.finish();
  RC_ASSERT(out == redactor.redact(text));
}

}  // namespace
}  // namespace rouse
