#include "net/websocket.h"

#include <array>
#include <linux/sockios.h>
#include <string>
#include <sys/ioctl.h>
#include <vector>

#include <boost/asio/redirect_error.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/error.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "base/text.h"
#include "net/erased_stream.h"

namespace rouse {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace ws = boost::beast::websocket;
using beast::error_code;

// Found by Beast: how a NetStream is shut down at the end of a WebSocket. Only our side is closed
// here; waiting for the peer happens in Session::run, within a bound.
template <class Handler>
void async_teardown(beast::role_type, ErasedStream& stream, Handler&& handler) {
  error_code ignored;
  stream.socket().shutdown(asio::socket_base::shutdown_send, ignored);
  asio::post(stream.get_executor(),
             beast::bind_front_handler(std::forward<Handler>(handler), error_code{}));
}
void beast_close_socket(ErasedStream& stream) { stream.close(); }

namespace {

constexpr std::size_t kFirstStep = 4096;

// A request head with its own bytes, no larger than they are: it lives as long as the WebSocket.
class OwnHead {
 public:
  explicit OwnHead(const RequestHead& head) {
    std::size_t size = head.method.size() + head.target.size();
    for (const HeaderView& field : head.headers) size += field.name.size() + field.value.size();
    bytes_ = std::make_unique<char[]>(size);
    head_.method = keep(head.method);
    head_.target = keep(head.target);
    head_.path = within_target(head, head.path);
    head_.query = within_target(head, head.query);
    head_.headers.reserve(head.headers.size());
    for (const HeaderView& field : head.headers) {
      const std::string_view name = keep(field.name);
      head_.headers.push_back({name, keep(field.value)});
    }
    head_.websocket_upgrade = true;
    head_.notes = head.notes;
  }
  RequestHead& get() { return head_; }

