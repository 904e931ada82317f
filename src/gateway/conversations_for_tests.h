// Conversations over the gateway, in few words: somebody writes, the bridge records the answer, and
// a client looks at what came of it.
#pragma once

#include <algorithm>

#include "gateway/gateway_for_tests.h"

namespace rouse {

class ConversationApiTest : public GatewayTest {
 protected:
  // A message over the kernel's API and its answer. Gives the session it went to.
  std::string talk(const std::string& peer, const std::string& text,
                   const std::string& reply = "Sure.",
                   const std::string& workspace = "ws_default") {
    const std::string session = receive(peer, text, workspace);
    const Answer patched =
        send({.method = "PATCH",
              .target = "/kernel/sessions/" + session,
              .body = encode_json(SessionPatch{workspace, text, reply, {}, {}})});
    EXPECT_EQ(patched.status, 200) << patched.body;
    return session;
  }
  std::string receive(const std::string& peer, const std::string& text,
                      const std::string& workspace = "ws_default") {
    return resolve(peer, text, workspace).session_id;
  }
  ResolveAnswer resolve(const std::string& peer, const std::string& text,
                        const std::string& workspace = "ws_default") {
    const Answer answer = post("/kernel/sessions/resolve",
                               encode_json(ResolveRequest{workspace, {}, peer, text, {}}));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return *decode_json<ResolveAnswer>(answer.body);
  }

  template <class T>
  T get(const std::string& target, const std::string& token = "") {
    const Answer answer = ask("GET", target, token);
    EXPECT_EQ(answer.status, 200) << target << ": " << answer.body;
    auto view = decode_json<T>(answer.body);
    EXPECT_TRUE(view) << view.error() << answer.body;
    return view ? std::move(*view) : T{};
  }
  Answer ask(const std::string& method, const std::string& target, const std::string& token = "",
             const std::string& body = "") {
    if (token.empty()) return send({.method = method, .target = target, .body = body});
    return send({.method = method,
                 .target = target,
                 .body = body,
                 .headers = {{"authorization", "Bearer " + token}},
                 .owner = false});
  }

  std::string make_workspace() {
    return decode_json<MadeWorkspace>(post("/kernel/workspaces", R"({"type":"team"})").body)
        ->workspace_id;
  }
  std::string make_token(const std::string& workspace) {
    const Answer made =
        post("/api/tokens", R"({"name":"t","role":"user","workspace":")" + workspace + "\"}");
    return decode_json<MadeToken>(made.body)->token;
  }

  std::int64_t count(std::string_view sql) {
    return database_->read({sql, {}})->front().integer(0);
  }
};

}  // namespace rouse
