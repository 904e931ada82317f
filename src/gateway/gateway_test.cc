#include "gateway/gateway.h"

#include "gateway/gateway_for_tests.h"

namespace rouse {
namespace {

// SC-2
TEST_F(GatewayTest, EveryRouteButThePublicOnesWantsACredentialAlsoFromLoopback) {
  for (const Route* route : house_->table.all()) {
    if (route->info.access == Access::kPublic || route->info.access == Access::kBridge) continue;
    const Answer answer = send({.method = route->info.method,
                                .target = route->info.pattern,
                                .owner = false,
                                .upgrade = route->info.success == 101});
    EXPECT_EQ(answer.status, 401) << route->info.pattern;
    EXPECT_EQ(answer.error(), "unauthorized");
    EXPECT_TRUE(answer.headers.contains("www-authenticate"));
  }
}

TEST_F(GatewayTest, HealthIsPublicAndBare) {
  const Answer answer = send({.target = "/health", .owner = false});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"ok":true,"status":"ok","version":"0.0.0-test"})");
}

TEST_F(GatewayTest, AWrongTokenIsRefusedAndTooManyOfThemHaveToWait) {
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(send({.target = "/api/me", .headers = {{"authorization", "Bearer wrong"}}}).status,
              401);
  }
  const Answer limited =
      send({.target = "/api/me", .headers = {{"authorization", "Bearer wrong"}}});
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(limited.headers.at("retry-after"), "7");
  EXPECT_EQ(send({.target = "/api/me"}).status, 200) << "a right token is never locked out";
  world_.run_for(seconds(7));
  EXPECT_EQ(send({.target = "/api/me", .headers = {{"authorization", "Bearer wrong"}}}).status,
            401);
}

TEST_F(GatewayTest, OddAuthorizationHeadersAreWrongCredentialsNotCrashes) {
  for (const char* odd : {"", "Bearer", "Bearer ", "Basic abc", "bearer  ", "Bearer a b", "\xff"}) {
    EXPECT_EQ(send({.target = "/api/me", .headers = {{"authorization", odd}}}).status % 100,
              odd[0] ? 1 : 1)
        << odd;
    world_.run_for(minutes(1));
  }
}

// SC-3
TEST_F(GatewayTest, AForeignHostGetsNothingNotEvenHealth) {
  for (const char* host : {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example:18888",
                           "", "[::2]:18888", "10.0.0.1"}) {
    const Answer answer = send({.target = "/health", .headers = {{"host", host}}});
    EXPECT_EQ(answer.status, 403) << host;
    EXPECT_EQ(answer.error(), "foreign_host");
  }
  for (const char* host :
       {"127.0.0.1:18888", "localhost:5", "LOCALHOST", "[::1]:18888", "127.0.0.1"}) {
    EXPECT_EQ(send({.target = "/health", .headers = {{"host", host}}}).status, 200) << host;
  }
}

TEST_F(GatewayTest, AllowedHostsThePublicUrlAndWildcardAddressesAreOurs) {
  options_.guard.allowed_hosts = {"rouse.local"};
  options_.guard.public_url = "https://rouse.example.org";
  house_->gateway.configure(options_);
  EXPECT_EQ(send({.target = "/health", .headers = {{"host", "rouse.local:99"}}}).status, 200);
  EXPECT_EQ(send({.target = "/health", .headers = {{"host", "rouse.example.org"}}}).status, 200);
  EXPECT_EQ(send({.target = "/health", .headers = {{"host", "10.0.0.1:18888"}}}).status, 403);
  options_.guard.any_address = true;
  house_->gateway.configure(options_);
  EXPECT_EQ(send({.target = "/health", .headers = {{"host", "10.0.0.1:18888"}}}).status, 200);
  EXPECT_EQ(send({.target = "/health", .headers = {{"host", "evil.example"}}}).status, 403);
}

// SC-3
TEST_F(GatewayTest, AForeignOriginIsRefusedWhateverTheCredential) {
  for (const char* origin : {"https://evil.example", "null", "http://127.0.0.1:1",
                             "https://127.0.0.1:18888", "file://", ""}) {
    const Answer answer = send({.target = "/api/me", .headers = {{"origin", origin}}});
    EXPECT_EQ(answer.status, 403) << origin;
    EXPECT_EQ(answer.error(), "foreign_origin");
  }
  EXPECT_EQ(send({.target = "/api/me", .headers = {{"origin", "http://127.0.0.1:18888"}}}).status,
            200);
}

