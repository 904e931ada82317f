// Slow, greedy and too many clients, and the end of the server itself. Deadlines are tiny and the
// tests wait for what follows them, never for time.
#include <fcntl.h>
#include <latch>
#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "net/descriptors.h"
#include "net/net_for_tests.h"

namespace rouse {
namespace {

TEST(ServerDeadlines, AnswerASlowHeadWith408) {
  ServerLimits limits;
  limits.head_deadline = millis(50);
  RunningServer running(limits);
  RawClient client(running.port);
  client.send("GET / HTTP/1.1\r\nHost:");
  EXPECT_EQ(status_of(client.read_to_end()), 408);
  EXPECT_EQ(running.stats().slow_dropped, 1u);
}

TEST(ServerDeadlines, AreNotExtendedByDrippingBytes) {
  ServerLimits limits;
  limits.head_deadline = millis(50);
  RunningServer running(limits);
  RawClient client(running.port);
  client.send("GET / HTTP/1.1\r\n");
  while (client.send("X-Slow: loris\r\n")) {
    if (running.stats().slow_dropped > 0 || running.stats().bad_requests > 0) break;
  }
  const int status = status_of(client.read_to_end());
  EXPECT_TRUE(status == 408 || status == 431) << status;  // 431 if the drops filled the head first
}

TEST(ServerDeadlines, AnswerASlowBodyWith408) {
  ServerLimits limits;
  limits.body_deadline = millis(50);
  RunningServer running(limits);
  RawClient sized(running.port);
  sized.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
  EXPECT_EQ(status_of(sized.read_to_end()), 408);
  RawClient chunked(running.port);
  chunked.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab");
  EXPECT_EQ(status_of(chunked.read_to_end()), 408);
}

TEST(ServerDeadlines, CloseIdleConnectionsQuietly) {
  ServerLimits limits;
  limits.idle_deadline = millis(50);
  RunningServer running(limits);
  RawClient silent(running.port);
  EXPECT_EQ(silent.read_to_end(), "");
  RawClient used(running.port);
  used.send(get("/"));
  EXPECT_EQ(body_of(used.read_to_end()), "ok");  // one answer and the end
}

Task<Response> large(const RequestHead&, std::string) {
  Response response;
  response.body.assign(64 << 20, 'x');  // more than any pair of socket buffers
  co_return response;
}

TEST(ServerDeadlines, DropAReaderThatStandsStill) {
  ServerLimits limits;
  limits.write_deadline = millis(50);
  RunningServer running(limits);
  running.handler.on_handle = large;
  RawClient client(running.port, 4096);
  client.send(get("/"));
  while (running.stats().slow_dropped == 0) {
  }
  EXPECT_TRUE(client.closed_by_server());
}

TEST(ServerDeadlines, LetASlowReaderFinish) {
  ServerLimits limits;
  limits.write_deadline = seconds(20);
  RunningServer running(limits);
  running.handler.on_handle = large;
  RawClient client(running.port, 4096);
  client.send(get("/", "Connection: close\r\n"));
  EXPECT_EQ(body_of(client.read_to_end()).size(), std::size_t{64} << 20);
}

TEST(ServerLimits, AnswerConnectionsOverTheBoundWith503) {
  ServerLimits limits;
  limits.connections = 2;
  RunningServer running(limits);
  std::vector<RawClient> fits;
  for (int i = 0; i < 2; ++i) {
    fits.emplace_back(running.port);
    fits.back().send(get("/"));
    EXPECT_EQ(status_of(fits.back().read_response()), 200);
  }
  {
    RawClient over(running.port);
    over.send(get("/"));
    const std::string answer = over.read_to_end();
    EXPECT_EQ(status_of(answer), 503);
    EXPECT_NE(answer.find("Retry-After: 5\r\n"), std::string::npos);
    EXPECT_NE(answer.find("limit of 2 connections"), std::string::npos);
  }
  EXPECT_EQ(running.stats().refused, 1u);
  fits.clear();
  while (running.stats().connections > 0) {
  }
  RawClient again(running.port);
  again.send(get("/"));
  EXPECT_EQ(status_of(again.read_response()), 200);
}

TEST(ServerLimits, DoNotCountLoopbackPerAddress) {
  ServerLimits limits;
  limits.connections_per_address = 1;
  RunningServer running(limits);
  RawClient one(running.port);
  RawClient two(running.port);
  two.send(get("/"));
  EXPECT_EQ(status_of(two.read_response()), 200);
}

// Takes every descriptor the process may open, and gives them back.
class NoDescriptorsLeft {
 public:
  NoDescriptorsLeft() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit low = before_;
    low.rlim_cur = 256;
    ::setrlimit(RLIMIT_NOFILE, &low);
    for (int fd = ::open("/dev/null", O_RDONLY); fd >= 0; fd = ::open("/dev/null", O_RDONLY))
      taken_.push_back(fd);
  }
  void give_back_one() {
    ::close(taken_.back());
    taken_.pop_back();
  }
  ~NoDescriptorsLeft() {
    for (const int fd : taken_) ::close(fd);
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }

