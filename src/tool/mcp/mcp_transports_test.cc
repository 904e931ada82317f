// The two ways to a server with real processes and sockets.
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/temp_dir_for_tests.h"
#include "net/net_for_tests.h"
#include "net/peer_for_tests.h"
#include "tool/mcp/http_transport.h"
#include "tool/mcp/mcp_client.h"
#include "tool/mcp/stdio_transport.h"

namespace rouse {
namespace {

constexpr const char* kGreeting =
    R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}})";
constexpr const char* kDone =
    R"({"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}]}})";

class McpTransportTest : public testing::Test {
 protected:
  void SetUp() override { ::signal(SIGPIPE, SIG_IGN); }
  void connect(std::unique_ptr<McpTransport> transport) {
    client_ = std::make_shared<McpClient>(
        loop_, clock_, std::move(transport),
        McpClient::Ears{.tools_changed = [] {},
                        .ended = [this](const Error& why) { ended_ = why.message; }});
  }
  // A server made of a few lines of shell: what it reads is in $line.
  void connect_script(const std::string& script, std::vector<std::string> environment = {}) {
    McpServerSettings::Place place;
    place.command = {"sh", "-c", script};
    place.environment = std::move(environment);
    place.environment.emplace_back("PATH=/usr/bin:/bin");
    connect(std::make_unique<StdioTransport>(loop_, clock_, place));
  }
  Result<McpGreeting> open() {
    return run_task(loop_, client_->open(clock_.mono_now() + seconds(20), {}));
  }
  Result<McpCallResult> call(Millis within = seconds(20)) {
    return run_task(loop_, client_->call_tool("t", {}, clock_.mono_now() + within, {}));
  }
  void close() {
    run_task(loop_, [](McpClient& client) -> Task<bool> {
      co_await client.close();
      co_return true;
    }(*client_));
  }

  Loop loop_;
  RealClock clock_{loop_};
  std::unique_ptr<HttpClient> http_ = make_http_client(loop_, {});
  std::shared_ptr<McpClient> client_;
  std::string ended_;
};

std::string says(const std::string& json) { return "printf '%s\\n' '" + json + "'; "; }
const std::string kHello = "read line; " + says(kGreeting) + "read line; ";

TEST_F(McpTransportTest, AProgramIsSpokenToLineByLineInAnEnvironmentOfItsOwn) {
  ::setenv("ROUSE_TEST_LEAK", "leaked", 1);
  connect_script(
      kHello +
          "read line; printf '%s' "
          R"('{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"'; )"
          R"~(printf '%s' "$GIVEN/$ROUSE_TEST_LEAK/$(pwd)"; printf '%s\n' '"}]}}'; cat)~",
      {"GIVEN=yes"});
  ASSERT_TRUE(open());
  const auto result = call();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->text, "yes///");
  close();
}

TEST_F(McpTransportTest, AProgramThatIsNotThereIsAnError) {
  McpServerSettings::Place place;
  place.command = {"no-such-program-of-rouse"};
  place.environment = {"PATH=/usr/bin:/bin"};
  connect(std::make_unique<StdioTransport>(loop_, clock_, place));
  EXPECT_EQ(open().error().message,
            "there is no program 'no-such-program-of-rouse' in the PATH; write its whole path as "
            "command");
  place.command = {"/no/such/program"};
  connect(std::make_unique<StdioTransport>(loop_, clock_, place));
  EXPECT_EQ(open().error().message, "cannot start /no/such/program: No such file or directory");
  place.command = {"/bin/sh"};
  place.folder = "/no/such/folder";
  connect(std::make_unique<StdioTransport>(loop_, clock_, place));
  EXPECT_TRUE(open().error().message.contains("in /no/such/folder: No such file"));
}

TEST_F(McpTransportTest, ACrashIsToldWithItsStatusAndItsLastWords) {
  connect_script(kHello + "read line; echo 'out of cheese' >&2; exit 7");
  ASSERT_TRUE(open());
  EXPECT_EQ(call().error().message, "it ended with exit status 7; it said: out of cheese");
  EXPECT_EQ(ended_, "it ended with exit status 7; it said: out of cheese");
  connect_script("kill -SEGV $$");
  EXPECT_TRUE(open().error().message.starts_with("it was ended by signal 11"));
}

TEST_F(McpTransportTest, TheLastAnswerOfOneThatEndsIsStillHeard) {
  connect_script(kHello + "read line; " + says(kDone) + "exit 0");
  ASSERT_TRUE(open());
  const auto result = call();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->text, "done");
}

