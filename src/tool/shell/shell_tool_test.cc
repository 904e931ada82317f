#include "tool/shell/shell_tool.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/json.h"
#include "base/temp_dir_for_tests.h"
#include "net/net_for_tests.h"
#include "tool/registry.h"

namespace rouse {
namespace {

namespace fs = std::filesystem;

// Commands run for real; only the deadline is virtual.
class ShellTest : public testing::Test {
 protected:
  ShellTest() { call_.workspace = *WorkspaceId::parse("ws_default"); }

  bool sandbox_works() {
    const auto probed = run_task(loop_, tool_.probe());
    if (!probed) why_ = probed.error().message;
    return probed.has_value();
  }
  ToolCall call(const std::string& command, const std::string& folder = "") {
    std::map<std::string, std::string> arguments{{"command", command}};
    if (!folder.empty()) arguments["folder"] = folder;
    ToolCall out = call_;
    out.arguments = encode_json(arguments);
    return out;
  }
  ToolResult run(const std::string& command, const std::string& folder = "") {
    return run_task(loop_, tool_.run(call(command, folder), {}));
  }
  // Starts a command that opens the pipe `alive` in its folder and keeps it open as long as any of
  // its processes lives; comes back when it has.
  void start(const std::string& command, std::stop_token stop) {
    ASSERT_TRUE(make_private_dir(dir_ / "files"));
    ASSERT_EQ(::mkfifo((dir_ / "files/alive").c_str(), 0600), 0);
    loop_.spawn("shell", keep(tool_.run(call(command), std::move(stop)), result_));
    loop_.poll();
    alive_ = ::open((dir_ / "files/alive").c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_GE(alive_, 0);
    char byte = 0;
    ASSERT_EQ(::read(alive_, &byte, 1), 1);
  }
  // Waits for the result, and for the last process that holds the pipe.
  ToolResult finish() {
    loop_.context().restart();
    while (!result_) loop_.context().run_one();
    char byte = 0;
    while (::read(alive_, &byte, 1) > 0) {
    }
    ::close(alive_);
    return *result_;
  }
  static Task<void> keep(Task<ToolResult> task, std::optional<ToolResult>& out) {
    out = co_await std::move(task);
  }

  TempDir dir_;
  Loop loop_;
  VirtualClock clock_;
  ShellTool tool_{loop_, clock_, dir_.path(), {}};
  ToolCall call_;
  std::string why_;
  std::optional<ToolResult> result_;
  int alive_ = -1;
};

#define NEEDS_SANDBOX() \
  if (!sandbox_works()) GTEST_SKIP() << "no sandbox on this machine: " << why_

// The same without a sandbox, where a person has written so.
class OpenShellTest : public ShellTest {
 protected:
  OpenShellTest() { tool_.configure({.sandbox = false}); }
};

constexpr const char* kLongCommand =
    "exec 9>alive; echo working; echo >&9; (setsid sleep 1000 &) ; sleep 1000 & wait";
constexpr const char* kLongCommandInGroup =
    "exec 9>alive; echo working; echo >&9; sleep 1000 & wait";

TEST_F(ShellTest, ACallBeforeTheSandboxWasTriedWaitsForThatButNotForEver) {
  EXPECT_FALSE(tool_.offered());
  EXPECT_TRUE(tool_.available());
  loop_.spawn("shell", keep(tool_.run(call("true"), {}), result_));
  loop_.poll();
  clock_.advance(seconds(9));
  loop_.poll();
  EXPECT_FALSE(result_);
  clock_.advance(seconds(1));
  loop_.poll();
  ASSERT_TRUE(result_);
  EXPECT_TRUE(result_->failed);
  EXPECT_NE(result_->text.find("not tried"), std::string::npos);
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(ShellTest, ACallThatCameDuringTheProbeAnswersAsTheProbeDid) {
  tool_.configure({.bwrap = "/nowhere/bwrap"});
  loop_.spawn("shell", keep(tool_.run(call("true"), {}), result_));
  loop_.poll();
  EXPECT_FALSE(result_);
  EXPECT_FALSE(sandbox_works());
  loop_.context().restart();
  loop_.poll();
  ASSERT_TRUE(result_);
  EXPECT_NE(result_->text.find("apt-get install bubblewrap"), std::string::npos);
  EXPECT_FALSE(tool_.available());
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(ShellTest, ACallThatWaitsForTheProbeHearsAStop) {
  std::stop_source stop;
  loop_.spawn("shell", keep(tool_.run(call("true"), stop.get_token()), result_));
  loop_.poll();
  stop.request_stop();
  loop_.poll();
  ASSERT_TRUE(result_);
  EXPECT_TRUE(result_->failed);
}

// AP-4
TEST_F(ShellTest, ACallDoesNotRunWithOtherSettingsThanItCameWith) {
  loop_.spawn("shell", keep(tool_.run(call("true"), {}), result_));
  loop_.poll();
  tool_.configure({.sandbox = false});
  loop_.poll();
  ASSERT_TRUE(result_);
  EXPECT_NE(result_->text.find("settings have changed"), std::string::npos) << result_->text;
}

TEST_F(ShellTest, WithoutBubblewrapItSaysWhatToDo) {
  tool_.configure({.bwrap = "/nowhere/bwrap"});
  EXPECT_FALSE(sandbox_works());
  EXPECT_FALSE(tool_.offered());
  EXPECT_NE(tool_.trouble().find("apt-get install bubblewrap"), std::string::npos);
}

TEST_F(ShellTest, ASandboxThatFailsIsNotOfferedAndTheReasonIsKept) {
  dir_.write("bwrap",
             "#!/bin/sh\necho 'bwrap: no permissions to create a new namespace' >&2\nexit 1\n",
             0755);
  tool_.configure({.bwrap = dir_ / "bwrap"});
  EXPECT_FALSE(sandbox_works());
  EXPECT_FALSE(tool_.offered());
  EXPECT_EQ(tool_.trouble(), "bwrap: no permissions to create a new namespace");
  EXPECT_TRUE(run("true").failed);
  tool_.configure({.sandbox = false});  // written by a person
  EXPECT_TRUE(tool_.offered());
}

TEST_F(ShellTest, RunsACommandInTheWorkspacesFolder) {
  NEEDS_SANDBOX();
  const ToolResult result = run("pwd; echo hello > a; cat a; ls -A");
  EXPECT_FALSE(result.failed);
  EXPECT_FALSE(result.untrusted);
  EXPECT_EQ(result.text, fs::canonical(dir_ / "files").string() + "\nhello\na\n[exit status 0]");
  EXPECT_EQ(read_file(dir_ / "files/a", 100).value_or(""), "hello\n");
}

TEST_F(ShellTest, TellsTheExitStatusAndBothStreams) {
  NEEDS_SANDBOX();
  const ToolResult result = run("echo out; echo err >&2; exit 3");
  EXPECT_TRUE(result.failed);
  EXPECT_EQ(result.text, "out\nerr\n[exit status 3]");
  const ToolResult ended = run("kill -9 $$");
  EXPECT_TRUE(ended.failed) << ended.text;
}

TEST_F(ShellTest, StartsInAFolderBelow) {
  NEEDS_SANDBOX();
  ASSERT_FALSE(run("mkdir -p src/deep").failed);
  EXPECT_NE(run("pwd", "src/deep").text.find("/src/deep\n"), std::string::npos);
  EXPECT_TRUE(run("pwd", "..").failed);
  EXPECT_TRUE(run("pwd", "/etc").failed);
  ASSERT_FALSE(run("ln -s /etc out").failed);
  EXPECT_TRUE(run("pwd", "out").failed);
}

// The environment, the network, other people's files, the machine: none of it is there.
TEST_F(ShellTest, NothingOfTheMachineIsInside) {
  NEEDS_SANDBOX();
  ::setenv("ROUSE_TEST_SECRET", "CANARY", 1);
  dir_.write("secret", "CANARY");
  RunningServer server;
  const std::string port = std::to_string(server.port);
  const std::string outside = dir_ / "secret";
  const std::vector<std::string> attempts{
      "env",
      "cat /proc/*/environ",
      "cat " + outside,
      "ls " + dir_.path(),
      "cat /proc/1/root" + outside,
      "exec 3<>/dev/tcp/127.0.0.1/" + port + " && echo CANARY",
      "ls /home /root /var /run /sys /boot && echo CANARY",
      "cat /etc/shadow",
      "touch /usr/x && echo CANARY",
      "touch /x && echo CANARY",
      "touch /etc/x && echo CANARY",
      "unshare -U true && echo CANARY",
      "mount -t tmpfs x /usr && echo CANARY",
      "mknod d b 8 0 && echo CANARY",
      "ln " + outside + " here && cat here",
      "kill -0 " + std::to_string(::getpid()) + " && echo CANARY",
      "ls /proc/self/fd | grep -vx '[0123]' | grep -q . && echo CANARY",
      "cat /proc/sys/kernel/panic > /tmp/p; cat /tmp/p > /proc/sys/kernel/panic && echo CANARY",
      "fallocate -l 300M /tmp/big && echo CANARY",
      "truncate -s 600M big && echo CANARY"};
  for (const std::string& command : attempts) {
    const ToolResult result = run(command);
    EXPECT_EQ(result.text.find("CANARY"), std::string::npos) << command << "\n" << result.text;
  }
  EXPECT_EQ(server.stats().accepted, 0U);
  EXPECT_EQ(read_file(outside, 100).value_or(""), "CANARY");
  ::unsetenv("ROUSE_TEST_SECRET");
}

TEST_F(ShellTest, ThePrivateTmpIsGoneWithTheCommand) {
  NEEDS_SANDBOX();
  EXPECT_FALSE(run("echo x > /tmp/rouse-private").failed);
  EXPECT_TRUE(run("cat /tmp/rouse-private").failed);
  EXPECT_FALSE(fs::exists("/tmp/rouse-private"));
}

TEST_F(ShellTest, TheNetworkIsThereOnlyIfGranted) {
  NEEDS_SANDBOX();
  RunningServer server;
  const std::string command = "exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(server.port);
  EXPECT_TRUE(run(command).failed);
  tool_.configure({.network = true});
  EXPECT_FALSE(tool_.offered());  // another sandbox, another probe
  NEEDS_SANDBOX();
  const ToolResult with_network = run(command);
  EXPECT_FALSE(with_network.failed);
  EXPECT_TRUE(with_network.untrusted);  // it may have come from anywhere
}

// SC-10
TEST_F(ShellTest, RousesDataIsHiddenInsideAProject) {
  NEEDS_SANDBOX();
  const TempDir home;
  fs::create_directories(home / "data/secrets");
  home.write("data/secrets/key", "CANARY");
  home.write("mine", "mine");
  ShellTool tool(loop_, clock_, home / "data", {});
  ASSERT_TRUE(run_task(loop_, tool.probe()));
  call_.project_folder = home.path();
  const ToolResult result =
      run_task(loop_, tool.run(call("cat mine; cat data/secrets/key; find . -name key"), {}));
  EXPECT_TRUE(result.text.starts_with("mine")) << result.text;
  EXPECT_EQ(result.text.find("CANARY"), std::string::npos);
  EXPECT_EQ(result.text.find("./data/secrets"), std::string::npos);
  call_.project_folder = "/";
  EXPECT_TRUE(run_task(loop_, tool.run(call("true"), {})).failed);
  call_.project_folder = "/usr";
  EXPECT_TRUE(run_task(loop_, tool.run(call("true"), {})).failed);
}

TEST_F(ShellTest, ALongOutputKeepsItsBeginningAndItsEnd) {
  NEEDS_SANDBOX();
  const ToolResult result = run("echo first; seq 1 100000; echo last");
  EXPECT_LE(result.text.size(), kToolResultBytes);
  EXPECT_TRUE(result.text.starts_with("first\n1\n"));
  EXPECT_TRUE(result.text.ends_with("100000\nlast\n[exit status 0]"));
  EXPECT_NE(result.text.find("bytes left out"), std::string::npos);
}

TEST_F(ShellTest, ADeadlineKillsEverythingAndTheOutcomeIsUnknown) {
  NEEDS_SANDBOX();
  start(kLongCommand, {});
  clock_.advance(seconds(59));
  loop_.poll();
  EXPECT_FALSE(result_);
  clock_.advance(seconds(1));
  const ToolResult result = finish();
  EXPECT_TRUE(result.failed);
  EXPECT_TRUE(result.text.starts_with("working\n[killed")) << result.text;
  EXPECT_NE(result.text.find("outcome unknown"), std::string::npos);
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(ShellTest, AStopKillsEverything) {
  NEEDS_SANDBOX();
  std::stop_source stop;
  start(kLongCommand, stop.get_token());
  stop.request_stop();
  EXPECT_TRUE(finish().failed);
  EXPECT_EQ(clock_.waiting(), 0U);
}

TEST_F(ShellTest, WhatACommandLeavesBehindDiesWithIt) {
  NEEDS_SANDBOX();
  start("exec 9>alive; echo >&9; (setsid sleep 1000 &); echo done", {});
  const ToolResult result = finish();
  EXPECT_FALSE(result.failed);
  EXPECT_EQ(result.text, "done\n[exit status 0]");
}

TEST_F(ShellTest, ProcessesAndMemoryAreBounded) {
  NEEDS_SANDBOX();
  EXPECT_EQ(run("ulimit -v; ulimit -d; ulimit -f; ulimit -c; ulimit -u; ulimit -n; ulimit -t").text,
            "16777216\n2097152\n524288\n0\n256\n1024\n244\n[exit status 0]");
  if (::geteuid() == 0) GTEST_SKIP() << "the kernel doesn't count the processes of root";
  EXPECT_NE(run("sh -c 'for i in $(seq 400); do sleep 30 & done'").text.find("ork"),
            std::string::npos);
}

TEST_F(OpenShellTest, RunsWithoutASandboxButWithAnEmptyEnvironment) {
  EXPECT_TRUE(tool_.offered());
  ::setenv("ROUSE_TEST_SECRET", "CANARY", 1);
  const ToolResult result = run("pwd; env");
  ::unsetenv("ROUSE_TEST_SECRET");
  EXPECT_FALSE(result.failed);
  EXPECT_TRUE(result.untrusted);
  EXPECT_TRUE(result.text.starts_with(fs::canonical(dir_ / "files").string() + "\n"));
  EXPECT_EQ(result.text.find("CANARY"), std::string::npos);
  EXPECT_TRUE(run("truncate -s 600M big").failed);
}

TEST_F(OpenShellTest, ADeadlineKillsTheWholeGroup) {
  start(kLongCommandInGroup, {});
  clock_.advance(seconds(60));
  const ToolResult result = finish();
  EXPECT_TRUE(result.text.starts_with("working\n[killed")) << result.text;
}

TEST_F(OpenShellTest, AToolThatGoesAwayKillsWhatRuns) {
  auto tool =
      std::make_unique<ShellTool>(loop_, clock_, dir_.path(), ShellSettings{.sandbox = false});
  ASSERT_TRUE(make_private_dir(dir_ / "files"));
  ASSERT_EQ(::mkfifo((dir_ / "files/alive").c_str(), 0600), 0);
  loop_.spawn("shell", keep(tool->run(call(kLongCommandInGroup), {}), result_));
  loop_.poll();
  const int alive = ::open((dir_ / "files/alive").c_str(), O_RDONLY | O_CLOEXEC);
  char byte = 0;
  ASSERT_EQ(::read(alive, &byte, 1), 1);
  tool.reset();
  while (::read(alive, &byte, 1) > 0) {
  }
  ::close(alive);
}

// AP-4
TEST_F(ShellTest, ThePersonIsShownTheWholeCommandAndWhere) {
  ASSERT_TRUE(make_private_dir(dir_ / "files"));
  const std::string folder = fs::canonical(dir_ / "files");
  EXPECT_EQ(tool_.ask_for(call("make test")).summary, "run `make test` in " + folder);
  EXPECT_EQ(tool_.ask_for(call("ls\nrm -r x")).summary, "run `ls ⏎ rm -r x` in " + folder);
  const std::string hidden = tool_.ask_for(call(std::string(5000, 'a') + "; rm -r x")).summary;
  EXPECT_TRUE(hidden.find("; rm -r x`") != std::string::npos &&
              hidden.find("bytes more") != std::string::npos);
  tool_.configure({.sandbox = false});
  EXPECT_TRUE(tool_.ask_for(call("ls")).summary.ends_with("WITHOUT a sandbox"));
}

TEST_F(ShellTest, ItsDescriptionIsShort) {
  const ToolInfo& info = tool_.info();
  EXPECT_LT(info.name.size() + info.description.size() + info.schema.size(), 400U);
  EXPECT_TRUE(info.owner_only && info.side_effects);
  EXPECT_EQ(info.risk, RiskTier::kRequiresApproval);
  EXPECT_TRUE(ArgumentsSchema::parse(info.schema));
}

// Whoever runs the tests as root has not seen how they go for an ordinary user.
TEST(ShellAsNobody, TheSameHoldsForAnOrdinaryUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "this is not root: the tests above were the ones";
  if (::access("/usr/bin/setpriv", X_OK) != 0) GTEST_SKIP() << "there is no setpriv";
  const std::string self = fs::read_symlink("/proc/self/exe");
  const std::string command =
      "cd /; setpriv --reuid=65534 --regid=65534 --clear-groups env -u TMPDIR '" + self +
      "' --gtest_brief=1 --gtest_filter='ShellTest.*:OpenShellTest.*'";
  if (std::system(
          ("setpriv --reuid=65534 --regid=65534 --clear-groups test -x '" + self + "'").c_str()) !=
      0) {
    GTEST_SKIP() << "an ordinary user can't reach " << self;
  }
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace rouse
