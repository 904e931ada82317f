#include "app/config_secrets.h"

#include <gtest/gtest.h>

#include "base/temp_dir_for_tests.h"

namespace rouse {
namespace {

TEST(Secrets, AreKeptForTheOwnerAlone) {
  const TempDir dir;
  EXPECT_EQ(read_secret(dir.path(), "openai").value(), std::nullopt);
  ASSERT_TRUE(write_secret(dir.path(), "openai", " sk-canary \n"));
  EXPECT_EQ(read_secret(dir.path(), "openai").value(), "sk-canary");
  EXPECT_EQ(dir.mode("secrets"), 0700u);
  EXPECT_EQ(dir.mode("secrets/openai"), 0600u);
  ASSERT_TRUE(write_secret(dir.path(), "openai", "sk-other"));
  EXPECT_EQ(read_secret(dir.path(), "openai").value(), "sk-other");
  ASSERT_TRUE(remove_secret(dir.path(), "openai"));
  ASSERT_TRUE(remove_secret(dir.path(), "openai"));
  EXPECT_EQ(read_secret(dir.path(), "openai").value(), std::nullopt);
}

TEST(Secrets, NamesCannotLeaveTheFolder) {  // SC-11
  const TempDir dir;
  for (const std::string& name :
       {std::string(), std::string("../token"), std::string("a/b"), std::string("."),
        std::string("A"), std::string("_a"), std::string("a b"), std::string(65, 'a'),
        std::string("a\0b", 3), std::string("ä")}) {
    EXPECT_FALSE(write_secret(dir.path(), name, "x")) << name;
    EXPECT_FALSE(read_secret(dir.path(), name)) << name;
    EXPECT_FALSE(remove_secret(dir.path(), name)) << name;
  }
}

TEST(Secrets, WhatOthersCouldReadIsRefused) {
  const TempDir dir;
  ASSERT_TRUE(write_secret(dir.path(), "a", "value"));
  std::filesystem::permissions(dir / "secrets/a", std::filesystem::perms(0644));
  EXPECT_FALSE(read_secret(dir.path(), "a"));
  std::filesystem::permissions(dir / "secrets/a", std::filesystem::perms(0600));
  std::filesystem::permissions(dir / "secrets", std::filesystem::perms(0755));
  EXPECT_FALSE(read_secret(dir.path(), "a"));
  EXPECT_FALSE(write_secret(dir.path(), "a", "value"));
}

TEST(Secrets, ALinkedFolderIsRefused) {
  const TempDir dir, elsewhere;
  std::filesystem::create_directory_symlink(elsewhere.path(), dir / "secrets");
  EXPECT_FALSE(write_secret(dir.path(), "a", "value"));
}

TEST(Secrets, EmptyAndBrokenValuesAreRefused) {
  const TempDir dir;
  EXPECT_FALSE(write_secret(dir.path(), "a", " \n"));
  EXPECT_FALSE(write_secret(dir.path(), "a", std::string_view("a\0b", 3)));
  EXPECT_FALSE(write_secret(dir.path(), "a", std::string(65'536, 'x')));
  EXPECT_FALSE(std::filesystem::exists(dir / "secrets/a"));
}

TEST(Secrets, TheConfigPointsToAVariableOrAFile) {
  const TempDir dir;
  EXPECT_EQ(resolve_secret("", "", {}).value(), std::nullopt);
  EXPECT_EQ(resolve_secret("V", "", {{"V", "value\n"}}).value(), "value");
  EXPECT_FALSE(resolve_secret("V", "", {}));
  EXPECT_FALSE(resolve_secret("V", "", {{"V", " "}}));
  dir.write("s", "from file\n");
  EXPECT_EQ(resolve_secret("", dir / "s", {}).value(), "from file");
  dir.write("s", "\n");
  EXPECT_FALSE(resolve_secret("", dir / "s", {}));
  EXPECT_FALSE(resolve_secret("", dir / "missing", {}));
}

// SC-10
TEST(Secrets, InAnAddressArePasswordsAndWhatTheQuerySays) {
  using Found = std::vector<std::string>;
  EXPECT_EQ(secrets_in_url("http://127.0.0.1:3000/send?token=Zq8Wm4Xc7&to=whatsapp&n=7#part"),
            (Found{"Zq8Wm4Xc7"}));
  EXPECT_EQ(secrets_in_url("http://h/?key=Zq8%2fm4Xc7"), (Found{"Zq8%2fm4Xc7", "Zq8/m4Xc7"}));
  EXPECT_EQ(secrets_in_url("http://me:proxy-Rt6@127.0.0.1:3128"),
            (Found{"me:proxy-Rt6", "proxy-Rt6"}));
  EXPECT_EQ(secrets_in_url("me:proxy-Rt6@proxy:3128"), (Found{"me:proxy-Rt6", "proxy-Rt6"}));
  EXPECT_EQ(secrets_in_url("http://tok-123456@proxy"), (Found{"tok-123456"}));
  EXPECT_EQ(secrets_in_url("http://a:b@proxy/path"), Found{});
  EXPECT_EQ(secrets_in_url(""), Found{});
}

}  // namespace
}  // namespace rouse
