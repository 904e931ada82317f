#include "gateway/gateway.h"

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

// Details of a bug are for the log: they may hold SQL, paths or other people's data.
constexpr std::string_view kBrokenInside = "something broke inside rouse; the log says what";

// Who an address is to a limit: a network of IPv6 has more addresses than anybody could count.
std::string limit_key(const std::string& address) {
  const auto bytes = address.find(':') == std::string::npos ? std::nullopt : parse_address(address);
  const bool is_v4 = address.find('.') != std::string::npos;  // written as ::ffff:1.2.3.4
  if (!bytes || is_v4) return address;
  return to_hex({reinterpret_cast<const char*>(bytes->data()), 8});
}

// Paths that belong to programs: the web app never answers for them.
bool is_api_path(std::string_view path) {
  for (const std::string_view prefix :
       {"/api", "/kernel", "/webhook", "/ws", "/metrics", "/health"}) {
    if (path == prefix || (path.starts_with(prefix) && path[prefix.size()] == '/')) return true;
  }
  return false;
}

bool is_safe(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

bool is_json_type(std::string_view type) {
  const std::string_view kind = trim(type.substr(0, type.find(';')));
  return iequals_ascii(kind, "application/json") || lower_ascii(kind).ends_with("+json");
}

}  // namespace

std::string cookie_name(std::string_view host_header) {
  const std::size_t colon = host_header.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && host_header.find(']', colon) == std::string_view::npos;
  return fmt::format("rouse_{}", has_port ? host_header.substr(colon + 1) : "web");
}

std::optional<std::string_view> find_cookie(const RequestHead& head, std::string_view name) {
  const auto header = head.header("cookie");
  if (!header) return std::nullopt;
  for (const std::string_view part : split(*header, ';')) {
    const std::string_view pair = trim(part);
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name)
      return pair.substr(equals + 1);
  }
  return std::nullopt;
}

Gateway::Gateway(Clock& clock, const Log& log, TokenBook& tokens, BrowserSessions& browsers,
                 LiveHub& hub, RouteTable& table)
    : clock_(clock),
      log_(log),
      tokens_(tokens),
      browsers_(browsers),
      hub_(hub),
      table_(table),
      guard_(GuardOptions{}),
      requests_(0),
      wrong_credentials_(10) {}

void Gateway::configure(GatewayOptions options) {
  options_ = std::move(options);
  guard_ = RequestGuard(options_.guard);
  requests_.set_rate(options_.requests_per_minute);
  wrong_credentials_.set_rate(options_.sign_in_tries_per_minute);
}

Admission Gateway::admit(const RequestHead& head) {
  auto notes = std::make_shared<Notes>();
  head.notes = notes;
  Admission admission;
  auto client = guard_.check(head);
  if (!client) {
    admission.refusal = error_response(client.error());
    return admission;
  }
  notes->client = std::move(*client);
  Passed passed = choose_route(head, *notes);
  if (passed && notes->match.route != nullptr) {
    const Route& route = *notes->match.route;
    passed = authenticate(head, *notes);
    if (passed) passed = check_rate(*notes);
    if (passed) passed = check_body(head, route);
    if (route.takes_body) {
      admission.max_body_bytes = route.info.max_body.value_or(options_.body_bytes);
    }
  }
  if (!passed) {
    Response& response = passed.error().response;
    finish(*notes, response);
    admission.refusal = std::move(response);
  }
  return admission;
}

