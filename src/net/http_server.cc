#include "net/http_server.h"

#include <cerrno>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include "net/connection.h"
#include "net/ip_text.h"
#include "net/server_core.h"
#include "net/tls.h"

namespace rouse {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, Executor>;

constexpr std::size_t kMaxRefusing = 64;  // told 503 at once; beyond, just closed
constexpr auto kAcceptPause = std::chrono::milliseconds(100);
constexpr Millis kExhaustedToldEach = minutes(1);
constexpr Millis kStubbornHandlers = seconds(1);

struct Listener {
  explicit Listener(Executor executor) : acceptor(executor), pause(executor) {}
  Acceptor acceptor;
  Timer pause;  // after running out of descriptors
  std::optional<TlsFiles> files;
  ServerTls tls;
};

bool out_of_resources(const error_code& ec) {
  return ec.value() == EMFILE || ec.value() == ENFILE || ec.value() == ENOBUFS ||
         ec.value() == ENOMEM;
}

Error listen_error(const std::string& host, std::uint16_t port, const error_code& ec) {
  std::string_view advice;
  if (ec == asio::error::address_in_use) {
    advice =
        ". Another program, maybe a running rouse, has this port: stop it or choose another port";
  } else if (ec == asio::error::access_denied) {
    advice = ". Ports below 1024 need a privilege: choose one above";
  } else if (ec.value() == EADDRNOTAVAIL) {
    advice =
        ". This machine has no such address: use 127.0.0.1, 0.0.0.0 or one that 'ip addr' shows";
  }
  return Error(Errc::kIo,
               fmt::format("cannot listen on {} port {}: {}{}", host, port, ec.message(), advice));
}

void admit_connection(const std::shared_ptr<ServerCore>& core, const Listener& listener,
                      TcpSocket socket, const tcp::endpoint& from) {
  ++core->stats.accepted;
  Peer peer{to_plain_text(from.address()), from.port(), listener.tls.context != nullptr};
  const auto same = core->per_address.find(peer.address);
  const std::size_t from_there = same == core->per_address.end() ? 0 : same->second;
  const bool exempt = is_loopback(peer.address) || core->limits.exempt.contains(peer.address);
  std::string refusal;
  if (core->stats.connections >= core->limits.connections) {
    refusal = fmt::format("the server has its limit of {} connections; try again later",
                          core->limits.connections);
  } else if (!exempt && from_there >= core->limits.connections_per_address) {
    refusal = fmt::format("your address has its limit of {} connections; close some",
                          core->limits.connections_per_address);
  }
  if (refusal.empty()) {
    auto connection = std::make_shared<Connection>(
        core, std::move(socket), Ticket(core, std::move(peer)), listener.tls.context);
    core->loop.spawn("connection", Connection::run(std::move(connection)));
    return;
  }
  ++core->stats.refused;
  if (core->refusing >= kMaxRefusing) return;
  auto connection =
      std::make_shared<Connection>(core, std::move(socket), Ticket(), listener.tls.context);
  core->loop.spawn("connection over the limit",
                   Connection::turn_away(std::move(connection), std::move(refusal)));
}

Task<void> accept_connections(std::shared_ptr<ServerCore> core,
                              std::shared_ptr<Listener> listener) {
  std::optional<MonoTime> told;
  while (!core->stopping) {
    TcpSocket socket(core->loop.executor());
    tcp::endpoint from;
    error_code ec;
    co_await listener->acceptor.async_accept(socket, from, asio::redirect_error(use_task, ec));
    if (core->stopping || ec == asio::error::operation_aborted || ec == asio::error::bad_descriptor)
      break;
    if (out_of_resources(ec)) {
      const MonoTime now = core->deadlines.now();
      if (!told || now - *told >= kExhaustedToldEach) {
        told = now;
        core->handler.on_exhausted(ec.message());
      }
      // The waiting client stays in the kernel's queue, so trying at once would only spin.
      listener->pause.expires_after(kAcceptPause);
      co_await listener->pause.async_wait(asio::redirect_error(use_task, ec));
    } else if (!ec) {
      try {
        admit_connection(core, *listener, std::move(socket), from);
      } catch (const std::exception& e) {
        core->handler.on_bug(e.what());  // this client is lost, the next ones are not
      }
    }
  }
}

class Server final : public HttpServer {
 public:
  Server(Loop& loop, HttpHandler& handler, ServerLimits limits)
      : core_(std::make_shared<ServerCore>(loop, handler, std::move(limits))) {}

