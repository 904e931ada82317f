// TLS of both sides, with certificates made here.
#include "net/tls.h"

#include <array>
#include <filesystem>
#include <fstream>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "net/http_client.h"
#include "net/net_for_tests.h"
#include "net/peer_for_tests.h"

namespace rouse {
namespace {

class Tls : public testing::Test {
 protected:
  Result<ClientResponse> get_url(std::string url, std::string ca_file, std::string proxy = "") {
    ClientOptions options;
    options.ca_file = std::move(ca_file);
    if (!proxy.empty()) options.https_proxy = std::move(proxy);
    Loop loop;
    const auto client = make_http_client(loop, options);
    ClientRequest request;
    request.url = std::move(url);
    return run_task(loop, client->send(std::move(request), {}));
  }
  std::string url(const RunningServer& running, std::string_view host = "127.0.0.1") {
    return fmt::format("https://{}:{}/", host, running.port);
  }
  ScratchDir dir_;
};

TEST_F(Tls, ServesAndVerifiesByAddressAndName) {
  const TlsFiles files = make_certificate(dir_, "a");
  RunningServer running({}, files);
  running.handler.on_handle = [](const RequestHead& head, std::string) -> Task<Response> {
    Response response;
    response.body = head.peer->tls ? "tls" : "plain";
    co_return response;
  };
  const auto by_address = get_url(url(running), files.cert_path);
  ASSERT_TRUE(by_address) << by_address.error();
  EXPECT_EQ(by_address->body, "tls");
  const auto by_name = get_url(url(running, "localhost"), files.cert_path);
  ASSERT_TRUE(by_name) << by_name.error();
}

TEST_F(Tls, CarriesLargeAnswersAndKeepsTheConnection) {
  const TlsFiles files = make_certificate(dir_, "a");
  RunningServer running({}, files);
  running.handler.on_handle = [](const RequestHead&, std::string) -> Task<Response> {
    Response response;
    response.body.assign(3 << 20, 'x');
    co_return response;
  };
  ClientOptions options;
  options.ca_file = files.cert_path;
  Loop loop;
  const auto client = make_http_client(loop, options);
  ClientRequest request;
  request.url = url(running);
  for (int i = 0; i < 2; ++i) {
    const auto answer = run_task(loop, client->send(request, {}));
    ASSERT_TRUE(answer) << answer.error();
    EXPECT_EQ(answer->body.size(), std::size_t{3} << 20);
  }
  EXPECT_EQ(running.stats().accepted, 1u);
}

TEST_F(Tls, IsNotTrustedWithoutTheRightRoot) {
  const TlsFiles files = make_certificate(dir_, "a");
  RunningServer running({}, files);
  const auto answer = get_url(url(running), "");
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().is(ClientErrc::kTls));
  EXPECT_NE(answer.error().message.find("is not trusted"), std::string::npos) << answer.error();
}

TEST_F(Tls, IsRefusedForAnotherHost) {
  CertificateRequest other;
  other.name = "other.example";
  other.address = "10.9.9.9";
  const TlsFiles files = make_certificate(dir_, "a", other);
  RunningServer running({}, files);
  for (const char* host : {"127.0.0.1", "localhost"}) {
    const auto answer = get_url(url(running, host), files.cert_path);
    ASSERT_FALSE(answer) << host;
    EXPECT_NE(answer.error().message.find("mismatch"), std::string::npos) << answer.error();
  }
}

TEST_F(Tls, ExpiredIsAWarningForTheServerAndAnErrorForTheClient) {
  CertificateRequest old;
  old.starts_in_days = -10;
  old.ends_in_days = -1;
  const TlsFiles files = make_certificate(dir_, "old", old);
  RunningServer running({}, files);
  const auto warnings = running.on_loop([&] { return running.server->tls_warnings(); });
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("has expired"), std::string::npos);
  const auto answer = get_url(url(running), files.cert_path);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("expired"), std::string::npos) << answer.error();
}

TEST_F(Tls, SaysWhatIsWrongWithItsFiles) {
  const TlsFiles a = make_certificate(dir_, "a");
  const TlsFiles b = make_certificate(dir_, "b");
  const auto message = [](const std::string& cert, const std::string& key) {
    const auto loaded = load_server_tls(cert, key);
    return loaded ? std::string("loaded") : loaded.error().message;
  };
  EXPECT_NE(message("/no/such.crt", a.key_path).find("/no/such.crt"), std::string::npos);
  EXPECT_NE(message(a.cert_path, "/no/such.key").find("No such file"), std::string::npos);
  EXPECT_NE(message(a.cert_path, b.key_path).find("does not belong"), std::string::npos);
  EXPECT_NE(message(a.key_path, a.key_path).find("holds no certificate"), std::string::npos);
  EXPECT_NE(message(a.cert_path, a.cert_path).find("holds no private key"), std::string::npos);
  EXPECT_EQ(message(a.cert_path, a.key_path), "loaded");
}

