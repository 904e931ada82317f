#include "app/cli/api_client.h"

#include <algorithm>
#include <csignal>
#include <unistd.h>
#include <utility>

#include "app/cli/local_store.h"
#include "app/config_keeper.h"
#include "app/owner_token.h"
#include "app/server_file.h"
#include "app/signals.h"
#include "base/text.h"
#include "net/address.h"
#include "net/url.h"

namespace rouse::cli {
namespace {

// The server sends a sign of life every 15 s.
constexpr Millis kQuietStream = seconds(60);

struct ErrorBody {
  std::string error, message;
};
auto shape(const ErrorBody*) {
  return fields(field("error", &ErrorBody::error, ""), field("message", &ErrorBody::message, ""));
}

// The process that wrote server.json must still hold the folder's lock, by the kernel's word: after
// a crash somebody else may have its number or sit on its port, and would be handed the token.
bool is_alive(const ServerFile& server, const std::string& data_dir) {
  const auto holder = lock_holder(data_dir);
  return holder && holder->starts_with(fmt::format("process {},", server.pid));
}

bool is_this_machine(const Url& url) { return url.host == "localhost" || is_loopback(url.host); }

// A certificate made for this server alone is trusted by its own commands.
std::string own_certificate(const std::string& data_dir) {
  ConfigPlace place;
  place.data_dir = data_dir;
  place.environment = process_environment();
  const auto sources = read_sources(place);
  return sources ? load_config(*sources).config.tls.cert : std::string();
}

Errc code_of(int status) {
  switch (status) {
    case 400:
    case 422:
      return Errc::kInvalid;
    case 401:
      return Errc::kUnauthorized;
    case 403:
      return Errc::kForbidden;
    case 404:
      return Errc::kNotFound;
    case 409:
      return Errc::kConflict;
    case 413:
      return Errc::kTooLarge;
    case 429:
      return Errc::kRateLimited;
    case 503:
      return Errc::kUnavailable;
    default:
      return Errc::kInternal;
  }
}

// Each ends the loop itself: the client keeps its connection open for a while and would keep the
// loop running as long.
Task<void> run_call(Loop& loop, HttpClient& client, ClientRequest request,
                    Result<ClientResponse>& out) {
  out = co_await client.send(std::move(request), {});
  loop.stop();
}

Task<void> run_stream(Loop& loop, HttpClient& client, ClientRequest request,
                      HttpClient::OnHead on_head, HttpClient::OnChunk on_chunk,
                      Result<ClientResponse>& out) {
  out = co_await client.stream(std::move(request), std::move(on_head), std::move(on_chunk), {});
  loop.stop();
}

// Nobody waits for its answer: what it is about shows in the stream.
Task<void> run_unheard(HttpClient& client, ClientRequest request) {
  (void)co_await client.send(std::move(request), {});
}

Task<void> run_interrupts(Loop& loop, HttpClient& client, Signals& signals, ClientRequest cancel,
                          std::function<std::string()> path, std::stop_source give_up) {
  const std::string base = cancel.url;
  while (co_await signals.next() != 0) {
    const std::string to = path();
    if (to.empty() || cancel.url != base) {
      give_up.request_stop();
      co_return;
    }
    cancel.url = base + to;
    loop.spawn("cancel", run_unheard(client, cancel));
  }
}

Task<void> run_followed(Loop& loop, HttpClient& client, ClientRequest request,
                        HttpClient::OnHead on_head, HttpClient::OnChunk on_chunk,
                        std::stop_token stop, Result<ClientResponse>& out) {
  out = co_await client.stream(std::move(request), std::move(on_head), std::move(on_chunk),
                               std::move(stop));
  loop.stop();
}

Task<void> run_pause(Loop& loop, Millis length) {
  RealClock clock(loop);
  (void)co_await clock.wait_for(length);
  loop.stop();
}

struct Found {
  std::string url, data_dir;
  OwnerToken token;
};

Result<Found> find_by_url(const ServerOption& where) {
  TRY(const Url url, parse_url(where.url));
  Found found;
  found.url = where.url;
  while (found.url.ends_with('/')) found.url.pop_back();
  const auto environment = process_environment();
  if (is_this_machine(url)) {
    TRY(found.data_dir, where.data.dir());
    TRY(found.token, read_owner_token(found.data_dir, environment));
    return found;
  }
  if (!url.https) {
    return fail(Errc::kInvalid,
                fmt::format("{} is another machine and not https; the token would travel readable",
                            where.url));
  }
  if (!environment.contains("ROUSE_TOKEN")) {
    return fail(Errc::kUnauthorized,
                "set ROUSE_TOKEN to a token of that server; the one of this machine is not sent "
                "elsewhere");
  }
  TRY(found.token, read_owner_token("", environment));
  return found;
}

Result<Found> find_by_data(const ServerOption& where) {
  Found found;
  TRY(found.data_dir, where.data.dir());
  const auto server = read_server_file(found.data_dir);
  if (!server && server.error().is(Errc::kNotFound)) return fail(not_running(found.data_dir));
  if (!server) return fail(wrap(found.data_dir + "/server.json", server.error()));
  if (!is_alive(*server, found.data_dir)) {
    return fail(
        not_running(found.data_dir, fmt::format("its last process, {}, is gone", server->pid)));
  }
  found.url = server->url;
  TRY(found.token, read_owner_token(found.data_dir, process_environment()));
  return found;
}

}  // namespace

Error not_running(const std::string& data_dir, std::string_view detail) {
  const std::string note = detail.empty() ? "" : fmt::format(" ({})", detail);
  return Error(
      CliErrc::kNotRunning,
      fmt::format("rouse is not running for {}{}. Start it with: rouse serve", data_dir, note));
}

Result<ApiClient> ApiClient::find(const ServerOption& where) {
  TRY(Found found, where.url.empty() ? find_by_data(where) : find_by_url(where));
  const bool own_https = found.url.starts_with("https:") && !found.data_dir.empty();
  return ApiClient(std::move(found.url), std::move(found.token.token),
                   std::move(found.token.origin), own_https ? own_certificate(found.data_dir) : "");
}

ApiClient::ApiClient(std::string url, std::string token, std::string token_origin,
                     std::string ca_file)
    : url_(std::move(url)),
      token_(std::move(token)),
      token_origin_(std::move(token_origin)),
      loop_(std::make_unique<Loop>()) {
  ClientOptions options;  // no proxy: this is between us and our own server
  options.ca_file = std::move(ca_file);
  client_ = make_http_client(*loop_, std::move(options));
}

ClientRequest ApiClient::request(const std::string& method, const std::string& path) const {
  ClientRequest out;
  out.deadline = deadline_;
  out.method = method;
  out.url = url_ + path;
  out.headers = {{"Authorization", "Bearer " + token_}, {"Accept", "application/json"}};
  return out;
}

Error ApiClient::explain(Error error) const {
  if (error.is(ClientErrc::kConnect) || error.is(ClientErrc::kResolve)) {
    return Error(CliErrc::kNotRunning,
                 fmt::format("no server answers at {} ({}). Start it with: rouse serve", url_,
                             error.message));
  }
  if (error.is(ClientErrc::kTimeout)) {
    return Error(CliErrc::kNotRunning,
                 fmt::format("{} did not answer within {}; it may be stuck, its log says more",
                             url_, to_words(deadline_)));
  }
  if (error.is(ClientErrc::kTls)) {
    error.message += ". If the certificate is for another name, use: --url https://NAME";
  }
  return error;
}

Error ApiClient::refusal(int status, std::string_view body) const {
  const auto said = decode_json<ErrorBody>(body);
  if (status == 401) {
    return Error(Errc::kUnauthorized,
                 fmt::format("{} doesn't accept the token from {}", url_, token_origin_));
  }
  return Error(code_of(status),
               said ? said->message : fmt::format("{} answered with status {}", url_, status));
}

Result<std::string> ApiClient::call(const std::string& method, const std::string& path,
                                    const std::string& body) {
  ClientRequest wanted = request(method, path);
  if (!body.empty()) {
    wanted.headers.emplace_back("Content-Type", "application/json");
    wanted.body = body;
  }
  Result<ClientResponse> response;
  loop_->context().restart();
  loop_->spawn("call", run_call(*loop_, *client_, std::move(wanted), response));
  loop_->run();
  if (!response) return fail(explain(std::move(response).error()));
  if (response->status / 100 == 2) return std::move(response->body);
  return fail(refusal(response->status, response->body));
}

Result<void> ApiClient::download(const std::string& path, const std::string& header,
                                 const std::function<void(std::string_view value)>& on_head,
                                 const OnChunk& on_chunk) {
  ClientRequest wanted = request("GET", path);
  wanted.deadline = hours(24);  // as large as the disk; a stall ends it
  wanted.max_body_bytes = std::size_t{1} << 50;
  int status = 0;
  std::string refused;
  const auto head = [&](const ClientResponse& answer) -> Result<void> {
    status = answer.status;
    if (status == 200) on_head(answer.header(header).value_or(""));
    return {};
  };
  const auto chunk = [&](std::string_view bytes) -> Result<void> {
    if (status == 200) return on_chunk(bytes);
    refused += bytes.substr(0, std::min<std::size_t>(bytes.size(), 64 * 1024 - refused.size()));
    return {};
  };
  Result<ClientResponse> response;
  loop_->context().restart();
  loop_->spawn("download", run_stream(*loop_, *client_, std::move(wanted), head, chunk, response));
  loop_->run();
  if (!response) return fail(explain(std::move(response).error()));
  if (status != 200) return fail(refusal(status, refused));
  return {};
}

Result<void> ApiClient::follow(const Follow& what) {
  ClientRequest wanted = request("POST", what.path);
  wanted.headers = {{"Authorization", "Bearer " + token_},
                    {"Accept", "text/event-stream"},
                    {"Content-Type", "application/json"}};
  wanted.body = what.body;
  wanted.deadline = hours(24);
  wanted.idle_deadline = kQuietStream;
  wanted.max_body_bytes = std::size_t{1} << 40;
  int status = 0;
  std::string refused;
  SseParser parser;
  const auto head = [&](const ClientResponse& answer) -> Result<void> {
    status = answer.status;
    return {};
  };
  const auto chunk = [&](std::string_view bytes) -> Result<void> {
    if (status == 200) return parser.feed(bytes, what.on_event);
    refused += bytes.substr(0, std::min<std::size_t>(bytes.size(), 64 * 1024 - refused.size()));
    return {};
  };
  Result<ClientResponse> response;
  std::stop_source give_up;
  Signals signals(*loop_, {SIGINT});
  loop_->context().restart();
  loop_->spawn("interrupts", run_interrupts(*loop_, *client_, signals, request("POST", ""),
                                            what.on_interrupt, give_up));
  loop_->spawn("follow", run_followed(*loop_, *client_, std::move(wanted), head, chunk,
                                      give_up.get_token(), response));
  loop_->run();
  // The task that listens for Ctrl-C ends before what it listens to.
  signals.cancel();
  loop_->context().restart();
  loop_->poll();
  if (!response) return fail(explain(std::move(response).error()));
  if (status != 200) return fail(refusal(status, refused));
  return {};
}

void ApiClient::pause(Millis length) {
  loop_->context().restart();
  loop_->spawn("pause", run_pause(*loop_, length));
  loop_->run();
}

}  // namespace rouse::cli
