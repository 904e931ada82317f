// Tokens, roles, workspaces, sign-in and live pages, through the whole gateway.
#include <set>

#include "gateway/gateway_for_tests.h"

namespace rouse {
namespace {

class AccessTest : public GatewayTest {
 protected:
  MadeToken make_token(std::string body) {
    const Answer answer = post("/api/tokens", std::move(body));
    EXPECT_EQ(answer.status, 201) << answer.body;
    return decode_json<MadeToken>(answer.body).value_or(MadeToken{});
  }
  Answer as(const std::string& token, Ask ask) {
    ask.owner = false;
    ask.headers["authorization"] = "Bearer " + token;
    return send(std::move(ask));
  }
  static std::string cookie_of(const Answer& answer) {
    const std::string& header = answer.headers.at("set-cookie");
    return header.substr(0, header.find(';'));
  }
};

TEST_F(AccessTest, ATokenWorksUntilItIsRevokedAlsoAcrossARestart) {
  const MadeToken made = make_token(R"({"name":"phone"})");
  EXPECT_EQ(made.role, "user");
  EXPECT_EQ(made.workspace, "ws_default");
  EXPECT_EQ(as(made.token, {.target = "/api/me"}).body,
            R"({"name":"phone","role":"user","workspace":"ws_default"})");
  restart();
  EXPECT_EQ(as(made.token, {.target = "/api/me"}).status, 200);
  EXPECT_EQ(send({.method = "DELETE", .target = "/api/tokens/" + made.id}).status, 200);
  EXPECT_EQ(as(made.token, {.target = "/api/me"}).status, 401);
  EXPECT_EQ(send({.method = "DELETE", .target = "/api/tokens/" + made.id}).status, 404);
  restart();
  EXPECT_EQ(as(made.token, {.target = "/api/me"}).status, 401);
}

TEST_F(AccessTest, WithATokenGoTheBrowsersItSubscribed) {
  const MadeToken phone = make_token(R"({"name":"phone"})");
  const std::string owner = house_->tokens.find(kOwnerToken)->principal.token.str();
  for (const std::string& token : {phone.id, owner, std::string("tok_owner_former")}) {
    ASSERT_TRUE(world_.run(database_->write(
        one("INSERT INTO push_subscriptions (subscription_id, workspace_id, token_id, endpoint, "
            "p256dh, auth, name, created_ms) VALUES ($1, 'ws_default', $1, $1, '', '', '', 0)",
            {token}, 1))));
  }
  EXPECT_EQ(send({.method = "DELETE", .target = "/api/tokens/" + phone.id}).status, 200);
  ASSERT_TRUE(world_.run(house_->tokens.forget_former_owners()));
  const auto left = database_->read({"SELECT token_id FROM push_subscriptions", {}});
  ASSERT_EQ(left->size(), 1U);
  EXPECT_EQ(left->front().text(0), owner);
}

TEST_F(AccessTest, TheTokenItselfIsNeitherStoredNorListed) {
  const MadeToken made = make_token(R"({"name":"phone"})");
  EXPECT_EQ(send({.target = "/api/tokens"}).body.find(made.token), std::string::npos);
  const auto rows = database_->read({"SELECT hash FROM tokens WHERE token_id = $1", {made.id}});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->front().blob(0), sha256(made.token));
}

TEST_F(AccessTest, AUserSeesItsOwnWorkspaceAndNoSettingsTokensOrOtherWorkspaces) {
  const Answer team = post("/kernel/workspaces", R"({"type":"team"})");
  const std::string id = decode_json<MadeWorkspace>(team.body)->workspace_id;
  const MadeToken made = make_token(R"({"name":"ida","workspace":")" + id + "\"}");
  EXPECT_EQ(as(made.token, {.target = "/api/workspace"}).body.find("ws_default"),
            std::string::npos);
  for (const char* target : {"/api/settings", "/api/tokens", "/kernel/workspaces", "/metrics"}) {
    EXPECT_EQ(as(made.token, {.target = target}).status, 403) << target;
  }
  EXPECT_FALSE(choose_workspace(
      {*TokenId::parse("tok_x"), "x", Role::kUser, *WorkspaceId::parse(id)}, "ws_default"));
}