TEST_F(Tls, ReloadsForNewConnectionsAndKeepsTheOldOnError) {
  const TlsFiles live = make_certificate(dir_, "live");
  RunningServer running({}, live);
  const std::string first = dir_.path("first.crt");
  std::filesystem::copy_file(live.cert_path, first);
  ASSERT_TRUE(get_url(url(running), first));

  const TlsFiles next = make_certificate(dir_, "next");
  constexpr auto kOver = std::filesystem::copy_options::overwrite_existing;
  std::filesystem::copy_file(next.cert_path, live.cert_path, kOver);  // the key does not match yet
  const auto half = running.on_loop([&] { return running.server->reload_tls(); });
  ASSERT_FALSE(half);
  EXPECT_NE(half.error().message.find("does not belong"), std::string::npos) << half.error();
  EXPECT_TRUE(get_url(url(running), first)) << "the old certificate stays in force";

  std::filesystem::copy_file(next.key_path, live.key_path, kOver);
  EXPECT_TRUE(running.on_loop([&] { return running.server->reload_tls(); }));
  EXPECT_TRUE(get_url(url(running), next.cert_path));
  EXPECT_FALSE(get_url(url(running), first));
}

TEST_F(Tls, BoundsTheHandshake) {
  ServerLimits limits;
  limits.handshake_deadline = millis(50);
  RunningServer running(limits, make_certificate(dir_, "a"));
  RawClient silent(running.port);
  EXPECT_TRUE(silent.closed_by_server());
  RawClient plain(running.port);
  plain.send(get("/"));
  EXPECT_TRUE(plain.closed_by_server());
}

TEST_F(Tls, CarriesWebSockets) {
  RunningServer running({}, make_certificate(dir_, "a"));
  running.handler.on_websocket = [](const RequestHead&,
                                    std::shared_ptr<WebSocket> socket) -> Task<void> {
    auto message = co_await socket->receive();
    if (message) socket->send(std::make_shared<const std::string>("got " + *message));
    (void)co_await socket->receive();
  };
  namespace asio = boost::asio;
  asio::io_context context;
  asio::ssl::context settings(asio::ssl::context::tls_client);
  asio::ssl::stream<asio::ip::tcp::socket> stream(context, settings);
  stream.next_layer().connect({asio::ip::make_address("127.0.0.1"), running.port});
  stream.handshake(asio::ssl::stream_base::client);
  const auto read = [&](std::string_view mark) {
    std::string all;
    std::array<char, 1024> bytes;
    while (all.find(mark) == std::string::npos) {
      all.append(bytes.data(), stream.read_some(asio::buffer(bytes)));
    }
    return all;
  };
  asio::write(
      stream,
      asio::buffer(std::string(
          "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")));
  EXPECT_EQ(status_of(read("\r\n\r\n")), 101);
  asio::write(stream, asio::buffer(std::string("\x81\x82"
                                               "aaaa"
                                               "\x09\x08",
                                               8)));
  EXPECT_EQ(read("got hi"), "\x81\x06got hi");
}

TEST_F(Tls, GoesThroughAProxyByConnect) {
  const TlsFiles files = make_certificate(dir_, "a");
  RunningServer running({}, files);
  ScriptedPeer proxy({Script::tunnel("HTTP/1.1 200 Connection established\r\n\r\n", running.port)});
  const auto answer = get_url("https://localhost:4443/", files.cert_path,
                              fmt::format("http://u:p@127.0.0.1:{}", proxy.port()));
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(answer->body, "ok");
  EXPECT_TRUE(
      proxy.request(0).starts_with("CONNECT localhost:4443 HTTP/1.1\r\nHost: localhost:4443\r\n"
                                   "Proxy-Authorization: Basic dTpw\r\n"));
}

TEST_F(Tls, SaysWhenTheProxyRefuses) {
  ScriptedPeer proxy(
      {Script::answer("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")});
  const auto answer =
      get_url("https://somewhere.invalid/", "", fmt::format("http://127.0.0.1:{}", proxy.port()));
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().is(ClientErrc::kConnect));
  EXPECT_NE(answer.error().message.find("user and password"), std::string::npos) << answer.error();
}

}  // namespace
}  // namespace rouse