// SC-3: a cross-site form can send text/plain without asking.
TEST_F(GatewayTest, ATextPlainPostOfAnotherSiteIsForbidden) {
  EXPECT_EQ(send({.method = "POST",
                  .target = "/kernel/workspaces",
                  .body = "{}",
                  .headers = {{"origin", "https://evil.example"}, {"content-type", "text/plain"}}})
                .status,
            403);
  EXPECT_EQ(send({.method = "POST",
                  .target = "/kernel/workspaces",
                  .body = "{}",
                  .headers = {{"sec-fetch-site", "cross-site"}, {"content-type", "text/plain"}}})
                .status,
            403);
  EXPECT_EQ(send({.method = "POST",
                  .target = "/kernel/workspaces",
                  .body = "{}",
                  .headers = {{"content-type", "text/plain"}}})
                .error(),
            "unsupported");
}

TEST_F(GatewayTest, OnlyATrustedProxyMaySayWhoTheClientIs) {
  options_.guard.trusted_proxies = *AddressSet::parse({"127.0.0.1"});
  options_.sign_in_tries_per_minute = 1;
  house_->gateway.configure(options_);
  const auto wrong = [&](const char* forwarded) {
    return send({.target = "/api/me",
                 .headers = {{"authorization", "Bearer wrong"}, {"x-forwarded-for", forwarded}}})
        .status;
  };
  EXPECT_EQ(wrong("9.9.9.9, 1.2.3.4"), 401);
  EXPECT_EQ(wrong("8.8.8.8, 1.2.3.4"), 429) << "the proxy's own word counts, not the client's";
  EXPECT_EQ(wrong("1.2.3.4, 5.6.7.8"), 401);
  EXPECT_EQ(wrong("2001:db8::1"), 401);
  EXPECT_EQ(wrong("2001:db8::2"), 429) << "one network of IPv6 is one client";
  peer_.address = "203.0.113.9";
  EXPECT_EQ(wrong("5.6.7.8"), 401) << "a stranger's header is ignored";
  EXPECT_EQ(wrong("6.6.6.6"), 429);
}

TEST_F(GatewayTest, BehindATlsProxyPagesAreHttpsAndSaySo) {
  options_.guard.trusted_proxies = *AddressSet::parse({"127.0.0.1"});
  house_->gateway.configure(options_);
  const Answer answer =
      send({.target = "/api/me",
            .headers = {{"x-forwarded-proto", "https"}, {"origin", "https://127.0.0.1:18888"}}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.headers.contains("strict-transport-security"));
}

TEST_F(GatewayTest, UnknownRoutesWrongMethodsAndBadBodiesEachHaveTheirAnswer) {
  EXPECT_EQ(send({.target = "/api/nothing"}).status, 404);
  EXPECT_EQ(send({.target = "/api"}).status, 404);
  EXPECT_EQ(send({.target = "/kernel/"}).status, 404);
  const Answer method = send({.method = "PUT", .target = "/api/tokens"});
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.headers.at("allow"), "GET, POST");
  EXPECT_EQ(post("/api/tokens", "{nope").status, 400);
  EXPECT_EQ(
      post("/api/tokens", R"({"name":5})").body,
      R"({"ok":false,"error":"invalid_request","message":"'name' must be text, not a number"})");
  EXPECT_EQ(post("/api/tokens", R"({"role":"admin"})").status, 400);
  EXPECT_EQ(post("/api/tokens", R"({"name":"x","role":"king"})").status, 400);
  EXPECT_EQ(post("/api/tokens", R"({"name":"x","workspace":"ws_nobody"})").error(),
            "workspace_not_found");
  EXPECT_EQ(post("/api/tokens", "\"" + std::string(2'000'000, 'x') + "\"").status, 413);
}

TEST_F(GatewayTest, ABugInAHandlerIsA500AndALineInTheLogNeverTheEnd) {
  const Answer answer = send({.target = "/api/broken"});
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body.find("a bug"), std::string::npos) << "details stay in the log";
  EXPECT_NE(logged_.find("a bug"), std::string::npos);
}

TEST_F(GatewayTest, AFullDiskIsSaidAndNothingIsLost) {
  ASSERT_EQ(post("/kernel/workspaces", R"({"type":"team"})").status, 200);
  world_.disk().set_quota(0);
  const Answer full = post("/kernel/workspaces", R"({"type":"team"})");
  EXPECT_EQ(full.status, 503) << full.body;
  EXPECT_NE(full.body.find("disk is full"), std::string::npos) << full.body;
  EXPECT_TRUE(full.headers.contains("retry-after"));
  EXPECT_NE(logged_.find("store.problem"), std::string::npos) << logged_;
  world_.disk().set_quota(std::nullopt);
  EXPECT_EQ(post("/kernel/workspaces", R"({"type":"team"})").status, 200);
  EXPECT_NE(logged_.find("store.well_again"), std::string::npos);
}

