#include <algorithm>
#include <arpa/inet.h>
#include <netdb.h>

#include <boost/asio/redirect_error.hpp>
#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "net/client_exchange.h"
#include "net/ip_text.h"
#include "net/tls.h"

namespace rouse {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Addresses = std::vector<std::string>;

constexpr Millis kAttempt = seconds(10);  // one of several addresses

bool is_literal(const std::string& host) {
  error_code ec;
  asio::ip::make_address(host, ec);
  return !ec;
}

// Blocks; runs on a pool thread and owns its parameter.
Result<Addresses> look_up(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (code != 0) {
    return fail(ClientErrc::kResolve,
                fmt::format("cannot find the address of '{}': {}. Is the name right, "
                            "and is there a network?",
                            host, ::gai_strerror(code)));
  }
  Addresses out;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    char text[INET6_ADDRSTRLEN] = {};
    const void* raw =
        one->ai_family == AF_INET
            ? static_cast<const void*>(&reinterpret_cast<sockaddr_in*>(one->ai_addr)->sin_addr)
            : &reinterpret_cast<sockaddr_in6*>(one->ai_addr)->sin6_addr;
    ::inet_ntop(one->ai_family, raw, text, sizeof text);
    if (std::ranges::find(out, text) == out.end()) out.emplace_back(text);
  }
  ::freeaddrinfo(found);
  return out;
}

// Whoever comes first, the look-up or the abandonment, completes it.
struct LookUp {
  Completer<Result<Addresses>> done;
  void finish(Result<Addresses> result) {
    if (done) std::exchange(done, {})(std::move(result));
  }
};

Task<void> run_look_up(std::shared_ptr<ClientCore> core, std::string host,
                       std::shared_ptr<LookUp> to) {
  if (!core->threads) co_return to->finish(fail(ClientErrc::kCancelled, "the client is gone"));
  auto result = co_await core->threads->run<Addresses>([host] { return look_up(host); });
  to->finish(std::move(result));
}

}  // namespace

Task<Result<ClientExchange::Addresses>> ClientExchange::resolve(std::string host) {
  error_code ec;
  const auto literal = asio::ip::make_address(host, ec);
  if (!ec) co_return Addresses{to_plain_text(literal)};
  auto pending = std::make_shared<LookUp>();
  // A look-up can't be interrupted, but waiting for it can.
  abandon_ = [pending] { pending->finish(fail(ClientErrc::kCancelled, "")); };
  auto result = co_await complete_later<Result<Addresses>>([&](Completer<Result<Addresses>> done) {
    pending->done = std::move(done);
    core_->loop.spawn("resolve", run_look_up(core_, host, pending));
  });
  abandon_ = nullptr;
  if (cause_ != Cause::kNone) co_return failure(ClientErrc::kCancelled, "");
  co_return result;
}

Result<void> ClientExchange::check_allowed(const Addresses& addresses) const {
  if (!request_.allow_address) return {};
  for (const std::string& address : addresses) {
    if (!request_.allow_address(address)) {
      return fail(ClientErrc::kBlocked,
                  fmt::format("{} leads to {}, which is not allowed here", url_.host, address));
    }
  }
  return {};
}

Task<Result<void>> ClientExchange::connect() {
  buffer_ = {};
  std::string target_address;
  Addresses addresses;
  // With a rule for addresses we must know and pin the target's, even behind a proxy (SC-7).
  if (!proxy_ || request_.allow_address) {
    CO_TRY(addresses, co_await resolve(url_.host));
    CO_TRY_VOID(check_allowed(addresses));
    target_address = addresses.front();
  }
  if (!proxy_) {
    CO_TRY_VOID(co_await connect_tcp(url_.host, url_.port, std::move(addresses)));
  } else {
    CO_TRY(addresses, co_await resolve(proxy_->host));
    CO_TRY_VOID(co_await connect_tcp(proxy_->host, proxy_->port, std::move(addresses)));
    const bool pinned = !target_address.empty();
    if (pinned) {
      Url at = url_;
      at.host = target_address;
      CO_TRY_VOID(co_await open_tunnel(at.authority()));
      connection_->address = target_address;
    } else if (url_.https) {
      CO_TRY_VOID(co_await open_tunnel(url_.authority()));
    } else {
      connection_->through_proxy = true;
    }
  }
  if (url_.https) CO_TRY_VOID(co_await start_tls());
  co_return Result<void>();
}

