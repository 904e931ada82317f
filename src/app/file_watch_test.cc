#include "app/file_watch.h"

#include <gtest/gtest.h>

#include "base/temp_dir_for_tests.h"

namespace rouse {
namespace {

// The kernel delivers inotify events before the call that caused them returns, so a few polls of
// the loop see them all; time moves only by the virtual clock. Nothing sleeps.
class FileWatchTest : public testing::Test {
 protected:
  void open() {
    auto opened = FileWatch::open(
        loop, clock, [this](const std::vector<std::string>& changed) { calls.push_back(changed); });
    ASSERT_TRUE(opened) << opened.error();
    watch = std::move(*opened);
  }
  void run() {
    for (int i = 0; i < 20; ++i) loop.poll();
  }
  void let_settle() {
    run();
    clock.advance(millis(100));
    run();
  }
  using Calls = std::vector<std::vector<std::string>>;

  Loop loop;
  VirtualClock clock;
  TempDir dir;
  Calls calls;
  std::unique_ptr<FileWatch> watch;
};

TEST_F(FileWatchTest, AChangedFileIsReportedOnceWhenItIsQuiet) {
  dir.write("a", "1");
  open();
  EXPECT_TRUE(watch->set_files({dir / "a"}).empty());
  dir.write("a", "2");
  run();
  EXPECT_TRUE(calls.empty());
  clock.advance(millis(60));
  dir.write("a", "3");
  run();
  clock.advance(millis(60));
  run();
  EXPECT_TRUE(calls.empty()) << "the second write started the wait again";
  clock.advance(millis(40));
  run();
  EXPECT_EQ(calls, (Calls{{dir / "a"}}));
}

TEST_F(FileWatchTest, AFileWithoutAPauseIsStillReported) {
  open();
  watch->set_files({dir / "a"});
  for (int i = 0; i < 30; ++i) {
    dir.write("a", "x");
    run();
    clock.advance(millis(50));
    run();
  }
  EXPECT_GE(calls.size(), 1u);
}

TEST_F(FileWatchTest, AnEditorThatRenamesOverTheFileIsSeen) {
  dir.write("a", "1");
  open();
  watch->set_files({dir / "a"});
  for (int i = 0; i < 3; ++i) {
    dir.write("a.swp", "2");
    std::filesystem::rename(dir / "a.swp", dir / "a");
    let_settle();
  }
  EXPECT_EQ(calls.size(), 3u);
}

TEST_F(FileWatchTest, MakingRemovingAndChmodAreSeen) {
  open();
  watch->set_files({dir / "a"});
  dir.write("a", "1");
  let_settle();
  EXPECT_EQ(calls.size(), 1u);
  std::filesystem::permissions(dir / "a", std::filesystem::perms(0644));
  let_settle();
  EXPECT_EQ(calls.size(), 2u);
  std::filesystem::remove(dir / "a");
  let_settle();
  EXPECT_EQ(calls.size(), 3u);
}

TEST_F(FileWatchTest, OtherFilesInTheFolderAreNot) {
  open();
  watch->set_files({dir / "a"});
  dir.write("b", "1");
  let_settle();
  EXPECT_TRUE(calls.empty());
  EXPECT_EQ(clock.waiting(), 0u) << "nothing waits, so nothing wakes up";
}

TEST_F(FileWatchTest, ABurstOverSeveralFilesIsOneCall) {
  open();
  watch->set_files({dir / "a", dir / "b"});
  dir.write("a", "1");
  dir.write("b", "1");
  let_settle();
  EXPECT_EQ(calls, (Calls{{dir / "a", dir / "b"}}));
}

TEST_F(FileWatchTest, ALinkIsFollowedAlsoWhenItMovesOn) {
  const TempDir elsewhere, third;
  elsewhere.write("real", "1");
  third.write("real", "1");
  std::filesystem::create_symlink(elsewhere / "real", dir / "a");
  open();
  watch->set_files({dir / "a"});
  elsewhere.write("real", "2");
  let_settle();
  EXPECT_EQ(calls.size(), 1u);
  std::filesystem::create_symlink(third / "real", dir / "b");
  std::filesystem::rename(dir / "b", dir / "a");
  let_settle();
  EXPECT_EQ(calls.size(), 2u);
  third.write("real", "2");
  let_settle();
  EXPECT_EQ(calls.size(), 3u);
}

TEST_F(FileWatchTest, AMissingFolderIsSaidAndTheOthersAreWatched) {
  open();
  const auto problems = watch->set_files({"/nonexistent/x", dir / "a"});
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0],
            "changes of /nonexistent/x are not seen: can't watch /nonexistent: No such file or "
            "directory");
  dir.write("a", "1");
  let_settle();
  EXPECT_EQ(calls.size(), 1u);
}

TEST_F(FileWatchTest, TheSetCanBeReplaced) {
  const TempDir other;
  open();
  watch->set_files({dir / "a"});
  watch->set_files({other / "b"});
  dir.write("a", "1");
  let_settle();
  EXPECT_TRUE(calls.empty());
  other.write("b", "1");
  let_settle();
  EXPECT_EQ(calls, (Calls{{other / "b"}}));
}

TEST_F(FileWatchTest, NoCallComesAfterTheEnd) {
  open();
  watch->set_files({dir / "a"});
  dir.write("a", "1");
  run();
  watch.reset();
  let_settle();
  EXPECT_TRUE(calls.empty());
  EXPECT_EQ(clock.waiting(), 0u);
}

}  // namespace
}  // namespace rouse
