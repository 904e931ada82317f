#include "channel/notify/web_push.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "base/temp_dir_for_tests.h"
#include "base/text.h"

namespace rouse {
namespace {

PushReader reader() {
  const auto keys = make_push_keys();
  return {to_base64url(keys->public_key), to_base64url(std::string(16, 'a'))};
}

TEST(WebPush, Base64UrlHasNoPaddingAndNoSlashes) {
  EXPECT_EQ(to_base64url("\xff\xfe\xfd\xfc"), "__79_A");
  EXPECT_EQ(from_base64url("__79_A"), "\xff\xfe\xfd\xfc");
  EXPECT_EQ(from_base64url("__79_A=="), "\xff\xfe\xfd\xfc");
  EXPECT_FALSE(from_base64url("a"));
  EXPECT_FALSE(from_base64url("!!!!"));
}

// RFC 4231, 4.3
TEST(WebPush, HmacIsTheOneOfTheStandard) {
  EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

// RFC 8188, 2.1; tests/e2e/notifications.test.ts decrypts with a library of others.
TEST(WebPush, AMessageHasItsHeadAndRoomForNothingElse) {
  SeededRandom random(3);
  const auto sealed = encrypt_push(reader(), "hello", random);
  ASSERT_TRUE(sealed) << sealed.error().message;
  EXPECT_EQ(sealed->size(), 16u + 4 + 1 + 65 + 5 + 1 + 16);
  EXPECT_EQ(sealed->substr(16, 6), std::string("\0\0\x10\0\x41\x04", 6));
  EXPECT_FALSE(sealed->contains("hello"));
}

TEST(WebPush, KeysOfABrowserThatAreNoneAreRefused) {
  EXPECT_TRUE(check_push_reader(reader()));
  PushReader short_secret = reader();
  short_secret.auth = "YQ";
  EXPECT_EQ(check_push_reader(short_secret).error().message,
            "'keys.auth' must be 16 bytes in base64url");
  PushReader off_the_curve = reader();
  off_the_curve.p256dh = to_base64url("\x04" + std::string(64, 'x'));
  EXPECT_FALSE(check_push_reader(off_the_curve));
  off_the_curve.p256dh = "";
  EXPECT_FALSE(check_push_reader(off_the_curve));
}

TEST(WebPush, TheServersKeyIsMadeOnceAndNobodyElseCanReadIt) {
  TempDir folder;
  const std::string path = folder.path() + "/secrets/push";
  const auto made = PushKeys(path).get();
  ASSERT_TRUE(made) << made.error().message;
  struct stat info{};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const auto again = PushKeys(path).get();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->public_key, made->public_key);
  EXPECT_EQ(again->private_key, made->private_key);
}

TEST(WebPush, TheTokenNamesAudienceAndEnd) {
  const auto keys = make_push_keys();
  const auto header = vapid_header(*keys, "https://push.example", "mailto:me@example.com",
                                   WallTime{1'800'000'000'000});
  ASSERT_TRUE(header) << header.error().message;
  EXPECT_TRUE(header->starts_with("vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9."));
  EXPECT_TRUE(header->ends_with(", k=" + to_base64url(keys->public_key)));
  const auto parts = split(std::string_view(*header).substr(8), '.');
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(from_base64url(parts[1]),
            R"({"aud":"https://push.example","exp":1800043200,"sub":"mailto:me@example.com"})");
}

}  // namespace
}  // namespace rouse
