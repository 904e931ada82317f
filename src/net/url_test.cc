#include "net/url.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

TEST(Url, SplitsHostPortAndTarget) {
  const auto url = parse_url("https://API.Example.com:8443/v1/x?y=1&z=2#part");
  ASSERT_TRUE(url) << url.error();
  EXPECT_TRUE(url->https);
  EXPECT_EQ(url->host, "api.example.com");
  EXPECT_EQ(url->port, 8443);
  EXPECT_EQ(url->target, "/v1/x?y=1&z=2");
  EXPECT_EQ(url->host_header(), "api.example.com:8443");
}

TEST(Url, FillsInPortAndPath) {
  EXPECT_EQ(parse_url("http://a")->port, 80);
  EXPECT_EQ(parse_url("https://a")->port, 443);
  EXPECT_EQ(parse_url("http://a")->target, "/");
  EXPECT_EQ(parse_url("http://a?q")->target, "/?q");
  EXPECT_EQ(parse_url("http://a#f")->target, "/");
  EXPECT_EQ(parse_url("http://a:80/")->host_header(), "a");
}

TEST(Url, TakesIpv6InBrackets) {
  const auto url = parse_url("http://[::1]:8080/x");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->host_header(), "[::1]:8080");
  EXPECT_EQ(parse_url("http://[::1]/")->host_header(), "[::1]");
}

// SC-7: what two programs could read differently is refused.
TEST(Url, RefusesWhatIsNotPlain) {
  for (const char* text : {"",
                           "http://",
                           "ftp://a/",
                           "a.b/c",
                           "http:///x",
                           "http://a:0/",
                           "http://a:65536/",
                           "http://a:8x/",
                           "http://a:/",
                           "http://[::1",
                           "http://[zz]/",
                           "http://[::1]x/",
                           "http://a b/",
                           "http://a/\r\nX: y",
                           "http://a/\x01",
                           "http://\xc3\xa4/",
                           "http://a\\@b/",
                           "http://a/\\b",
                           "http://.a/",
                           "http://a..b/",
                           "http://a%41/",
                           "http://a:80:80/",
                           "//a/b"}) {
    EXPECT_FALSE(parse_url(text)) << text;
  }
  EXPECT_FALSE(parse_url("http://a/" + std::string(9000, 'x')));
}

TEST(Url, RefusesUserinfoWithoutRepeatingIt) {
  const auto url = parse_url("https://user:secret@host/");
  ASSERT_FALSE(url);
  EXPECT_EQ(url.error().message.find("secret"), std::string::npos);
}

TEST(ProxySetting, KnowsHostPortAndCredentials) {
  EXPECT_EQ(parse_proxy("http://proxy:3128")->authority(), "proxy:3128");
  EXPECT_EQ(parse_proxy("proxy:3128/")->port, 3128);
  EXPECT_EQ(parse_proxy("http://me:p%40ss@proxy:3128")->authorization, "Basic bWU6cEBzcw==");
  EXPECT_EQ(parse_proxy("http://[::1]:1")->host, "::1");
  EXPECT_FALSE(parse_proxy("socks5://proxy:1080"));
  EXPECT_FALSE(parse_proxy("http://"));
  EXPECT_FALSE(parse_proxy("http://a b"));
}

TEST(NoProxy, MatchesHostsSuffixesAndPorts) {
  const auto bypass = [](const char* url, const char* rules) {
    return bypasses_proxy(*parse_url(url), rules);
  };
  EXPECT_TRUE(bypass("http://localhost/", "localhost"));
  EXPECT_TRUE(bypass("http://a.internal/", "x.com, .internal"));
  EXPECT_TRUE(bypass("http://a.b.internal/", "internal"));
  EXPECT_TRUE(bypass("http://internal/", ".internal"));
  EXPECT_TRUE(bypass("http://a.internal/", "*.internal"));
  EXPECT_TRUE(bypass("http://anything/", "*"));
  EXPECT_TRUE(bypass("https://h:8443/", "h:8443"));
  EXPECT_TRUE(bypass("http://[::1]/", "::1"));
  EXPECT_TRUE(bypass("http://[::1]:81/", "[::1]"));
  EXPECT_TRUE(bypass("http://10.0.0.1/", "10.0.0.1"));
  EXPECT_FALSE(bypass("https://h:8443/", "h:443"));
  EXPECT_FALSE(bypass("http://notinternal/", "internal"));
  EXPECT_FALSE(bypass("http://127.0.0.1/", "0.0.1"));
  EXPECT_FALSE(bypass("http://a/", ""));
  EXPECT_FALSE(bypass("http://a/", " , ,"));
}

}  // namespace
}  // namespace rouse