  ~Server() override {
    stop_accepting();
    abort_all();
  }

  Result<std::uint16_t> listen(std::string host, std::uint16_t port,
                               const std::optional<TlsFiles>& tls) override {
    error_code ec;
    const auto address = asio::ip::make_address(host, ec);
    if (ec) {
      return fail(Errc::kInvalid,
                  fmt::format("cannot listen on '{}': it is not an address. Use 127.0.0.1 "
                              "for this machine only, 0.0.0.0 for all networks",
                              host));
    }
    auto listener = std::make_shared<Listener>(core_->loop.executor());
    if (tls) {
      listener->files = tls;
      TRY(listener->tls, load_server_tls(tls->cert_path, tls->key_path));
    }
    const tcp::endpoint endpoint(address, port);
    Acceptor& acceptor = listener->acceptor;
    acceptor.open(endpoint.protocol(), ec);
    if (!ec) acceptor.set_option(asio::socket_base::reuse_address(true), ec);
    if (!ec) acceptor.bind(endpoint, ec);
    if (!ec) acceptor.listen(asio::socket_base::max_listen_connections, ec);
    if (ec) return fail(listen_error(host, port, ec));
    const std::uint16_t bound = acceptor.local_endpoint(ec).port();
    listeners_.push_back(listener);
    core_->loop.spawn("accept", accept_connections(core_, listener));
    return bound;
  }

  Result<void> reload_tls() override {
    std::vector<ServerTls> fresh;  // all or none: a half reload would be hard to explain
    for (const auto& listener : listeners_) {
      fresh.emplace_back();
      if (!listener->files) continue;
      TRY(fresh.back(), load_server_tls(listener->files->cert_path, listener->files->key_path));
    }
    for (std::size_t i = 0; i < fresh.size(); ++i) listeners_[i]->tls = std::move(fresh[i]);
    return {};
  }

  [[nodiscard]] std::vector<std::string> tls_warnings() const override {
    std::vector<std::string> warnings;
    for (const auto& listener : listeners_) {
      if (!listener->tls.warning.empty()) warnings.push_back(listener->tls.warning);
    }
    return warnings;
  }

  Task<void> shutdown(Millis deadline) override {
    return shut_down(core_, [this] { stop_accepting(); }, deadline);
  }

  [[nodiscard]] ServerStats stats() const override { return core_->stats; }

 private:
  static Task<void> shut_down(std::shared_ptr<ServerCore> core,
                              std::function<void()> stop_accepting, Millis deadline) {
    stop_accepting();
    const std::vector<Member*> members(core->members.begin(), core->members.end());
    for (Member* member : members) {
      // Ending one may end another (a stream's handler that closes its peer), so look again.
      if (core->members.contains(member)) member->begin_shutdown();
    }
    co_await wait_until_empty(core, deadline);
    abort_all(*core);
    co_await wait_until_empty(core, kStubbornHandlers);
  }

  static Task<void> wait_until_empty(std::shared_ptr<ServerCore> core, Millis longest) {
    if (core->members.empty()) co_return;
    Timer timer(core->loop.executor());
    timer.expires_after(std::chrono::milliseconds(longest.count));
    core->on_empty = [&timer] { timer.cancel(); };
    error_code ec;
    co_await timer.async_wait(asio::redirect_error(use_task, ec));
    core->on_empty = nullptr;
  }

  void stop_accepting() {
    core_->stopping = true;
    error_code ignored;
    for (const auto& listener : listeners_) {
      listener->acceptor.close(ignored);
      listener->pause.cancel();
    }
  }

  void abort_all() { abort_all(*core_); }
  static void abort_all(ServerCore& core) {
    const std::vector<Member*> members(core.members.begin(), core.members.end());
    for (Member* member : members) {
      if (core.members.contains(member)) member->abort();
    }
  }

  std::shared_ptr<ServerCore> core_;
  std::vector<std::shared_ptr<Listener>> listeners_;
};

}  // namespace

std::unique_ptr<HttpServer> make_http_server(Loop& loop, HttpHandler& handler,
                                             ServerLimits limits) {
  return std::make_unique<Server>(loop, handler, std::move(limits));
}

}  // namespace rouse
