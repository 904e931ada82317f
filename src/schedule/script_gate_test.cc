// Scripts run for real; only the deadline is virtual.
#include "schedule/script_gate.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temp_dir_for_tests.h"
#include "session/workspaces.h"

namespace rouse {
namespace {

class ScriptGateTest : public testing::Test {
 protected:
  static Job gated(std::string command) {
    Job job;
    job.workspace = Workspaces::default_id();
    job.id = "aaaaaaaa";
    job.extra.gate = ScriptGate{.command = std::move(command)};
    return job;
  }
  static Task<void> keep(Task<Result<bool>> task, std::optional<Result<bool>>& out) {
    out = co_await std::move(task);
  }
  void begin(Job job, std::stop_token stop = {}) {
    answer_.reset();
    loop_.spawn("gate", keep(gate_.ask(std::move(job), std::move(stop)), answer_));
  }
  Result<bool> finish() {
    loop_.context().restart();
    while (!answer_) loop_.context().run_one();
    return *answer_;
  }
  Result<bool> ask(Job job) {
    begin(std::move(job));
    return finish();
  }
  // "yes", "no", or the name of the error.
  std::string said(const std::string& command) {
    const auto answer = ask(gated(command));
    if (!answer) return std::string(answer.error().name);
    return *answer ? "yes" : "no";
  }
  bool sandbox_works() {
    const auto answer = ask(gated("true"));
    if (!answer) why_ = answer.error().message;
    return answer.has_value();
  }
  // A script that hangs; comes back when it runs.
  void begin_hanging(std::stop_token stop) {
    ASSERT_TRUE(make_private_dir(dir_ / "files"));
    ASSERT_EQ(::mkfifo((dir_ / "files/alive").c_str(), 0600), 0);
    begin(gated("exec 9>alive; echo >&9; sleep 1000"), std::move(stop));
    const int alive = ::open((dir_ / "files/alive").c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(alive, 0);
    loop_.context().restart();
    loop_.context().run_one();                                // the task begins …
    while (clock_.waiting() == 0) loop_.context().run_one();  // … and its deadline stands
    char byte = 0;
    ASSERT_EQ(::read(alive, &byte, 1), 1);
    ::close(alive);
  }

  TempDir dir_;
  Loop loop_;
  VirtualClock clock_;
  GateRunner gate_{loop_, clock_, dir_.path()};
  std::optional<Result<bool>> answer_;
  std::string why_;
};

#define NEEDS_SANDBOX() \
  if (!sandbox_works()) GTEST_SKIP() << "no sandbox on this machine: " << why_

TEST_F(ScriptGateTest, StatusZeroWakesAndASmallOneDoesNot) {
  NEEDS_SANDBOX();
  EXPECT_EQ(said("true"), "yes");
  EXPECT_EQ(said("false"), "no");
  EXPECT_EQ(said("echo a long story; exit 125"), "no");
  EXPECT_EQ(said("test -e marker"), "no");
  ASSERT_TRUE(write_file_atomic(dir_ / "files/marker", "x"));
  EXPECT_EQ(said("test -e marker"), "yes");
}

TEST_F(ScriptGateTest, WhatCannotDecideIsAnError) {
  NEEDS_SANDBOX();
  EXPECT_EQ(said("no-such-program"), "unavailable");
  EXPECT_EQ(said("kill -9 $$"), "unavailable");
  EXPECT_EQ(said("exit 200"), "unavailable");
}

TEST_F(ScriptGateTest, ThereIsNoNetworkAndNothingOfRouse) {
  NEEDS_SANDBOX();
  gate_.configure({.network = true});
  dir_.write("secret", "x");
  EXPECT_EQ(said("test -e ../secret"), "no");
  EXPECT_EQ(said("grep -qv lo: <(tail -n +3 /proc/net/dev)"), "no");
}

TEST_F(ScriptGateTest, ASandboxThatDoesNotWorkIsAnErrorAndNotANo) {
  dir_.write("broken", "#!/bin/sh\necho 'bwrap: no namespaces here' >&2\nexit 1\n", 0700);
  gate_.configure({.bwrap = dir_ / "broken"});
  const auto answer = ask(gated("true"));
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("no namespaces here"), std::string::npos);
  gate_.configure({.bwrap = "/nowhere/bwrap"});
  EXPECT_EQ(said("true"), "unavailable");
  gate_.configure({.sandbox = false});
  EXPECT_EQ(said("true"), "unavailable");
}

TEST_F(ScriptGateTest, OneThatDoesNotEndIsKilledAtItsDeadlineOrWhenTheServerStops) {
  NEEDS_SANDBOX();
  begin_hanging({});
  clock_.advance(seconds(31));
  EXPECT_TRUE(finish().error().is(Errc::kTimeout));
  std::filesystem::remove(dir_ / "files/alive");
  std::stop_source stop;
  begin_hanging(stop.get_token());
  stop.request_stop();
  EXPECT_FALSE(finish());
  loop_.poll();
  EXPECT_EQ(clock_.waiting(), 0U);
}

// SC-8
TEST_F(ScriptGateTest, OnlyTheOwnersOwnJobsHaveOne) {
  Job job = gated("true");
  job.source = "agent";
  EXPECT_TRUE(ask(job).error().is(Errc::kForbidden));
  job = gated("true");
  job.provenance = "untrusted";
  EXPECT_TRUE(ask(job).error().is(Errc::kForbidden));
  job = gated("true");
  job.workspace = *WorkspaceId::parse("ws_other");
  EXPECT_TRUE(ask(job).error().is(Errc::kForbidden));
  job = gated("true");
  job.extra.project_path = dir_.path() + "/..";
  EXPECT_FALSE(ask(job)) << "it holds rouse's own data";
}

}  // namespace
}  // namespace rouse