// SC-5
TEST_F(GatewayTest, ABridgeWithoutASecretIsClosedAndWithOneWantsIt) {
  const auto knock = [&](std::map<std::string, std::string> headers) {
    return send({.method = "POST",
                 .target = "/webhook/test",
                 .headers = std::move(headers),
                 .owner = false})
        .status;
  };
  EXPECT_EQ(knock({{"x-bridge-secret", ""}}), 404);
  options_.bridge_secrets["test"] = "correct horse";
  house_->gateway.configure(options_);
  EXPECT_EQ(knock({}), 401);
  EXPECT_EQ(knock({{"x-bridge-secret", "wrong"}}), 401);
  EXPECT_EQ(knock({{"x-bridge-secret", ""}}), 401);
  EXPECT_EQ(knock({{"x-bridge-secret", "correct horse"}}), 200);
}

TEST_F(GatewayTest, RequestsOverTheConfiguredRateHaveToWait) {
  options_.requests_per_minute = 2;
  house_->gateway.configure(options_);
  EXPECT_EQ(send({.target = "/api/me"}).status, 200);
  EXPECT_EQ(send({.target = "/api/me"}).status, 200);
  const Answer limited = send({.target = "/api/me"});
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(limited.headers.at("retry-after"), "31");
}

TEST_F(GatewayTest, EveryAnswerCarriesTheSecurityHeaders) {
  for (const char* target : {"/health", "/api/me", "/api/nothing", "/", "/openapi.json"}) {
    const Answer answer = send({.target = target});
    EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff") << target;
    EXPECT_NE(answer.headers.at("content-security-policy").find("default-src 'none'"),
              std::string::npos)
        << target;
    EXPECT_EQ(answer.headers.at("referrer-policy"), "no-referrer") << target;
  }
}

TEST_F(GatewayTest, TheWebAppIsServedCompressedCachedAndForItsOwnPaths) {
  const Answer page =
      send({.target = "/", .headers = {{"accept-encoding", "gzip, br"}}, .owner = false});
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.at("cache-control"), "no-cache");
  EXPECT_TRUE(page.headers.at("content-type").starts_with("text/html"));
  EXPECT_EQ(
      send({.target = "/some/page", .headers = {{"accept-encoding", "gzip, br"}}, .owner = false})
          .body,
      page.body);
  EXPECT_EQ(send({.target = "/missing.js", .owner = false}).status, 404);
  const Answer again = send(
      {.target = "/",
       .headers = {{"accept-encoding", "gzip, br"}, {"if-none-match", page.headers.at("etag")}}});
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  const Answer plain = send({.target = "/", .headers = {{"accept-encoding", "gzip;q=0"}}});
  EXPECT_FALSE(plain.headers.contains("content-encoding"));
  EXPECT_NE(plain.headers.at("etag"),
            page.headers.contains("content-encoding") ? page.headers.at("etag") : "");
}

TEST_F(GatewayTest, TheOpenApiDocumentHasEveryRouteWithItsCredential) {
  const auto document = *parse_json(send({.target = "/openapi.json"}).body);
  const auto& paths = document.at("paths").as_object();
  for (const Route* route : house_->table.all()) {
    if (route->info.success / 100 != 2) continue;  // an upgrade or a page, no operation
    ASSERT_TRUE(paths.contains(route->info.pattern)) << route->info.pattern;
    const auto& operation =
        paths.at(route->info.pattern).at(lower_ascii(route->info.method)).as_object();
    EXPECT_EQ(operation.at("security").as_array().empty(), route->info.access == Access::kPublic);
    EXPECT_EQ(operation.contains("requestBody"), route->takes_body);
  }
}

TEST_F(GatewayTest, MetricsCountWhatWasAnswered) {
  send({.target = "/api/me"});
  send({.target = "/api/me", .owner = false});
  const Answer metrics = send({.target = "/metrics"});
  EXPECT_NE(metrics.body.find(
                R"(rouse_http_requests_total{method="GET",route="/api/me",status="2xx"} 1)"),
            std::string::npos);
  EXPECT_NE(metrics.body.find(
                R"(rouse_http_requests_total{method="GET",route="/api/me",status="4xx"} 1)"),
            std::string::npos);
}

}  // namespace
}  // namespace rouse