Task<Result<void>> ClientExchange::connect_tcp(std::string host, std::uint16_t port,
                                               Addresses addresses) {
  std::string why = "it has no address";
  Url named;  // for "host:port" in messages
  named.host = host;
  named.port = port;
  for (std::size_t i = 0; i < addresses.size() && cause_ == Cause::kNone; ++i) {
    const auto tries_left = static_cast<std::int64_t>(addresses.size() - i);
    const bool last = tries_left == 1;
    connection_ = std::make_unique<ClientConnection>(TcpSocket(core_->loop.executor()));
    connection_->address = addresses[i];
    attempt_over_ = false;
    set_deadline(last ? Phase::kWhole : Phase::kConnect,
                 last ? time_left() : std::min(kAttempt, Millis{time_left().count / tries_left}));
    error_code ec;
    const auto address = asio::ip::make_address(addresses[i], ec);
    co_await connection_->stream.socket().async_connect({address, port},
                                                        asio::redirect_error(use_task, ec));
    if (!ec && cause_ == Cause::kNone && !attempt_over_) {
      connection_->stream.socket().set_option(asio::ip::tcp::no_delay(true), ec);
      set_deadline(Phase::kWhole, time_left());
      co_return Result<void>();
    }
    why = attempt_over_ ? "no answer" : ec.message();
    if (ec == asio::error::connection_refused) why += ". Is the server running?";
  }
  connection_.reset();
  co_return failure(ClientErrc::kConnect,
                    fmt::format("cannot connect to {}{}: {}", proxy_ ? "the proxy " : "",
                                named.authority(), why));
}

Task<Result<void>> ClientExchange::open_tunnel(std::string authority) {
  std::string head = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n", authority);
  if (!proxy_->authorization.empty())
    head += "Proxy-Authorization: " + proxy_->authorization + "\r\n";
  head += "\r\n";
  CO_TRY_VOID(co_await write(head, ""));
  CO_TRY(const ResponseHead answer, co_await read_head());
  got_bytes_ = false;  // those were the proxy's, not the answer's
  if (answer.status / 100 != 2 || !buffer_.empty()) {
    const std::string_view hint =
        answer.status == 407 ? ": it wants a user and password, as in http://user:pass@host:3128"
                             : "";
    connection_.reset();
    co_return failure(
        ClientErrc::kConnect,
        fmt::format("the proxy {} refused to connect to {}: {} {}{}", proxy_->authority(),
                    authority, answer.status, reason_phrase(answer.status), hint));
  }
  co_return Result<void>();
}

Task<Result<void>> ClientExchange::start_tls() {
  auto context = core_->tls_context();
  if (!context) co_return fail(ClientErrc::kTls, context.error().message);
  connection_->stream.start_tls(**context);
  TlsStream& tls = *connection_->stream.tls();
  SSL* raw = tls.native_handle();
  // The certificate must name what was asked for, and for a name the server must learn it (SNI).
  if (is_literal(url_.host)) {
    ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(raw), url_.host.c_str());
  } else {
    ::SSL_set_tlsext_host_name(raw, url_.host.c_str());
    ::SSL_set1_host(raw, url_.host.c_str());
  }
  error_code ec;
  co_await tls.async_handshake(asio::ssl::stream_base::client, asio::redirect_error(use_task, ec));
  if (!ec && cause_ == Cause::kNone) co_return Result<void>();
  const std::string why = verify_failure(raw);
  const std::string message =
      why.empty() ? fmt::format("no TLS connection with {}: {}", url_.authority(), ec.message())
                  : fmt::format("the certificate of {} is not trusted: {}", url_.authority(), why);
  auto result = failure(ClientErrc::kTls, message);
  connection_.reset();
  co_return result;
}

}  // namespace rouse
