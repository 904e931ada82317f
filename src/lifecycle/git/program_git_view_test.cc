#include "lifecycle/git/program_git_view.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sys/stat.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temp_dir_for_tests.h"
#include "tool/shell/child_process.h"

namespace rouse {
namespace {

using Paths = std::vector<std::string>;

// git runs for real; only the deadline is virtual.
class GitTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_git().empty()) return;
    std::puts("SKIPPED: git is not installed");
    GTEST_SKIP() << "git is not installed";
  }

  template <class T>
  static Task<void> keep(Task<T> task, std::optional<T>& out) {
    out = co_await std::move(task);
  }
  template <class T>
  T run(Task<T> task) {
    std::optional<T> out;
    loop_.spawn("git", keep(std::move(task), out));
    loop_.context().restart();
    while (!out) loop_.context().run_one();
    return std::move(*out);
  }
  void git(std::vector<std::string> words, const std::string& committed = "") {
    ChildSpec spec{.command = {find_git(), "-c", "user.name=Ada", "-c",
                               "user.email=ada@example.com", "-c", "init.defaultBranch=trunk"},
                   .environment = {"PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C"},
                   .folder = dir_.path(),
                   .limits = {}};
    spec.command.insert(spec.command.end(), words.begin(), words.end());
    if (!committed.empty()) spec.environment.push_back("GIT_COMMITTER_DATE=" + committed);
    const auto end = run_child(spec, KillSwitch(), 4'096);
    ASSERT_TRUE(end) << end.error();
    ASSERT_EQ(end->exit_code, 0) << end->output;
  }
  void commit_all(const std::string& subject, WallTime at = {1'000'000'000'000}) {
    git({"add", "-A"});
    git({"commit", "-q", "-m", subject}, fmt::format("@{} +0000", at.unix_ms / 1'000));
  }
  Paths dirty(const std::string& folder) {
    auto found = run(view_.dirty_files(folder));
    EXPECT_TRUE(found) << found.error();
    return found ? *found : Paths{};
  }

  TempDir dir_;
  Loop loop_;
  VirtualClock clock_;
  BlockingPool pool_;
  ProgramGitView view_{loop_, clock_, pool_};
};

TEST_F(GitTest, AFolderBecomesARepositoryWithinSeconds) {
  EXPECT_FALSE(view_.is_repository(dir_.path()));
  git({"init", "-q"});
  EXPECT_FALSE(view_.is_repository(dir_.path())) << "it is remembered for a moment";
  clock_.advance(seconds(6));
  EXPECT_TRUE(view_.is_repository(dir_.path()));
  ASSERT_TRUE(make_private_dir(dir_ / "deep/er"));
  EXPECT_TRUE(view_.is_repository(dir_ / "deep/er"));
  EXPECT_FALSE(view_.is_repository(""));
  EXPECT_FALSE(view_.is_repository("relative"));
}

TEST_F(GitTest, DirtyFilesAreThoseThatDifferFromTheLastCommit) {
  git({"init", "-q"});
  dir_.write("kept.txt", "1");
  dir_.write("changed.txt", "1");
  commit_all("Begin");
  EXPECT_EQ(dirty(dir_.path()), Paths{});
  dir_.write("changed.txt", "2");
  dir_.write("new file.txt", "x");
  dir_.write("with\nline.txt", "x");
  EXPECT_EQ(dirty(dir_.path()), (Paths{"changed.txt", "new file.txt", "with\nline.txt"}));
}

TEST_F(GitTest, OnlyTheFolderThatIsAskedForCounts) {
  git({"init", "-q"});
  ASSERT_TRUE(make_private_dir(dir_ / "inside"));
  dir_.write("outside.txt", "x");
  dir_.write("inside/a.txt", "x");
  EXPECT_EQ(dirty(dir_ / "inside"), (Paths{"inside/"}));
}

TEST_F(GitTest, CommitsAndBranchAreTold) {
  git({"init", "-q"});
  const WallTime first{1'000'000'000'000};
  const WallTime second{1'000'000'001'000};
  auto none = run(view_.commits_since(dir_.path(), {0}));
  ASSERT_TRUE(none) << none.error();
  EXPECT_TRUE(none->empty());
  dir_.write("a", "1");
  commit_all("First: one", first);
  dir_.write("a", "2");
  commit_all("Second | two", second);
  auto all = run(view_.commits_since(dir_.path(), {0}));
  ASSERT_TRUE(all) << all.error();
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ(all->front().subject, "Second | two");
  EXPECT_EQ(all->front().hash.size(), 40U);
  EXPECT_EQ(run(view_.commits_since(dir_.path(), first))->size(), 2U);
  EXPECT_EQ(run(view_.commits_since(dir_.path(), second))->size(), 1U);
  const auto later = run(view_.commits_since(dir_.path(), {4'000'000'000'000}));
  EXPECT_TRUE(later && later->empty());
  EXPECT_EQ(*run(view_.branch(dir_.path())), "trunk");
  git({"checkout", "-q", "--detach"});
  EXPECT_EQ(*run(view_.branch(dir_.path())), "(no branch)");
}

TEST_F(GitTest, AFolderThatIsNoRepositoryIsAnErrorInWords) {
  const auto failed = run(view_.dirty_files(dir_.path()));
  ASSERT_FALSE(failed);
  EXPECT_TRUE(failed.error().message.contains("is no git repository")) << failed.error().message;
  EXPECT_FALSE(run(view_.branch(dir_ / "missing")));
}

TEST_F(GitTest, ARepositoryOfAnotherUserIsAnErrorInWords) {
  git({"init", "-q"});
  if (::chown(dir_.path().c_str(), 12'345, 12'345) != 0) {
    std::puts("SKIPPED: only root can give a folder away");
    GTEST_SKIP();
  }
  const auto failed = run(view_.dirty_files(dir_.path()));
  ASSERT_FALSE(failed);
  EXPECT_TRUE(failed.error().message.contains("belongs to another user")) << failed.error().message;
}

// An agent can write the config of a repository; nothing in it may be run for that.
TEST_F(GitTest, NoProgramThatARepositoryNamesIsRun) {
  git({"init", "-q"});
  dir_.write("evil", "#!/bin/sh\ntouch '" + dir_.path() + "/.git/ran'\ncat\n", 0755);
  const std::string evil = dir_ / "evil";
  for (const std::string key : {"filter.x.clean", "filter.a=b.clean", "filter.x.process",
                                "core.fsmonitor", "core.pager", "gpg.program", "core.askPass"}) {
    git({"config", key, evil});
  }
  git({"config", "filter.x.required", "true"});
  git({"config", "log.showSignature", "true"});
  dir_.write(".gitattributes", "*.txt filter=x\n*.md filter=a=b\n");
  ASSERT_TRUE(make_private_dir(dir_ / ".git/hooks"));
  dir_.write(".git/hooks/post-index-change", "#!/bin/sh\ntouch ../ran\n", 0755);
  // Files in the index that look changed, so that git must read them.
  dir_.write("a.txt", "1");
  dir_.write("b.md", "1");
  git({"-c", "filter.x.clean=", "-c", "filter.x.process=", "-c", "filter.x.required=false", "-c",
       "core.fsmonitor=false", "add", ".gitattributes", "a.txt"});
  std::filesystem::remove(dir_ / ".git/ran");
  dir_.write("a.txt", "2");
  const Paths found = dirty(dir_.path());
  EXPECT_EQ(found, (Paths{".gitattributes", "a.txt", "b.md", "evil"}));
  EXPECT_TRUE(run(view_.commits_since(dir_.path(), {0})));
  EXPECT_FALSE(path_exists(dir_ / ".git/ran"));
}

TEST_F(GitTest, GitThatHangsIsEnded) {
  dir_.write("slow", "#!/bin/sh\nread line < '" + (dir_ / "pipe") + "'\n", 0755);
  ASSERT_EQ(::mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  ProgramGitView view(loop_, clock_, pool_, {.program = dir_ / "slow"});
  std::optional<Result<std::string>> out;
  loop_.spawn("git", keep(view.branch(dir_.path()), out));
  loop_.poll();
  clock_.advance(seconds(5));
  loop_.context().restart();
  while (!out) loop_.context().run_one();
  ASSERT_FALSE(*out);
  EXPECT_TRUE(out->error().message.contains("did not answer") ||
              out->error().message.contains("stopped before"))
      << out->error().message;
}

TEST_F(GitTest, ItAnswersFromASandboxThatCannotWrite) {
  git({"init", "-q"});
  dir_.write("new", "x");
  ProgramGitView view(loop_, clock_, pool_, {.before = read_only_sandbox("/usr/bin/bwrap")});
  const auto found = run(view.dirty_files(dir_.path()));
  if (!found) {
    std::printf("SKIPPED: no sandbox here (%s)\n", found.error().message.c_str());
    GTEST_SKIP();
  }
  EXPECT_EQ(*found, Paths{"new"});
}

TEST_F(GitTest, WithoutGitThereAreWordsAndTheFolderIsKnownAllTheSame) {
  git({"init", "-q"});
  ProgramGitView view(loop_, clock_, pool_, {.program = ""});
  EXPECT_TRUE(view.is_repository(dir_.path()));
  const auto failed = run(view.branch(dir_.path()));
  ASSERT_FALSE(failed);
  EXPECT_TRUE(failed.error().message.contains("git is not installed"));
}

}  // namespace
}  // namespace rouse