TEST_F(AccessTest, TheOwnersTokenCannotBeRevokedOverTheApi) {
  const auto list = decode_json<TokenList>(send({.target = "/api/tokens"}).body);
  ASSERT_EQ(list->items.size(), 1U);
  EXPECT_EQ(send({.method = "DELETE", .target = "/api/tokens/" + list->items[0].id}).status, 409);
}

TEST_F(AccessTest, ALinkSignsInOnceAndBecomesAStrictHttpOnlyCookie) {
  const auto link = decode_json<LinkView>(post("/api/signin/codes", "{}").body);
  ASSERT_TRUE(link);
  const std::string target = link->url.substr(link->url.find("/signin"));
  const Answer first = send({.target = target, .owner = false});
  EXPECT_EQ(first.status, 303);
  EXPECT_EQ(first.headers.at("location"), "/");
  EXPECT_TRUE(first.headers.at("set-cookie").starts_with("rouse_18888="));
  EXPECT_NE(first.headers.at("set-cookie").find("HttpOnly; SameSite=Strict"), std::string::npos);
  EXPECT_EQ(send({.target = target, .owner = false}).headers.at("location"), "/?signin=expired");
  EXPECT_EQ(send({.target = "/api/me",
                  .headers = {{"cookie", "other=1; " + cookie_of(first)}},
                  .owner = false})
                .status,
            200);
}

TEST_F(AccessTest, ALinkExpiresAfterADay) {
  const auto link = decode_json<LinkView>(post("/api/signin/codes", "{}").body);
  world_.clock().advance(hours(24));
  const Answer late = send({.target = link->url.substr(link->url.find("/signin")), .owner = false});
  EXPECT_EQ(late.headers.at("location"), "/?signin=expired");
}

TEST_F(AccessTest, ACookieReadsFreelyButChangesOnlyWithItsOrigin) {
  const Answer in = send({.method = "POST",
                          .target = "/api/signin",
                          .body = R"({"token":")" + std::string(kOwnerToken) + "\"}",
                          .owner = false});
  ASSERT_EQ(in.status, 200) << in.body;
  const std::string cookie = cookie_of(in);
  const auto browser = [&](std::string method, std::string target,
                           std::map<std::string, std::string> headers) {
    headers["cookie"] = cookie;
    return send({.method = method,
                 .target = target,
                 .body = method == "GET" ? "" : "{}",
                 .headers = headers,
                 .owner = false});
  };
  EXPECT_EQ(browser("GET", "/api/me", {}).status, 200);
  EXPECT_EQ(browser("POST", "/kernel/workspaces", {}).error(), "foreign_origin");
  EXPECT_EQ(browser("POST", "/kernel/workspaces", {{"origin", "http://127.0.0.1:18888"}}).status,
            200);
  restart();
  EXPECT_EQ(browser("GET", "/api/me", {}).status, 200) << "a restart signs nobody out";
  const Answer out = browser("POST", "/api/signout", {{"origin", "http://127.0.0.1:18888"}});
  EXPECT_EQ(out.status, 200);
  EXPECT_NE(out.headers.at("set-cookie").find("Max-Age=0"), std::string::npos);
  EXPECT_EQ(browser("GET", "/api/me", {}).status, 401);
}

TEST_F(AccessTest, ACookieEndsWithItsTokenAndWithItsTime) {
  const MadeToken made = make_token(R"({"name":"tablet"})");
  const auto sign_in = [&] {
    return cookie_of(send({.method = "POST",
                           .target = "/api/signin",
                           .body = R"({"token":")" + made.token + "\"}",
                           .owner = false}));
  };
  const auto me = [&](const std::string& cookie) {
    return send({.target = "/api/me", .headers = {{"cookie", cookie}}, .owner = false}).status;
  };
  const std::string old = sign_in();
  world_.clock().advance(days(31));
  EXPECT_EQ(me(old), 401);
  const std::string fresh = sign_in();
  EXPECT_EQ(me(fresh), 200);
  send({.method = "DELETE", .target = "/api/tokens/" + made.id});
  EXPECT_EQ(me(fresh), 401);
}

TEST_F(AccessTest, TooManySignInTriesHaveToWait) {
  const Ask wrong{
      .method = "POST", .target = "/api/signin", .body = R"({"token":"nope"})", .owner = false};
  for (int i = 0; i < 10; ++i) EXPECT_EQ(send(wrong).status, 401);
  const Answer limited = send(wrong);
  EXPECT_EQ(limited.status, 429);
  EXPECT_TRUE(limited.headers.contains("retry-after"));
}