Gateway::Passed Gateway::choose_route(const RequestHead& head, Notes& notes) const {
  notes.match = table_.find(head.method, head.path);
  if (notes.match.route != nullptr) {
    if (notes.match.route->info.success == 101 && !head.websocket_upgrade) {
      Response response =
          error_response(426, "upgrade_required", "this path speaks WebSocket only");
      response.headers.emplace_back("Upgrade", "websocket");
      return std::unexpected(Refused{std::move(response)});
    }
    if (notes.match.route->info.success != 101 && head.websocket_upgrade) {
      return std::unexpected(
          Refused{error_response(400, "invalid_request", "WebSockets live at /ws")});
    }
    return {};
  }
  if (!notes.match.allowed.empty()) {
    Response response =
        error_response(405, "method_not_allowed",
                       fmt::format("{} takes {}, not {}", utf8_prefix(head.path, 100),
                                   notes.match.allowed, utf8_prefix(head.method, 20)));
    response.headers.emplace_back("Allow", notes.match.allowed);
    return std::unexpected(Refused{std::move(response)});
  }
  if ((head.method == "GET" || head.method == "HEAD") && !is_api_path(head.path) &&
      !head.websocket_upgrade) {
    notes.asset = find_web_asset(head.path);
    if (notes.asset != nullptr) return {};
  }
  return std::unexpected(Refused{error_response(
      404, "not_found", fmt::format("there is nothing at {}", utf8_prefix(head.path, 200)))});
}

Gateway::Passed Gateway::authenticate(const RequestHead& head, Notes& notes) {
  const Route& route = *notes.match.route;
  if (route.info.access == Access::kPublic) return {};
  if (route.info.access == Access::kBridge) return check_bridge(head, route);

  std::shared_ptr<const TokenRecord> holder;
  const auto authorization = head.header("authorization");
  if (authorization) {
    constexpr std::string_view kScheme = "bearer ";
    if (iequals_ascii(authorization->substr(0, kScheme.size()), kScheme)) {
      holder = tokens_.find(trim(authorization->substr(kScheme.size())));
    }
  } else if (const auto cookie = find_cookie(head, cookie_name(head.header("host").value_or("")))) {
    holder = browsers_.find(*cookie);
    notes.browser = browser_key(*cookie);
    // A cookie travels by itself, so its page must say where it comes from before it changes
    // anything or listens in.
    if (holder && (!is_safe(head.method) || head.websocket_upgrade) && !notes.client.same_origin) {
      return std::unexpected(Refused{
          error_response(403, "foreign_origin",
                         "a signed-in browser must send its Origin; programs use a token")});
    }
  }
  if (!holder) {
    if (authorization) {
      if (const auto wait = count_wrong_credential(notes.client.address)) {
        return std::unexpected(Refused{too_many_requests(*wait)});
      }
    }
    return std::unexpected(Refused{error_response(
        401, "unauthorized",
        authorization
            ? "this token is not known here. `rouse token` prints the right one"
            : "sign in, or send 'Authorization: Bearer …' with the output of `rouse token`")});
  }
  notes.principal = holder->principal;
  notes.revocations = tokens_.revocations() + browsers_.closings();
  if (route.info.access == Access::kAdmin && !notes.principal.is_admin()) {
    return std::unexpected(Refused{
        error_response(403, "forbidden", "this needs an admin token; yours has the role 'user'")});
  }
  return {};
}

Gateway::Passed Gateway::check_bridge(const RequestHead& head, const Route& route) const {
  const auto secret = options_.bridge_secrets.find(route.info.bridge);
  if (secret == options_.bridge_secrets.end() || secret->second.empty()) {
    return std::unexpected(
        Refused{error_response(404, "bridge_disabled",
                               fmt::format("the {} bridge has no secret, so it is closed; set "
                                           "bridges.{}.secret_file in rouse.yaml",
                                           route.info.bridge, route.info.bridge))});
  }
  const auto given = head.header("x-bridge-secret");
  if (!given || head.count("x-bridge-secret") != 1 ||
      !equal_constant_time(*given, secret->second)) {
    return std::unexpected(
        Refused{error_response(401, "unauthorized", "the bridge secret is missing or wrong")});
  }
  return {};
}

Gateway::Passed Gateway::check_rate(const Notes& notes) {
  if (options_.requests_per_minute <= 0) return {};
  const std::string key =
      notes.principal.token.empty() ? limit_key(notes.client.address) : notes.principal.token.str();
  if (const auto wait = requests_.take(key, clock_.mono_now())) {
    return std::unexpected(Refused{too_many_requests(*wait)});
  }
  return {};
}

