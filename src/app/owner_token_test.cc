#include "app/owner_token.h"

#include <gtest/gtest.h>

#include "base/temp_dir_for_tests.h"

namespace rouse {
namespace {

TEST(OwnerToken, IsMadeOnceForTheOwnerAlone) {
  const TempDir dir;
  const std::string home = dir / "new/home";
  SeededRandom random(1);
  EXPECT_TRUE(read_owner_token(home, {}).error().is(Errc::kNotFound));
  const auto first = ensure_owner_token(home, {}, random);
  ASSERT_TRUE(first) << first.error();
  EXPECT_TRUE(first->made);
  EXPECT_EQ(first->token.size(), 6u + 64u);
  EXPECT_TRUE(first->token.starts_with("rouse_"));
  EXPECT_EQ(first->origin, home + "/token");
  EXPECT_EQ(dir.mode("new/home"), 0700u);
  EXPECT_EQ(dir.mode("new/home/token"), 0600u);
  const auto second = ensure_owner_token(home, {}, random);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->made);
  EXPECT_EQ(second->token, first->token);
  const auto entries = std::distance(std::filesystem::directory_iterator(home),
                                     std::filesystem::directory_iterator());
  EXPECT_EQ(entries, 1) << "no temporary file stays behind";
}

TEST(OwnerToken, TheEnvironmentComesFirst) {
  const TempDir dir;
  SeededRandom random(1);
  const auto given = ensure_owner_token(dir / "x", {{"ROUSE_TOKEN", "0123456789abcdef"}}, random);
  ASSERT_TRUE(given);
  EXPECT_EQ(given->token, "0123456789abcdef");
  EXPECT_EQ(given->origin, "environment ROUSE_TOKEN");
  EXPECT_FALSE(std::filesystem::exists(dir / "x"));
  EXPECT_FALSE(ensure_owner_token(dir / "x", {{"ROUSE_TOKEN", "short"}}, random));
  EXPECT_FALSE(
      ensure_owner_token(dir / "x", {{"ROUSE_TOKEN", "with a space in the middle"}}, random));
}

TEST(OwnerToken, ADamagedOrOpenFileIsRefusedAndKept) {
  const TempDir dir;
  SeededRandom random(1);
  dir.write("token", "");
  EXPECT_FALSE(ensure_owner_token(dir.path(), {}, random));
  dir.write("token", "rouse_0123456789abcdef", 0644);
  const auto open = ensure_owner_token(dir.path(), {}, random);
  ASSERT_FALSE(open);
  EXPECT_NE(open.error().message.find("chmod 600"), std::string::npos);
  dir.write("token", "rouse_0123456789abcdef", 0600);
  EXPECT_EQ(ensure_owner_token(dir.path(), {}, random)->token, "rouse_0123456789abcdef");
}

}  // namespace
}  // namespace rouse
