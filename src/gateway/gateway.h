// The gateway: every request passes it, in one order. Guard (Host, Origin), route, credential,
// rate, body, handler, answer. It decides on the head alone, so a stranger's body is never read.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "gateway/browser_sessions.h"
#include "gateway/live_hub.h"
#include "gateway/rate_limit.h"
#include "gateway/request_guard.h"
#include "gateway/route.h"
#include "gateway/token_book.h"
#include "gateway/web_assets.h"

namespace rouse {

struct GatewayOptions {
  GuardOptions guard;
  std::int64_t requests_per_minute = 0;        // per token, or per address without one; 0: no limit
  std::int64_t sign_in_tries_per_minute = 10;  // wrong credentials per address
  std::uint64_t body_bytes = limits::kJsonBodyBytes;
  std::map<std::string, std::string> bridge_secrets;  // a bridge without a secret is closed (SC-5)
};

class Gateway final : public HttpHandler {
 public:
  Gateway(Clock& clock, const Log& log, TokenBook& tokens, BrowserSessions& browsers, LiveHub& hub,
          RouteTable& table);

  // Takes effect with the next request; used at start and at each reload.
  void configure(GatewayOptions options);
  [[nodiscard]] const GatewayOptions& options() const { return options_; }

  Admission admit(const RequestHead& head) override;
  Task<Response> handle(const RequestHead& head, std::string body) override;
  Task<void> websocket(const RequestHead& head, std::shared_ptr<WebSocket> socket) override;
  Response refuse(int status, std::string_view error, std::string_view message) override;
  void on_bug(std::string_view what) override;
  void on_exhausted(std::string_view why) override;

  // A wrong token in a sign-in form counts like a wrong credential anywhere: how long to wait, if
  // so.
  std::optional<Millis> count_wrong_credential(const std::string& address);

 private:
  struct Notes {
    Client client;
    Principal principal;
    RouteTable::Match match;
    const WebAsset* asset = nullptr;
    std::string browser;            // browser_key(), when a cookie was the credential
    std::uint64_t revocations = 0;  // how many there had been when the credential was checked
  };
  struct Refused {
    Response response;
  };
  using Passed = std::expected<void, Refused>;

  Passed choose_route(const RequestHead& head, Notes& notes) const;
  Passed authenticate(const RequestHead& head, Notes& notes);
  Passed check_bridge(const RequestHead& head, const Route& route) const;
  Passed check_rate(const Notes& notes);
  Passed check_body(const RequestHead& head, const Route& route) const;
  Task<Response> run(const Route& route, Call& call);
  [[nodiscard]] bool still_valid(const Notes& notes) const;
  void finish(const Notes& notes, Response& response) const;
  void note_store_problem() const;

  Clock& clock_;
  const Log& log_;
  TokenBook& tokens_;
  BrowserSessions& browsers_;
  LiveHub& hub_;
  RouteTable& table_;
  GatewayOptions options_;
  RequestGuard guard_;
  RateLimit requests_;
  RateLimit wrong_credentials_;
};

// The cookie's name carries the port, since browsers share cookies between ports of one host.
std::string cookie_name(std::string_view host_header);
std::optional<std::string_view> find_cookie(const RequestHead& head, std::string_view name);

}  // namespace rouse
