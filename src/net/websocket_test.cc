#include <latch>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "net/net_for_tests.h"

namespace rouse {
namespace {

Task<void> echo(const RequestHead&, std::shared_ptr<WebSocket> socket) {
  while (true) {
    auto message = co_await socket->receive();
    if (!message) co_return;
    socket->send(std::make_shared<const std::string>(std::move(*message)));
  }
}

// How the last socket ended, for tests that look at the server's side.
struct Ending {
  std::latch over{1};
  Error error;
};
Ending* g_ending = nullptr;

Task<void> until_the_end(const RequestHead&, std::shared_ptr<WebSocket> socket) {
  while (true) {
    const auto message = co_await socket->receive();
    if (message) continue;
    g_ending->error = message.error();
    EXPECT_FALSE(socket->send(std::make_shared<const std::string>("late")));
    g_ending->over.count_down();
    co_return;
  }
}

class WebSockets : public testing::Test {
 protected:
  WebSockets() { g_ending = &ending_; }
  ~WebSockets() override { g_ending = nullptr; }
  Ending ending_;
};

TEST_F(WebSockets, CarryTextBothWays) {
  RunningServer running;
  running.handler.on_websocket = echo;
  RawClient client(running.port);
  ASSERT_TRUE(client.upgrade());
  for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 125u, 126u, 4096u, 70'000u, 1'000'000u}) {
    const std::string text(size, 'x');
    client.send_frame(1, text);
    EXPECT_EQ(client.read_frame().payload, text) << size;
  }
  EXPECT_EQ(running.stats().websockets, 1u);
}

TEST_F(WebSockets, PutFragmentsTogetherAndAnswerPings) {
  RunningServer running;
  running.handler.on_websocket = echo;
  RawClient client(running.port);
  ASSERT_TRUE(client.upgrade());
  client.send_frame(1, "Hel", false);
  client.send_frame(9, "ping");
  client.send_frame(0, "lo", true);
  const auto pong = client.read_frame();
  EXPECT_EQ(pong.opcode, 10);
  EXPECT_EQ(pong.payload, "ping");
  EXPECT_EQ(client.read_frame().payload, "Hello");
}

TEST_F(WebSockets, TakeFramesThatCameWithTheHandshake) {
  RunningServer running;
  running.handler.on_websocket = echo;
  RawClient client(running.port);
  std::string hello =
      "\x81\x82"
      "abcd";
  hello += static_cast<char>('h' ^ 'a');
  hello += static_cast<char>('i' ^ 'b');
  client.send(
      "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: "
      "Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" +
      hello);
  EXPECT_EQ(status_of(client.read_until("\r\n\r\n")), 101);
  EXPECT_EQ(client.read_frame().payload, "hi");
}

TEST_F(WebSockets, SeeTheRequestTheyCameFrom) {
  RunningServer running;
  running.handler.on_admit = [](const RequestHead& head) {
    head.notes = std::make_shared<int>(7);
    return Admission{};
  };
  running.handler.on_websocket = [](const RequestHead& head,
                                    std::shared_ptr<WebSocket> socket) -> Task<void> {
    (void)co_await socket->receive();  // the connection's own buffer is long gone
    socket->send(std::make_shared<const std::string>(fmt::format(
        "{} {} {} {} {} {}", head.method, head.path, head.query, *head.header("upgrade"),
        head.peer->address, *std::static_pointer_cast<int>(head.notes))));
    (void)co_await socket->receive();
  };
  RawClient client(running.port);
  ASSERT_TRUE(client.upgrade("/ws?after=5"));
  client.send_frame(1, "go");
  EXPECT_EQ(client.read_frame().payload, "GET /ws after=5 websocket 127.0.0.1 7");
}

TEST_F(WebSockets, RefusedByAdmissionGetAPlainAnswer) {
  RunningServer running;
  running.handler.on_admit = [](const RequestHead&) {
    Admission admission;
    admission.refusal.emplace();
    admission.refusal->status = 403;
    return admission;
  };
  RawClient client(running.port);
  EXPECT_FALSE(client.upgrade());
}

TEST_F(WebSockets, CloseOnBinaryWith1003) {
  RunningServer running;
  running.handler.on_websocket = until_the_end;
  RawClient client(running.port);
  ASSERT_TRUE(client.upgrade());
  client.send_frame(2, "bytes");
  EXPECT_EQ(client.read_frame().close_code(), 1003);
  ending_.over.wait();
  EXPECT_TRUE(ending_.error.is(WebSocketErrc::kBadMessage));
}

TEST_F(WebSockets, CloseOnInvalidUtf8With1007) {
  RunningServer running;
  running.handler.on_websocket = until_the_end;
  RawClient client(running.port);
  ASSERT_TRUE(client.upgrade());
  client.send_frame(1, "\xc3\x28");
  EXPECT_EQ(client.read_frame().close_code(), 1007);
  ending_.over.wait();
  EXPECT_TRUE(ending_.error.is(WebSocketErrc::kBadMessage));
}

TEST_F(WebSockets, CloseOnATooLargeMessageWith1009) {
  ServerLimits limits;
  limits.websocket_message_bytes = 1000;
  RunningServer running(limits);
  running.handler.on_websocket = until_the_end;
  RawClient client(running.port);
  ASSERT_TRUE(client.upgrade());
  client.send_frame(1, std::string(1 << 20, 'x'));
  EXPECT_EQ(client.read_frame().close_code(), 1009);
  ending_.over.wait();
}

TEST_F(WebSockets, BoundAMessageMadeOfManyFragments) {
  ServerLimits limits;
  limits.websocket_message_bytes = 1000;
  RunningServer running(limits);
  running.handler.on_websocket = until_the_end;
  RawClient client(running.port);
  ASSERT_TRUE(client.upgrade());
  client.send_frame(1, std::string(600, 'x'), false);
  client.send_frame(0, std::string(600, 'x'), false);
  EXPECT_EQ(client.read_frame().close_code(), 1009);
}

TEST_F(WebSockets, CloseOnFramesThatBreakTheProtocol) {
  RunningServer running;
  running.handler.on_websocket = echo;
  for (const std::string_view bytes : {std::string_view("\x81\x01x", 3),  // not masked
                                       std::string_view("\xf1\x81"
                                                        "abcdx",
                                                        7),  // reserved bits
                                       std::string_view("\x83\x81"
                                                        "abcdx",
                                                        7),  // unknown opcode
                                       std::string_view("\x80\x81"
                                                        "abcdx",
                                                        7),  // continues nothing
                                       std::string_view("\x89\xfe\x01\x00"
                                                        "abcd",
                                                        8)}) {  // large ping
    RawClient client(running.port);
    ASSERT_TRUE(client.upgrade());
    client.send(bytes);
    EXPECT_EQ(client.read_frame().close_code(), 1002);
    EXPECT_TRUE(client.closed_by_server());
  }
}

TEST_F(WebSockets, AnswerACloseAndEnd) {
  RunningServer running;
  running.handler.on_websocket = until_the_end;
  RawClient client(running.port);
  ASSERT_TRUE(client.upgrade());
  client.send_frame(8, std::string_view("\x03\xe8", 2));
  EXPECT_EQ(client.read_frame().close_code(), 1000);
  ending_.over.wait();
  EXPECT_EQ(ending_.error.name, "closed");
  EXPECT_TRUE(client.closed_by_server());
}

TEST_F(WebSockets, NoticeALostConnection) {
  RunningServer running;
  running.handler.on_websocket = until_the_end;
  {
    RawClient client(running.port);
    ASSERT_TRUE(client.upgrade());
    client.reset();
  }
  ending_.over.wait();
  EXPECT_TRUE(ending_.error.is(WebSocketErrc::kLost));
}

TEST_F(WebSockets, ReceiveWhatWasSentBeforeTheClose) {
  RunningServer running;
  running.handler.on_websocket = [](const RequestHead&,
                                    std::shared_ptr<WebSocket> socket) -> Task<void> {
    for (int i = 0; i < 100; ++i)
      socket->send(std::make_shared<const std::string>(fmt::format("{}", i)));
    socket->close(4000, "done");
    EXPECT_FALSE(socket->send(std::make_shared<const std::string>("after")));
    co_return;
  };
  RawClient client(running.port);
  ASSERT_TRUE(client.upgrade());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(client.read_frame().payload, fmt::format("{}", i));
  const auto last = client.read_frame();
  EXPECT_EQ(last.close_code(), 4000);
  EXPECT_EQ(last.payload.substr(2), "done");
}

TEST_F(WebSockets, DropAReaderThatPassesTheQueueBound) {
  ServerLimits limits;
  limits.websocket_queue_bytes = 100'000;
  RunningServer running(limits);
  running.handler.on_websocket = [](const RequestHead&,
                                    std::shared_ptr<WebSocket> socket) -> Task<void> {
    const auto frame = std::make_shared<const std::string>(50'000, 'x');
    for (int i = 0; i < 1000 && socket->send(frame); ++i) {
      EXPECT_LE(socket->queued_bytes(), 100'000u);
    }
    EXPECT_FALSE(socket->send(frame));
    // Nobody but this frame and the message of the write under way holds the text: it was not
    // copied.
    EXPECT_LE(frame.use_count(), 4);
    EXPECT_FALSE(co_await socket->receive());
    g_ending->over.count_down();
  };
  RawClient client(running.port, 4096);
  ASSERT_TRUE(client.upgrade());
  ending_.over.wait();
  EXPECT_EQ(running.stats().slow_dropped, 1u);
}

TEST_F(WebSockets, DropAReaderThatStandsStill) {
  ServerLimits limits;
  limits.write_deadline = millis(50);
  limits.websocket_queue_bytes = 256 << 20;
  RunningServer running(limits);
  running.handler.on_websocket = [](const RequestHead& head,
                                    std::shared_ptr<WebSocket> socket) -> Task<void> {
    socket->send(std::make_shared<const std::string>(64 << 20, 'x'));
    co_await until_the_end(head, socket);
  };
  RawClient client(running.port, 4096);
  ASSERT_TRUE(client.upgrade());
  ending_.over.wait();
  EXPECT_EQ(running.stats().slow_dropped, 1u);
}

TEST_F(WebSockets, ArePingedWhenIdleAndDroppedWithoutAnAnswer) {
  ServerLimits limits;
  limits.websocket_idle = millis(40);
  RunningServer running(limits);
  running.handler.on_websocket = until_the_end;
  RawClient client(running.port);
  ASSERT_TRUE(client.upgrade());
  for (int i = 0; i < 3; ++i) {  // answered pings keep it alive
    const auto ping = client.read_frame();
    ASSERT_EQ(ping.opcode, 9);
    client.send_frame(10, ping.payload);
  }
  ending_.over.wait();  // the fourth stays unanswered
  EXPECT_EQ(running.stats().slow_dropped, 1u);
}

TEST_F(WebSockets, DoNotWaitForeverForTheAnswerToAClose) {
  ServerLimits limits;
  limits.websocket_close = millis(50);
  RunningServer running(limits);
  running.handler.on_websocket = [](const RequestHead&,
                                    std::shared_ptr<WebSocket> socket) -> Task<void> {
    socket->close(1000, "");
    EXPECT_FALSE(co_await socket->receive());
  };
  RawClient client(running.port);
  ASSERT_TRUE(client.upgrade());
  EXPECT_EQ(client.read_frame().close_code(), 1000);
  EXPECT_TRUE(client.closed_by_server());  // though we never answer
}

}  // namespace
}  // namespace rouse
