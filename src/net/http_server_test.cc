#include "net/http_server.h"

#include <latch>
#include <stdexcept>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "net/net_for_tests.h"

namespace rouse {
namespace {

Task<Response> echo(const RequestHead& head, std::string body) {
  Response response;
  response.body = fmt::format("{} {} {}", head.method, head.path, body);
  co_return response;
}

TEST(HttpServer, AnswersAndKeepsTheConnection) {
  RunningServer running;
  running.handler.on_handle = echo;
  RawClient client(running.port);
  for (int i = 0; i < 3; ++i) {
    client.send(get(fmt::format("/{}", i)));
    EXPECT_EQ(client.read_response(),
              fmt::format("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nGET /{} ", i));
  }
  EXPECT_EQ(running.stats().accepted, 1u);
}

TEST(HttpServer, AnswersFiftyPipelinedRequestsInOrder) {
  RunningServer running;
  running.handler.on_handle = echo;
  std::string packet;
  for (int i = 0; i < 50; ++i)
    packet += i % 2 == 0 ? get(fmt::format("/{}", i)) : post(fmt::format("/{}", i), "b");
  RawClient client(running.port);
  client.send(packet);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(body_of(client.read_response()),
              i % 2 == 0 ? fmt::format("GET /{} ", i) : fmt::format("POST /{} b", i));
  }
}

TEST(HttpServer, ReadsTheRequestBehindAChunkedBody) {
  RunningServer running;
  running.handler.on_handle = echo;
  RawClient client(running.port);
  client.send(
      "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n" +
      get("/b") + "\r\n" + get("/c"));
  EXPECT_EQ(body_of(client.read_response()), "POST /a abcde");
  EXPECT_EQ(body_of(client.read_response()), "GET /b ");
  EXPECT_EQ(body_of(client.read_response()), "GET /c ");
}

TEST(HttpServer, TakesARequestByteByByte) {
  RunningServer running;
  running.handler.on_handle = echo;
  RawClient client(running.port);
  for (const char c : post("/slow", "body") + get("/next")) client.send(std::string_view(&c, 1));
  EXPECT_EQ(body_of(client.read_response()), "POST /slow body");
  EXPECT_EQ(body_of(client.read_response()), "GET /next ");
}

TEST(HttpServer, SendsNoBodyToHead) {
  RunningServer running;
  RawClient client(running.port);
  client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n" + get("/"));
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(body_of(client.read_response()), "ok");
}

TEST(HttpServer, ClosesAfterHttp10AndConnectionClose) {
  RunningServer running;
  RawClient old(running.port);
  old.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.read_to_end(),
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
  RawClient last(running.port);
  last.send(get("/", "Connection: close\r\n"));
  EXPECT_EQ(body_of(last.read_to_end()), "ok");
}

TEST(HttpServer, InvitesTheBodyOnlyOfAnAdmittedRequest) {
  RunningServer running;
  running.handler.on_handle = echo;
  running.handler.on_admit = [](const RequestHead& head) {
    Admission admission;
    admission.max_body_bytes = 10;
    if (head.path == "/no") {
      admission.refusal.emplace();
      admission.refusal->status = 401;
    }
    return admission;
  };
  RawClient welcome(running.port);
  welcome.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(welcome.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  welcome.send("body");
  EXPECT_EQ(body_of(welcome.read_response()), "POST / body");

  RawClient unwelcome(running.port);
  unwelcome.send(
      "POST /no HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(status_of(unwelcome.read_to_end()), 401);
}

TEST(HttpServer, RefusesBeforeTheBodyAndTheClientSeesIt) {
  RunningServer running;
  running.handler.on_admit = [](const RequestHead&) {
    Admission admission;
    admission.refusal.emplace();
    admission.refusal->status = 403;
    admission.refusal->body = "not you";
    return admission;
  };
  RawClient client(running.port);
  client.send(post("/", std::string(1 << 20, 'x')));  // more than the buffers of both ends
  EXPECT_EQ(body_of(client.read_to_end()), "not you");

  RawClient bodiless(running.port);  // nothing is unread, so the connection may stay
  bodiless.send(get("/") + get("/"));
  EXPECT_EQ(body_of(bodiless.read_response()), "not you");
  EXPECT_EQ(body_of(bodiless.read_response()), "not you");
}

TEST(HttpServer, RefusesOneGigabyteWithoutReadingIt) {
  RunningServer running;
  RawClient client(running.port);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1073741824\r\n\r\n");
  EXPECT_EQ(status_of(client.read_to_end()), 413);
}

TEST(HttpServer, StopsAChunkedBodyAtItsBound) {
  RunningServer running;
  running.handler.on_admit = [](const RequestHead&) {
    Admission admission;
    admission.max_body_bytes = 10;
    return admission;
  };
  RawClient in_one(running.port);  // the size alone tells
  in_one.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n40000000\r\nx");
  EXPECT_EQ(status_of(in_one.read_to_end()), 413);
  RawClient in_many(running.port);
  in_many.send(
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
      "chunked\r\n\r\n8\r\n12345678\r\n8\r\n12345678\r\n");
  EXPECT_EQ(status_of(in_many.read_to_end()), 413);
}

TEST(HttpServer, AnswersBrokenRequestsAndCloses) {
  RunningServer running;
  const std::vector<std::pair<std::string, int>> cases = {
      {"GARBAGE\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {"GET / HTTP/1.1\nHost: x\n\n", 400},
      {"GET / HTTP/3.0\r\nHost: x\r\n\r\n", 505},
      {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: "
       "chunked\r\n\r\n0\r\n\r\nGET /evil",
       400},
      {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", 400},
      {"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: "
       "upgrade\r\nSec-WebSocket-Version: 7\r\n\r\n",
       426},
  };
  for (const auto& [request, status] : cases) {
    RawClient client(running.port);
    client.send(request);
    const std::string answer = client.read_to_end();
    EXPECT_EQ(status_of(answer), status) << request;
    EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos);
    EXPECT_EQ(answer.find("\r\n\r\n"), answer.rfind("\r\n\r\n")) << "one answer only: " << answer;
  }
  EXPECT_EQ(running.stats().bad_requests, cases.size());
}

TEST(HttpServer, RefusesAHundredFieldsOf64KB) {
  RunningServer running;
  RawClient client(running.port);
  std::string request = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 100; ++i)
    request += fmt::format("X-{}: {}\r\n", i, std::string(64 * 1024, 'v'));
  client.send(request + "\r\n");
  EXPECT_EQ(status_of(client.read_to_end()), 431);
}

TEST(HttpServer, SurvivesHalfARequest) {
  RunningServer running;
  for (const char* half : {"", "G", "GET / HTTP/1.1\r\nHo",
                           "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf"}) {
    RawClient client(running.port);
    client.send(half);
    client.finish_sending();
    EXPECT_EQ(client.read_to_end(), "") << half;
    RawClient rude(running.port);
    rude.send(half);
    rude.reset();
  }
  RawClient client(running.port);
  client.send(get("/"));
  EXPECT_EQ(status_of(client.read_response()), 200);
}

Task<Response> throws(const RequestHead&, std::string) {
  throw std::runtime_error("boom");
  co_return Response{};
}

TEST(HttpServer, TurnsAnExceptionInto500) {
  RunningServer running;
  running.handler.on_handle = throws;
  RawClient client(running.port);
  client.send(get("/"));
  const std::string answer = client.read_to_end();
  EXPECT_EQ(status_of(answer), 500);
  EXPECT_EQ(answer.find("boom"), std::string::npos) << "internals stay inside";
  EXPECT_EQ(running.on_loop([&] { return running.handler.bugs.size(); }), 1u);
}

Task<void> three_pieces(ResponseStream& out) {
  for (const char* piece : {"one", "", "two", "three"}) {
    if (!co_await out.write(piece)) co_return;
  }
}

Task<Response> streamed(const RequestHead&, std::string) {
  Response response;
  response.headers.emplace_back("Content-Type", "text/event-stream");
  response.stream = three_pieces;
  co_return response;
}

TEST(HttpServer, StreamsInChunksAndGoesOn) {
  RunningServer running;
  running.handler.on_handle = streamed;
  RawClient client(running.port);
  client.send(get("/") + get("/"));
  const std::string one =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n0\r\n\r\n";
  EXPECT_EQ(client.read_exactly(2 * one.size()), one + one);
  RawClient old(running.port);
  old.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(body_of(old.read_to_end()), "onetwothree");
}

// What a stream sees when its reader leaves: the test waits for these.
struct StreamEnd {
  std::latch stopped{1};
};
StreamEnd* g_stream_end = nullptr;

Task<void> wait_for_stop(ResponseStream& out) {
  (void)co_await out.write("hello");
  const std::stop_token stop = out.stop();
  co_await complete_later<bool>([stop](Completer<bool> done) {
    auto once = std::make_shared<Completer<bool>>(std::move(done));
    auto callback = std::make_shared<std::optional<std::stop_callback<std::function<void()>>>>();
    callback->emplace(stop, [once] {
      if (*once) std::exchange(*once, {})(true);
    });
    // Kept until the process ends: the test is about being told, not about tidiness.
    static std::vector<std::shared_ptr<void>> kept;
    kept.push_back(callback);
  });
  EXPECT_FALSE(co_await out.write("too late"));
  if (g_stream_end != nullptr) g_stream_end->stopped.count_down();
}

Task<Response> endless(const RequestHead&, std::string) {
  Response response;
  response.stream = wait_for_stop;
  co_return response;
}

TEST(HttpServer, TellsAQuietStreamThatItsReaderLeft) {
  StreamEnd end;
  g_stream_end = &end;
  RunningServer running;
  running.handler.on_handle = endless;
  {
    RawClient client(running.port);
    client.send(get("/"));
    client.read_until("hello");
  }
  end.stopped.wait();
  g_stream_end = nullptr;
}

TEST(HttpServer, EndsStreamsWhenItStops) {
  StreamEnd end;
  g_stream_end = &end;
  RunningServer running;
  running.handler.on_handle = endless;
  RawClient client(running.port);
  client.send(get("/"));
  client.read_until("hello");
  auto stopped = running.shutdown(seconds(20));
  end.stopped.wait();
  client.finish_sending();
  stopped.wait();
  g_stream_end = nullptr;
}

TEST(HttpServer, ShowsThePeer) {
  RunningServer running({}, {}, "::");
  running.handler.on_handle = [](const RequestHead& head, std::string) -> Task<Response> {
    Response response;
    response.body = head.peer->address + (head.peer->tls ? " tls" : " plain");
    co_return response;
  };
  RawClient v4(running.port);  // arrives as ::ffff:127.0.0.1
  v4.send(get("/"));
  EXPECT_EQ(body_of(v4.read_response()), "127.0.0.1 plain");
  RawClient v6(running.port, 0, "::1");
  v6.send(get("/"));
  EXPECT_EQ(body_of(v6.read_response()), "::1 plain");
}

TEST(HttpServer, SaysWhyItCannotListen) {
  RunningServer running;
  const auto taken =
      running.on_loop([&] { return running.server->listen("127.0.0.1", running.port, {}); });
  ASSERT_FALSE(taken);
  EXPECT_NE(taken.error().message.find("choose another port"), std::string::npos) << taken.error();
  const auto named = running.on_loop([&] { return running.server->listen("localhost", 0, {}); });
  ASSERT_FALSE(named);
  EXPECT_NE(named.error().message.find("127.0.0.1"), std::string::npos) << named.error();
}

}  // namespace
}  // namespace rouse
