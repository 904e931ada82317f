#include "tool/fetch/http_fetch.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "net/net_for_tests.h"
#include "net/peer_for_tests.h"
#include "tool/registry.h"

namespace rouse {
namespace {

std::string answer(std::string_view head, const std::string& body) {
  return "HTTP/1.1 " + std::string(head) + "\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\nConnection: close\r\n\r\n" + body;
}

class HttpFetchTest : public testing::Test {
 protected:
  // A server that the person has allowed, answering one request after the other.
  void serve(std::vector<std::string> answers) {
    std::vector<Script> scripts;
    for (std::string& one : answers) scripts.push_back(Script::answer(std::move(one)));
    peer_ = std::make_unique<ScriptedPeer>(std::move(scripts));
    place_ = "127.0.0.1:" + std::to_string(peer_->port());
    fetch_.configure({.allow_hosts = {place_}});
  }
  ToolCall call(const std::string& path, const std::string& more = "") {
    ToolCall out;
    out.arguments = "{\"url\":\"http://" + place_ + path + "\"" + more + "}";
    return out;
  }
  ToolResult fetch(const std::string& path = "/", const std::string& more = "") {
    return run_task(loop_, fetch_.run(call(path, more), {}));
  }

  Loop loop_;
  VirtualClock clock_;
  std::unique_ptr<HttpClient> http_ = make_http_client(loop_, {});
  HttpFetch fetch_{*http_, clock_, {}};
  std::unique_ptr<ScriptedPeer> peer_;
  std::string place_ = "example.com";
};

TEST_F(HttpFetchTest, APageIsTextAndAlwaysFromOutside) {
  serve({answer("200 OK\r\nContent-Type: text/html; charset=utf-8",
                "<title>Hi</title><p>one <i>two</i><script>x</script>")});
  const ToolResult got = fetch("/page?a=1");
  EXPECT_FALSE(got.failed);
  EXPECT_TRUE(got.untrusted);
  EXPECT_EQ(got.text, "HTTP 200 OK from http://" + place_ + "/page?a=1, text/html\n\nHi\none two");
  const std::string sent = peer_->request(0);
  EXPECT_TRUE(sent.starts_with("GET /page?a=1 HTTP/1.1\r\n"));
  EXPECT_NE(sent.find("User-Agent: rouse/"), std::string::npos);
  EXPECT_EQ(sent.find("Cookie"), std::string::npos);
}

TEST_F(HttpFetchTest, WhatIsNoHtmlIsLeftAsItIs) {
  serve({answer("200 OK\r\nContent-Type: application/json", "{\"a\": \"<b>\"}")});
  EXPECT_TRUE(fetch().text.ends_with("\n\n{\"a\": \"<b>\"}"));
}

TEST_F(HttpFetchTest, AnErrorOfTheServerIsAFailureWithItsWords) {
  serve({answer("404 Not Found\r\nContent-Type: text/plain", "no such page")});
  const ToolResult got = fetch();
  EXPECT_TRUE(got.failed);
  EXPECT_TRUE(got.untrusted);
  EXPECT_NE(got.text.find("no such page"), std::string::npos);
}

TEST_F(HttpFetchTest, WhatIsNoTextIsRefusedWithAWord) {
  serve({answer("200 OK\r\nContent-Type: image/png", "\x89PNG"),
         answer("200 OK\r\nContent-Type: text/plain", std::string("a\0b", 3)),
         answer("200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip", "\x1f\x8b")});
  EXPECT_NE(fetch().text.find("it is image/png, 4 bytes; only text can be read"),
            std::string::npos);
  EXPECT_NE(fetch().text.find("no text"), std::string::npos);
  EXPECT_NE(fetch().text.find("compressed"), std::string::npos);
}

TEST_F(HttpFetchTest, ALongAnswerIsCutAndSaysSo) {
  serve({answer("200 OK\r\nContent-Type: text/plain", std::string(100'000, 'a')),
         answer("200 OK\r\nContent-Type: text/plain", std::string(5 << 20, 'a'))});
  const ToolResult got = fetch();
  EXPECT_LT(got.text.size(), kToolResultBytes);
  EXPECT_TRUE(got.text.ends_with("\n[cut after 60 KB]")) << got.text.size();
  const ToolResult huge = fetch();
  EXPECT_FALSE(huge.failed);
  EXPECT_TRUE(huge.text.ends_with("over 2 MB]"));
}

// SC-10
TEST_F(HttpFetchTest, ASecretIsMaskedBeforeThePageIsCut) {
  Redactor redactor;
  redactor.set_secrets({"canary\"12345678"});
  fetch_.redact_with(&redactor);
  std::string page, huge = "<p>";
  while (page.size() < 100'000) page += "canary\"12345678";
  while (huge.size() < (2 << 20) - 5) huge += ' ';
  huge += "canary\"12345678";
  serve({answer("200 OK\r\nContent-Type: text/plain", page),
         answer("200 OK\r\nContent-Type: text/html", huge),
         answer("200 OK\r\nContent-Type: text/html", "<p>canary&quot;12<i>34</i>5678 x"),
         answer("302 Found\r\nLocation: /" + std::string(590, 'a') + "canary%2212345678", "")});
  for (int i = 0; i < 4; ++i) {
    // The last one is on the same host, but this call may not follow it.
    const ToolResult got = i < 3 ? fetch() : fetch("/", R"(,"method":"POST")");
    EXPECT_TRUE(got.untrusted);
    EXPECT_EQ(got.text.find("cana"), std::string::npos) << got.text.substr(0, 300);
    EXPECT_EQ(got.text.find("5678"), std::string::npos);
  }
}

// SC-7: only a page of an allowed host may lead to one, which may well be a private place.
TEST_F(HttpFetchTest, AnybodysPageDoesNotLeadToAnAllowedHost) {
  serve({answer("200 OK\r\nContent-Type: text/plain", "private")});
  const std::string redirect = answer("302 Found\r\nLocation: http://" + place_ + "/x", "");
  ScriptedPeer outside({Script::answer(redirect), Script::answer(redirect)});
  ScriptedPeer proxy({Script::tunnel("HTTP/1.1 200 OK\r\n\r\n", outside.port()),
                      Script::tunnel("HTTP/1.1 200 OK\r\n\r\n", outside.port())});
  ClientOptions through;
  through.http_proxy = "http://127.0.0.1:" + std::to_string(proxy.port());
  through.no_proxy = "127.0.0.1";
  const auto http = make_http_client(loop_, through);
  HttpFetch fetch(*http, clock_, {.allow_hosts = {place_}});
  ToolCall one;
  one.arguments = R"({"url":"http://93.184.215.14/"})";
  const ToolResult told = run_task(loop_, fetch.run(one, {}));
  EXPECT_NE(told.text.find("/x, which was not followed"), std::string::npos) << told.text;
  fetch.configure({.allow_hosts = {place_, "93.184.215.14"}});
  EXPECT_TRUE(run_task(loop_, fetch.run(one, {})).text.ends_with("\n\nprivate"));
}

// SC-7, design.md 8: what the owner has opened is not open to strangers.
TEST_F(HttpFetchTest, AllowedHostsAreNotForStrangers) {
  serve({answer("200 OK\r\nContent-Type: text/plain", "here")});
  ToolCall one = call("/");
  EXPECT_EQ(fetch_.risk_of(one), RiskTier::kAuto);
  one.stranger = true;
  EXPECT_EQ(fetch_.risk_of(one), RiskTier::kUserConfigurable);
  const ToolResult got = run_task(loop_, fetch_.run(one, {}));
  EXPECT_TRUE(got.failed);
  EXPECT_NE(got.text.find("not allowed"), std::string::npos) << got.text;
}

TEST_F(HttpFetchTest, RedirectsOnTheSameHostAreFollowed) {
  serve({answer("301 Moved\r\nLocation: /b/c", ""), answer("302 Found\r\nLocation: d?x=1", ""),
         answer("200 OK\r\nContent-Type: text/plain", "here")});
  const ToolResult got = fetch("/a");
  EXPECT_EQ(got.text, "HTTP 200 OK from http://" + place_ + "/b/d?x=1, text/plain\n\nhere");
}

TEST_F(HttpFetchTest, RedirectsHaveAnEnd) {
  serve(std::vector<std::string>(8, answer("301 Moved\r\nLocation: /again", "")));
  EXPECT_NE(fetch().text.find("more than 5 times"), std::string::npos);
}

// SC-7: a yes to one host is no yes to another, which would learn what the query says.
TEST_F(HttpFetchTest, ARedirectToAnotherHostIsToldAndNotFollowed) {
  serve({answer("302 Found\r\nLocation: https://other.example.com/x", "")});
  const ToolResult got = fetch();
  EXPECT_FALSE(got.failed);
  EXPECT_TRUE(got.untrusted);
  EXPECT_NE(got.text.find("leads to https://other.example.com/x, which was not followed"),
            std::string::npos);
}

TEST_F(HttpFetchTest, APostIsSentOnceAndNeverRedirected) {
  serve({answer("307 Again\r\nLocation: /b", "")});
  const ToolResult got =
      fetch("/a", R"(,"method":"POST","body":"{}","headers":{"Content-Type":"application/json"})");
  EXPECT_NE(got.text.find("leads to /b"), std::string::npos);
  const std::string sent = peer_->request(0);
  EXPECT_TRUE(sent.starts_with("POST /a ")) << sent;
  EXPECT_NE(sent.find("Content-Type: application/json"), std::string::npos);
}

// SC-7: proxies that answer name look-ups with addresses of their own.
TEST_F(HttpFetchTest, RangesOfAFakeIpProxyCountAsPublicButLoopbackNever) {
  serve({});
  fetch_.configure({.allow_hosts = {}, .fake_ip_ranges = {"127.0.0.0/8", "198.18.0.0/15"}});
  EXPECT_NE(fetch().text.find("not allowed"), std::string::npos);
}

TEST_F(HttpFetchTest, ABodyNeedsAPost) { EXPECT_TRUE(fetch("/", R"(,"body":"x")").failed); }

TEST_F(HttpFetchTest, OnlyAllowedHostsNeedNobodysWord) {
  fetch_.configure({.allow_hosts = {"docs.example.com", "api.example.com:8443", "[::1]:81"}});
  const auto risk = [&](const std::string& url, const std::string& method = "GET") {
    ToolCall one;
    one.arguments =
        encode_json(std::map<std::string, std::string>{{"url", url}, {"method", method}});
    return fetch_.risk_of(one);
  };
  for (const char* url :
       {"https://docs.example.com/x", "http://docs.example.com/", "http://DOCS.example.com/",
        "https://api.example.com:8443/", "http://[::1]:81/"}) {
    EXPECT_EQ(risk(url), RiskTier::kAuto) << url;
    EXPECT_EQ(risk(url, "POST"), RiskTier::kUserConfigurable) << url;
  }
  for (const char* url : {"https://docs.example.com:8443/", "https://example.com/",
                          "https://api.example.com/", "http://[::1]/", "nonsense"}) {
    EXPECT_EQ(risk(url), RiskTier::kUserConfigurable) << url;
  }
}

// AP-4
TEST_F(HttpFetchTest, AYesCoversAnOriginOrOnePost) {
  const ApprovalAsk ask = fetch_.ask_for(call("/a?b=c"));
  EXPECT_EQ(ask.summary, "GET http://example.com/a?b=c");
  EXPECT_EQ(ask.covers, R"(["http_fetch","GET","http://example.com:80"])");
  const ApprovalAsk post = fetch_.ask_for(call("/a", R"(,"method":"POST","body":"x=1")"));
  EXPECT_EQ(post.summary, "POST http://example.com/a with 3 bytes: x=1");
  EXPECT_NE(fetch_.ask_for(call("/a", R"(,"method":"POST","body":"x=2")")).covers, post.covers);
}

TEST(ResolveLocation, MeansWhatABrowserMeans) {
  const Url from = *parse_url("https://a.example:444/dir/page?x=1");
  const auto to = [&](std::string_view location) {
    const auto url = resolve_location(from, location);
    return url ? (url->https ? "s " : "") + url->authority() + url->target : "refused";
  };
  EXPECT_EQ(to("/b"), "s a.example:444/b");
  EXPECT_EQ(to("b"), "s a.example:444/dir/b");
  EXPECT_EQ(to("?y=2"), "s a.example:444/dir/page?y=2");
  EXPECT_EQ(to("/b?u=http://c/"), "s a.example:444/b?u=http://c/");
  EXPECT_EQ(to("//b.example/c"), "s b.example:443/c");
  EXPECT_EQ(to("http://b.example/c#d"), "b.example:80/c");
  EXPECT_EQ(to("ftp://b.example/c"), "refused");
  EXPECT_EQ(to("http://u@b.example/"), "refused");
}

TEST_F(HttpFetchTest, ItsDescriptionIsShort) {
  const ToolInfo& info = fetch_.info();
  EXPECT_LT(info.name.size() + info.description.size() + info.schema.size(), 400U);
  EXPECT_TRUE(ArgumentsSchema::parse(info.schema));
}

}  // namespace
}  // namespace rouse