 private:
  std::string_view keep(std::string_view text) {
    char* const at = bytes_.get() + used_;
    text.copy(at, text.size());
    used_ += text.size();
    return {at, text.size()};
  }
  std::string_view within_target(const RequestHead& from, std::string_view part) const {
    const char* const begin = from.target.data();
    if (part.data() < begin || part.data() + part.size() > begin + from.target.size()) return part;
    return head_.target.substr(static_cast<std::size_t>(part.data() - begin), part.size());
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t used_ = 0;
  RequestHead head_;
};

class Session final : public WebSocket,
                      public Member,
                      public std::enable_shared_from_this<Session> {
 public:
  Session(std::shared_ptr<ServerCore> core, NetStream stream, Ticket ticket,
          const RequestHead& head)
      : core_(std::move(core)),
        ticket_(std::move(ticket)),
        head_(head),
        ws_(ErasedStream(std::move(stream))) {
    head_.get().peer = &ticket_.peer();
    ws_.auto_fragment(false);
    ws_.read_message_max(core_->limits.websocket_message_bytes);
    ws_.control_callback([this](ws::frame_type, beast::string_view) { heard(); });
    core_->enter(*this);
    ++core_->stats.websockets;
  }
  ~Session() override {
    --core_->stats.websockets;
    core_->leave(*this);
  }

  static Task<void> run(std::shared_ptr<Session> self, std::string key);

  Task<Result<std::string>> receive() override;
  bool send(std::shared_ptr<const std::string> text) override;
  void close(std::uint16_t code, std::string_view reason) override;
  [[nodiscard]] std::size_t queued_bytes() const override { return queued_bytes_; }

  void begin_shutdown() override { close(1001, "the server is stopping"); }
  void abort() override {
    end();
    ws_.next_layer().close();
  }

 private:
  enum class State : std::uint8_t { kHandshake, kOpen, kClosing, kEnded };

  Task<bool> accept(std::string key);
  Task<void> ended();
  void on_deadline(MonoTime now) override;
  void heard() {
    pinged_ = false;
    if (state_ == State::kOpen && !writing_) wait_for_sign();
  }
  // Half the length as grain: all idle sockets together wake the process twice a period.
  void wait_for_sign() { core_->deadlines.set(*this, core_->limits.websocket_idle, 2); }
  void ping();
  void write_next();
  void on_written(error_code ec);
  void start_close();
  void drop_as_slow();
  void end();
  [[nodiscard]] bool write_stands_still();
  std::unexpected<Error> read_failure(error_code ec);

  std::shared_ptr<ServerCore> core_;
  Ticket ticket_;
  OwnHead head_;
  ws::stream<ErasedStream, false> ws_;
  std::vector<std::shared_ptr<const std::string>> queue_;  // the front at queue_[sent_]
  std::size_t sent_ = 0;
  std::size_t queued_bytes_ = 0;
  std::unique_ptr<ws::close_reason> close_reason_;
  Completer<bool> on_end_;
  std::array<char, 64> first_;  // most messages begin here, so an idle socket needs no read buffer
  int unsent_ = -1;             // bytes in the kernel at the last look
  State state_ = State::kHandshake;
  bool reading_ = false;
  bool writing_ = false;
  bool close_started_ = false;
  bool pinged_ = false;
};

Task<void> Session::run(std::shared_ptr<Session> self, std::string key) {
  if (!co_await self->accept(std::move(key))) co_return;
  std::string bug;
  try {
    co_await self->core_->handler.websocket(self->head_.get(), self);
  } catch (const std::exception& e) {
    bug = e.what();
  }
  if (!bug.empty()) self->core_->handler.on_bug(bug);
  self->close(bug.empty() ? 1000 : 1011, bug.empty() ? "" : "internal error");
  co_await self->ended();
  // The peer may still be sending; a reset would swallow our close frame.
  NetStream& stream = self->ws_.next_layer();
  error_code ec;
  stream.socket().shutdown(asio::socket_base::shutdown_send, ec);
  if (!ec) {
    self->core_->deadlines.set(*self, kLingerDeadline);
    co_await drain(*self->core_, stream);
  }
  self->core_->deadlines.clear(*self);
  stream.close();
}

Task<bool> Session::accept(std::string key) {
  core_->deadlines.set(*this, core_->limits.handshake_deadline);
  http::request<http::empty_body> request(http::verb::get, "/", 11);
  request.set(http::field::host, "rouse");
  request.set(http::field::upgrade, "websocket");
  request.set(http::field::connection, "upgrade");
  request.set(http::field::sec_websocket_version, "13");
  request.set(http::field::sec_websocket_key, key);
  error_code ec;
  co_await ws_.async_accept(request, asio::redirect_error(use_task, ec));
  if (ec || state_ == State::kEnded) {
    end();
    co_return false;
  }
  state_ = State::kOpen;
  wait_for_sign();
  // close() may have come during the handshake, or the server may have begun to stop.
  if (close_reason_) {
    state_ = State::kClosing;
    start_close();
  }
  co_return true;
}

Task<Result<std::string>> Session::receive() {
  if (state_ == State::kEnded) co_return fail(WebSocketErrc::kClosed, "the WebSocket is closed");
  error_code ec;
  std::string text;
  reading_ = true;
  std::size_t got =
      co_await ws_.async_read_some(asio::buffer(first_), asio::redirect_error(use_task, ec));
  if (!ec) text.assign(first_.data(), got);
  while (!ec && ws_.got_text() && !ws_.is_message_done()) {
    heard();
    const std::size_t old = text.size();
    text.resize(old + std::max(kFirstStep, old));
    got = co_await ws_.async_read_some(asio::buffer(text.data() + old, text.size() - old),
                                       asio::redirect_error(use_task, ec));
    text.resize(old + got);
  }
  reading_ = false;
  if (ec) co_return read_failure(ec);
  heard();
  if (!ws_.got_text()) {
    ++core_->stats.bad_requests;
    close(1003, "only text messages are understood");
    co_return fail(WebSocketErrc::kBadMessage,
                   "the client sent a binary message; only text is understood");
  }
  co_return text;
}

std::unexpected<Error> Session::read_failure(error_code ec) {
  const bool clean = ec == ws::error::closed;
  const bool closing = close_reason_ != nullptr;  // our close may have overtaken this read
  // When we are closing too, Beast's close goes on and ends the session itself.
  if (!(clean && close_started_)) end();
  if (clean || closing) return fail(WebSocketErrc::kClosed, "the WebSocket is closed");
  if (ec == ws::error::message_too_big || ec == ws::error::bad_frame_payload) {
    ++core_->stats.bad_requests;
    return fail(WebSocketErrc::kBadMessage, ec == ws::error::message_too_big
                                                ? "the client sent a message over the limit"
                                                : "the client sent text that is not UTF-8");
  }
  return fail(WebSocketErrc::kLost, "the WebSocket broke: " + ec.message());
}

bool Session::send(std::shared_ptr<const std::string> text) {
  if (state_ != State::kOpen) return false;
  // One message larger than the bound may pass when nothing waits before it.
  if (queued_bytes_ > 0 && queued_bytes_ + text->size() > core_->limits.websocket_queue_bytes) {
    drop_as_slow();
    return false;
  }
  queued_bytes_ += text->size();
  queue_.push_back(std::move(text));
  if (!writing_) write_next();
  return true;
}

void Session::write_next() {
  if (!writing_) {
    writing_ = true;
    unsent_ = -1;
    core_->deadlines.set(*this, core_->limits.write_deadline);
  }
  ws_.async_write(
      asio::buffer(*queue_[sent_]),
      [self = shared_from_this()](error_code ec, std::size_t) { self->on_written(ec); });
}

void Session::on_written(error_code ec) {
  if (ec || state_ == State::kEnded) {
    writing_ = false;
    return end();
  }
  queued_bytes_ -= queue_[sent_]->size();
  queue_[sent_++].reset();
  if (sent_ < queue_.size()) return write_next();
  queue_ = {};  // an idle socket holds no memory for sending
  sent_ = 0;
  writing_ = false;
  if (state_ == State::kClosing) return start_close();
  wait_for_sign();
}

void Session::close(std::uint16_t code, std::string_view reason) {
  if (state_ == State::kEnded || close_reason_) return;
  // The reason must fit a control frame.
  close_reason_ = std::make_unique<ws::close_reason>(static_cast<ws::close_code>(code),
                                                     beast::string_view(utf8_prefix(reason, 120)));
  if (state_ == State::kHandshake) return;
  state_ = State::kClosing;
  core_->deadlines.set(*this, core_->limits.websocket_close);
  if (!writing_) start_close();
}

void Session::start_close() {
  close_started_ = true;
  core_->deadlines.set(*this, core_->limits.websocket_close);
  ws_.async_close(*close_reason_, [self = shared_from_this()](error_code) { self->end(); });
}

// The one way out: nothing is sent any more, and whoever waits for the end goes on.
void Session::end() {
  if (state_ == State::kEnded) return;
  state_ = State::kEnded;
  queued_bytes_ = 0;
  if (!writing_) {
    queue_ = {};
    sent_ = 0;
  }
  core_->deadlines.clear(*this);
  if (on_end_) std::exchange(on_end_, {})(true);
}

Task<void> Session::ended() {
  if (state_ == State::kEnded) co_return;
  co_await complete_later<bool>([this](Completer<bool> done) { on_end_ = std::move(done); });
}

void Session::drop_as_slow() {
  ++core_->stats.slow_dropped;
  abort();
}

bool Session::write_stands_still() {
  int unsent = 0;
  ::ioctl(ws_.next_layer().socket().native_handle(), SIOCOUTQ, &unsent);
  return std::exchange(unsent_, unsent) == unsent && unsent > 0;
}

void Session::on_deadline(MonoTime) {
  switch (state_) {
    case State::kHandshake:
    case State::kClosing:
      return drop_as_slow();
    case State::kEnded:
      return ws_.next_layer().close();  // lingering
    case State::kOpen:
      break;
  }
  if (writing_) {
    if (write_stands_still()) return drop_as_slow();
    return core_->deadlines.set(*this, core_->limits.write_deadline);
  }
  // While the handler is busy nobody reads, so no answer to a ping would be seen.
  if (!reading_) return wait_for_sign();
  if (pinged_) return drop_as_slow();
  ping();
  wait_for_sign();
}

void Session::ping() {
  pinged_ = true;
  ws_.async_ping({}, [self = shared_from_this()](error_code) {});
}

}  // namespace

void start_websocket(std::shared_ptr<ServerCore> core, NetStream stream, Ticket ticket,
                     const RequestHead& head, const RequestFraming& framing,
                     std::string_view early) {
  stream.unread(early);
  Loop& loop = core->loop;
  auto session =
      std::make_shared<Session>(std::move(core), std::move(stream), std::move(ticket), head);
  loop.spawn("websocket", Session::run(std::move(session), std::string(framing.websocket_key)));
}

}  // namespace rouse
