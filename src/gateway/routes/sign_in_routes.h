// Browsers come in here: by a link with a one-time code, or by a token typed into the page. Both
// become an HttpOnly, SameSite=Strict cookie; the token itself never stays in the browser.
#pragma once

#include <functional>

#include "gateway/browser_sessions.h"
#include "gateway/gateway.h"
#include "gateway/route.h"

namespace rouse {

struct MeView {
  std::string name, role, workspace;
};
inline auto shape(const MeView*) {
  return fields(field("name", &MeView::name, "Of the token"),
                field("role", &MeView::role, "What it may do").one_of({"admin", "user"}),
                field("workspace", &MeView::workspace, "Whose"));
}
struct SignIn {
  std::string token;
};
inline auto shape(const SignIn*) {
  return fields(field("token", &SignIn::token, "The output of `rouse token`").length(1, 512));
}
struct NoBody {};
inline auto shape(const NoBody*) { return Shape(); }
struct LinkView {
  std::string url, expires_at;
};
inline auto shape(const LinkView*) {
  return fields(field("url", &LinkView::url, "Open it once"),
                field("expires_at", &LinkView::expires_at, "After that it is worth nothing"));
}

class SignInRoutes {
 public:
  SignInRoutes(Gateway& gateway, TokenBook& tokens, BrowserSessions& browsers, LiveHub& hub,
               Clock& clock)
      : gateway_(gateway), tokens_(tokens), browsers_(browsers), hub_(hub), clock_(clock) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<Response>> follow_link(Call& call);
  Task<Result<Response>> sign_in(Call& call, SignIn form);
  Task<Result<Response>> sign_out(Call& call);
  Result<LinkView> make_link(Call& call);

  Gateway& gateway_;
  TokenBook& tokens_;
  BrowserSessions& browsers_;
  LiveHub& hub_;
  Clock& clock_;
};

}  // namespace rouse
