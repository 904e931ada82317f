#include "gateway/routes/sign_in_routes.h"

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

std::string set_cookie(const Call& call, std::string_view value, Millis life) {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}",
                     cookie_name(call.head.header("host").value_or("")), value, life.count / 1000,
                     call.client.https ? "; Secure" : "");
}

MeView view_of(const Principal& who) {
  return {who.name, std::string(role_name(who.role)), who.workspace.str()};
}

}  // namespace

void SignInRoutes::add_to(RouteTable& table) {
  table.add(answer<Response>({.pattern = "/signin",
                              .access = Access::kPublic,
                              .summary = "Sign in with a link",
                              .tag = "access",
                              .success = 303,
                              .query = {{"code", "From the link"}},
                              .answers_head = false},
                             [this](Call& call) { return follow_link(call); }));
  table.add(exchange<SignIn, Response>(
      {.method = "POST",
       .pattern = "/api/signin",
       .access = Access::kPublic,
       .summary = "Sign a browser in with a token",
       .tag = "access",
       .max_body = 4096},
      [this](Call& call, SignIn form) { return sign_in(call, std::move(form)); }));
  table.add(exchange<NoBody, Response>({.method = "POST",
                                        .pattern = "/api/signout",
                                        .summary = "Sign this browser out",
                                        .tag = "access"},
                                       [this](Call& call, NoBody) { return sign_out(call); }));
  table.add(answer<MeView>({.pattern = "/api/me", .summary = "Who am I?", .tag = "access"},
                           [](Call& call) -> Result<MeView> { return view_of(call.principal); }));
  table.add(exchange<NoBody, LinkView>({.method = "POST",
                                        .pattern = "/api/signin/codes",
                                        .access = Access::kAdmin,
                                        .summary = "Make a sign-in link",
                                        .tag = "access",
                                        .success = 201},
                                       [this](Call& call, NoBody) { return make_link(call); }));
}

Task<Result<Response>> SignInRoutes::follow_link(Call& call) {
  const auto token = browsers_.redeem(call.query("code").value_or(""));
  if (!token) {
    gateway_.count_wrong_credential(call.client.address);
    co_return redirect("/?signin=expired");
  }
  auto cookie = co_await browsers_.open(*token);
  if (!cookie) co_return std::unexpected(cookie.error());
  Response response = redirect("/");
  response.headers.emplace_back("Set-Cookie",
                                set_cookie(call, *cookie, limits::kBrowserSessionLife));
  co_return response;
}

Task<Result<Response>> SignInRoutes::sign_in(Call& call, SignIn form) {
  const auto holder = tokens_.find(trim(form.token));
  if (!holder) {
    if (const auto wait = gateway_.count_wrong_credential(call.client.address)) {
      co_return too_many_requests(*wait);
    }
    co_return fail(Errc::kUnauthorized,
                   "this token is not known here. `rouse token` prints the right one");
  }
  auto cookie = co_await browsers_.open(holder->principal.token);
  if (!cookie) co_return std::unexpected(cookie.error());
  Response response = json_text(200, encode_json(view_of(holder->principal)));
  response.headers.emplace_back("Set-Cookie",
                                set_cookie(call, *cookie, limits::kBrowserSessionLife));
  co_return response;
}

Task<Result<Response>> SignInRoutes::sign_out(Call& call) {
  const auto cookie = find_cookie(call.head, cookie_name(call.head.header("host").value_or("")));
  if (cookie) {
    const auto closed = co_await browsers_.close(std::string(*cookie));
    if (!closed) co_return std::unexpected(closed.error());
    hub_.close_browser(browser_key(*cookie));
  }
  Response response = json_text(200, encode_json(OkBody{}));
  response.headers.emplace_back("Set-Cookie", set_cookie(call, "", Millis{0}));
  co_return response;
}

Result<LinkView> SignInRoutes::make_link(Call& call) {
  const std::string base = gateway_.options().guard.public_url.value_or(fmt::format(
      "{}://{}", call.client.https ? "https" : "http", call.head.header("host").value_or("")));
  return LinkView{fmt::format("{}/signin?code={}", base, browsers_.make_code(call.principal.token)),
                  to_iso(clock_.wall_now() + limits::kSignInCodeLife)};
}

}  // namespace rouse
