#include "lifecycle/git/git_output.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

using namespace std::string_literals;
using Paths = std::vector<std::string>;

TEST(GitOutput, StatusGivesEveryPathOnceInOrder) {
  EXPECT_EQ(paths_of_status(" M b.txt\0?? a b.txt\0A  c\nd\0"s),
            (Paths{"a b.txt", "b.txt", "c\nd"}));
  EXPECT_EQ(paths_of_status(""), Paths{});
  EXPECT_EQ(paths_of_status("no end"), Paths{});
}

TEST(GitOutput, ARenamedFileHasTheNameItHasNow) {
  EXPECT_EQ(paths_of_status("R  new.txt\0old.txt\0 M z\0"s), (Paths{"new.txt", "z"}));
}

TEST(GitOutput, AWarningOrACutCostsNoOtherEntry) {
  EXPECT_EQ(paths_of_status("warning: could not open 'x/'\n?? a\0 M b\0 M cut of"s),
            (Paths{"a", "b"}));
}

TEST(GitOutput, StatusIsBounded) {
  std::string many;
  for (int i = 0; i < 2'000; ++i) many += "?? " + std::to_string(i) + '\0';
  EXPECT_EQ(paths_of_status(many).size(), kGitDirtyFiles);
}

TEST(GitOutput, LogGivesHashesAndSubjects) {
  const std::string hash(40, 'a');
  const auto commits = commits_of_log("warning: x\n" + hash + "\0First: one\n"s + "short\0no\n"s);
  ASSERT_EQ(commits.size(), 1U);
  EXPECT_EQ(commits[0].hash, hash);
  EXPECT_EQ(commits[0].subject, "First: one");
}

TEST(GitOutput, AFilterThatCannotBeReadIsNotOverlooked) {
  EXPECT_EQ(filters_of_config(""), Paths{});
  EXPECT_EQ(filters_of_config("filter.lfs.clean\0filter.lfs.process\0filter.a=b.c.clean\0"s),
            (Paths{"a=b.c", "lfs"}));
  EXPECT_EQ(filters_of_config("warning: w\nfilter.lfs.clean\0"s), (Paths{"lfs"}));
  EXPECT_EQ(filters_of_config("filt\0er.lfs.clean\0"s), std::nullopt);
  EXPECT_EQ(filters_of_config("filter.lfs.cl"), std::nullopt);
}

TEST(GitOutput, TheFatalLineIsWhatWentWrong) {
  EXPECT_EQ(complaint_of("hint: x\nfatal: not a git repository\n"), "not a git repository");
  EXPECT_EQ(complaint_of("nothing"), "");
}

}  // namespace
}  // namespace rouse
