#include "net/head_parser.h"

#include <gtest/gtest.h>

#include "net/response_head.h"

namespace rouse {
namespace {

struct Parsed {
  std::string bytes;  // the views point here
  RequestHead head;
  RequestFraming framing;
  std::optional<HeadProblem> problem;
};

std::unique_ptr<Parsed> parse(std::string_view text) {
  auto out = std::make_unique<Parsed>();
  out->bytes = text;
  out->problem = parse_request_head(out->bytes, 100, out->head, out->framing);
  return out;
}

int refused(std::string_view text) {
  const auto out = parse(text);
  return out->problem ? out->problem->status : 0;
}

TEST(HeadScanner, FindsTheEndHoweverTheBytesCome) {
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  HeadScanner scanner;
  for (std::size_t size = 0; size < head.size(); ++size) {
    EXPECT_EQ(scanner.scan(std::string_view(head).substr(0, size)), HeadScanner::State::kNeedMore);
  }
  EXPECT_EQ(scanner.scan(head + "body"), HeadScanner::State::kComplete);
  EXPECT_EQ(scanner.head_size(), head.size());
}

TEST(HeadScanner, RefusesBareLineFeeds) {
  EXPECT_EQ(HeadScanner().scan("GET / HTTP/1.1\nHost: x\n\n"), HeadScanner::State::kBareLineFeed);
  EXPECT_EQ(HeadScanner().scan("\n"), HeadScanner::State::kBareLineFeed);
}

TEST(RequestHead, SplitsTheTarget) {
  const auto plain = parse("GET /a/b?x=1&y HTTP/1.1\r\nHost: h:1\r\nAccept: */*\r\n\r\n");
  ASSERT_FALSE(plain->problem);
  EXPECT_EQ(plain->head.method, "GET");
  EXPECT_EQ(plain->head.path, "/a/b");
  EXPECT_EQ(plain->head.query, "x=1&y");
  EXPECT_EQ(plain->head.header("HOST"), "h:1");
  EXPECT_TRUE(plain->framing.keep_alive);
  EXPECT_EQ(parse("GET http://h/p?q HTTP/1.1\r\nHost: h\r\n\r\n")->head.path, "/p");
  EXPECT_EQ(parse("GET http://h HTTP/1.1\r\nHost: h\r\n\r\n")->head.path, "/");
  EXPECT_EQ(parse("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n")->head.path, "*");
}

TEST(RequestHead, RefusesTargetsThatAreNotOurs) {
  for (const char* target : {"*", "host:443", "ftp://h/", "a/b", "/a#b", "http:///x", "http://"}) {
    EXPECT_EQ(refused(std::string("GET ") + target + " HTTP/1.1\r\nHost: h\r\n\r\n"), 400)
        << target;
  }
}

TEST(RequestHead, WantsExactlyOneSaneHost) {
  EXPECT_EQ(refused("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nHost: \r\n\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nHost: a b\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nHost: u@h\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/1.0\r\n\r\n"), 0);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n"), 0);
}

// Two readings of where a body ends are how requests are smuggled past a proxy.
TEST(RequestHead, RefusesTwoReadingsOfTheBody) {
  const auto with = [](std::string_view headers) {
    return refused("POST / HTTP/1.1\r\nHost: h\r\n" + std::string(headers) + "\r\n");
  };
  EXPECT_EQ(with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), 400);
  EXPECT_EQ(with("Content-Length: 5\r\nContent-Length: 6\r\n"), 400);
  EXPECT_EQ(with("Content-Length: 5\r\nContent-Length: 5\r\n"), 400);
  EXPECT_EQ(with("Content-Length: 5, 5\r\n"), 400);
  EXPECT_EQ(with("Content-Length: +5\r\n"), 400);
  EXPECT_EQ(with("Content-Length: -5\r\n"), 400);
  EXPECT_EQ(with("Content-Length: 0x5\r\n"), 400);
  EXPECT_EQ(with("Content-Length: \r\n"), 400);
  EXPECT_EQ(with("Content-Length: 99999999999999999999999\r\n"), 400);
  EXPECT_EQ(with("Transfer-Encoding: identity\r\n"), 400);
  EXPECT_EQ(with("Transfer-Encoding: xchunked\r\n"), 400);
  EXPECT_EQ(with("Transfer-Encoding: gzip, chunked\r\n"), 400);
  EXPECT_EQ(with("Transfer-Encoding: chunked, identity\r\n"), 400);
  EXPECT_EQ(with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(with("Transfer-Encoding : chunked\r\n"), 400);
  EXPECT_EQ(with("Content-Length : 5\r\n"), 400);
  EXPECT_EQ(with("Transfer-Encoding: chunked\r\n"), 0);
  EXPECT_EQ(with("Content-Length: 5\r\n"), 0);
  EXPECT_EQ(refused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
}

TEST(RequestHead, RefusesBrokenFields) {
  const auto with = [](std::string_view line) {
    return refused("GET / HTTP/1.1\r\nHost: h\r\n" + std::string(line) + "\r\n\r\n");
  };
  EXPECT_EQ(with("Na me: v"), 400);
  EXPECT_EQ(with("Name : v"), 400);
  EXPECT_EQ(with(" Name: v"), 400);
  EXPECT_EQ(with("Na\x01me: v"), 400);
  EXPECT_EQ(with("N\xc3\xa4me: v"), 400);
  EXPECT_EQ(with(": v"), 400);
  EXPECT_EQ(with("NoColon"), 400);
  EXPECT_EQ(with("Name: a\x01"
                 "b"),
            400);
  EXPECT_EQ(with(std::string_view("Name: a\0b", 9)), 400);
  EXPECT_EQ(with("Name: a\r\n folded"), 400);
  EXPECT_EQ(with("Name: a\r\n\tfolded"), 400);
  EXPECT_EQ(with("Name: a\rb"), 400);
}

TEST(RequestHead, RefusesOtherProtocols) {
  EXPECT_EQ(refused("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), 505);
  EXPECT_EQ(refused("GET /\r\n\r\n"), 400);
  EXPECT_EQ(refused("\x16\x03\x01 hello\r\n\r\n"), 400);
  EXPECT_EQ(refused("G\x01T / HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET  / HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
}

TEST(RequestHead, BoundsTheNumberOfFields) {
  std::string text = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (int i = 0; i < 99; ++i) text += "a: b\r\n";
  EXPECT_EQ(refused(text + "\r\n"), 0);
  EXPECT_EQ(refused(text + "a: b\r\n\r\n"), 431);
}

TEST(RequestHead, KnowsExpectations) {
  const auto expecting =
      parse("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n");
  EXPECT_TRUE(expecting->framing.expects_continue);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nHost: h\r\nExpect: a-pony\r\n\r\n"), 417);
}

TEST(RequestHead, KnowsWebSocketHandshakes) {
  const auto with = [](std::string_view version, std::string_view key, std::string_view more = "") {
    return "GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: WebSocket\r\nConnection: keep-alive, "
           "upgrade\r\n" +
           std::string(more) + "Sec-WebSocket-Version: " + std::string(version) +
           "\r\nSec-WebSocket-Key: " + std::string(key) + "\r\n\r\n";
  };
  const auto good = parse(with("13", "dGhlIHNhbXBsZSBub25jZQ=="));
  EXPECT_FALSE(good->problem);
  EXPECT_TRUE(good->head.websocket_upgrade);
  EXPECT_EQ(refused(with("8", "dGhlIHNhbXBsZSBub25jZQ==")), 426);
  EXPECT_EQ(refused(with("13", "short")), 400);
  EXPECT_EQ(refused(with("13", "")), 400);
  EXPECT_EQ(refused(with("13", "dGhlIHNhbXBsZSBub25jZQ==", "Content-Length: 5\r\n")), 400);
  EXPECT_FALSE(
      parse("GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n\r\n")->head.websocket_upgrade);
}

TEST(ResponseHead, IsReadWithItsFraming) {
  const auto sized = parse_response_head("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\n");
  ASSERT_TRUE(sized);
  EXPECT_EQ(sized->status, 200);
  EXPECT_EQ(sized->content_length, 5u);
  EXPECT_TRUE(sized->keep_alive);
  EXPECT_FALSE(parse_response_head("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")->keep_alive);
  EXPECT_FALSE(parse_response_head("HTTP/1.0 200 OK\r\n\r\n")->keep_alive);
  EXPECT_TRUE(parse_response_head("HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n")->chunked);
  EXPECT_FALSE(parse_response_head(
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"));
  EXPECT_FALSE(parse_response_head("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"));
  EXPECT_FALSE(parse_response_head("SSH-2.0-OpenSSH\r\n\r\n"));
  EXPECT_FALSE(parse_response_head("HTTP/1.1 9 OK\r\n\r\n"));
}

TEST(ResponseHead, CannotBeSplitByAHeaderValue) {
  Response response;
  response.headers = {{"Location", "/a\r\nSet-Cookie: x=1"},
                      {"Bad\r\nName", "v"},
                      {"Content-Length", "999"},
                      {"Transfer-Encoding", "chunked"}};
  response.static_headers = "X-Fixed: 1\r\n";
  std::string out;
  append_response_head(out, response, BodyFraming::kLength, 2, false);
  EXPECT_EQ(
      out,
      "HTTP/1.1 200 OK\r\nLocation: /a  Set-Cookie: x=1\r\nX-Fixed: 1\r\nContent-Length: 2\r\n"
      "Connection: close\r\n\r\n");
}

TEST(ResponseHead, HasNoLengthWhereNoBodyMayBe) {
  Response response;
  response.status = 204;
  std::string out;
  append_response_head(out, response, BodyFraming::kLength, 0, true);
  EXPECT_EQ(out, "HTTP/1.1 204 No Content\r\n\r\n");
}

}  // namespace
}  // namespace rouse
