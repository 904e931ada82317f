#include "net/http_client.h"

#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "net/net_for_tests.h"
#include "net/peer_for_tests.h"

namespace rouse {
namespace {

class Client : public testing::Test {
 protected:
  Result<ClientResponse> send(ClientRequest request, std::stop_token stop = {}) {
    if (!client_) client_ = make_http_client(loop_, options_);
    return run_task(loop_, client_->send(std::move(request), std::move(stop)));
  }
  Result<ClientResponse> get_from(std::uint16_t port, std::string_view path = "/") {
    ClientRequest request;
    request.url = fmt::format("http://127.0.0.1:{}{}", port, path);
    return send(std::move(request));
  }
  ClientOptions options_;
  Loop loop_;
  std::unique_ptr<HttpClient> client_;
};

Task<Response> echo(const RequestHead& head, std::string body) {
  Response response;
  response.status = 201;
  response.headers.emplace_back("X-Seen", std::string(head.header("x-mine").value_or("none")));
  response.body = fmt::format("{} {} {} {}", head.method, head.target, *head.header("host"), body);
  co_return response;
}

TEST_F(Client, SendsAndReads) {
  RunningServer running;
  running.handler.on_handle = echo;
  ClientRequest request;
  request.method = "POST";
  request.url = fmt::format("http://127.0.0.1:{}/a?b=c#d", running.port);
  request.headers = {{"X-Mine", "1"}, {"Host", "forged"}, {"Content-Length", "999"}};
  request.body = "hello";
  const auto answer = send(request);
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(answer->status, 201);
  EXPECT_EQ(answer->body, fmt::format("POST /a?b=c 127.0.0.1:{} hello", running.port));
  EXPECT_EQ(answer->header("x-seen"), "1");
}

TEST_F(Client, ReusesAConnection) {
  RunningServer running;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(get_from(running.port));
  EXPECT_EQ(running.stats().accepted, 1u);
}

TEST_F(Client, ResolvesNames) {
  RunningServer running;
  ClientRequest request;
  request.url = fmt::format("http://localhost:{}/", running.port);
  const auto answer = send(request);
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(answer->body, "ok");
}

TEST_F(Client, SaysWhenANameIsUnknown) {
  ClientRequest request;
  request.url = "http://no-such-host.invalid/";
  const auto answer = send(request);
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().is(ClientErrc::kResolve)) << answer.error();
}

TEST_F(Client, SaysWhenNobodyListens) {
  const std::uint16_t port = closed_port();
  const auto answer = get_from(port);
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().is(ClientErrc::kConnect));
  EXPECT_EQ(
      answer.error().message,
      fmt::format("cannot connect to 127.0.0.1:{}: Connection refused. Is the server running?",
                  port));
}

TEST_F(Client, RefusesBadRequestsBeforeConnecting) {
  ClientRequest request;
  request.url = "http://user:pw@h/";
  EXPECT_TRUE(send(request).error().is(ClientErrc::kBadUrl));
  request.url = "http://h/";
  request.headers = {{"X", "secret\r\nInjected: 1"}};
  const auto answer = send(request);
  EXPECT_TRUE(answer.error().is(ClientErrc::kBadUrl));
  EXPECT_EQ(answer.error().message.find("secret"), std::string::npos);  // SC-10
  request.headers.clear();
  request.method = "GET / HTTP/1.1\r\n";
  EXPECT_TRUE(send(request).error().is(ClientErrc::kBadUrl));
}

TEST_F(Client, ReadsEveryKindOfBody) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nsized", "sized"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nchu\r\n4\r\nnked\r\n0\r\n\r\n",
       "chunked"},
      {"HTTP/1.1 200 OK\r\n\r\nto the end", "to the end"},
      {"HTTP/1.0 200 OK\r\n\r\nold", "old"},
      {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 "
       "OK\r\nContent-Length: 1\r\n\r\nx",
       "x"},
      {"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", ""},
      {"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
       ""},  // not followed
  };
  for (const auto& [bytes, body] : cases) {
    ScriptedPeer peer({Script::answer(bytes)});
    const auto answer = get_from(peer.port());
    ASSERT_TRUE(answer) << bytes << answer.error();
    EXPECT_EQ(answer->body, body) << bytes;
  }
}