TEST_F(AccessTest, TheOldestBrowserGivesWayWhenThereAreTooMany) {
  const TokenId owner = house_->tokens.find(kOwnerToken)->principal.token;
  const auto first = world_.run(house_->browsers.open(owner));
  for (std::size_t i = 0; i < limits::kBrowserSessions; ++i) {
    world_.clock().advance(seconds(1));
    ASSERT_TRUE(world_.run(house_->browsers.open(owner)));
  }
  EXPECT_EQ(house_->browsers.find(*first), nullptr);
  const auto count = database_->read({"SELECT COUNT(*) FROM browser_sessions", {}});
  EXPECT_EQ(count->front().integer(0), std::int64_t{limits::kBrowserSessions});
}

TEST_F(AccessTest, APageGetsHelloThenHealthThenEveryChange) {
  const auto page = connect({});
  ASSERT_TRUE(page);
  ASSERT_EQ(page->sent.size(), 2U);
  EXPECT_EQ(page->sent[0],
            R"({"type":"hello","protocol":1,"boot_id":"boot","version":"0.0.0-test","seq":0})");
  EXPECT_TRUE(page->sent[1].starts_with(R"({"type":"health","ok":true,"status":"ok")"))
      << page->sent[1];
  house_->board.note("config", "rouse.yaml line 3: no such key");
  ASSERT_EQ(page->sent.size(), 3U);
  EXPECT_NE(
      page->sent[2].find(R"("config":"invalid","problems":["rouse.yaml line 3: no such key"])"),
      std::string::npos);
  page->say(R"({"type":"health"})");
  world_.settle();
  EXPECT_EQ(page->sent.size(), 4U);
  page->say("nonsense");
  world_.settle();
  EXPECT_TRUE(page->sent.back().starts_with(R"({"type":"error")"));
  page->say(R"({"type":"something new"})");
  world_.settle();
  EXPECT_EQ(page->sent.size(), 5U) << "unknown types are ignored";
  page->close(1000, "");
  world_.settle();
  EXPECT_EQ(house_->hub.size(), 0U);
}

// SC-3
TEST_F(AccessTest, APageNeedsATokenOrACookieWithOurOrigin) {
  const Answer in = send({.method = "POST",
                          .target = "/api/signin",
                          .body = R"({"token":")" + std::string(kOwnerToken) + "\"}",
                          .owner = false});
  EXPECT_FALSE(connect({.owner = false}));
  EXPECT_EQ(refused_.status, 401);
  EXPECT_FALSE(connect({.headers = {{"cookie", cookie_of(in)}}, .owner = false}));
  EXPECT_EQ(refused_.status, 403);
  EXPECT_FALSE(connect({.headers = {{"origin", "https://evil.example"}}}));
  EXPECT_EQ(refused_.status, 403);
  const auto page =
      connect({.headers = {{"cookie", cookie_of(in)}, {"origin", "http://127.0.0.1:18888"}},
               .owner = false});
  ASSERT_TRUE(page);
  page->close(1000, "");
  world_.settle();
}

TEST_F(AccessTest, RevokingATokenClosesItsPages) {
  const MadeToken made = make_token(R"({"name":"wall"})");
  const auto page =
      connect({.headers = {{"authorization", "Bearer " + made.token}}, .owner = false});
  ASSERT_TRUE(page);
  send({.method = "DELETE", .target = "/api/tokens/" + made.id});
  world_.settle();
  EXPECT_EQ(page->closed, 1008);
}

TEST_F(AccessTest, SigningOutClosesThePagesOfThatBrowserAlone) {
  const std::string form = R"({"token":")" + std::string(kOwnerToken) + "\"}";
  const auto sign_in = [&] {
    return cookie_of(
        send({.method = "POST", .target = "/api/signin", .body = form, .owner = false}));
  };
  const auto page_with = [&](const std::string& cookie) {
    return connect(
        {.headers = {{"cookie", cookie}, {"origin", "http://127.0.0.1:18888"}}, .owner = false});
  };
  const std::string here = sign_in(), there = sign_in();
  const auto mine = page_with(here), other = page_with(there);
  ASSERT_TRUE(mine && other);
  send({.method = "POST",
        .target = "/api/signout",
        .body = "{}",
        .headers = {{"cookie", here}, {"origin", "http://127.0.0.1:18888"}},
        .owner = false});
  world_.settle();
  EXPECT_EQ(mine->closed, 1008);
  EXPECT_EQ(other->closed, 0);
  other->close(1000, "");
  world_.settle();
}