TEST_F(McpTransportTest, NoiseOnItsOutputIsPassedOverAndABrokenMessageIsNot) {
  connect_script("echo Starting up...; echo; " + kHello + "echo debug; read line; " + says(kDone) +
                 "cat");
  ASSERT_TRUE(open());
  EXPECT_TRUE(call());
  close();
  connect_script(kHello + "read line; " + says(R"({"jsonrpc":"2.0","id":2,"resu)") + "cat");
  ASSERT_TRUE(open());
  EXPECT_TRUE(call().error().message.contains("no MCP message"));
  close();
}

TEST_F(McpTransportTest, AMessageOverTheBoundEndsIt) {
  connect_script(kHello + "read line; head -c 9000000 /dev/zero | tr '\\0' x; echo; cat");
  ASSERT_TRUE(open());
  EXPECT_EQ(call().error().message, "it sent a message larger than 8 MB");
  close();
}

// No orphans: what it started goes with it, and one that hears nothing is killed.
TEST_F(McpTransportTest, ItEndsWithItsInputAndElseByForce) {
  TempDir dir;
  const std::string pids = dir / "pids";
  connect_script("trap '' TERM; sleep 1000 & echo $$ $! > " + pids + "; " + kHello +
                 "while :; do wait; done");
  ASSERT_TRUE(open());
  FILE* file = std::fopen(pids.c_str(), "r");
  ASSERT_NE(file, nullptr);
  int leader = 0, child = 0;
  ASSERT_EQ(std::fscanf(file, "%d %d", &leader, &child), 2);
  std::fclose(file);
  pollfd end{static_cast<int>(::syscall(SYS_pidfd_open, child, 0)), POLLIN, 0};
  ASSERT_GE(end.fd, 0);
  close();
  EXPECT_EQ(::kill(leader, 0), -1);
  constexpr int kLongEnough =
      20'000;  // it was killed; how soon it is gone is the kernel's business
  EXPECT_EQ(::poll(&end, 1, kLongEnough), 1);
  ::close(end.fd);
}

std::string answer(const std::string& head, const std::string& body) {
  return "HTTP/1.1 " + head + "\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\nConnection: close\r\n\r\n" + body;
}
std::string json_answer(const std::string& body, const std::string& more = "") {
  return answer("200 OK\r\nContent-Type: application/json" + more, body);
}

class McpHttpTest : public McpTransportTest {
 protected:
  void serve(std::vector<std::string> answers) {
    std::vector<Script> scripts;
    for (std::string& one : answers) scripts.push_back(Script::answer(std::move(one)));
    peer_ = std::make_unique<ScriptedPeer>(std::move(scripts));
    McpServerSettings::Place place;
    place.url = "http://127.0.0.1:" + std::to_string(peer_->port()) + "/mcp";
    place.headers = {{"Authorization", "Bearer abc"}};
    connect(std::make_unique<HttpTransport>(*http_, place));
  }
  std::unique_ptr<ScriptedPeer> peer_;
};

const std::string kAccepted =
    "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

TEST_F(McpHttpTest, ASessionIsNamedInEveryRequestAndEndedByADelete) {
  serve({json_answer(kGreeting, "\r\nMcp-Session-Id: s-1"), kAccepted, json_answer(kDone),
         answer("204 No Content", "")});
  ASSERT_TRUE(open());
  const auto result = call();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->text, "done");
  close();
  const std::string hello = peer_->request(0);
  EXPECT_TRUE(hello.starts_with("POST /mcp HTTP/1.1\r\n"));
  EXPECT_TRUE(hello.contains("Accept: application/json, text/event-stream\r\n"));
  EXPECT_TRUE(hello.contains("Authorization: Bearer abc\r\n"));
  EXPECT_FALSE(hello.contains("Mcp-Session-Id"));
  EXPECT_TRUE(peer_->request(1).contains("notifications/initialized"));
  for (const std::size_t i : {1u, 2u, 3u}) {
    EXPECT_TRUE(peer_->request(i).contains("Mcp-Session-Id: s-1\r\n")) << i;
    EXPECT_TRUE(peer_->request(i).contains("MCP-Protocol-Version: 2025-06-18\r\n")) << i;
  }
  EXPECT_TRUE(peer_->request(3).starts_with("DELETE /mcp HTTP/1.1\r\n"));
}

TEST_F(McpHttpTest, AnAnswerMayComeAsAStreamWithOtherMessagesBeforeIt) {
  serve({answer("200 OK\r\nContent-Type: text/event-stream\r\nMcp-Session-Id: s-2",
                "event: message\ndata: " + std::string(kGreeting) + "\n\n"),
         kAccepted,
         answer("200 OK\r\nContent-Type: text/event-stream",
                ": hello\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":"
                "\"notifications/message\",\"params\":{}}\n\nid: 5\ndata: " +
                    std::string(kDone) + "\n\n"),
         kAccepted});
  ASSERT_TRUE(open());
  const auto result = call();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->text, "done");
  EXPECT_TRUE(peer_->request(2).contains("Mcp-Session-Id: s-2\r\n"));
}

TEST_F(McpHttpTest, ASessionThatIsGoneIsToldApartFromOtherRefusals) {
  serve({json_answer(kGreeting, "\r\nMcp-Session-Id: s"), kAccepted,
         answer("404 Not Found", "no such session"), answer("401 Unauthorized", "who are you?")});
  ASSERT_TRUE(open());
  EXPECT_TRUE(call().error().is(McpErrc::kSessionGone));
  const auto refused = call();
  EXPECT_EQ(refused.error().message,
            "it answered with HTTP 401: who are you? (the owner should look at its headers)");
}

TEST_F(McpHttpTest, WhatIsNoAnswerIsSaid) {
  serve({json_answer(kGreeting), kAccepted, answer("200 OK\r\nContent-Type: text/html", "<html>"),
         kAccepted, json_answer("{\"jsonrpc\":")});
  ASSERT_TRUE(open());
  EXPECT_EQ(call().error().message, "it answered with 'text/html' in place of JSON");
  EXPECT_EQ(call().error().message, "it took the request and gave no answer to it");
  EXPECT_TRUE(call().error().message.contains("no MCP message"));
}

TEST_F(McpHttpTest, NobodyThereIsAnError) {
  McpServerSettings::Place place;
  place.url = "http://127.0.0.1:" + std::to_string(closed_port()) + "/mcp";
  connect(std::make_unique<HttpTransport>(*http_, place));
  EXPECT_FALSE(open());
}

}  // namespace
}  // namespace rouse