TEST_F(Client, ReportsBrokenAnswers) {
  const std::vector<std::pair<std::string, ClientErrc>> cases = {
      {"", ClientErrc::kClosed},
      {"HTTP/1.1 200 OK\r\nConte", ClientErrc::kClosed},
      {"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort", ClientErrc::kClosed},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", ClientErrc::kClosed},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", ClientErrc::kProtocol},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nhello",
       ClientErrc::kProtocol},
      {"SSH-2.0-OpenSSH_9\r\n\r\n", ClientErrc::kProtocol},
      {"HTTP/1.1 200 OK\nContent-Length: 0\n\n", ClientErrc::kProtocol},
      {"HTTP/1.1 101 Switching\r\n\r\n", ClientErrc::kProtocol},
      {"HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x'), ClientErrc::kProtocol},
  };
  for (const auto& [bytes, code] : cases) {
    ScriptedPeer peer({Script::answer(bytes)});
    const auto answer = get_from(peer.port());
    ASSERT_FALSE(answer) << bytes;
    EXPECT_TRUE(answer.error().is(code)) << bytes.substr(0, 80) << " -> " << answer.error();
  }
}

TEST_F(Client, StopsAtTheBoundOfTheBody) {
  ScriptedPeer peer({Script::answer("HTTP/1.1 200 OK\r\n\r\n" + std::string(100'000, 'x'))});
  ClientRequest request;
  request.url = fmt::format("http://127.0.0.1:{}/", peer.port());
  request.max_body_bytes = 1000;
  EXPECT_TRUE(send(request).error().is(ClientErrc::kTooLarge));
}

TEST_F(Client, RetriesAStaleConnectionOnce) {
  // The first connection serves one request and closes when the second comes.
  ScriptedPeer peer(
      {Script::answer_then_close_on_next("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"),
       Script::answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2")});
  EXPECT_EQ(get_from(peer.port())->body, "1");
  const auto second = get_from(peer.port());
  ASSERT_TRUE(second) << second.error();
  EXPECT_EQ(second->body, "2");
}

TEST_F(Client, DoesNotRetryAFreshConnection) {
  ScriptedPeer peer(
      {Script::answer(""), Script::answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2")});
  EXPECT_TRUE(get_from(peer.port()).error().is(ClientErrc::kClosed));
  EXPECT_EQ(get_from(peer.port())->body, "2");
}

TEST_F(Client, TakesAnEarlyAnswerToALargeBody) {
  RunningServer running;
  ClientRequest request;
  request.method = "POST";
  request.url = fmt::format("http://127.0.0.1:{}/", running.port);
  request.body.assign(4 << 20, 'x');
  const auto answer = send(request);
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(answer->status, 413);
}

TEST_F(Client, GivesUpAtTheDeadline) {
  ScriptedPeer peer({Script::silent()});
  ClientRequest request;
  request.url = fmt::format("http://127.0.0.1:{}/", peer.port());
  request.deadline = millis(50);
  const auto answer = send(request);
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().is(ClientErrc::kTimeout)) << answer.error();
}

TEST_F(Client, GivesUpOnABodyThatStandsStill) {
  ScriptedPeer peer({Script::answer_and_hang("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")});
  ClientRequest request;
  request.url = fmt::format("http://127.0.0.1:{}/", peer.port());
  request.idle_deadline = millis(50);
  const auto answer = send(request);
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().is(ClientErrc::kTimeout)) << answer.error();
  EXPECT_NE(answer.error().message.find("middle of its answer"), std::string::npos);
}

TEST_F(Client, CanBeCancelledFromAnotherThread) {
  ScriptedPeer peer({Script::silent()});
  std::stop_source source;
  std::thread canceller([&] {
    peer.wait_for_request();
    source.request_stop();
  });
  ClientRequest request;
  request.url = fmt::format("http://127.0.0.1:{}/", peer.port());
  const auto answer = send(request, source.get_token());
  canceller.join();
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().is(ClientErrc::kCancelled));
  EXPECT_TRUE(send(request, source.get_token()).error().is(ClientErrc::kCancelled))
      << "before it begins";
}

TEST_F(Client, StreamsChunksAndStopsWhenAsked) {
  ScriptedPeer peer(
      {Script::answer(
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n"),
       Script::answer_and_hang("HTTP/1.1 200 OK\r\n\r\nfirst")});
  client_ = make_http_client(loop_, options_);
  ClientRequest request;
  request.url = fmt::format("http://127.0.0.1:{}/", peer.port());
  std::string seen;
  int heads = 0;
  const HttpClient::OnHead on_head = [&](const ClientResponse& head) -> Result<void> {
    heads += head.status;
    return {};
  };
  const auto whole = run_task(loop_, client_->stream(request, on_head,
                                                     [&](std::string_view chunk) -> Result<void> {
                                                       seen += chunk;
                                                       return {};
                                                     },
                                                     {}));
  ASSERT_TRUE(whole) << whole.error();
  EXPECT_EQ(seen, "ab");
  EXPECT_EQ(whole->body, "");
  EXPECT_EQ(heads, 200);
  const auto stopped =
      run_task(loop_, client_->stream(request, on_head,
                                      [](std::string_view) -> Result<void> {
                                        return fail(Errc::kCancelled, "seen enough");
                                      },
                                      {}));
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message, "seen enough");
}

// SC-7
TEST_F(Client, AsksAboutTheAddressItConnectsTo) {
  RunningServer running;
  ClientRequest request;
  request.url = fmt::format("http://localhost:{}/", running.port);
  request.allow_address = [](std::string_view) { return false; };
  const auto blocked = send(request);
  ASSERT_FALSE(blocked);
  EXPECT_TRUE(blocked.error().is(ClientErrc::kBlocked));
  EXPECT_EQ(running.stats().accepted, 0u);
  request.url = fmt::format("http://127.0.0.1:{}/", running.port);
  std::string asked;
  request.allow_address = [&](std::string_view address) {
    asked = address;
    return true;
  };
  ASSERT_TRUE(send(request));
  EXPECT_EQ(asked, "127.0.0.1");
  request.allow_address = [](std::string_view) { return false; };
  EXPECT_TRUE(send(request).error().is(ClientErrc::kBlocked))
      << "a pooled connection is no way around";
}

TEST_F(Client, EndsRunningRequestsWhenDestroyed) {
  ScriptedPeer peer({Script::silent()});
  client_ = make_http_client(loop_, options_);
  ClientRequest request;
  request.url = fmt::format("http://127.0.0.1:{}/", peer.port());
  std::optional<Result<ClientResponse>> answer;
  loop_.spawn("request",
              [](HttpClient& client, ClientRequest one,
                 std::optional<Result<ClientResponse>>& to) -> Task<void> {
                to = co_await client.send(std::move(one), {});
              }(*client_, request, answer));
  std::thread destroyer([&] {
    peer.wait_for_request();
    loop_.post([&] { client_.reset(); });
  });
  loop_.run();
  destroyer.join();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->error().is(ClientErrc::kCancelled));
}

TEST_F(Client, GoesThroughAnHttpProxyInAbsoluteForm) {
  ScriptedPeer proxy({Script::answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy")});
  options_.http_proxy = fmt::format("http://me:pw@127.0.0.1:{}", proxy.port());
  ClientRequest request;
  request.url = "http://somewhere.invalid/x?y";
  const auto answer = send(request);
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(answer->body, "proxy");
  const std::string seen = proxy.request(0);
  EXPECT_TRUE(
      seen.starts_with("GET http://somewhere.invalid/x?y HTTP/1.1\r\nHost: somewhere.invalid\r\n"))
      << seen;
  EXPECT_NE(seen.find("Proxy-Authorization: Basic bWU6cHc=\r\n"), std::string::npos) << seen;
}

TEST_F(Client, HonoursNoProxy) {
  RunningServer running;
  options_.http_proxy = fmt::format("http://127.0.0.1:{}", closed_port());
  options_.no_proxy = "127.0.0.1";
  EXPECT_TRUE(get_from(running.port));
}

TEST_F(Client, SaysWhichProxyFailed) {
  options_.http_proxy = fmt::format("http://127.0.0.1:{}", closed_port());
  const auto down = get_from(1);
  ASSERT_FALSE(down);
  EXPECT_NE(down.error().message.find("cannot connect to the proxy 127.0.0.1:"), std::string::npos)
      << down.error();
  client_.reset();
  options_.http_proxy = "socks5://127.0.0.1:1";
  EXPECT_TRUE(get_from(1).error().is(ClientErrc::kBadUrl));
}

}  // namespace
}  // namespace rouse