TEST_F(AccessTest, ATokenRevokedWhileItsBodyIsOnTheWayDoesNothingAnyMore) {
  const MadeToken made = make_token(R"({"name":"temp","role":"admin"})");
  Ask ask{.method = "POST",
          .target = "/api/tokens",
          .body = R"({"name":"persist","role":"admin"})",
          .headers = {{"authorization", "Bearer " + made.token}},
          .owner = false};
  const RequestHead head = head_of(ask);
  ASSERT_FALSE(house_->gateway.admit(head).refusal);
  send({.method = "DELETE", .target = "/api/tokens/" + made.id});
  const Answer late = answer_of(world_.run(house_->gateway.handle(head, ask.body)));
  EXPECT_EQ(late.status, 401);
  EXPECT_EQ(decode_json<TokenList>(send({.target = "/api/tokens"}).body)->items.size(), 1U);
}

TEST_F(AccessTest, ATimeZoneIsANameNeverAPath) {
  for (const char* bad :
       {"/etc/localtime", "file:/etc/localtime", "../zoneinfo/UTC", "/dev/stdin", "", "Europe/"}) {
    EXPECT_EQ(send({.method = "PATCH",
                    .target = "/api/workspace",
                    .body = R"({"timezone":")" + std::string(bad) + "\"}"})
                  .status,
              400)
        << bad;
  }
}

TEST_F(AccessTest, AHeadRequestUsesNothingUp) {
  const auto link = decode_json<LinkView>(post("/api/signin/codes", "{}").body);
  const std::string target = link->url.substr(link->url.find("/signin"));
  EXPECT_EQ(send({.method = "HEAD", .target = target, .owner = false}).status, 405);
  EXPECT_EQ(send({.target = target, .owner = false}).headers.at("location"), "/");
}

TEST_F(AccessTest, WorkspacesAreMadeListedInPagesAndEdited) {
  std::set<std::string> made{"ws_default"};
  for (int i = 0; i < 5; ++i) {
    made.insert(
        decode_json<MadeWorkspace>(post("/kernel/workspaces", R"({"type":"team","name":"T"})").body)
            ->workspace_id);
  }
  std::set<std::string> listed;
  std::string cursor;
  do {
    const auto page = decode_json<WorkspaceList>(
        send({.target = "/kernel/workspaces?limit=2&cursor=" + cursor}).body);
    ASSERT_TRUE(page);
    EXPECT_LE(page->items.size(), 2U);
    for (const auto& item : page->items) listed.insert(item.workspace_id);
    cursor = page->next_cursor.value_or("");
  } while (!cursor.empty());
  EXPECT_EQ(listed, made);
  EXPECT_EQ(send({.target = "/kernel/workspaces?limit=0"}).status, 400);
  EXPECT_EQ(send({.target = "/kernel/workspaces?limit=x"}).status, 400);

  EXPECT_EQ(
      send({.method = "PATCH", .target = "/api/workspace", .body = R"({"timezone":"Mars/Base"})"})
          .status,
      400);
  const auto edited =
      decode_json<WorkspaceView>(send({.method = "PATCH",
                                       .target = "/api/workspace",
                                       .body = R"({"timezone":"Europe/Berlin","name":"Home"})"})
                                     .body);
  ASSERT_TRUE(edited);
  EXPECT_EQ(edited->timezone, "Europe/Berlin");
  EXPECT_EQ(edited->name, "Home");
}

TEST_F(AccessTest, SettingsShowTheirOriginAndTakeChanges) {
  EXPECT_NE(send({.target = "/api/settings"}).body.find(R"("origin":"default")"),
            std::string::npos);
  EXPECT_NE(send({.method = "PATCH", .target = "/api/settings", .body = R"({"log.level":"debug"})"})
                .body.find("debug"),
            std::string::npos);
  EXPECT_EQ(send({.method = "PATCH", .target = "/api/settings", .body = "[1]"}).status, 400);
}

}  // namespace
}  // namespace rouse
