#include "net/http_client.h"

#include <algorithm>
#include <cerrno>
#include <sys/socket.h>

#include "base/text.h"
#include "net/client_core.h"
#include "net/client_exchange.h"
#include "net/tls.h"

namespace rouse {
namespace {

// Servers close idle connections after 60 to 75 s as a rule; ours should be the shorter patience.
constexpr Millis kIdleAge = seconds(45);

bool is_quiet(TcpSocket& socket) {
  char byte = 0;
  const ssize_t size = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

class Client final : public HttpClient {
 public:
  Client(Loop& loop, ClientOptions options)
      : core_(std::make_shared<ClientCore>(loop, std::move(options))) {}

  ~Client() override {
    const std::vector<ClientExchange*> running(core_->running.begin(), core_->running.end());
    for (ClientExchange* exchange : running) exchange->stop(ClientExchange::Cause::kCancelled);
    core_->pool.clear();
    core_->threads.reset();  // waits for a name look-up that is under way
  }

  Task<Result<ClientResponse>> send(ClientRequest request, std::stop_token stop) override {
    return ClientExchange::run(core_, std::move(request), {}, {}, std::move(stop));
  }

  Task<Result<ClientResponse>> stream(ClientRequest request, OnHead on_head, OnChunk on_chunk,
                                      std::stop_token stop) override {
    return ClientExchange::run(core_, std::move(request), std::move(on_head), std::move(on_chunk),
                               std::move(stop));
  }

 private:
  std::shared_ptr<ClientCore> core_;
};

}  // namespace

ErrorInfo error_info(ClientErrc code) {
  switch (code) {
    case ClientErrc::kBadUrl:
      return {Kind::kInvalid, "bad_url"};
    case ClientErrc::kResolve:
      return {Kind::kUnavailable, "resolve_failed"};
    case ClientErrc::kConnect:
      return {Kind::kUnavailable, "connect_failed"};
    case ClientErrc::kTls:
      return {Kind::kUnavailable, "tls_failed"};
    case ClientErrc::kTimeout:
      return {Kind::kTimeout, "request_timeout"};
    case ClientErrc::kCancelled:
      return {Kind::kCancelled, "request_cancelled"};
    case ClientErrc::kProtocol:
      return {Kind::kUnavailable, "bad_http_answer"};
    case ClientErrc::kTooLarge:
      return {Kind::kTooLarge, "answer_too_large"};
    case ClientErrc::kClosed:
      return {Kind::kUnavailable, "connection_closed"};
    case ClientErrc::kBlocked:
      break;
  }
  return {Kind::kForbidden, "address_blocked"};
}

std::optional<std::string_view> ClientResponse::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (iequals_ascii(key, name)) return value;
  }
  return std::nullopt;
}

std::unique_ptr<ClientConnection> ConnectionPool::take(
    const std::string& key, const std::function<bool(std::string_view)>& allow) {
  for (std::size_t i = idle_.size(); i-- > 0;) {
    if (idle_[i].key != key || (allow && !allow(idle_[i].connection->address))) continue;
    auto connection = std::move(idle_[i].connection);
    idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
    if (!is_quiet(connection->stream.socket())) continue;  // closed by the server, or out of step
    connection->reused = true;
    return connection;
  }
  return nullptr;
}

void ConnectionPool::give(std::string key, std::unique_ptr<ClientConnection> connection) {
  if (bound_ == 0) return;
  if (idle_.size() >= bound_) idle_.erase(idle_.begin());
  idle_.push_back({std::move(key), std::move(connection), deadlines_.now()});
  if (idle_.size() == 1) deadlines_.set(*this, kIdleAge);
}

void ConnectionPool::on_deadline(MonoTime now) {
  std::erase_if(idle_, [now](const Idle& idle) { return now - idle.since >= kIdleAge; });
  if (!idle_.empty()) deadlines_.set(*this, kIdleAge);
}

Result<boost::asio::ssl::context*> ClientCore::tls_context() {
  if (!tls) {
    TRY(tls, make_client_tls(options.ca_file));
  }
  return tls.get();
}

Result<std::optional<Proxy>> ClientCore::proxy_for(const Url& url) const {
  const auto& setting = url.https ? options.https_proxy : options.http_proxy;
  if (!setting || setting->empty()) return std::nullopt;
  if (options.no_proxy && bypasses_proxy(url, *options.no_proxy)) return std::nullopt;
  auto proxy = parse_proxy(*setting);
  if (!proxy) return fail(wrap(url.https ? "https_proxy" : "http_proxy", proxy.error()));
  return *std::move(proxy);
}

std::unique_ptr<HttpClient> make_http_client(Loop& loop, ClientOptions options) {
  return std::make_unique<Client>(loop, std::move(options));
}

}  // namespace rouse