Gateway::Passed Gateway::check_body(const RequestHead& head, const Route& route) const {
  if (!route.takes_body || route.info.consumes == "*/*") return {};
  if (is_json_type(head.header("content-type").value_or(""))) return {};
  return std::unexpected(
      Refused{error_response(415, "unsupported", "send JSON with Content-Type: application/json")});
}

std::optional<Millis> Gateway::count_wrong_credential(const std::string& address) {
  log_.info("auth.refused", {{"address", address}});
  return wrong_credentials_.take(limit_key(address), clock_.mono_now());
}

Task<Response> Gateway::handle(const RequestHead& head, std::string body) {
  const auto notes = std::static_pointer_cast<Notes>(head.notes);
  Response response;
  if (notes->asset != nullptr) {
    response = web_asset_response(*notes->asset, head);
  } else if (!still_valid(*notes)) {
    response = error_response(401, "unauthorized", "the credential was revoked meanwhile");
  } else {
    Call call{head, notes->client, notes->principal, std::move(notes->match.parameters),
              std::move(body)};
    response = co_await run(*notes->match.route, call);
  }
  finish(*notes, response);
  co_return response;
}

// The body may have taken a minute to arrive: what was revoked meanwhile counts.
bool Gateway::still_valid(const Notes& notes) const {
  if (notes.principal.token.empty()) return true;
  if (notes.revocations == tokens_.revocations() + browsers_.closings()) return true;
  return notes.browser.empty() ? tokens_.find_by_id(notes.principal.token) != nullptr
                               : browsers_.is_open(notes.browser);
}

Task<Response> Gateway::run(const Route& route, Call& call) {
  Result<Response> result;
  std::string bug;
  try {
    result = route.quick ? route.quick(call) : co_await route.handler(call);
  } catch (const std::exception& e) {
    bug = e.what();
  }
  if (!bug.empty()) {
    log_.error("http.bug", {{"route", route.info.pattern}, {"what", bug}});
    co_return error_response(500, "internal", kBrokenInside);
  }
  if (result) co_return std::move(*result);
  const Error& error = result.error();
  if (error.kind == Kind::kInternal) {
    log_.error("http.failed",
               {{"route", route.info.pattern}, {"error", error.name}, {"message", error.message}});
  }
  co_return error.kind == Kind::kInternal ? error_response(500, error.name, kBrokenInside)
                                          : error_response(error);
}

void Gateway::finish(const Notes& notes, Response& response) const {
  if (notes.client.https) {
    response.headers.emplace_back("Strict-Transport-Security", "max-age=31536000");
  }
  if (response.status == 503) response.headers.emplace_back("Retry-After", "1");
  if (response.status >= 500 || hub_.store_has_problem()) note_store_problem();
  if (notes.match.route != nullptr) {
    ++notes.match.route->stats.by_class[std::min(response.status / 100, 5)];
  }
}

void Gateway::note_store_problem() const {
  const auto changed = hub_.check_store();
  if (!changed) return;
  if (changed->empty()) {
    log_.info("store.well_again");
  } else {
    log_.error("store.problem", {{"message", *changed}});
  }
}

Task<void> Gateway::websocket(const RequestHead& head, std::shared_ptr<WebSocket> socket) {
  const auto notes = std::static_pointer_cast<Notes>(head.notes);
  if (!still_valid(*notes)) {
    socket->close(1008, "the credential was revoked meanwhile");
    co_return;
  }
  auto owner = page_owner(notes->principal, notes->browser, head.query);
  if (!owner) {
    socket->close(1008, owner.error().message);
    co_return;
  }
  ++notes->match.route->stats.by_class[1];
  co_await hub_.serve(std::move(*owner), std::move(socket));
}

Response Gateway::refuse(int status, std::string_view error, std::string_view message) {
  return error_response(status, error, message);
}

void Gateway::on_bug(std::string_view what) { log_.error("http.bug", {{"what", what}}); }

void Gateway::on_exhausted(std::string_view why) {
  log_.error("http.exhausted",
             {{"message", fmt::format("new connections have to wait: {}. They are "
                                      "taken as others close; a higher limit of "
                                      "open files (ulimit -n) makes room",
                                      why)}});
}

}  // namespace rouse