 private:
  rlimit before_{};
  std::vector<int> taken_;
};

TEST(ServerLimits, AcceptAgainOnceDescriptorsAreThere) {
  RunningServer running;
  RawClient first(running.port);
  first.send(get("/"));
  EXPECT_EQ(status_of(first.read_response()), 200);
  NoDescriptorsLeft full;
  full.give_back_one();
  RawClient waits(running.port);  // took the one descriptor: the server's accept fails with EMFILE
  waits.send(get("/"));
  first.send(get("/"));  // the others are served meanwhile
  EXPECT_EQ(status_of(first.read_response()), 200);
  EXPECT_EQ(running.stats().accepted, 1u);
  full.give_back_one();
  EXPECT_EQ(status_of(waits.read_response()), 200);
  EXPECT_EQ(running.on_loop([&] { return running.handler.exhausted; }), 1u) << "told, and once";
}

TEST(Descriptors, AreRaisedToTheHardLimit) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(raise_descriptor_limit(), limit.rlim_max);
}

// A request that ends when the test says so.
struct Gate {
  std::latch entered{1};
  Completer<bool> open;
};
Gate* g_gate = nullptr;

Task<Response> behind_gate(const RequestHead&, std::string) {
  co_await complete_later<bool>([](Completer<bool> done) {
    g_gate->open = std::move(done);
    g_gate->entered.count_down();
  });
  Response response;
  response.body = "finished";
  co_return response;
}

class Shutdown : public testing::Test {
 protected:
  Shutdown() { g_gate = &gate_; }
  ~Shutdown() override { g_gate = nullptr; }
  Gate gate_;
};

TEST_F(Shutdown, ClosesIdleConnectionsAtOnce) {
  RunningServer running;
  RawClient idle(running.port);
  idle.send(get("/"));
  EXPECT_EQ(status_of(idle.read_response()), 200);
  RawClient silent(running.port);
  while (running.stats().connections < 2) {
  }
  running.shutdown(minutes(10)).wait();
  EXPECT_TRUE(idle.closed_by_server());
  EXPECT_TRUE(silent.closed_by_server());
  EXPECT_EQ(running.stats().connections, 0u);
}

TEST_F(Shutdown, LetsARunningRequestFinish) {
  RunningServer running;
  running.handler.on_handle = behind_gate;
  RawClient client(running.port);
  client.send(get("/"));
  gate_.entered.wait();
  auto stopped = running.shutdown(minutes(10));
  running.on_loop([&] { std::exchange(gate_.open, {})(true); });
  const std::string answer = client.read_to_end();
  EXPECT_EQ(body_of(answer), "finished");
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
  client.finish_sending();
  stopped.wait();
}

TEST_F(Shutdown, ClosesTheRestAtTheDeadline) {
  RunningServer running;
  running.handler.on_handle = behind_gate;
  RawClient client(running.port);
  client.send(get("/"));
  gate_.entered.wait();
  auto stopped = running.shutdown(millis(30));
  EXPECT_TRUE(client.closed_by_server());
  running.on_loop([&] { std::exchange(gate_.open, {})(true); });
  stopped.wait();
  EXPECT_EQ(running.stats().connections, 0u);
}

TEST_F(Shutdown, ClosesWebSocketsWith1001) {
  RunningServer running;
  running.handler.on_websocket = [](const RequestHead&,
                                    std::shared_ptr<WebSocket> socket) -> Task<void> {
    const auto message = co_await socket->receive();
    EXPECT_FALSE(message);
    EXPECT_EQ(message.error().name, "closed");
  };
  RawClient client(running.port);
  ASSERT_TRUE(client.upgrade());
  auto stopped = running.shutdown(minutes(10));
  const auto frame = client.read_frame();
  EXPECT_EQ(frame.close_code(), 1001);
  client.send_frame(8, frame.payload.substr(0, 2));
  EXPECT_TRUE(client.closed_by_server());
  client.finish_sending();
  stopped.wait();
}

}  // namespace
}  // namespace rouse
